//! [`Frames`]: the running blocks, with their variables.

use crate::eval::VarId;
use crate::program::NsId;
use crate::value::InstId;
use mclive_base::define_id;
use mclive_base::index::IndexVec;

define_id!(
    /// Id of the variables of a running block.
    FrameId,
    "f"
);

/// A running block.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) struct Frame {
    pub(in crate::eval) parent: Option<FrameId>,
    /// The variable of its first slot.
    pub(in crate::eval) first: VarId,
    /// The instance of its implementation.
    pub(in crate::eval) instance: Option<InstId>,
    pub(in crate::eval) ns: NsId,
}

/// A frame is never changed or removed.
#[derive(Default)]
pub(in crate::eval) struct Frames {
    all: IndexVec<FrameId, Frame>,
    /// Those of the namespaces, in their order.
    roots: Vec<FrameId>,
    /// Those of the instances, in their order, for conditions.
    of_instances: Vec<FrameId>,
}

impl Frames {
    /// A new block.
    pub(in crate::eval) fn push(&mut self, frame: Frame) -> FrameId {
        self.all.push(frame)
    }

    /// The frame of the next namespace.
    pub(in crate::eval) fn add_root(&mut self, ns: NsId, first: VarId) {
        let frame = self.push(Frame { parent: None, first, instance: None, ns });
        self.roots.push(frame);
    }

    /// The frame of the next instance.
    pub(in crate::eval) fn add_instance(&mut self, instance: InstId, first: VarId, ns: NsId) {
        let frame = self.push(Frame { parent: None, first, instance: Some(instance), ns });
        self.of_instances.push(frame);
    }

    pub(in crate::eval) fn root(&self, ns: NsId) -> FrameId {
        self.roots[ns.0 as usize]
    }

    pub(in crate::eval) fn of_instance(&self, instance: InstId) -> FrameId {
        self.of_instances[instance.0 as usize]
    }

    /// A variable of a namespace.
    pub(in crate::eval) fn global(&self, ns: NsId, slot: u32) -> VarId {
        VarId(self.all[self.root(ns)].first.0 + slot)
    }

    /// The first variable of each namespace.
    pub(in crate::eval) fn globals(&self) -> Vec<VarId> {
        self.roots.iter().map(|root| self.all[*root].first).collect()
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        24 * (self.all.len() + self.of_instances.len()) as u64
    }
}

impl std::ops::Index<FrameId> for Frames {
    type Output = Frame;

    fn index(&self, frame: FrameId) -> &Frame {
        &self.all[frame]
    }
}
