//! [`Account`]: what an evaluation has used.

/// The work done, and the bytes made. The limits are the rules' concern.
#[derive(Default)]
pub(in crate::eval) struct Account {
    work: u64,
    bytes: u64,
}

impl Account {
    /// Adds steps of work, and returns the sum.
    pub(in crate::eval) fn work(&mut self, steps: u64) -> u64 {
        self.work = self.work.saturating_add(steps);
        self.work
    }

    /// Adds bytes of text and of members.
    pub(in crate::eval) fn spend(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// All steps so far.
    pub(in crate::eval) fn worked(&self) -> u64 {
        self.work
    }

    /// All bytes so far.
    pub(in crate::eval) fn spent(&self) -> u64 {
        self.bytes
    }
}
