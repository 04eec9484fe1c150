//! Deploys in the shared store: the newest one, records, contents in pieces, and the transaction that adds one unless
//! another deploy, a lock or a removal came first.

use super::gateway::{Failure, Gateway, HEAD, If, Write, batches};
use super::locking::StoredLock;
use super::visit::Visit;
use super::{AGENTS, SharedStore, own, unanswered};
use crate::deploy::{Contents, Filed, Head, HostState, LOCK, PRUNED, Piece, Record, Sum, key};
use crate::network::{Network, Task};
use mclive_base::vocab::Datum;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Keys per answer: records are large, states are small.
const FEW: u64 = 8;
const MANY: u64 = 256;
/// The limit of reading a deploy.
const LONGEST: Duration = Duration::from_secs(600);

/// The newest deploy, and the lock at the same revision.
pub(crate) struct Newest {
    pub(crate) record: Option<Record>,
    /// The revision of the latest change of the head.
    pub(super) head: i64,
    pub(crate) lock: StoredLock,
    /// The revision of the latest removal of deploys; 0: there was none.
    pub(super) pruned: i64,
}

/// A deploy in a list: its number, and its record or why that cannot be read.
pub(crate) type Listed = (u64, Result<Record, String>);

/// Why a host has no deploy.
#[derive(Debug, PartialEq)]
pub(crate) enum Unfetched {
    /// The store is away.
    Later(String),
    /// What the store has is not a deploy that may follow.
    Wrong(String),
}

/// The outcome of a transaction.
pub(crate) enum Proposed {
    Created,
    /// Someone else was faster.
    Late(Box<Record>),
    /// The lock was changed in the meantime.
    Locked(StoredLock),
    /// Old deploys were removed in the meantime, perhaps with contents that this one needs.
    Pruned(Box<Newest>),
}

impl Gateway {
    /// The newest deploy according to the head.
    pub(super) async fn newest(&self) -> Result<Newest, Failure> {
        let mut found = self.values(&[HEAD.to_owned(), LOCK.to_owned(), PRUNED.to_owned()]).await?;
        let pruned = found.pop().flatten().map_or(0, |pruned| pruned.modified);
        let lock = found.pop().flatten();
        let lock = StoredLock::of(lock.map(|lock| (lock.value, lock.modified)));
        let Some(found) = found.pop().flatten() else { return Ok(Newest { record: None, head: 0, lock, pruned }) };
        let head = Head::read(&found.value).map_err(|why| Failure::Wrong(format!("the key {HEAD} is {why}")))?;
        Ok(Newest { record: Some(self.named(head).await?), head: found.modified, lock, pruned })
    }

    /// The record that a head names.
    pub(super) async fn named(&self, head: Head) -> Result<Record, Failure> {
        let record = self.record(head.id).await?;
        match record.sum() == head.sha256 {
            true => Ok(record),
            false => Err(Failure::Wrong(format!("deploy {} is not the one that {HEAD} names", head.id))),
        }
    }

    /// A deploy by its number.
    pub(super) async fn record(&self, id: u64) -> Result<Record, Failure> {
        self.find(id).await?.ok_or_else(|| Failure::Wrong(format!("there is no deploy {id}")))
    }

    /// The same; `None`: there is no such deploy.
    pub(super) async fn find(&self, id: u64) -> Result<Option<Record>, Failure> {
        let Some(found) = self.values(&[key(id)]).await?.pop().flatten() else { return Ok(None) };
        let record = Record::read(&found.value).and_then(|record| numbered_so(record, id));
        record.map(Some).map_err(|why| Failure::Wrong(format!("the record of deploy {id} is {why}")))
    }

    /// The contents of these files, each with the sum that it is asked for by.
    pub(super) async fn contents(&self, files: &[Filed]) -> Result<Contents, Failure> {
        let mut contents = Contents::new();
        for batch in batches(Piece::all(files), |piece| piece.size) {
            let keys: Vec<String> = batch.iter().map(Piece::key).collect();
            for (piece, found) in batch.iter().zip(self.values(&keys).await?) {
                let found = found.filter(|found| found.value.len() == piece.size);
                let found = found.ok_or_else(|| damaged(files, piece.of))?;
                contents.entry(piece.of).or_default().extend_from_slice(&found.value);
            }
        }
        for file in files {
            let content = contents.entry(file.sha256).or_default();
            if content.len() as u64 != file.size || Sum::of(content) != file.sha256 {
                return Err(damaged(files, file.sha256));
            }
        }
        Ok(contents)
    }

    /// Adds a deploy if nothing has changed after these revisions of the head, the lock and the mark of removals.
    async fn propose(&self, record: &Record, [head, lock, pruned]: [i64; 3]) -> Result<Proposed, Failure> {
        let key = key(record.id);
        let is = |name: &str, revision| If::Is(name.to_owned(), revision);
        let conditions = [is(HEAD, head), is(LOCK, lock), is(PRUNED, pruned), is(&key, 0)];
        let writes = [Write::Put(key, record.bytes(), 0), Write::Put(HEAD.to_owned(), Head::of(record).bytes(), 0)];
        if self.commit(&conditions, &writes, &[], None).await?.held {
            return Ok(Proposed::Created);
        }
        // An attempt without an answer may have succeeded.
        let now = self.newest().await?;
        match now.record {
            Some(newest) if newest == *record => Ok(Proposed::Created),
            _ if now.head == head && now.lock.modified != lock => Ok(Proposed::Locked(now.lock)),
            record if now.head == head && now.pruned != pruned => {
                Ok(Proposed::Pruned(Box::new(Newest { record, ..now })))
            }
            Some(newest) => Ok(Proposed::Late(Box::new(newest))),
            None => Err(Failure::Wrong(format!("there is a deploy {}, but no key {HEAD}", record.id))),
        }
    }
}

impl SharedStore {
    /// Which deploy is the newest, as far as this host knows.
    pub(crate) fn head(&self) -> Result<Option<Head>, Unfetched> {
        let held = self.inside.lock().mirror.held(HEAD).map(|held| held.value.clone());
        let head = held.map(|value| match value {
            Datum::Bytes(bytes) => Head::read(&bytes),
            _ => Err("something else".into()),
        });
        head.transpose().map_err(|why| Unfetched::Wrong(format!("the key {HEAD} of the shared store is {why}")))
    }

    /// Sets this host's report on its deploys, under its lease: now, or when the store is back.
    pub(crate) fn tell_state(&self, state: Vec<u8>) {
        if self.only_reads() {
            return;
        }
        let key = own::state(&self.hostname);
        let mut inside = self.inside.lock();
        inside.own.keep(&key, Some(&state));
        inside.mends.put(key);
        self.mends.notify_one();
    }

    /// Calls `tell` after each change of the store that may have changed the newest deploy, until the task is dropped.
    pub(crate) fn tell_heads(
        self: &Arc<Self>,
        network: &Network,
        tell: impl Fn() + Send + 'static,
    ) -> std::io::Result<Task> {
        let (mut reached, store) = (self.reached.subscribe(), self.clone());
        network.spawn(async move {
            let mut known = None;
            while reached.changed().await.is_ok() {
                let is_live = reached.borrow_and_update().is_live;
                let now = Some((store.inside.lock().mirror.held(HEAD).map(|held| held.modified), is_live));
                if known != now {
                    known = now;
                    tell();
                }
            }
        })
    }

    /// The contents of these files.
    pub(crate) fn fetch_contents(
        self: &Arc<Self>,
        network: &Network,
        files: Vec<Filed>,
    ) -> Result<Contents, Unfetched> {
        let store = self.clone();
        fetch(network, async move { store.gateway.contents(&files).await })
    }
}

pub(super) fn fetch<T: Send + 'static>(
    network: &Network,
    asked: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<T, Unfetched> {
    match network.wait(LONGEST, asked, |_| {}) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(Failure::Wrong(why))) => Err(Unfetched::Wrong(why)),
        Ok(Err(failure)) => Err(Unfetched::Later(failure.words())),
        Err(none) => Err(Unfetched::Later(unanswered(none))),
    }
}

impl Visit {
    /// The newest deploy. Errors: why it cannot be read, a sentence without a full stop.
    pub(crate) fn newest(&self) -> Result<Newest, String> {
        self.ask(|gateway| async move { gateway.newest().await })
    }

    /// A deploy by its number; `None`: there is no such deploy. Errors: as above.
    pub(crate) fn find(&self, id: u64) -> Result<Option<Record>, String> {
        self.ask(move |gateway| async move { gateway.find(id).await })
    }

    /// A deploy by its number. Errors: as above.
    pub(crate) fn record(&self, id: u64) -> Result<Record, String> {
        self.ask(move |gateway| async move { gateway.record(id).await })
    }

    /// All deploys, by number; for one that cannot be read why not.
    pub(crate) fn deploys(&self) -> Result<Vec<Listed>, String> {
        self.ask(|gateway| async move {
            let found = gateway.list("deploy/", FEW).await?;
            let numbered = found.into_iter().filter_map(|(key, value)| Some((key.parse::<u64>().ok()?, value)));
            Ok(numbered
                .map(|(id, value)| (id, Record::read(&value).and_then(|record| numbered_so(record, id))))
                .collect())
        })
    }

    /// The reports of the hosts that take deploys, by name; `None`: it cannot be read.
    pub(crate) fn states(&self) -> Result<BTreeMap<String, Option<HostState>>, String> {
        self.ask(|gateway| async move {
            let found = gateway.list(AGENTS, MANY).await?;
            let state = |(key, value): (String, Vec<u8>)| {
                Some((own::speaker(&key, "state")?.to_owned(), HostState::read(&value)))
            };
            Ok(found.into_iter().filter_map(state).collect())
        })
    }

    /// The contents of these files.
    pub(crate) fn contents(&self, files: &[Filed]) -> Result<Contents, String> {
        let files = Arc::new(files.to_vec());
        self.ask(move |gateway| {
            let files = files.clone();
            async move { gateway.contents(&files).await }
        })
    }

    /// Stores contents that the store does not have. Returns how many pieces were sent.
    pub(crate) fn store(&self, files: &[Filed], contents: &Arc<Contents>) -> Result<usize, String> {
        let mut n_sent = 0;
        for batch in batches(Piece::all(files), |piece| piece.size) {
            let (contents, batch) = (contents.clone(), Arc::new(batch));
            n_sent += self.ask(move |gateway| {
                let (contents, batch) = (contents.clone(), batch.clone());
                async move { gateway.store(&contents, &batch).await }
            })?;
        }
        Ok(n_sent)
    }

    /// Adds a deploy, unless someone else has added or removed one, or changed the lock, since `newest` was read.
    pub(crate) fn propose(&self, record: &Record, newest: &Newest) -> Result<Proposed, String> {
        let record = Arc::new(record.clone());
        let revisions = [newest.head, newest.lock.modified, newest.pruned];
        self.ask(move |gateway| {
            let record = record.clone();
            async move { gateway.propose(&record, revisions).await }
        })
    }
}

impl Gateway {
    async fn store(&self, contents: &Contents, batch: &[Piece]) -> Result<usize, Failure> {
        let keys: Vec<String> = batch.iter().map(Piece::key).collect();
        // What is there may be damaged, or be someone's trap: hosts would refuse it.
        let stored = self.values(&keys).await?;
        let missing: Vec<(String, &[u8])> = batch
            .iter()
            .zip(stored)
            .filter_map(|(piece, stored)| {
                let part = piece.part(contents.get(&piece.of)?);
                stored.is_none_or(|stored| stored.value != part).then(|| (piece.key(), part))
            })
            .collect();
        if !missing.is_empty() {
            self.put_all(&missing).await?;
        }
        Ok(missing.len())
    }
}

/// A record under its own number.
pub(super) fn numbered_so(record: Record, id: u64) -> Result<Record, String> {
    if record.id == id { Ok(record) } else { Err(format!("that of deploy {}", record.id)) }
}

fn damaged(files: &[Filed], of: Sum) -> Failure {
    let file = files.iter().find(|file| file.sha256 == of).map_or("", |file| file.path.as_str());
    Failure::Wrong(format!("the content of {file} is missing or damaged"))
}
