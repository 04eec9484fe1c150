//! Notifications along edges: the start has changed, and the end has not reacted yet.

use super::{EdgeIx, Edges};
use crate::sched::state::Slot;

impl Edges {
    /// Notifies along the edges of a vertex that changed. Returns the vertices with a new notification.
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

    /// Assigns all pending notifications to the check that begins; later ones are for the next check.
    pub(crate) fn take_notice(&mut self, slot: Slot) {
        for &edge in &self.of[slot].before {
            let edge = &mut self.all[edge];
            edge.noticed = edge.refresh;
        }
    }

    /// Clears the notifications included in the last check. `true`: there were some.
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

    /// Drops the pending notifications of a vertex. Returns the vertices that had not reacted yet.
    pub(crate) fn take_back_notices(&mut self, slot: Slot) -> Vec<Slot> {
        let all = &mut self.all;
        let after = self.of[slot].after.iter();
        after.filter_map(|&edge| std::mem::take(&mut all[edge].refresh).then_some(all[edge].to)).collect()
    }

    /// Restores the notifications of an earlier run along the edges from these starts.
    pub(crate) fn notify_again(&mut self, slot: Slot, is_pending: impl Fn(Slot) -> bool) {
        for &edge in &self.of[slot].before {
            let edge = &mut self.all[edge];
            edge.refresh |= edge.notify && is_pending(edge.from);
        }
    }

    /// The vertices with pending notifications for it.
    pub(crate) fn notifiers(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        let before = self.of[slot].before.iter().map(|&edge| &self.all[edge]);
        before.filter(|edge| edge.refresh).map(|edge| edge.from)
    }

    /// Whether a predecessor may notify it.
    pub(crate) fn may_be_notified(&self, slot: Slot) -> bool {
        self.of[slot].before.iter().any(|&edge| self.all[edge].notify)
    }

    /// Whether a notification along this edge is pending.
    pub(crate) fn is_pending(&self, edge: EdgeIx) -> bool {
        self.all[edge].refresh
    }
}
