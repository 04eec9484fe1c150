//! [`Memory`]: a store that lasts as long as this process, for `mclive open` and for tests.

use super::{Answer, Blobs, Created};
use crate::lock::Mutex;
use crate::network::http::Bytes;
use crate::share::Id;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The room of a store in memory: for dozens of the largest programs, or for thousands of usual ones. Units: bytes.
const ROOM: usize = 64 << 20;

pub(crate) struct Memory {
    programs: Mutex<Programs>,
    room: usize,
    taken_down: Mutex<Result<Option<Bytes>, String>>,
}

#[derive(Default)]
struct Programs {
    by_id: BTreeMap<Id, Bytes>,
    size: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { programs: Mutex::default(), room: ROOM, taken_down: Mutex::new(Ok(None)) }
    }
}

#[cfg(test)]
impl Memory {
    pub(crate) fn with_room(room: usize) -> Memory {
        Memory { room, ..Memory::default() }
    }

    pub(crate) fn take_down(&self, list: String) {
        *self.taken_down.lock() = Ok(Some(list.into()));
    }

    pub(crate) fn lose_list(&self) {
        *self.taken_down.lock() = Ok(None);
    }

    /// Makes the list unreadable, or readable again.
    pub(crate) fn break_list(&self, is_broken: bool) {
        let list = if is_broken { Err("it is broken".into()) } else { Ok(Some("abcdefghij spam\nwrong\n".into())) };
        *self.taken_down.lock() = list;
    }
}

impl Blobs for Memory {
    fn read<'a>(&'a self, id: &'a Id) -> Answer<'a, Option<Bytes>> {
        let found = self.programs.lock().by_id.get(id).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn create<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, Created> {
        let mut guard = self.programs.lock();
        let programs = &mut *guard;
        let size = programs.size + content.len();
        let created = match programs.by_id.entry(id.clone()) {
            Entry::Occupied(_) => Created::NameTaken,
            Entry::Vacant(_) if size > self.room => Created::NoRoom,
            Entry::Vacant(place) => {
                place.insert(content);
                programs.size = size;
                Created::New
            }
        };
        Box::pin(std::future::ready(Ok(created)))
    }

    fn replace<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, ()> {
        let mut programs = self.programs.lock();
        programs.size += content.len();
        let before = programs.by_id.insert(id.clone(), content);
        programs.size -= before.map_or(0, |before| before.len());
        Box::pin(std::future::ready(Ok(())))
    }

    fn sync<'a>(&'a self, _: &'a Id) -> Answer<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn place(&self, id: &Id) -> String {
        format!("{id} in memory")
    }

    fn taken_down(&self) -> Answer<'_, Option<Bytes>> {
        let list = self.taken_down.lock().clone();
        Box::pin(std::future::ready(list))
    }
}
