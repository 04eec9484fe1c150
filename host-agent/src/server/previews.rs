//! [`Previews`]: pictures of stored programs, kept while there is room. A program never changes, so neither does its
//! picture; whether it was taken down is asked before.

use super::picture::Form;
use crate::lock::Mutex;
use crate::network::http::Bytes;
use crate::share::Id;
use std::collections::{BTreeMap, VecDeque};

/// The most bytes of all pictures.
const MOST: usize = 8 << 20;

type Key = (Id, Form);

#[derive(Default)]
pub(crate) struct Previews(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    pictures: BTreeMap<Key, Bytes>,
    /// Oldest first.
    order: VecDeque<Key>,
    n_bytes: usize,
}

impl Previews {
    pub(super) fn get(&self, id: &Id, form: Form) -> Option<Bytes> {
        let kept = self.0.lock();
        kept.pictures.get(&(id.clone(), form)).cloned()
    }

    /// Keeps a picture in place of the oldest ones.
    pub(super) fn keep(&self, id: &Id, form: Form, picture: &Bytes) {
        let mut kept = self.0.lock();
        let key = (id.clone(), form);
        if picture.len() > MOST || kept.pictures.contains_key(&key) {
            return;
        }
        kept.n_bytes += picture.len();
        kept.pictures.insert(key.clone(), picture.clone());
        kept.order.push_back(key);
        while kept.n_bytes > MOST {
            let oldest = kept.order.pop_front();
            let Some(removed) = oldest.and_then(|key| kept.pictures.remove(&key)) else { break };
            kept.n_bytes -= removed.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_pictures_make_room_for_new_ones() {
        let previews = Previews::default();
        let id = |n: u8| Id::parse(&format!("abcdefghi{}", char::from(b'a' + n))).expect("an ID");
        let picture = Bytes::from(vec![0; MOST / 4]);
        (0..6).for_each(|n| previews.keep(&id(n), Form::Png, &picture));
        let kept: Vec<bool> = (0..6).map(|n| previews.get(&id(n), Form::Png).is_some()).collect();
        assert_eq!(kept, [false, false, true, true, true, true]);
        assert_eq!(previews.get(&id(5), Form::Svg), None, "each format is a picture of its own");
        // The same again takes no further room.
        (0..9).for_each(|_| previews.keep(&id(5), Form::Png, &picture));
        assert!(previews.get(&id(2), Form::Png).is_some());
        previews.keep(&id(6), Form::Png, &Bytes::from(vec![0; MOST + 1]));
        assert!(previews.get(&id(6), Form::Png).is_none() && previews.get(&id(2), Form::Png).is_some());
    }
}
