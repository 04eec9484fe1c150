//! [`Slot`]: a place in the running graph, and [`Table`]: one part's data for each place.

use crate::define_id;
use crate::index::IndexVec;
use std::ops::{Index, IndexMut};

define_id!(
    /// Id of a place in the running graph. Reused after its resource was removed.
    Slot,
    "s"
);

/// One item for each place ever used.
#[derive(Clone)]
pub(crate) struct Table<T> {
    items: IndexVec<Slot, T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { items: IndexVec::new() }
    }
}

impl<T: Default> Table<T> {
    /// Resets the item of a place for a new resource.
    pub(crate) fn put(&mut self, slot: Slot, item: T) {
        while self.items.get(slot).is_none() {
            self.items.push(T::default());
        }
        self.items[slot] = item;
    }
}

impl<T> Index<Slot> for Table<T> {
    type Output = T;

    fn index(&self, slot: Slot) -> &T {
        &self.items[slot]
    }
}

impl<T> IndexMut<Slot> for Table<T> {
    fn index_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.items[slot]
    }
}
