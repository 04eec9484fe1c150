//! [`Promises`]: ends that a `for` or `if` keeps open. Spec, 10.5.

use super::FrameId;
use crate::eval::VarId;

/// The ends to which one statement may still add.
struct Set {
    frame: FrameId,
    held: Vec<VarId>,
    is_over: bool,
}

#[derive(Default)]
pub(in crate::eval) struct Promises(Vec<Set>);

impl Promises {
    /// The id of a statement that promises nothing.
    pub(in crate::eval) const NONE: u32 = u32::MAX;

    /// The id of a statement that has promised nothing yet.
    pub(in crate::eval) fn add(&mut self, frame: FrameId) -> u32 {
        self.0.push(Set { frame, held: Vec::new(), is_over: false });
        self.0.len() as u32 - 1
    }

    /// The frame of the statement.
    pub(in crate::eval) fn frame(&self, id: u32) -> FrameId {
        self.0[id as usize].frame
    }

    /// Whether it has emitted everything.
    pub(in crate::eval) fn is_over(&self, id: u32) -> bool {
        self.0[id as usize].is_over
    }

    /// It may add to an end.
    pub(in crate::eval) fn hold(&mut self, id: u32, end: VarId) {
        self.0[id as usize].held.push(end);
    }

    /// It has emitted everything. Returns the ends that it kept open.
    pub(in crate::eval) fn end(&mut self, id: u32) -> Vec<VarId> {
        let Some(set) = self.0.get_mut(id as usize) else { return Vec::new() };
        set.is_over = true;
        std::mem::take(&mut set.held)
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        64 * self.0.len() as u64
    }
}
