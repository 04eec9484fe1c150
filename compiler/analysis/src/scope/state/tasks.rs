//! [`Tasks`]: expressions still to be linked.

use crate::hir::ExprId;
use crate::scope::env::EnvId;
use crate::scope::files::File;
use crate::scope::linked::NodeId;

/// An expression still to be linked.
pub(in crate::scope) enum Task<'a> {
    Expr {
        file: &'a File,
        expr: ExprId,
        env: EnvId,
        node: NodeId,
    },
    /// The name of the callee, after the arguments.
    Callee {
        file: &'a File,
        expr: ExprId,
        env: EnvId,
        node: NodeId,
        args: Vec<NodeId>,
    },
}

/// A stack, so that deep expressions use no call stack.
#[derive(Default)]
pub(in crate::scope) struct Tasks<'a>(Vec<Task<'a>>);

impl<'a> Tasks<'a> {
    pub(in crate::scope) fn push(&mut self, task: Task<'a>) {
        self.0.push(task);
    }

    pub(in crate::scope) fn pop(&mut self) -> Option<Task<'a>> {
        self.0.pop()
    }

    /// The place of the next task, for [`Tasks::in_order_from`].
    pub(in crate::scope) fn place(&self) -> usize {
        self.0.len()
    }

    /// The tasks from a place on are taken out in the order in which they were added.
    pub(in crate::scope) fn in_order_from(&mut self, place: usize) {
        self.0[place..].reverse();
    }

    pub(in crate::scope) fn clear(&mut self) {
        self.0.clear();
    }
}
