//! Keys that hosts do not follow, without decoding: the contents and the records of deploys, and what agents report
//! about themselves.

use super::pages::Pages;
use super::{Failure, Gateway, LARGE, bytes, int, number};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Keys without values per answer.
const NAMES: u64 = 2048;

/// A value, and the revision of its latest change.
pub(in super::super) struct Raw {
    pub(in super::super) value: Vec<u8>,
    pub(in super::super) modified: i64,
}

impl Gateway {
    /// The values of these keys at one revision; `None`: there is no such key. All of them must fit into an answer.
    pub(in super::super) async fn values(&self, keys: &[String]) -> Result<Vec<Option<Raw>>, Failure> {
        let answer = self.ranges(keys, false).await?;
        let raw = |entry: &Value| Some(Raw { value: bytes(entry, "value")?, modified: int(&entry["mod_revision"]) });
        Ok(first_of_each(&answer, keys.len()).map(|entry| entry.and_then(raw)).collect())
    }

    /// When these keys were last changed, as the store was at a revision of each; 0: there was no such key.
    pub(in super::super) async fn changes_at(&self, keys: &[(String, i64)]) -> Result<Vec<i64>, Failure> {
        let range = |(key, revision): &(String, i64)| json!({ "request_range": { "key": self.encoded(key), "revision": number(*revision), "keys_only": true } });
        let asked = json!({ "success": keys.iter().map(range).collect::<Vec<_>>() });
        let answer = self.post("kv/txn", &asked).await?;
        let modified = |entry: Option<&Value>| entry.map_or(0, |entry| int(&entry["mod_revision"]));
        Ok(first_of_each(&answer, keys.len()).map(modified).collect())
    }

    /// How many of the keys that hosts follow there were at a revision; `None`: one of them had been set after an earlier
    /// one.
    pub(in super::super) async fn count_at(&self, revision: i64, after: i64) -> Result<Option<usize>, Failure> {
        let mut asked = self.all();
        (asked["revision"], asked["min_mod_revision"]) = (number(revision), number(after + 1));
        (asked["limit"], asked["keys_only"]) = (1_u64.into(), true.into());
        let answer = self.post("kv/range", &asked).await?;
        let is_quiet = answer["kvs"].as_array().is_none_or(Vec::is_empty);
        // The filter does not change the count.
        Ok(is_quiet.then(|| usize::try_from(int(&answer["count"])).unwrap_or(0)))
    }

    /// Sets keys that are never changed once they are set.
    pub(in super::super) async fn put_all(&self, keys: &[(String, &[u8])]) -> Result<(), Failure> {
        let put = |(key, value): &(String, &[u8])| json!({ "request_put": { "key": self.encoded(key), "value": STANDARD.encode(value) } });
        let asked = json!({ "success": keys.iter().map(put).collect::<Vec<_>>() });
        self.post_within(LARGE, "kv/txn", &asked).await.map(drop)
    }

    /// Every key below a prefix, without it, with its value. `limit`: how many fit into an answer.
    pub(in super::super) async fn list(&self, prefix: &str, limit: u64) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        self.pages(prefix, limit, false).await
    }

    /// Every key below a prefix, without it.
    pub(in super::super) async fn names(&self, prefix: &str) -> Result<Vec<String>, Failure> {
        Ok(self.pages(prefix, NAMES, true).await?.into_iter().map(|(name, _)| name).collect())
    }

    async fn pages(&self, prefix: &str, limit: u64, keys_only: bool) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let mut asked = self.below(prefix);
        (asked["limit"], asked["keys_only"]) = (limit.into(), keys_only.into());
        let (begins, mut found, mut pages) = (format!("{}{prefix}", self.prefix), Vec::new(), Pages::new());
        loop {
            let page = self.post("kv/range", &asked).await?;
            let (entries, next) = pages.read(self.url(), &page, limit)?;
            for entry in entries {
                let key = bytes(entry, "key").and_then(|key| String::from_utf8(key).ok());
                let Some(key) = key.as_deref().and_then(|key| key.strip_prefix(&begins)) else { continue };
                found.push((key.to_owned(), bytes(entry, "value").unwrap_or_default()));
            }
            match next {
                Some(next) => asked["key"] = next.into(),
                None => return Ok(found),
            }
        }
    }

    async fn ranges(&self, keys: &[String], keys_only: bool) -> Result<Value, Failure> {
        let range = |key: &String| json!({ "request_range": { "key": self.encoded(key), "keys_only": keys_only } });
        let asked = json!({ "success": keys.iter().map(range).collect::<Vec<_>>() });
        self.post("kv/txn", &asked).await
    }
}

/// The entry that each range of a transaction has found.
fn first_of_each(answer: &Value, n_keys: usize) -> impl Iterator<Item = Option<&Value>> {
    (0..n_keys).map(move |at| answer["responses"].get(at)?.pointer("/response_range/kvs/0"))
}
