//! Infers a type for every expression. In: [`Linked`]. Out: [`Types`].
//!
//! Inference is constraint based, as the language defines it (language spec, chapter 9): the program yields an ordered
//! list of constraints (`collect`, `expr`), each of which says that two types are equal and what to blame; they are
//! solved in order by union-find (`table`, `join`, `solve`). Builtins with their own inference use only static
//! information (`statics`).
//!
//! Invariant: if nothing was reported, every node that a statement reaches has a type without variables, and every call
//! has its solved function type.

mod access;
mod argument;
mod blame;
mod branch;
mod builtin;
mod certain;
mod collect;
mod constraint;
mod convert;
mod expr;
mod fields;
mod foreign;
mod format;
mod join;
mod literal;
mod mismatch;
mod prepare;
mod same;
mod solve;
mod statics;
mod table;

pub use foreign::kind as foreign_kind;
pub use mismatch::{help_with_half, help_with_kind};

use crate::diag::Diags;
use crate::index::IndexVec;
use crate::scope::Linked;
use crate::scope::linked::{NodeId, ParamId};
use crate::types::{FuncType, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Infers the type of everything that a statement reaches.
///
/// Cost: nearly linear in the number of nodes.
pub fn infer(linked: &Linked, diags: &mut Diags) -> Types {
    let mut collector = collect::Collector::new(linked, diags);
    collector.block(&linked.root);
    let types = collector.solve();
    let callees = collector.callees(&types);
    Types { callees, ..types }
}

/// The same including code that no statement reaches: unused binds, functions that are never called, the classes of
/// [`Linked::aside`]. For editors; errors in such code are not reported.
pub fn infer_everything(linked: &Linked) -> Types {
    let mut unsaid = Diags::default();
    let mut collector = collect::Collector::new(linked, &mut unsaid);
    collector.block(&linked.root);
    collector.aside();
    collector.solve()
}

/// The types of a program, immutable after inference.
pub struct Types {
    nodes: IndexVec<NodeId, Option<Type>>,
    params: IndexVec<ParamId, Option<Type>>,
    calls: FxHashMap<NodeId, Arc<FuncType>>,
    callees: FxHashMap<NodeId, NodeId>,
}

impl Types {
    /// A node's type; `None` if no statement reaches it, or after an error.
    pub fn of(&self, node: NodeId) -> Option<&Type> {
        self.nodes[node].as_ref()
    }

    /// The type of a parameter or loop variable.
    pub fn param(&self, param: ParamId) -> Option<&Type> {
        self.params[param].as_ref()
    }

    /// The solved type of the called function; parameters have their names.
    pub fn call(&self, node: NodeId) -> Option<&Arc<FuncType>> {
        self.calls.get(&node)
    }

    /// The function literal that a call is statically known to call (10.4); `None` also after an error.
    pub fn callee(&self, call: NodeId) -> Option<NodeId> {
        self.callees.get(&call).copied()
    }
}

#[cfg(test)]
mod tests;
