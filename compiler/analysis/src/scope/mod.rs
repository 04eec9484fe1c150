//! Resolves names. In: the entry module and a [`ProgramFiles`](crate::source::ProgramFiles) to load imports from. Out:
//! [`Linked`], in which every use refers to its definition.
//!
//! The walk is lazy where the language is order-independent: a definition gets its node at its first use, an alias its
//! scope at the first lookup. Errors are found in source order; where the language's own order is observable,
//! [`accidents`] walks again.

pub mod linked;
pub mod module;

mod accidents;
mod aside;
mod block;
mod called;
mod candidates;
mod check;
mod dump;
mod env;
mod errors;
mod expr;
mod files;
mod foreign;
mod import;
mod import_help;
mod library;
mod linker;
mod new_import;
mod rings;
mod state;
mod suggest;
mod uses;

pub use dump::dump;
pub use foreign::counterpart as foreign_function;
pub use linked::Linked;
pub use linker::{Limits, Setup};
pub use module::input;
pub use new_import::import_place;

/// The default alias of a system or local import.
pub(crate) fn default_alias(import: &str) -> Option<String> {
    module::import_name::parse(import).ok().map(|name| name.alias)
}

use crate::diag::Diags;
use crate::hir;
use crate::ident::Name;
use crate::source::Sources;
use block::BlockContext;
use env::{Env, Names};
use files::{Files, Shelf};
use linker::Linker;
use module::Input;
use state::Site;

/// The last directory searched for remote modules in a deploy.
pub(crate) const MODULES_DIR: &str = "/modules/";

/// Resolves a program: its lowered main file, with the input it was read from.
///
/// Errors: E03xx; those of imported files list the imports that led there, and all are of the scope stage. Broken parts
/// are [`linked::NodeKind::Error`]. Cost: nearly linear in the size of the program after copying. Also returns the
/// trees of all files, the main file's first.
pub fn resolve(
    setup: Setup<'_>,
    sources: &mut Sources,
    entry: hir::Module,
    input: &Input,
    diags: &mut Diags,
) -> (Linked, Vec<hir::Module>) {
    let shelf = Shelf::new();
    let mut files = Files::new(&shelf);
    let main = files.add(entry, Diags::default()).expect("an empty shelf has room");
    let mut linker = Linker::new(setup, files, sources);
    linker.program(main, input);
    let mut linker = accidents::in_the_languages_order(linker, |linker| linker.program(main, input));
    diags.extend(linker.reports.take());
    // A partial result is useless.
    let linked = if linker.bounds.are_exceeded() { Linked::default() } else { linker.out.finish() };
    (linked, shelf.into_modules())
}

impl<'a> Linker<'a, '_> {
    fn program(&mut self, main: &'a files::File, input: &Input) {
        // Most expressions are linked once.
        self.out.make_room(main.module.exprs.len());
        let dir = self.out.dir(&input.base);
        let (base, metadata) = (input.base.clone(), input.metadata.clone());
        let site = self.sites.add(Site { file: main, base, dir, metadata, importer: None });
        let names = Names::System(Name::from(""));
        let parent = self.add_env(Env { parent: None, site, iterated: None, first: true, names });
        let env = self.open_block(&main.module.root, BlockContext { parent, site, iterated: None, first: true });
        self.check_file(site);
        let root = self.link_block(&main.module.root, env);
        self.out.set_root(root);
        if self.setup.aside && !self.bounds.are_exceeded() {
            self.link_aside();
        }
        if self.scopes.may_recur() && !self.bounds.are_exceeded() {
            self.break_rings();
        }
    }
}

#[cfg(test)]
mod tests;
