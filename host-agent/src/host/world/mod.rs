//! [`SharedStore`]: the world of several hosts, in an etcd. World specification, 12 to 16.
//!
//! ```text
//! worker --step--> gateway --POST--> etcd
//! facts <--read-- mirror <--watch-- session      one answer that continues: the newest deploy, and what hosts share
//! ```
//!
//! Reads come from the mirror, so they also work while the store is unreachable. A write is one transaction of etcd,
//! and is done once the mirror has it: a host sees its own writes, and each transaction as a whole. What belongs to
//! this host alone (its exports, its votes) is under leases that the session renews; the session also writes it again
//! if it was lost.

mod absence;
mod ballot;
mod chain;
mod checkup;
mod counted;
mod credentials;
mod deploys;
mod electorate;
mod exporters;
mod filling;
mod gateway;
mod history;
mod host_keys;
mod joining;
mod judge;
mod leases;
mod leaving;
mod limits;
mod lists;
mod locking;
mod mend;
mod mirror;
mod opening;
mod own;
mod pools;
mod presence;
mod proofs;
mod pruning;
mod publishing;
mod pulse;
mod reports;
#[cfg(test)]
mod scale;
mod sealing;
mod session;
mod signing;
mod statement;
#[cfg(test)]
mod tests;
mod value;
mod visit;
mod voters;

pub(crate) use chain::Chosen;
pub(crate) use checkup::{Checkup, Expected, Fault, Fix};
pub(crate) use credentials::{Credentials, User};
pub(crate) use deploys::{Listed, Newest, Proposed, Unfetched};
pub(crate) use filling::{Filling, is_of_hosts};
pub(crate) use gateway::{Cluster, Whole};
pub(crate) use host_keys::HostKeys;
pub(crate) use joining::{Joining, other_layout};
pub(crate) use leaving::Belongings;
pub(crate) use limits::{MOST_EXPORTS, within_limits};
pub(crate) use locking::StoredLock;
pub(crate) use opening::SEALED;
pub(crate) use own::{AGENTS, EXPORTS, POOLS, VALUES, speaker};
pub(crate) use pruning::Surplus;
pub(crate) use publishing::StoredVoters;
pub(crate) use sealing::{recipients, recipients_for};
pub(crate) use signing::Signer;
pub(crate) use statement::STATEMENTS;
pub(crate) use visit::{Seen, Visit};
pub(crate) use voters::{Voters, operators};

use super::Shared;
use super::errno::no_network;
use super::subject::Context;
use crate::lock::Mutex;
use crate::network::NoAnswer;
use electorate::Electorate;
use gateway::{Failure, Gateway, HEAD, If};
use judge::Judge;
use leases::{Leases, Tick};
use mclive_base::protocol::ResourceId;
use mclive_base::vocab::schedule::Handover;
use mclive_base::vocab::store::Keys;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, KeyStore, Outcome};
use mend::Mends;
use mirror::Mirror;
use opening::Opener;
use own::Own;
use proofs::Proofs;
use reports::Reports;
use sealing::Sealer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{MutexGuard, Notify, watch};
use tokio::time::timeout;
use voters::VOTERS;

/// How long a write waits for a store that is away, and for its own change to come back.
const PATIENCE: Duration = Duration::from_secs(5);
/// The limit of a whole write.
const LONGEST: Duration = Duration::from_secs(30);
/// How many looks are remembered; a forgotten one only means that its step is not compared.
const MOST_SEEN: usize = 10_000;

/// The store that the hosts of a cluster share.
pub(crate) struct SharedStore {
    gateway: Gateway,
    hostname: String,
    /// How long the keys of this host are kept after its agent has stopped. Units: seconds.
    ttl: u64,
    /// Tells this agent from another one with its name. `None`: nothing is written.
    id: Option<String>,
    /// `None`: neither the exports of this host nor its values and votes are signed.
    signer: Option<Signer>,
    opener: Opener,
    /// `None`: this host exports no secrets.
    sealer: Option<Sealer>,
    inside: Mutex<Inside>,
    reached: watch::Sender<Reached>,
    /// There is something to repair.
    mends: Notify,
    /// There is a lease or a proof that was not doubted before, or an election on which this host does not act yet.
    doubts: Notify,
    /// This host has voted.
    proving: Notify,
    /// A report may wait.
    reporting: Notify,
    /// Held while this host writes an export, or what it signs.
    exporting: tokio::sync::Mutex<()>,
    granting: tokio::sync::Mutex<()>,
    casting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Inside {
    mirror: Mirror,
    leases: Leases,
    own: Own,
    handover: Handover,
    proofs: Proofs,
    mends: Mends,
    reports: Reports,
    /// `None`: the exports of all hosts count.
    judge: Option<Judge>,
    electorate: Electorate,
    /// Why the store is away.
    why: String,
    /// This host may use the store.
    has_joined: bool,
    /// It was reported that the group is too large.
    is_large: bool,
    /// When a key was last changed as a resource saw it.
    seen: BTreeMap<(ResourceId, String), i64>,
}

/// What the store gets for a value; and the value, if the store gets its sealed form.
type StoredAndClear = (Option<Vec<u8>>, Option<Vec<u8>>);

/// How far the mirror is.
#[derive(Clone, Copy)]
struct Reached {
    revision: i64,
    is_live: bool,
    /// Since when it is live. `None`: it is not.
    since: Option<SystemTime>,
}

impl SharedStore {
    /// Whether its keys were read: before that, a missing one means nothing.
    pub(crate) fn is_known(&self) -> bool {
        !self.inside.lock().mirror.cluster().is_empty()
    }

    /// Since when the store is connected. `None`: it is away.
    pub(crate) fn live_since(&self) -> Option<SystemTime> {
        self.reached.borrow().since
    }

    /// What the store has sent to this host, without headers. Units: bytes.
    pub(crate) fn received(&self) -> u64 {
        self.gateway.received()
    }

    /// The member in use, and the name of the cluster.
    pub(super) fn address(&self) -> (&str, &str) {
        (self.gateway.url(), self.opener.cluster())
    }

    /// Nothing is written.
    fn only_reads(&self) -> bool {
        self.id.is_none()
    }

    /// The value of a key for the check of a resource, whose step is compared with it.
    pub(super) fn look(&self, id: &ResourceId, key: &str) -> Option<Datum> {
        let mut inside = self.inside.lock();
        let held = inside.mirror.held(key).cloned();
        if own::is_export_of(key, &self.hostname) {
            // The export of an earlier run ends with the lease of that run.
            let held = held.filter(|_| inside.own.holds(key)).map(|held| held.value)?;
            let clear = statement::bytes(&held).and_then(|held| inside.own.opened(key, held)).cloned();
            return Some(clear.map_or(held, Datum::Bytes));
        }
        if inside.seen.len() >= MOST_SEEN {
            inside.seen.clear();
        }
        inside.seen.insert((id.clone(), key.to_owned()), held.as_ref().map_or(0, |held| held.modified));
        held.map(|held| self.shown(&mut inside, key, held.value))
    }

    /// Sets or removes a key. If the resource has looked at the key, it must not have changed since then.
    pub(super) fn step(self: &Arc<Self>, at: &Context, key: &str, value: Option<&Datum>) -> Result<Outcome, HostError> {
        if self.only_reads() {
            return Err(HostError::new(HostErrorKind::Refused, "a plan does not write"));
        }
        if is_reserved(key) {
            return Err(HostError::new(HostErrorKind::Refused, format!("`{key}` is not a key that programs write")));
        }
        let value = value.map(value::bytes).transpose()?;
        let n_lists = self.n_lists();
        let (value, clear) = self.to_store(at.shared, key, value)?;
        let is_sealed = clear.is_some();
        let expected = {
            let mut inside = self.inside.lock();
            let is_export = own::is_export_of(key, &self.hostname);
            if let Some(value) = &value {
                inside.has_room(key, value, is_export).map_err(|why| self.error(Failure::Refused(why)))?;
            }
            if is_export {
                inside.own.keep(key, value.as_deref());
                clear.into_iter().for_each(|clear| inside.own.seals(key, clear));
            }
            inside.seen.remove(&(at.id.clone(), key.to_owned()))
        };
        if is_sealed {
            self.sealed_with(n_lists);
        }
        let (store, key) = (self.clone(), key.to_owned());
        at.running.ask(&at.shared.network, LONGEST, async move { store.set(&key, value, expected).await })?;
        Ok(Outcome::Done)
    }

    /// What the store gets for a value, and the value if that is its sealed form.
    fn to_store(&self, shared: &Shared, key: &str, value: Option<Vec<u8>>) -> Result<StoredAndClear, HostError> {
        let Some(value) = value else { return Ok((None, None)) };
        match self.seal(shared, key, &value) {
            Ok(Some(sealed)) => Ok((Some(sealed), Some(value))),
            Ok(None) => Ok((Some(value), None)),
            // Other exports and what the resource is for on this host do not depend on it.
            Err(why) => Err(HostError::new(HostErrorKind::Refused, why)),
        }
    }

    async fn set(&self, key: &str, value: Option<Vec<u8>>, expected: Option<i64>) -> Result<(), HostError> {
        self.is_live().await?;
        let change = async {
            let turn = self.turn(key).await;
            let is_export = own::is_export_of(key, &self.hostname);
            // A later step may have changed or withdrawn an export while this one waited.
            let value = if is_export { self.inside.lock().own.value(key).cloned() } else { value };
            let leased = is_export && value.is_some();
            let lease = if leased { self.lease(self.ttl).await? } else { 0 };
            let writes = match &value {
                Some(value) => self.puts(key, value, lease),
                None => self.deletes(key),
            };
            let (condition, then, otherwise) = match (expected, value) {
                (Some(revision), _) => (Some(If::Is(key.to_owned(), revision)), writes, Vec::new()),
                // Its owner writes it with a new lease or statement even if it is equal.
                (None, Some(_)) if leased || self.signer_of(key).is_some() => (None, writes, Vec::new()),
                (None, Some(value)) => (Some(If::Holds(key.to_owned(), value)), Vec::new(), writes),
                (None, None) => (Some(If::Is(key.to_owned(), 0)), Vec::new(), writes),
            };
            let conditions: Vec<If> = condition.into_iter().collect();
            let done = self.gateway.commit(&conditions, &then, &otherwise, Some(key)).await?;
            if done.held {
                self.remember(key, &then);
            }
            drop(turn);
            let wrote = if done.held { !then.is_empty() } else { !otherwise.is_empty() };
            self.reaches(if wrote { done.revision } else { done.modified }).await?;
            Ok::<bool, Failure>(wrote || expected.is_none())
        };
        match change.await {
            Ok(true) => Ok(()),
            // The state is checked again.
            Ok(false) => {
                let why = format!("set the key {key}: another host changed it in the meantime");
                Err(HostError::new(HostErrorKind::NotFound, why))
            }
            Err(failure) => Err(self.error(failure)),
        }
    }

    /// To be held while an export of this host is written, or a value that it signs: so that no write brings back what was
    /// changed or withdrawn since, and statements reach the store in the order of their numbers. `None`: the key is of
    /// something else.
    async fn turn(&self, key: &str) -> Option<MutexGuard<'_, ()>> {
        match own::is_export_of(key, &self.hostname) || self.signer_of(key).is_some() {
            true => Some(self.exporting.lock().await),
            false => None,
        }
    }

    /// The lease with this time, granted if there is none.
    async fn lease(&self, ttl: u64) -> Result<i64, Failure> {
        let _one_at_a_time = self.granting.lock().await;
        if let Some(number) = self.inside.lock().leases.number(ttl) {
            return Ok(number);
        }
        let asked = Tick::now();
        let number = self.gateway.grant(ttl).await?;
        self.inside.lock().leases.granted(ttl, number, asked);
        self.doubts.notify_one();
        Ok(number)
    }

    /// Waits for the store.
    async fn is_live(&self) -> Result<(), HostError> {
        let mut reached = self.reached.subscribe();
        let live = timeout(PATIENCE, reached.wait_for(|reached| reached.is_live)).await;
        match live {
            Ok(_) => Ok(()),
            Err(_) => Err(self.error(Failure::Away(self.inside.lock().why.clone()))),
        }
    }

    /// Waits until the mirror has a revision.
    async fn reaches(&self, revision: i64) -> Result<(), Failure> {
        let mut reached = self.reached.subscribe();
        let told = timeout(PATIENCE, reached.wait_for(|reached| reached.revision >= revision)).await;
        told.map(drop).map_err(|_| Failure::Away(format!("{}: the change is not confirmed", self.gateway.url())))
    }

    fn error(&self, failure: Failure) -> HostError {
        let kind = match failure {
            Failure::Refused(_) | Failure::Full(_) | Failure::Wrong(_) => HostErrorKind::PermissionDenied,
            _ => HostErrorKind::Other,
        };
        HostError::new(kind, format!("the shared store: {}", failure.words()))
    }
}

/// Whether only agents and operators write a key: a program that could would deploy another one to all hosts, or speak for
/// them.
fn is_reserved(key: &str) -> bool {
    key < HEAD || key == "layout" || ["deploy/", STATEMENTS, POOLS, VOTERS].iter().any(|prefix| key.starts_with(prefix))
}

/// Why the store has given no answer, a sentence without a full stop.
fn unanswered(none: NoAnswer) -> String {
    match none {
        NoAnswer::Unavailable(error) => no_network(error).message,
        NoAnswer::TimedOut | NoAnswer::Ended => "the shared store did not answer".to_owned(),
    }
}

impl Inside {
    /// Whether this host may write a value. Errors: which limit it exceeds, a sentence without a full stop.
    fn has_room(&self, key: &str, value: &[u8], is_export: bool) -> Result<(), String> {
        limits::within_limits(key, value)?;
        if is_export && !self.own.holds(key) && self.own.n_exports() >= limits::MOST_EXPORTS {
            return Err(limits::too_many_exports());
        }
        let (before, after) = (self.mirror.held(key).map_or(0, |held| held.size(key)), key.len() + value.len());
        match after > before && self.mirror.size() - before + after > limits::LARGEST_GROUP {
            true => Err(limits::too_large()),
            false => Ok(()),
        }
    }

    /// Reports a group that has become too large, once until it is smaller again.
    fn look_at_size(&mut self) {
        let is_large = self.mirror.size() > limits::LARGEST_GROUP;
        if is_large && !self.is_large {
            limits::tell_large();
        }
        self.is_large = is_large;
    }
}

impl Keys for SharedStore {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        let inside = self.inside.lock();
        inside.mirror.get(store, key).filter(|_| inside.counts(key))
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        let mut inside = self.inside.lock();
        let mut found = inside.mirror.below(store, prefix);
        found.retain(|(key, _)| inside.counts_for_its_host(key) && inside.is_counted(key));
        found
    }
}
