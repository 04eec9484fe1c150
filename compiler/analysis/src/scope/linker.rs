//! The linker: its parts, with the operations that all its files use.

use super::accidents::Accidents;
use super::env::{Env, EnvId};
use super::files::{File, Files};
use super::linked::{Def, DefId, Use};
use super::state::{Bounds, Product, Reports, Scopes, SiteId, Sites, Tasks};
use crate::diag::{Diagnostic, codes};
use crate::hir::ExprId;
use crate::ident::Name;
use crate::source::{ProgramFiles, Sources};
use crate::span::Span;

/// Parameters of name resolution.
#[derive(Clone, Copy)]
pub struct Setup<'s> {
    /// The program's files.
    pub world: &'s dyn ProgramFiles,
    /// The value of `$hostname`.
    pub hostname: &'s str,
    /// The last directory searched for remote modules, with a trailing slash.
    pub modules_dir: &'s str,
    /// Limits on the work.
    pub limits: Limits,
    /// Whether to also link code that no statement reaches ([`super::Linked::aside`]), for editors.
    pub aside: bool,
}

/// Limits on the work for one program; exceeding one is an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of nodes, statements, scopes and imported files after copying.
    pub copies: usize,
    /// The maximum number of scope lookups.
    pub steps: usize,
    /// Maximum nesting of blocks, including included class bodies and imported files; higher than the parser's limit.
    pub depth: usize,
}

/// How many nodes the copy of a file counts as: it has its own names.
const PER_IMPORT: usize = 8;

impl Default for Limits {
    fn default() -> Limits {
        Limits { copies: 1_000_000, steps: 100_000_000, depth: 250 }
    }
}

/// One walk over a program: its parts, which the rules (the other files) change through their methods.
pub(super) struct Linker<'a, 's> {
    /// Parameters of name resolution.
    pub setup: Setup<'s>,
    /// How much of the limits is used.
    pub bounds: Bounds,
    /// The order of the walk.
    pub accidents: Accidents,
    /// The program's files.
    pub files: Files<'a>,
    /// The files that were read.
    pub sources: &'s mut Sources,
    /// Diagnostics so far.
    pub reports: Reports,
    /// All scopes.
    pub scopes: Scopes<'a>,
    /// All imports of files.
    pub sites: Sites<'a>,
    /// Expressions still to be linked.
    pub tasks: Tasks<'a>,
    /// The result.
    pub out: Product,
}

impl<'a, 's> Linker<'a, 's> {
    pub(super) fn new(setup: Setup<'s>, files: Files<'a>, sources: &'s mut Sources) -> Linker<'a, 's> {
        Linker {
            setup,
            bounds: Bounds::new(setup.limits),
            accidents: Accidents::default(),
            files,
            sources,
            reports: Reports::default(),
            scopes: Scopes::default(),
            sites: Sites::default(),
            tasks: Tasks::default(),
            out: Product::default(),
        }
    }

    /// Reports a diagnostic, once per place: copies of one text report the same.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.reports.add(diagnostic);
    }

    /// Reports a diagnostic in a file, with the imports that led there.
    pub(super) fn report_in(&mut self, site: SiteId, diagnostic: Diagnostic) {
        self.reports.add(self.sites.with_importers(diagnostic, site));
    }

    /// The file that a scope is in.
    pub(super) fn file_of(&self, env: EnvId) -> &'a File {
        self.sites[self.scopes[env].site].file
    }

    pub(super) fn add_env(&mut self, env: Env<'a>) -> EnvId {
        self.check_budget();
        self.scopes.add(env)
    }

    /// A definition whose value is linked when the tasks run.
    pub(super) fn define(&mut self, name: &Name, span: Span, value: ExprId, file: &'a File, env: EnvId) -> DefId {
        let node = self.later(file, value, env);
        let iterated = self.scopes[env].iterated;
        self.out.add_def(Def { name: name.clone(), span, value: node, iterated, class_param: None })
    }

    pub(super) fn record_use(&mut self, env: EnvId, name: &Name, span: Span, definition: Span) {
        if self.scopes[env].first {
            self.out.add_use(Use { name: name.clone(), span, definition });
        }
        self.record_alias(env, span);
    }

    /// Records the alias at the start of a name, from the last lookup.
    pub(super) fn record_alias(&mut self, env: EnvId, span: Span) {
        let Some(prefix) = self.scopes.last_prefix().filter(|_| self.scopes[env].first) else { return };
        let name = prefix.alias.clone().unwrap_or_else(|| "*".into());
        self.out.add_alias(Use { name, span, definition: prefix.span });
    }

    /// Whether the program has exceeded a limit; reports it once.
    pub(super) fn check_budget(&mut self) -> bool {
        let imports = PER_IMPORT * self.sites.n_all();
        if !self.bounds.have_room(self.out.n_nodes() + self.scopes.n_all() + imports) {
            self.exhaust();
        }
        self.bounds.are_exceeded()
    }

    /// Stops linking.
    pub(super) fn exhaust(&mut self) {
        if !self.bounds.exceed() {
            return;
        }
        self.tasks.clear();
        let message = "the program is too large once its classes, functions and imported files are copied for each use";
        let mut diagnostic = Diagnostic::error(codes::PROGRAM_TOO_LARGE, crate::diag::Stage::Scope, message);
        if let Some(span) = self.bounds.stmt() {
            diagnostic = diagnostic.at(span, "limit reached here");
        }
        self.report(
            diagnostic.help(
                "look for long chains of classes, functions or files in which each uses the next one several times",
            ),
        );
    }

    /// Enters another nesting level, if allowed.
    pub(super) fn deeper(&mut self, span: Span) -> bool {
        let Err(deepest) = self.bounds.enter() else { return true };
        let message = format!("blocks, includes and imports are nested deeper than {deepest} levels");
        self.report(
            Diagnostic::error(codes::NESTED_TOO_DEEPLY, crate::diag::Stage::Scope, message)
                .at(span, "nested too deeply")
                .help("check whether a class includes itself indirectly"),
        );
        false
    }
}
