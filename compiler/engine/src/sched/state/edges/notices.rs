//! Notifications along edges: something changed at the start of one, and its end has not taken notice yet.

use super::{EdgeIx, Edges};
use crate::sched::state::Slot;

impl Edges {
    /// A vertex changed something: whoever wants to know is told. The answer is who was told something new.
    pub(crate) fn notify(&mut self, slot: Slot) -> Vec<Slot> {
        let all = &mut self.all;
        let mut notified = Vec::new();
        for &edge in &self.of[slot].told {
            let edge = &mut all[edge];
            edge.noticed = false;
            if edge.notify && !std::mem::replace(&mut edge.refresh, true) {
                notified.push(edge.to);
            }
        }
        notified
    }

    /// What is pending now is known to the check that begins; what comes later is for the next one.
    pub(crate) fn take_notice(&mut self, slot: Slot) {
        for &edge in &self.of[slot].before {
            let edge = &mut self.all[edge];
            edge.noticed = edge.refresh;
        }
    }

    /// What notice was taken of is pending no more. `true`: there was something.
    pub(crate) fn clear_noticed(&mut self, slot: Slot) -> bool {
        let mut any = false;
        for &edge in &self.of[slot].before {
            let edge = &mut self.all[edge];
            if std::mem::take(&mut edge.noticed) {
                any |= std::mem::take(&mut edge.refresh);
            }
        }
        any
    }

    /// What a vertex had told others goes with it. The answer is who had not taken notice yet.
    pub(crate) fn take_back_notices(&mut self, slot: Slot) -> Vec<Slot> {
        let all = &mut self.all;
        let after = self.of[slot].after.iter();
        after.filter_map(|&edge| std::mem::take(&mut all[edge].refresh).then_some(all[edge].to)).collect()
    }

    /// The edges from these starts notify once more, as they did in an earlier run.
    pub(crate) fn notify_again(&mut self, slot: Slot, is_pending: impl Fn(Slot) -> bool) {
        for &edge in &self.of[slot].before {
            let edge = &mut self.all[edge];
            edge.refresh |= edge.notify && is_pending(edge.from);
        }
    }

    /// Whose notifications are pending.
    pub(crate) fn notifiers(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        let before = self.of[slot].before.iter().map(|&edge| &self.all[edge]);
        before.filter(|edge| edge.refresh).map(|edge| edge.from)
    }

    /// Somebody before it may notify it.
    pub(crate) fn may_be_notified(&self, slot: Slot) -> bool {
        self.of[slot].before.iter().any(|&edge| self.all[edge].notify)
    }

    /// A notification along this edge is pending.
    pub(crate) fn is_pending(&self, edge: EdgeIx) -> bool {
        self.all[edge].refresh
    }
}
