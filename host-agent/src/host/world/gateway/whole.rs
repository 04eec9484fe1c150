//! [`Whole`]: everything that a cluster has in the store, at one revision: for a dump, and to check it.

use super::pages::{Pages, fewer};
use super::{FIRST, Failure, Gateway, If, LARGE, Write, bytes, header, int, number};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Keys per page: few at first, since pieces of files are large, and more while the pages are small.
const FEW: u64 = 16;
const MANY: u64 = 512;
/// After a page that is smaller, the next one has more keys. Units: bytes.
const SMALL: usize = 1 << 20;

/// All keys at one revision.
#[derive(Default)]
pub(crate) struct Whole {
    pub(crate) revision: i64,
    pub(crate) keys: BTreeMap<String, Stored>,
    /// How many keys are not text: they are not read.
    pub(crate) n_unreadable: usize,
}

/// What a key holds, as it is stored.
pub(crate) struct Stored {
    pub(crate) value: Vec<u8>,
    /// The revision of its latest change.
    pub(crate) modified: i64,
    /// The lease that it belongs to; 0: none.
    pub(crate) lease: i64,
}

impl Gateway {
    pub(in super::super) async fn whole(&self) -> Result<Whole, Failure> {
        let mut asked = self.below("");
        let (mut limit, mut whole, mut pages) = (FEW, Whole::default(), Pages::new());
        loop {
            asked["limit"] = limit.into();
            let page = match self.post("kv/range", &asked).await {
                Ok(page) => page,
                Err(failure) => {
                    limit = fewer(limit, failure)?;
                    continue;
                }
            };
            if whole.revision == 0 {
                whole.revision = header(&page)?.1;
                asked["revision"] = number(whole.revision);
            }
            let (entries, next) = pages.read(self.url(), &page, limit)?;
            let size: usize = entries.iter().map(|entry| entry["value"].as_str().map_or(0, str::len)).sum();
            entries.iter().for_each(|entry| whole.add(&self.prefix, entry));
            match next {
                Some(next) => asked["key"] = next.into(),
                None => return Ok(whole),
            }
            if size < SMALL {
                limit = (limit * 2).min(MANY);
            }
        }
    }

    /// Makes writes that may be large if all conditions hold. Returns whether they did.
    pub(in super::super) async fn commit_large(&self, conditions: &[If], writes: &[Write]) -> Result<bool, Failure> {
        let conditions: Vec<Value> = conditions.iter().map(|condition| self.condition(condition)).collect();
        let writes: Vec<Value> = writes.iter().map(|write| self.write(write)).collect();
        let asked = json!({ "compare": conditions, "success": writes });
        let answer = self.post_within(LARGE, "kv/txn", &asked).await?;
        Ok(answer["succeeded"].as_bool() == Some(true))
    }
}

impl Whole {
    fn add(&mut self, prefix: &str, entry: &Value) {
        let key = bytes(entry, "key").and_then(|key| String::from_utf8(key).ok());
        let key = key.as_deref().and_then(|key| key.strip_prefix(prefix));
        let (Some(key), Some(value)) = (key, bytes(entry, "value")) else {
            self.n_unreadable += 1;
            return;
        };
        let (modified, lease) = (int(&entry["mod_revision"]), int(&entry["lease"]));
        self.keys.insert(key.to_owned(), Stored { value, modified, lease });
    }

    /// The value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<&[u8]> {
        self.keys.get(key).map(|stored| stored.value.as_slice())
    }

    /// The keys with a prefix, and what they hold.
    pub(crate) fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Stored)> {
        let keys = self.keys.range(prefix.to_owned()..).map(|(key, stored)| (key.as_str(), stored));
        keys.take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// The keys that hosts follow, and what they hold.
    pub(in super::super) fn followed(&self) -> impl Iterator<Item = (&str, &Stored)> {
        self.keys.range(FIRST.to_owned()..).map(|(key, stored)| (key.as_str(), stored))
    }
}
