//! [`Store`]: programs by [`Id`], written once and verified at each read.
//!
//! This module handles IDs and collisions; [`Blobs`] stores the bytes: a folder, a bucket, or memory.

mod bucket;
mod folder;
mod memory;
mod taken_down;

pub(crate) use bucket::Bucket;
pub(crate) use folder::Folder;
pub(crate) use memory::Memory;

use super::{Id, Spelled};
use crate::network::http::Bytes;
use std::pin::Pin;
use taken_down::TakenDown;

/// An answer that may wait for a disk or the network.
pub(crate) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// The storage of programs. Errors describe the failure for the operator.
pub(crate) trait Blobs: Send + Sync {
    /// `None`: there is no such name.
    fn read<'a>(&'a self, id: &'a Id) -> Answer<'a, Option<Bytes>>;

    /// Stores bytes under a name permanently, unless the name is taken. Afterwards they survive a power failure.
    fn create<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, Created>;

    /// Puts bytes in the place of damaged ones, at once: no reader sees a part. Afterwards they survive a power failure.
    fn replace<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, ()>;

    /// Returns when what has this name survives a power failure. Anyone who has written it may not be done, or may have
    /// crashed.
    fn sync<'a>(&'a self, id: &'a Id) -> Answer<'a, ()>;

    /// Where a program is, for the operator.
    fn place(&self, id: &Id) -> String;

    /// The list of removed programs; [`taken_down`] describes its form.
    fn taken_down(&self) -> Answer<'_, Option<Bytes>>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Created {
    New,
    NameTaken,
    NoRoom,
}

pub(crate) struct Store {
    blobs: Box<dyn Blobs>,
    taken_down: TakenDown,
}

/// A stored program.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Put {
    pub(crate) id: Id,
    /// It was not stored before.
    pub(crate) is_new: bool,
    /// Its bytes in the store were damaged, in this place, and have been replaced.
    pub(crate) mended: Option<String>,
}

/// Why there is no answer.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The operator removed it, for this reason.
    TakenDown(String),
    /// The bytes in this place do not match its name; the text is for the operator.
    Damaged(String),
    /// The store is full.
    NoRoom,
    /// The store does not work; the text is for the operator.
    Unavailable(String),
}

impl Store {
    pub(crate) fn new(blobs: impl Blobs + 'static) -> Store {
        Store { blobs: Box::new(blobs), taken_down: TakenDown::default() }
    }

    /// `None`: there is no program with this name.
    pub(crate) async fn get(&self, id: &Id) -> Result<Option<Bytes>, Fault> {
        self.taken_down.judge(&*self.blobs, id).await?;
        match self.blobs.read(id).await.map_err(Fault::Unavailable)? {
            Some(content) if id.names(&content) => Ok(Some(content)),
            Some(_) => Err(Fault::Damaged(self.blobs.place(id))),
            None => Ok(None),
        }
    }

    /// Stores bytes under the shortest name that no others have. The same bytes always get the same name.
    pub(crate) async fn put(&self, content: Bytes) -> Result<Put, Fault> {
        self.put_under(Spelled::of(&content).ids(), content).await
    }

    async fn put_under(&self, ids: impl Iterator<Item = Id>, content: Bytes) -> Result<Put, Fault> {
        for id in ids {
            self.taken_down.judge(&*self.blobs, &id).await?;
            let known = |mended| Ok(Put { id: id.clone(), is_new: false, mended });
            // Most programs that are shared again are found by reading, without a write.
            match self.found(&id, &content).await? {
                Slot::Own => {
                    self.blobs.sync(&id).await.map_err(Fault::Unavailable)?;
                    return known(None);
                }
                Slot::Foreign => continue,
                Slot::Damaged => return known(Some(self.mend(&id, content).await?)),
                Slot::Free => {}
            }
            match self.blobs.create(&id, content.clone()).await.map_err(Fault::Unavailable)? {
                Created::New => return Ok(Put { id, is_new: true, mended: None }),
                Created::NoRoom => return Err(Fault::NoRoom),
                // Another server was faster.
                Created::NameTaken => match self.found(&id, &content).await? {
                    Slot::Own => return known(None),
                    Slot::Foreign => {}
                    Slot::Damaged => return known(Some(self.mend(&id, content).await?)),
                    Slot::Free => {
                        let place = self.blobs.place(&id);
                        return Err(Fault::Unavailable(format!("{place} already exists but cannot be read")));
                    }
                },
            }
        }
        Err(Fault::Unavailable("two different programs have the same hash".into()))
    }

    async fn found(&self, id: &Id, content: &Bytes) -> Result<Slot, Fault> {
        Ok(match self.blobs.read(id).await.map_err(Fault::Unavailable)? {
            None => Slot::Free,
            Some(have) if have == *content => Slot::Own,
            Some(have) if id.names(&have) => Slot::Foreign,
            Some(_) => Slot::Damaged,
        })
    }

    /// Replaces damaged bytes by those that the name stands for, and returns their place.
    async fn mend(&self, id: &Id, content: Bytes) -> Result<String, Fault> {
        let place = self.blobs.place(id);
        self.blobs.replace(id, content.clone()).await.map_err(Fault::Unavailable)?;
        // What answers in place of a bucket may accept everything and keep nothing.
        match self.found(id, &content).await? {
            Slot::Own => Ok(place),
            Slot::Free | Slot::Foreign | Slot::Damaged => {
                Err(Fault::Unavailable(format!("{place} does not contain what was just written")))
            }
        }
    }

    /// Whether the store is readable, and programs are served from it. Errors: why not, for the operator.
    pub(crate) async fn is_ready(&self) -> Result<(), String> {
        self.blobs.taken_down().await?;
        self.look_over().await
    }

    /// Reads the list of removed programs, and reports its faults to the operator. Errors: there is no list that
    /// applies.
    pub(crate) async fn look_over(&self) -> Result<(), String> {
        self.taken_down.list(&*self.blobs).await.map(drop)
    }
}

/// The content of a name.
enum Slot {
    Free,
    Own,
    /// Other bytes, whose hash has the same prefix.
    Foreign,
    /// Bytes that this name does not stand for.
    Damaged,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn the_same_bytes_have_the_same_name_and_others_another() {
        let store = Store::new(Memory::default());
        let put = |text: &'static str| now(store.put(text.into())).unwrap();
        let first = put("one");
        assert!(first.is_new && first.id.as_str().len() == Id::SHORTEST);
        assert_eq!(put("one"), Put { id: first.id.clone(), is_new: false, mended: None });
        assert_ne!(put("two").id, first.id);
        assert_eq!(now(store.get(&first.id)).unwrap().unwrap(), "one");
        assert_eq!(now(store.get(&Id::parse("abcdefghij").unwrap())), Ok(None));
    }

    /// A collision of ten characters is infeasible; of two characters there are many.
    #[test]
    fn the_second_of_two_whose_hashes_begin_alike_has_a_longer_name() {
        let store = Store::new(Memory::default());
        let put = |text: &str| {
            let content = Bytes::from(text.to_owned());
            now(store.put_under(Spelled::of(&content).ids_from(2), content)).unwrap()
        };
        let named: Vec<(String, Id)> = (0..200).map(|n| (n.to_string(), put(&n.to_string()).id)).collect();
        assert!(named.iter().any(|(_, id)| id.as_str().len() > 2), "among 200 of 1024 there are collisions");
        for (text, id) in named {
            assert_eq!(put(&text), Put { id: id.clone(), is_new: false, mended: None });
            assert_eq!(now(store.get(&id)).unwrap().unwrap(), text);
        }
    }

    #[test]
    fn bytes_that_do_not_fit_their_name_are_never_handed_out_and_are_mended_by_a_put() {
        let id = Spelled::of(b"one").ids().next().unwrap();
        let memory = Memory::default();
        now(memory.create(&id, "forged".into())).unwrap();
        let store = Store::new(memory);
        let place = format!("{id} in memory");
        assert_eq!(now(store.get(&id)), Err(Fault::Damaged(place.clone())));
        assert_eq!(now(store.put("one".into())), Ok(Put { id: id.clone(), is_new: false, mended: Some(place) }));
        assert_eq!(now(store.get(&id)).unwrap().unwrap(), "one");
        assert_eq!(now(store.put("one".into())), Ok(Put { id, is_new: false, mended: None }));
    }

    /// Has the same bytes under each name, and keeps nothing.
    struct Fixed {
        content: &'static [u8],
        synced: Result<(), String>,
    }

    impl Blobs for Fixed {
        fn read<'a>(&'a self, _: &'a Id) -> Answer<'a, Option<Bytes>> {
            Box::pin(std::future::ready(Ok(Some(Bytes::from_static(self.content)))))
        }
        fn create<'a>(&'a self, _: &'a Id, _: Bytes) -> Answer<'a, Created> {
            Box::pin(std::future::ready(Ok(Created::New)))
        }
        fn replace<'a>(&'a self, _: &'a Id, _: Bytes) -> Answer<'a, ()> {
            Box::pin(std::future::ready(Ok(())))
        }
        fn sync<'a>(&'a self, _: &'a Id) -> Answer<'a, ()> {
            Box::pin(std::future::ready(self.synced.clone()))
        }
        fn place(&self, id: &Id) -> String {
            format!("{id} of nobody")
        }
        fn taken_down(&self) -> Answer<'_, Option<Bytes>> {
            Box::pin(std::future::ready(Ok(None)))
        }
    }

    /// As the page of a proxy that answers every request.
    #[test]
    fn what_keeps_nothing_has_not_been_mended() {
        let put = now(Store::new(Fixed { content: b"<html>", synced: Ok(()) }).put("one".into()));
        assert!(matches!(&put, Err(Fault::Unavailable(why)) if why.contains("of nobody")), "{put:?}");
    }

    #[test]
    fn what_others_have_just_written_is_answered_when_it_survives_a_power_failure() {
        let put = |synced| now(Store::new(Fixed { content: b"one", synced }).put("one".into()));
        let id = Spelled::of(b"one").ids().next().unwrap();
        assert_eq!(put(Ok(())), Ok(Put { id, is_new: false, mended: None }));
        assert_eq!(put(Err("the disk is gone".into())), Err(Fault::Unavailable("the disk is gone".into())));
    }

    #[test]
    fn a_store_in_memory_has_so_much_room() {
        let store = Store::new(Memory::with_room(6));
        assert!(now(store.put("one".into())).unwrap().is_new);
        assert!(now(store.put("two".into())).unwrap().is_new);
        assert_eq!(now(store.put("more".into())), Err(Fault::NoRoom));
        assert!(!now(store.put("one".into())).unwrap().is_new, "what is there stays");
    }

    #[test]
    fn a_store_whose_first_list_names_nothing_is_not_ready() {
        let memory = Memory::default();
        memory.take_down("<html>maintenance</html>\n".into());
        let store = Store::new(memory);
        assert!(now(store.is_ready()).is_err_and(|why| why.contains("taken-down")));
        assert!(matches!(now(store.put("one".into())), Err(Fault::Unavailable(_))));
    }

    #[test]
    fn what_was_taken_down_is_gone_and_cannot_be_stored_again() {
        let memory = Memory::default();
        let id = Spelled::of(b"one").ids().next().unwrap();
        now(memory.create(&id, "one".into())).unwrap();
        memory.take_down(format!("# the operator's list\n\n{id} a court order\n"));
        let store = Store::new(memory);
        assert_eq!(now(store.get(&id)), Err(Fault::TakenDown("a court order".into())));
        assert_eq!(now(store.put("one".into())), Err(Fault::TakenDown("a court order".into())));
        assert!(now(store.put("two".into())).is_ok());
    }
}
