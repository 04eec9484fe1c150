//! What imitates the order in which the reference happens to do things, because which error is the first one
//! depends on it. Nothing else does: without this module programs mean the same, and all errors are found.
//!
//! `compiler/ACCIDENTS.md` lists each accident with its section of the specification and the golden cases that hold
//! it. This module has those of name resolution; it is a part of the linker, since an order can only be followed
//! by who walks.

mod order;

use super::env::EnvId;
use super::files::File;
use super::linker::Linker;
use crate::hir::{Block, Module};
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// In which order the statements of a block are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Order {
    /// The one that everybody expects, and the quick one.
    #[default]
    Source,
    /// The language's own (6.6) inside of loops: there it decides which call a shared function
    /// stands for.
    Loops,
    /// The language's own everywhere: slower, needed to say which of several errors is the first.
    Language,
}

/// What one walk knows of the order.
#[derive(Default)]
pub(super) struct Accidents {
    order: Order,
    /// The order of a block's statements: each copy of it has the same.
    known: FxHashMap<*const Block, Option<Rc<Vec<usize>>>>,
    /// Several calls share one function: the order decides which of them it stands for.
    shares_calls: bool,
}

impl Accidents {
    /// Several calls share one function, which has the place of the first of them.
    pub(super) fn share_calls(&mut self) {
        self.shares_calls = true;
    }

    /// Another walk follows should there be more errors, and says all once more.
    pub(super) fn may_walk_again(&self) -> bool {
        self.order == Order::Source
    }
}

/// Walks once more, in the language's own order, where that order can be noticed: there is more than one error, or
/// calls inside of loops share a function. `walk` is a whole walk of a linker that knows nothing yet.
pub(super) fn in_the_languages_order<'a, 's>(
    linker: Linker<'a, 's>,
    walk: impl Fn(&mut Linker<'a, 's>),
) -> Linker<'a, 's> {
    let order = match linker.n_errors() {
        _ if linker.exhausted => return linker,
        0 | 1 if !linker.accidents.shares_calls => return linker,
        0 | 1 => Order::Loops,
        _ => Order::Language,
    };
    let Linker { setup, files, sources, .. } = linker;
    let mut linker = Linker::new(setup, files, sources);
    linker.accidents.order = order;
    walk(&mut linker);
    linker
}

/// The uses that close the recursion which the language finds first, where a file has several.
pub(super) fn first_ring(module: &Module) -> Option<Vec<Span>> {
    order::ring(module, &module.root)
}

impl<'a> Linker<'a, '_> {
    /// The numbers of a block's statements in the order of this walk. `None`: as they stand.
    pub(super) fn order_of(&mut self, file: &'a File, block: &'a Block, env: EnvId) -> Option<Rc<Vec<usize>>> {
        let follows = match self.accidents.order {
            Order::Source => false,
            Order::Loops => self.envs[env].iterated.is_some(),
            Order::Language => true,
        };
        let known = &mut self.accidents.known;
        let order = || order::of_block(&file.module, block).map(Rc::new);
        if follows { known.entry(std::ptr::from_ref(block)).or_insert_with(order).clone() } else { None }
    }

    /// The arguments of an include come before anything in the class's body, its imports included.
    pub(super) fn link_arguments_first(&mut self) {
        if self.accidents.order == Order::Language {
            self.run();
        }
    }
}
