//! [`Pages`]: a range of keys in several answers. It ends whatever the store answers: each page starts after the
//! previous one, and their total size and time are limited.

use super::{Failure, odd};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// The most that is read. Units: bytes.
const LARGEST: usize = 256 << 20;
/// What a key costs besides its bytes.
const COST: usize = 100;
/// The limit of all pages.
const LONGEST: Duration = Duration::from_secs(300);

pub(super) struct Pages {
    began: Instant,
    n_bytes: usize,
    /// The last key.
    last: Vec<u8>,
}

/// How many entries to ask for instead of `limit`, after a page that was too large. Errors: that is not what is wrong.
pub(super) fn fewer(limit: u64, failure: Failure) -> Result<u64, Failure> {
    let is_too_large = matches!(&failure, Failure::Away(why) if why.contains("is larger than"));
    if is_too_large && limit > 1 { Ok((limit / 8).max(1)) } else { Err(failure) }
}

impl Pages {
    pub(super) fn new() -> Pages {
        Pages { began: Instant::now(), n_bytes: 0, last: Vec::new() }
    }

    /// The entries of a page, and the key that the next one begins with; `None`: it is the last one. `limit`: how many
    /// entries were asked for.
    pub(super) fn read<'a>(
        &mut self,
        url: &str,
        page: &'a Value,
        limit: u64,
    ) -> Result<(&'a [Value], Option<String>), Failure> {
        let entries = page["kvs"].as_array().map(Vec::as_slice).unwrap_or_default();
        let len = |entry: &Value, name: &str| entry[name].as_str().map_or(0, str::len);
        self.n_bytes += entries.iter().map(|entry| len(entry, "key") + len(entry, "value") + COST).sum::<usize>();
        if self.n_bytes > LARGEST {
            return Err(odd(url, &format!("more than {} MiB of keys", LARGEST >> 20)));
        }
        if page["more"].as_bool() != Some(true) {
            return Ok((entries, None));
        }
        let last = entries.last().and_then(|entry| STANDARD.decode(entry["key"].as_str()?).ok());
        let is_full = entries.len() as u64 >= limit;
        match last.filter(|last| is_full && *last > self.last) {
            Some(_) if self.began.elapsed() > LONGEST => {
                Err(odd(url, &format!("it still sends keys after {} s", LONGEST.as_secs())))
            }
            Some(last) => {
                self.last.clone_from(&last);
                let next = [&last[..], &[0]].concat();
                Ok((entries, Some(STANDARD.encode(next))))
            }
            None => Err(odd(url, "the pages of its list of keys do not advance")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page(keys: &[&str], more: bool) -> Value {
        let kvs: Vec<Value> = keys.iter().map(|key| json!({ "key": STANDARD.encode(key), "value": "" })).collect();
        json!({ "kvs": kvs, "more": more })
    }

    #[test]
    fn pages_lead_on_to_an_end() {
        let mut pages = Pages::new();
        let mut read = |keys: &[&str], more| {
            let page = page(keys, more);
            let read = pages.read("u", &page, 2).map(|(entries, next)| (entries.len(), next));
            read.map_err(Failure::words)
        };
        let nowhere = || Err("u: the pages of its list of keys do not advance".to_owned());
        assert_eq!(read(&["a", "b"], true), Ok((2, Some(STANDARD.encode("b\0")))));
        assert_eq!(read(&["a", "b"], true), nowhere(), "the same again");
        assert_eq!(read(&["c"], true), nowhere(), "etcd fills a page before it makes another one");
        assert_eq!(read(&[], true), nowhere());
        assert_eq!(read(&["c", "d"], true), Ok((2, Some(STANDARD.encode("d\0")))));
        assert_eq!(read(&["e"], false), Ok((1, None)));
    }

    #[test]
    fn after_a_page_that_is_too_large_fewer_keys_are_asked_for() {
        let away = |why: &str| Failure::Away(why.to_owned());
        let too_large = || away("u: the response is larger than 9 bytes");
        assert_eq!([512, 4].map(|limit| fewer(limit, too_large())), [Ok(64), Ok(1)]);
        assert_eq!(fewer(1, too_large()), Err(too_large()));
        assert_eq!(fewer(512, away("u: connection refused")), Err(away("u: connection refused")));
    }

    #[test]
    fn pages_are_limited_in_size() {
        let mut pages = Pages::new();
        let large = "x".repeat(LARGEST / 4);
        let mut read = |key: &str| {
            let page = json!({ "kvs": [{ "key": STANDARD.encode(key), "value": large }], "more": true });
            pages.read("u", &page, 1).map(drop).map_err(Failure::words)
        };
        assert!(["a", "b", "c"].iter().all(|key| read(key).is_ok()));
        assert_eq!(read("d"), Err("u: more than 256 MiB of keys".into()));
    }
}
