//! Imitates the incidental order of the reference implementation, which determines the first error. Nothing else
//! depends on it: without this module programs mean the same, and all errors are found.
//!
//! `compiler/ACCIDENTS.md` lists each accident with its section of the specification and its golden cases. This module
//! has those of name resolution; it is part of the linker, which does the walking.

mod order;

use super::env::EnvId;
use super::files::File;
use super::linker::Linker;
use crate::hir::{Block, Module};
use crate::span::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The order in which the statements of a block are visited.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Order {
    /// Source order: the natural and fast one.
    #[default]
    Source,
    /// The language's own order (6.6) inside loops: there it decides which call a shared function belongs to.
    Loops,
    /// The language's own order everywhere: slower, needed to determine the first of several errors.
    Language,
}

/// The state of one walk.
#[derive(Default)]
pub(super) struct Accidents {
    order: Order,
    /// The order of a block's statements, shared by all its copies.
    known: FxHashMap<*const Block, Option<Rc<Vec<usize>>>>,
    /// Several calls share one function: the order decides which of them it belongs to.
    shares_calls: bool,
}

impl Accidents {
    /// Records that several calls share one function, which is at the place of the first of them.
    pub(super) fn share_calls(&mut self) {
        self.shares_calls = true;
    }

    /// Whether further errors cause another walk, which reports everything again.
    pub(super) fn may_walk_again(&self) -> bool {
        self.order == Order::Source
    }
}

/// Walks again, in the language's own order, if that order is observable: there is more than one error, or calls inside
/// loops share a function. `walk` is a complete walk of a fresh linker.
pub(super) fn in_the_languages_order<'a, 's>(
    linker: Linker<'a, 's>,
    walk: impl Fn(&mut Linker<'a, 's>),
) -> Linker<'a, 's> {
    let order = match linker.reports.n_errors() {
        _ if linker.bounds.are_exceeded() => return linker,
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

/// The uses that close the recursion found first by the language, if a file has several.
pub(super) fn first_ring(module: &Module) -> Option<Vec<Span>> {
    order::ring(module, &module.root)
}

impl<'a> Linker<'a, '_> {
    /// The indices of a block's statements in the order of this walk; `None`: source order.
    pub(super) fn order_of(&mut self, file: &'a File, block: &'a Block, env: EnvId) -> Option<Rc<Vec<usize>>> {
        let follows = match self.accidents.order {
            Order::Source => false,
            Order::Loops => self.scopes[env].iterated.is_some(),
            Order::Language => true,
        };
        let known = &mut self.accidents.known;
        let order = || order::of_block(&file.module, block).map(Rc::new);
        if follows { known.entry(std::ptr::from_ref(block)).or_insert_with(order).clone() } else { None }
    }

    /// The arguments of an include come before everything in the class's body, including its imports.
    pub(super) fn link_arguments_first(&mut self) {
        if self.accidents.order == Order::Language {
            self.run();
        }
    }
}
