//! [`Previews`]: pictures of stored programs, cached while there is room. A program never changes, so neither does its
//! picture; whether it was taken down is checked first.

use super::picture::Form;
use crate::lock::Mutex;
use crate::network::http::Bytes;
use crate::share::Id;
use std::collections::{BTreeMap, VecDeque};

/// The maximum number of bytes of all pictures.
const MOST: usize = 8 << 20;

type Key = (Id, Form);

#[derive(Default)]
pub(crate) struct Previews(Mutex<Cache>);

#[derive(Default)]
struct Cache {
    pictures: BTreeMap<Key, Bytes>,
    /// Oldest first.
    order: VecDeque<Key>,
    n_bytes: usize,
}

impl Previews {
    pub(super) fn get(&self, id: &Id, form: Form) -> Option<Bytes> {
        let cache = self.0.lock();
        cache.pictures.get(&(id.clone(), form)).cloned()
    }

    /// Keeps a picture in place of the oldest ones.
    pub(super) fn keep(&self, id: &Id, form: Form, picture: &Bytes) {
        let mut cache = self.0.lock();
        let key = (id.clone(), form);
        if picture.len() > MOST || cache.pictures.contains_key(&key) {
            return;
        }
        cache.n_bytes += picture.len();
        cache.pictures.insert(key.clone(), picture.clone());
        cache.order.push_back(key);
        while cache.n_bytes > MOST {
            let oldest = cache.order.pop_front();
            let Some(removed) = oldest.and_then(|key| cache.pictures.remove(&key)) else { break };
            cache.n_bytes -= removed.len();
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
