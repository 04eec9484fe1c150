//! Blocks and their declarations. Spec, 4.4.

use super::Resolver;
use crate::ast::{StmtId, Tree};
use crate::define::declared;
use crate::fault::{Location, Warning};
use crate::program::{NsId, Ordered, VarRef};
use mclive_base::ident::Name;
use mclive_base::span::Span;

/// A block of statements, or the body of a comprehension.
#[derive(Default)]
pub(super) struct Block {
    /// The variables by slot, with their declarations.
    vars: Ordered<Name, Vec<Span>>,
    /// Its `for` or `if`.
    pub(super) of: Option<StmtId>,
    /// Whether it has a frame at run time. A block without declarations needs none.
    has_frame: bool,
}

impl Block {
    pub(super) fn of(tree: &Tree, body: &[StmtId], of: Option<StmtId>, always: bool) -> Block {
        let vars = declared(tree, body);
        Block { has_frame: always || !vars.is_empty(), vars, of }
    }

    /// The body of a `for`: its variable is the first.
    pub(super) fn of_loop(tree: &Tree, var: &Name, span: Span, body: &[StmtId], of: StmtId) -> Block {
        let mut vars: Ordered<Name, Vec<Span>> = Ordered::default();
        vars.insert(var.clone(), vec![span]);
        for (name, places) in declared(tree, body) {
            vars.entry(name).or_default().extend(places);
        }
        Block { vars, of: Some(of), has_frame: true }
    }

    /// The variables of its frame, if it has one.
    pub(super) fn frame_vars(&self) -> Option<Ordered<Name, Vec<Span>>> {
        self.has_frame.then(|| self.vars.clone())
    }

    /// The variable of a clause of a comprehension.
    pub(super) fn of_clause(var: &Name) -> Block {
        let mut vars: Ordered<Name, Vec<Span>> = Ordered::default();
        vars.insert(var.clone(), Vec::new());
        Block { vars, of: None, has_frame: true }
    }
}

impl Resolver<'_> {
    /// Enters a block; warns of variables that hide others.
    pub(super) fn open(&mut self, block: Block) {
        for (name, places) in &block.vars {
            if places.is_empty() {
                continue;
            }
            let hidden = self.places_of(name);
            if !hidden.is_empty() {
                let list = |places: &[Span]| {
                    let places: Vec<String> =
                        places.iter().map(|span| self.texts().place(Location::Line(*span))).collect();
                    places.join(",")
                };
                let message = format!(
                    "Variable `{name}` shadowed: originally declared at {}, shadowed at {}",
                    list(&hidden),
                    list(places)
                );
                let span = places.first().copied();
                self.warnings.push(Warning { class: "VariableShadowWarning", message, span });
            }
        }
        self.blocks.push(block);
    }

    /// Leaves a block; returns its number of variables.
    pub(super) fn close(&mut self) -> u32 {
        self.blocks.pop().map_or(0, |block| block.vars.len() as u32)
    }

    /// The declarations of the visible variable of this name.
    fn places_of(&self, name: &str) -> Vec<Span> {
        let inner = self.blocks.iter().rev().find_map(|block| block.vars.get(name));
        inner.or_else(|| self.program.namespaces[self.ns].vars.get(name)).cloned().unwrap_or_default()
    }

    /// The meaning of an unqualified name here, and the index of the declaring block.
    pub(super) fn variable(&self, name: &Name) -> (VarRef, Option<usize>) {
        let mut up = 0;
        for (nr, block) in self.blocks.iter().enumerate().rev() {
            if let Some(slot) = block.vars.get_index_of(name) {
                return (VarRef::Local { up, slot: slot as u32 }, Some(nr));
            }
            up += u32::from(block.has_frame);
        }
        let global = self.global(self.ns, name);
        let meaning = match (self.entity, global) {
            (Some(_), _) if &**name == "self" => VarRef::SelfInstance,
            (Some(_), otherwise) => VarRef::OfSelf { name: name.clone(), otherwise },
            (None, Some((ns, slot))) => VarRef::Global(ns, slot),
            (None, None) => VarRef::Missing(name.clone()),
        };
        (meaning, None)
    }

    pub(super) fn global(&self, ns: NsId, name: &str) -> Option<(NsId, u32)> {
        self.program.namespaces[ns].vars.get_index_of(name).map(|slot| (ns, slot as u32))
    }

    /// The number of frames between here and the outside of a block.
    pub(super) fn frames_inside(&self, block: usize) -> u32 {
        self.blocks[block..].iter().map(|block| u32::from(block.has_frame)).sum()
    }
}
