//! [`Seal`]: what deploys are signed with.

use super::super::key::{operators, signing};
use super::super::unusable;
use super::Stop;
use crate::cli;
use crate::deploy::{OperatorKey, Record, Signature, Signed};
use crate::program::Failure;
use mclive_base::unicode::visible;
use std::path::Path;

pub(super) struct Seal {
    key: OperatorKey,
    cluster: String,
}

impl Seal {
    /// `None`: deploys are not signed.
    pub(super) fn of(args: &cli::Deploy, cluster: String) -> Result<Option<Seal>, Failure> {
        Ok(signing(args.key.as_deref())?.map(|key| Seal { key, cluster }))
    }

    pub(super) fn put_on(&self, record: &Record) -> Record {
        record.signed(&self.cluster, &self.key)
    }

    /// Who signs, after a comma.
    pub(super) fn words(&self) -> String {
        format!("signed by {}", visible(&self.key.words()))
    }

    /// Whether a record is signed with this key.
    pub(super) fn is_on(&self, record: &Record) -> bool {
        Signature::check(record, &self.cluster) == Signed::By(self.key.public())
    }

    /// Makes sure that an older deploy is from an operator before it is signed again: anybody who can write to the store
    /// may have written it. `list`: a file with the keys of others that count.
    pub(super) fn vouch_for(&self, before: &Record, list: Option<&Path>) -> Result<(), Stop> {
        if self.is_on(before) {
            return Ok(());
        }
        let id = before.id;
        let known = match list.map(operators).transpose().map_err(unusable)? {
            Some(operators) => operators.judge(before, &self.cluster),
            None => Err(format!("deploy {id} is not signed with your key")),
        };
        known.map_err(|why| {
            let advice = "deploy its program from files, or name the keys that you trust with --operators FILE";
            Stop::Store(format!("cannot sign deploy {id} again: {why}; {advice}"))
        })
    }
}
