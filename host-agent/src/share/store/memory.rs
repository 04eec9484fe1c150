//! [`Memory`]: a store that lasts as long as this process, for `mclive open` and for tests.

use super::{Answer, Blobs, Created};
use crate::lock::Mutex;
use crate::network::http::Bytes;
use crate::share::Id;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

#[derive(Default)]
pub(crate) struct Memory {
    programs: Mutex<BTreeMap<Id, Bytes>>,
    taken_down: Mutex<Option<Bytes>>,
}

impl Memory {
    #[cfg(test)]
    pub(crate) fn take_down(&self, list: String) {
        *self.taken_down.lock() = Some(list.into());
    }
}

impl Blobs for Memory {
    fn read<'a>(&'a self, id: &'a Id) -> Answer<'a, Option<Bytes>> {
        let found = self.programs.lock().get(id).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn create<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, Created> {
        let created = match self.programs.lock().entry(id.clone()) {
            Entry::Vacant(place) => {
                place.insert(content);
                Created::New
            }
            Entry::Occupied(_) => Created::NameTaken,
        };
        Box::pin(std::future::ready(Ok(created)))
    }

    fn taken_down(&self) -> Answer<'_, Option<Bytes>> {
        let list = self.taken_down.lock().clone();
        Box::pin(std::future::ready(Ok(list)))
    }
}
