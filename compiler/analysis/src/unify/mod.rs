//! A type for every expression. In: [`Linked`]. Out: [`Types`].
//!
//! Inference is constraint based, as the language defines it (language spec, chapter 9): the
//! program yields an ordered list of invariants (`collect`, `expr`), which say that two types must
//! be one and who is to blame; they are solved in order by union-find (`table`, `join`, `solve`). What
//! builtins infer for themselves looks only at what is static (`statics`).
//!
//! Invariant: when nothing was reported, every node that a statement reaches has a type without
//! variables, and every call has its solved function type.

mod blame;
mod collect;
mod convert;
mod expr;
mod foreign;
mod join;
mod mismatch;
mod prepare;
mod solve;
mod statics;
mod table;

pub use mismatch::help_with_kind;

use crate::diag::Diags;
use crate::index::IndexVec;
use crate::scope::Linked;
use crate::scope::linked::{NodeId, ParamId};
use crate::types::{FuncType, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Infers the type of everything that a statement reaches.
///
/// Cost: near linear in the number of nodes.
pub fn infer(linked: &Linked, diags: &mut Diags) -> Types {
    let mut collector = collect::Collector::new(linked, diags);
    collector.block(&linked.root);
    let types = collector.solve();
    Types { callees: collector.callees(), ..types }
}

/// The same with all that no statement reaches: unused binds, functions that nothing calls, the classes
/// of [`Linked::aside`]. For editors; what it would say about those is not said.
pub fn infer_everything(linked: &Linked) -> Types {
    let mut unsaid = Diags::default();
    let mut collector = collect::Collector::new(linked, &mut unsaid);
    collector.block(&linked.root);
    collector.aside();
    collector.solve()
}

/// The types of a program. They never change: whoever comes later only reads.
pub struct Types {
    nodes: IndexVec<NodeId, Option<Type>>,
    params: IndexVec<ParamId, Option<Type>>,
    calls: FxHashMap<NodeId, Arc<FuncType>>,
    callees: FxHashMap<NodeId, NodeId>,
}

impl Types {
    /// A node's type; `None` for one that no statement reaches, or after an error.
    pub fn of(&self, node: NodeId) -> Option<&Type> {
        self.nodes[node].as_ref()
    }

    /// The type of a parameter or loop variable.
    pub fn param(&self, param: ParamId) -> Option<&Type> {
        self.params[param].as_ref()
    }

    /// The solved type of the function that a call calls; parameters have their names.
    pub fn call(&self, node: NodeId) -> Option<&Arc<FuncType>> {
        self.calls.get(&node)
    }

    /// The function literal that a call is known to call before the program runs (10.4); `None` also after an error.
    pub fn callee(&self, call: NodeId) -> Option<NodeId> {
        self.callees.get(&call).copied()
    }
}

#[cfg(test)]
mod tests;
