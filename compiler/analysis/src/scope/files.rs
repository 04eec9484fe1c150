//! The files of a program, read and lowered once each.
//!
//! In: inputs that were found. Out: [`File`]s with a lifetime of the whole resolution, so that
//! scopes can point into their trees.

use super::module::Input;
use crate::diag::{Diags, Stage};
use crate::front::read_module;
use crate::hir;
use crate::source::{Source, Sources};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// A file's tree, and what reading it said.
#[derive(Debug)]
pub(super) struct File {
    pub module: hir::Module,
    /// The findings of the stages before this one, by stage.
    pub diags: Diags,
}

/// So many different files may make up a program.
const MAX_FILES: usize = 4096;

/// Files that stay where they are once added.
pub(super) struct Shelf {
    slots: Vec<OnceCell<Box<File>>>,
}

impl Shelf {
    pub(super) fn new() -> Shelf {
        Shelf { slots: (0..MAX_FILES).map(|_| OnceCell::new()).collect() }
    }

    /// The trees of all files, in the order in which they were added.
    pub(super) fn into_modules(self) -> Vec<hir::Module> {
        self.slots.into_iter().map_while(OnceCell::into_inner).map(|file| file.module).collect()
    }
}

/// Reads files onto the shelf.
pub(super) struct Files<'a> {
    shelf: &'a Shelf,
    n_used: usize,
    by_path: FxHashMap<String, &'a File>,
}

impl<'a> Files<'a> {
    pub(super) fn new(shelf: &'a Shelf) -> Files<'a> {
        Files { shelf, n_used: 0, by_path: FxHashMap::default() }
    }

    /// Puts a file on the shelf that was lowered already.
    pub(super) fn add(&mut self, module: hir::Module, diags: Diags) -> Option<&'a File> {
        let slot = self.shelf.slots.get(self.n_used)?;
        self.n_used += 1;
        Some(slot.get_or_init(|| Box::new(File { module, diags })))
    }

    /// A module's main file; each path is read once. `None` when there are too many.
    pub(super) fn read(&mut self, input: &Input, sources: &mut Sources) -> Option<&'a File> {
        // Program text in place of a file shows the path of the main file without being it.
        let key =
            format!("{}\n{}", input.path, if input.base == "/" && input.text.starts_with(b"/") { "text" } else { "" });
        if let Some(file) = self.by_path.get(&key) {
            return Some(file);
        }
        let mut diags = Diags::default();
        let source = Source::new(input.path.clone(), input.text.clone());
        let id = sources.add(source);
        let module = read_module(sources.get(id), id, &mut diags);
        let mut list = diags.into_vec();
        list.sort_by_key(|diagnostic| diagnostic.stage);
        let mut diags = Diags::default();
        for mut diagnostic in list {
            // What an imported file says is said while names are resolved.
            diagnostic.stage = Stage::Scope;
            diags.push(diagnostic);
        }
        let file = self.add(module, diags)?;
        self.by_path.insert(key, file);
        Some(file)
    }
}
