//! Deploys in the shared store: the newest one, records, contents in pieces, and the transaction that adds one.

use super::gateway::{Failure, Gateway, HEAD, If, Write};
use super::visit::Visit;
use crate::deploy::{Contents, Filed, Head, Piece, Record, Sum, key};
use std::sync::Arc;

/// The most keys of one transaction; etcd allows 128.
const MOST_KEYS: usize = 100;
/// The most bytes of one transaction; etcd allows 1.5 MiB.
const MOST_BYTES: usize = 1 << 20;

/// The newest deploy.
pub(crate) struct Newest {
    pub(crate) record: Option<Record>,
    /// The revision of the latest change of the head.
    head: i64,
}

/// The outcome of a transaction.
pub(crate) enum Proposed {
    Created,
    /// Somebody else was faster.
    Late(Box<Record>),
}

impl Gateway {
    /// The newest deploy, as its head says.
    pub(super) async fn newest(&self) -> Result<Newest, Failure> {
        let found = self.values(&[HEAD.to_owned()]).await?.pop().flatten();
        let Some(found) = found else { return Ok(Newest { record: None, head: 0 }) };
        let head = Head::read(&found.value).map_err(|why| Failure::Refused(format!("the key {HEAD} is {why}")))?;
        let record = self.record(head.id).await?;
        if record.sum() != head.sha256 {
            return Err(Failure::Refused(format!("deploy {} is not the one that {HEAD} names", head.id)));
        }
        Ok(Newest { record: Some(record), head: found.modified })
    }

    /// A deploy by its number.
    pub(super) async fn record(&self, id: u64) -> Result<Record, Failure> {
        let found = self.values(&[key(id)]).await?.pop().flatten();
        let found = found.ok_or_else(|| Failure::Refused(format!("there is no deploy {id}")))?;
        let record = Record::read(&found.value)
            .map_err(|why| Failure::Refused(format!("the record of deploy {id} is {why}")))?;
        match record.id == id {
            true => Ok(record),
            false => Err(Failure::Refused(format!("the record of deploy {id} has the number {}", record.id))),
        }
    }

    /// The contents of these files, each with the sum that it is asked for by.
    pub(super) async fn contents(&self, files: &[Filed]) -> Result<Contents, Failure> {
        let mut contents = Contents::new();
        for batch in batches(Piece::all(files)) {
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

    /// Adds a deploy if no other one was added since `newest` was read.
    async fn propose(&self, record: &Record, head: i64) -> Result<Proposed, Failure> {
        let key = key(record.id);
        let conditions = [If::Is(HEAD.to_owned(), head), If::Is(key.clone(), 0)];
        let writes = [Write::Put(key, record.bytes(), 0), Write::Put(HEAD.to_owned(), Head::of(record).bytes(), 0)];
        if self.commit(&conditions, &writes, &[], None).await?.held {
            return Ok(Proposed::Created);
        }
        // An attempt without an answer may have succeeded.
        match self.newest().await?.record {
            Some(newest) if newest == *record => Ok(Proposed::Created),
            Some(newest) => Ok(Proposed::Late(Box::new(newest))),
            None => Err(Failure::Refused(format!("there is a deploy {}, but no key {HEAD}", record.id))),
        }
    }
}

impl Visit {
    /// The newest deploy. Errors: why it cannot be read, a sentence without a full stop.
    pub(crate) fn newest(&self) -> Result<Newest, String> {
        self.ask(|gateway| async move { gateway.newest().await })
    }

    /// A deploy by its number. Errors: as above.
    pub(crate) fn record(&self, id: u64) -> Result<Record, String> {
        self.ask(move |gateway| async move { gateway.record(id).await })
    }

    /// Stores contents that the store does not have. Returns how many pieces were sent.
    pub(crate) fn store(&self, files: &[Filed], contents: Contents) -> Result<usize, String> {
        let (contents, mut n_sent) = (Arc::new(contents), 0);
        for batch in batches(Piece::all(files)) {
            let (contents, batch) = (contents.clone(), Arc::new(batch));
            n_sent += self.ask(move |gateway| {
                let (contents, batch) = (contents.clone(), batch.clone());
                async move { gateway.store(&contents, &batch).await }
            })?;
        }
        Ok(n_sent)
    }

    /// Adds a deploy, unless somebody else has added one since `newest` was read.
    pub(crate) fn propose(&self, record: &Record, newest: &Newest) -> Result<Proposed, String> {
        let (record, head) = (Arc::new(record.clone()), newest.head);
        self.ask(move |gateway| {
            let record = record.clone();
            async move { gateway.propose(&record, head).await }
        })
    }
}

impl Gateway {
    async fn store(&self, contents: &Contents, batch: &[Piece]) -> Result<usize, Failure> {
        let keys: Vec<String> = batch.iter().map(Piece::key).collect();
        let is_there = self.exist(&keys).await?;
        let missing: Vec<(String, &[u8])> = batch
            .iter()
            .zip(is_there)
            .filter(|(_, is_there)| !is_there)
            .filter_map(|(piece, _)| Some((piece.key(), piece.part(contents.get(&piece.of)?))))
            .collect();
        if !missing.is_empty() {
            self.put_all(&missing).await?;
        }
        Ok(missing.len())
    }
}

fn damaged(files: &[Filed], of: Sum) -> Failure {
    let file = files.iter().find(|file| file.sha256 == of).map_or("", |file| file.path.as_str());
    Failure::Refused(format!("the content of {file} is missing or damaged"))
}

/// Pieces in groups that fit into a transaction.
fn batches(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut batches: Vec<Vec<Piece>> = Vec::new();
    let mut n_bytes = 0;
    for piece in pieces {
        match batches.last_mut().filter(|last| last.len() < MOST_KEYS && n_bytes + piece.size <= MOST_BYTES) {
            Some(last) => {
                n_bytes += piece.size;
                last.push(piece);
            }
            None => {
                n_bytes = piece.size;
                batches.push(vec![piece]);
            }
        }
    }
    batches
}
