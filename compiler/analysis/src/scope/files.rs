//! The files of a program, each read and lowered once.
//!
//! In: located inputs. Out: [`File`]s that live for the whole resolution, so that scopes can borrow from their trees.

use super::check::{self, Checked};
use super::module::Input;
use crate::diag::{Diags, Stage};
use crate::front::read_module;
use crate::hir;
use crate::source::{Source, Sources};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The tree of a file, and the diagnostics of reading it.
#[derive(Debug)]
pub(super) struct File {
    /// The lowered tree.
    pub module: hir::Module,
    /// The diagnostics of the earlier stages, by stage.
    pub diags: Diags,
    /// The result of checking its definitions, once it is needed.
    checked: OnceCell<Checked>,
}

impl File {
    /// The result of checking its definitions; each file is checked once.
    pub(super) fn checked(&self) -> &Checked {
        self.checked.get_or_init(|| check::check(&self.module))
    }
}

/// The maximum number of files of one program.
const MAX_FILES: usize = 4096;

/// Append-only storage of files with stable addresses.
pub(super) struct Shelf {
    slots: Vec<OnceCell<Box<File>>>,
}

impl Shelf {
    pub(super) fn new() -> Shelf {
        Shelf { slots: (0..MAX_FILES).map(|_| OnceCell::new()).collect() }
    }

    /// The trees of all files, in the order they were added.
    pub(super) fn into_modules(self) -> Vec<hir::Module> {
        self.slots.into_iter().map_while(OnceCell::into_inner).map(|file| file.module).collect()
    }
}

/// Reads files into the storage.
pub(super) struct Files<'a> {
    shelf: &'a Shelf,
    n_used: usize,
    by_path: FxHashMap<String, &'a File>,
}

impl<'a> Files<'a> {
    pub(super) fn new(shelf: &'a Shelf) -> Files<'a> {
        Files { shelf, n_used: 0, by_path: FxHashMap::default() }
    }

    /// Adds a file that is already lowered.
    pub(super) fn add(&mut self, module: hir::Module, diags: Diags) -> Option<&'a File> {
        let slot = self.shelf.slots.get(self.n_used)?;
        self.n_used += 1;
        Some(slot.get_or_init(|| Box::new(File { module, diags, checked: OnceCell::new() })))
    }

    /// The main file of a module; each path is read once. `None` if there are too many files.
    pub(super) fn read(&mut self, input: &Input, sources: &mut Sources) -> Option<&'a File> {
        // Program text given instead of a file has the main file's path without being it.
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
        list.sort_by_cached_key(|diagnostic| diagnostic.stage as u32);
        let mut diags = Diags::default();
        for mut diagnostic in list {
            // Diagnostics of an imported file are reported during name resolution.
            diagnostic.stage = Stage::Scope;
            diags.push(diagnostic);
        }
        let file = self.add(module, diags)?;
        self.by_path.insert(key, file);
        Some(file)
    }
}
