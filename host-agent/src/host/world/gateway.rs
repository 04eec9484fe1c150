//! [`Gateway`]: the operations of etcd that an agent needs, over its JSON gateway: each is a POST of an object, and a
//! watch is a response that stays open. Keys and values are base64, numbers are strings.
//!
//! One endpoint is used until it fails; then the next one. Requests share a connection, each watch has its own.

mod advice;
mod batches;
mod login;
mod pages;
mod raw;
mod request;
mod rights;
mod stream;
#[cfg(test)]
mod tests;
mod whole;

#[cfg(test)]
pub(super) use batches::MOST_BYTES;
pub(super) use batches::{MOST_KEYS, batches};
pub(super) use stream::{Stream, Told};
#[cfg(test)]
pub(super) use whole::Stored;
pub(crate) use whole::Whole;

use super::credentials::Credentials;
use super::mirror::{Held, Snapshot};
use super::value;
use crate::network::http::keep_alive::KeepAlive;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use login::Token;
use pages::{Pages, fewer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The limit of one operation.
pub(super) const LIMIT: Duration = Duration::from_secs(3);
/// How long the connection of requests is kept while idle. A host that renews its leases every few seconds continues to
/// use it, which saves etcd a handshake each time and costs one more connection. A host that rarely sends requests
/// releases it.
const IDLE: Duration = Duration::from_secs(30);
/// The first key that hosts follow.
const FIRST: &str = HEAD;
/// The newest deploy.
pub(super) const HEAD: &str = "deploy/head";
/// The longest silence while a large request is sent.
const LARGE: Duration = Duration::from_secs(30);
/// Keys per page of a snapshot.
const PAGE: u64 = 512;

/// How to reach the store of a cluster.
pub(crate) struct Cluster {
    /// The endpoints of etcd, such as `https://10.0.0.1:2379`.
    pub(crate) urls: Vec<String>,
    /// The cluster's name, a part of its keys.
    pub(crate) name: String,
    pub(crate) credentials: Arc<Credentials>,
}

/// The endpoints, and the prefix of this cluster's keys.
pub(super) struct Gateway {
    urls: Vec<String>,
    at: AtomicUsize,
    prefix: String,
    credentials: Arc<Credentials>,
    keep_alive: KeepAlive,
    /// What the store has sent, without headers. Units: bytes.
    received: Arc<AtomicU64>,
    /// What the user has logged in with.
    token: tokio::sync::Mutex<Option<Token>>,
}

/// Why an operation has no result.
#[derive(Debug, PartialEq)]
pub(super) enum Failure {
    /// No answer, or one that says to come back later. A write may have happened.
    Away(String),
    /// The revision is too old: what happened since then is no longer known.
    Compacted,
    /// The lease has run out.
    NoLease,
    /// The store does not allow it.
    Refused(String),
    /// The store has no room for it. Reads, removals and renewals continue.
    Full(String),
    /// What the store holds is not what it should be.
    Wrong(String),
}

/// A condition of a transaction.
pub(super) enum If {
    /// The key has this value.
    Holds(String, Vec<u8>),
    /// The key was last changed at this revision; 0: it does not exist.
    Is(String, i64),
    /// No key below this prefix was set after this revision.
    NoneAfter(String, i64),
    /// There is no key below this prefix.
    Nothing(String),
}

/// A write of a transaction.
pub(super) enum Write {
    /// With the lease that the key belongs to; 0: none.
    Put(String, Vec<u8>, i64),
    Delete(String),
}

/// The outcome of a transaction.
pub(super) struct Done {
    /// The conditions held.
    pub(super) held: bool,
    pub(super) revision: i64,
    /// The latest change of the first condition's key, if it was asked for.
    pub(super) modified: i64,
}

impl Gateway {
    pub(super) fn new(cluster: Cluster) -> Gateway {
        let Cluster { urls, name, credentials } = cluster;
        let (at, received, token) = (AtomicUsize::new(0), Arc::default(), tokio::sync::Mutex::default());
        let (prefix, keep_alive) = (format!("/mclive/{name}/"), KeepAlive::new(IDLE));
        Gateway { urls, at, prefix, credentials, keep_alive, received, token }
    }

    pub(super) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// What the store has sent to this client, without headers. Units: bytes.
    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// The endpoint in use.
    pub(super) fn url(&self) -> &str {
        let at = self.at.load(Ordering::Relaxed);
        self.urls.get(at % self.urls.len().max(1)).map_or("", String::as_str)
    }

    /// Begins with the endpoint that falls to this host, so that the members share the hosts.
    pub(super) fn begin_for(&self, hostname: &str) {
        let nth = hostname.bytes().fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        self.at.store(nth, Ordering::Relaxed);
    }

    /// Switches to the next endpoint, over a new connection even if it is the same one: several members may share its
    /// address, and the failed one may be unresponsive.
    pub(super) fn turn(&self) {
        self.at.fetch_add(1, Ordering::Relaxed);
        self.keep_alive.close();
    }

    /// The identity of the store and its revision, agreed by a majority of its members.
    pub(super) async fn state(&self) -> Result<(String, i64), Failure> {
        let mut asked = self.all();
        asked["count_only"] = true.into();
        header(&self.post("kv/range", &asked).await?)
    }

    /// All keys that hosts follow, at one revision.
    pub(super) async fn snapshot(&self) -> Result<Snapshot, Failure> {
        let (mut from, mut limit, mut seen) = (self.encoded(FIRST), PAGE, None);
        let (mut snapshot, mut pages) = (Snapshot::default(), Pages::new());
        loop {
            let mut asked = self.all();
            (asked["key"], asked["limit"]) = (from.clone().into(), limit.into());
            if let Some(revision) = seen {
                asked["revision"] = number(revision);
            }
            let page = match self.post("kv/range", &asked).await {
                Ok(page) => page,
                Err(failure) => {
                    limit = fewer(limit, failure)?;
                    continue;
                }
            };
            let (cluster, revision) = header(&page)?;
            (snapshot.cluster, snapshot.revision) = (cluster, *seen.get_or_insert(revision));
            let (entries, next) = pages.read(self.url(), &page, limit)?;
            snapshot.keys.extend(entries.iter().filter_map(|entry| self.held(entry)));
            match next {
                Some(next) => from = next,
                None => return Ok(snapshot),
            }
        }
    }

    /// The value of a key, and when it was last changed.
    pub(super) async fn get(&self, key: &str) -> Result<Option<Held>, Failure> {
        let answer = self.post("kv/range", &json!({ "key": self.encoded(key) })).await?;
        Ok(answer["kvs"].get(0).and_then(|entry| self.held(entry)).map(|(_, held)| held))
    }

    /// Writes if all conditions hold, otherwise makes the other writes. With `looks`, the transaction also tells when
    /// that key was last changed, if nothing is written.
    pub(super) async fn commit(
        &self,
        conditions: &[If],
        then: &[Write],
        otherwise: &[Write],
        looks: Option<&str>,
    ) -> Result<Done, Failure> {
        let looks = looks.map(|key| json!({ "request_range": { "key": self.encoded(key), "keys_only": true } }));
        let branch = |writes: &[Write]| -> Vec<Value> {
            let writes = writes.iter().map(|write| self.write(write)).collect::<Vec<_>>();
            if writes.is_empty() { looks.iter().cloned().collect() } else { writes }
        };
        let conditions: Vec<Value> = conditions.iter().map(|condition| self.condition(condition)).collect();
        let asked = json!({ "compare": conditions, "success": branch(then), "failure": branch(otherwise) });
        let answer = self.post("kv/txn", &asked).await?;
        let modified = answer.pointer("/responses/0/response_range/kvs/0/mod_revision").map_or(0, int);
        let held = answer["succeeded"].as_bool() == Some(true);
        Ok(Done { held, revision: header(&answer)?.1, modified })
    }

    /// A new lease. Units: seconds.
    pub(super) async fn grant(&self, ttl: u64) -> Result<i64, Failure> {
        let answer = self.post("lease/grant", &json!({ "TTL": ttl.to_string() })).await?;
        match int(&answer["ID"]) {
            0 => Err(odd(self.url(), "a lease without a number")),
            lease => Ok(lease),
        }
    }

    /// Renews a lease of the store with this identity; returns a revision that the store has reached.
    pub(super) async fn renew(&self, lease: i64, cluster: &str) -> Result<i64, Failure> {
        let answer = self.post("lease/keepalive", &json!({ "ID": lease.to_string() })).await?;
        let result = &answer["result"];
        let (other, revision) = header(result)?;
        if other != cluster {
            return Err(odd(self.url(), "another store answers at this address"));
        }
        if int(&result["TTL"]) > 0 { Ok(revision) } else { Err(Failure::NoLease) }
    }

    /// The range of the keys that hosts follow. The contents and the records of deploys come before it, which are large
    /// and read when they are needed, and what agents say about themselves, which only operators read.
    fn all(&self) -> Value {
        let mut range = self.below("");
        range["key"] = self.encoded(FIRST).into();
        range
    }

    fn below(&self, prefix: &str) -> Value {
        let mut end = format!("{}{prefix}", self.prefix).into_bytes();
        // A prefix ends in a slash, so its last byte can be raised.
        if let Some(last) = end.last_mut() {
            *last += 1;
        }
        json!({ "key": self.encoded(prefix), "range_end": STANDARD.encode(end) })
    }

    fn encoded(&self, key: &str) -> String {
        STANDARD.encode(format!("{}{key}", self.prefix))
    }

    fn condition(&self, condition: &If) -> Value {
        match condition {
            If::Holds(key, value) => {
                json!({ "key": self.encoded(key), "target": "VALUE", "value": STANDARD.encode(value) })
            }
            If::Is(key, revision) => {
                json!({ "key": self.encoded(key), "target": "MOD", "mod_revision": number(*revision) })
            }
            If::NoneAfter(prefix, revision) => {
                let mut range = self.below(prefix);
                (range["target"], range["result"]) = ("MOD".into(), "LESS".into());
                range["mod_revision"] = number(revision + 1);
                range
            }
            If::Nothing(prefix) => {
                let mut range = self.below(prefix);
                (range["target"], range["version"]) = ("VERSION".into(), "0".into());
                range
            }
        }
    }

    fn write(&self, write: &Write) -> Value {
        match write {
            Write::Put(key, value, lease) => json!({ "request_put": {
                "key": self.encoded(key), "value": STANDARD.encode(value), "lease": number(*lease),
            } }),
            Write::Delete(key) => json!({ "request_delete_range": { "key": self.encoded(key) } }),
        }
    }

    /// A key without the prefix, and what it holds. Keys that are not text are no one's.
    fn held(&self, entry: &Value) -> Option<(String, Held)> {
        let key = String::from_utf8(bytes(entry, "key")?).ok()?.strip_prefix(&self.prefix)?.to_owned();
        let value = value::read(&key, bytes(entry, "value")?);
        Some((key, Held { value, modified: int(&entry["mod_revision"]), lease: int(&entry["lease"]) }))
    }
}

impl Failure {
    /// The reason, in words.
    pub(super) fn words(self) -> String {
        match self {
            Failure::Away(why) | Failure::Refused(why) | Failure::Full(why) | Failure::Wrong(why) => why,
            Failure::Compacted => "the revision was compacted".into(),
            Failure::NoLease => "the lease has expired".into(),
        }
    }
}

/// An answer that no etcd gives.
fn odd(url: &str, what: &str) -> Failure {
    Failure::Away(format!("{url}: {what}"))
}

/// Numbers of 64 bits are texts in the JSON form.
fn number(number: i64) -> Value {
    number.to_string().into()
}

/// The key or the value of an entry; a missing one is empty. `None`: it is not Base64.
fn bytes(entry: &Value, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(entry[name].as_str().unwrap_or_default()).ok()
}

/// A missing number is 0.
fn int(value: &Value) -> i64 {
    value.as_str().and_then(|text| text.parse().ok()).or_else(|| value.as_i64()).unwrap_or(0)
}

/// The identity of the store and its revision.
fn header(answer: &Value) -> Result<(String, i64), Failure> {
    let header = &answer["header"];
    match header["cluster_id"].as_str() {
        Some(cluster) => Ok((cluster.to_owned(), int(&header["revision"]))),
        None => Err(Failure::Away("this is not an etcd server with a JSON gateway (3.4 or later)".into())),
    }
}
