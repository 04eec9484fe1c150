//! Pools of hosts, in the shared store: each host votes for itself, and some are elected. World spec, 13 and 16.

mod election;
mod handover;
mod holders;

pub use election::{Vote, cast, chosen, confirmed, is_of_pool, overrules, place, pool_of, pools, votes_by, votes_of};
pub use handover::{Election, Handover};
pub use holders::{End, Holders};

use super::store::{self, KeyStore, Keys};
use super::{Change, Changes, Datum, Learn, Listen, Look};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

/// The options of a host's vote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// How to elect.
    pub strategy: Strategy,
    /// The number of hosts to elect.
    pub max: u64,
    /// How long the vote lasts.
    pub lease: Lease,
}

/// A method of election.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Strategy {
    /// Elected hosts stay; others follow in order of arrival.
    RoundRobin,
    /// The first hosts by name.
    Alphabetical,
    /// No host.
    Idle,
}

/// How long a vote outlives its holder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Lease {
    /// Not at all after a clean exit; [`Lease::USUAL_S`] after a crash.
    Held,
    /// This many seconds.
    For(u64),
    /// Forever.
    Endless,
}

impl Lease {
    /// The lease after a crash in seconds.
    pub const USUAL_S: u64 = 10;
    /// The shortest lease in seconds.
    pub const LEAST_S: u64 = 2;

    /// How long a vote outlives a crashed holder; `None`: forever.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Lease::Held => Some(Lease::USUAL_S),
            Lease::For(s) => Some(s),
            Lease::Endless => None,
        }
    }
}

/// → `Vote`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The pool.
    pub namespace: String,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// This host's vote, and whether this run holds it; `None`: it has not voted in the pool.
    Vote(Option<(Options, bool)>),
}

/// Votes, or withdraws the vote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The pool.
    pub namespace: String,
    /// The new vote; `None` withdraws it.
    pub vote: Option<Options>,
    /// The previous vote, and whether this run held it.
    pub now: Option<(Options, bool)>,
}

/// The votes and the result of a pool. This watch also holds the host's vote while it lives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The pool.
    pub namespace: String,
}

/// `List` of `Bytes`: the hosts elected in a pool, sorted; empty before the first result. Reported again on change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// The pool.
    pub namespace: String,
}

impl Watch {
    /// The keys it depends on.
    pub fn keys(&self) -> store::Watch {
        store::Watch { store: KeyStore::World, key: place(&self.namespace) }
    }
}

impl Fact {
    /// The fact from the current keys.
    pub fn read(&self, keys: &dyn Keys) -> Datum {
        let mut chosen = election::chosen(keys, &self.namespace);
        chosen.sort();
        Datum::List(chosen.into_iter().map(Datum::text).collect())
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let strategy = match self.strategy {
            Strategy::RoundRobin => "rr",
            Strategy::Alphabetical => "alpha",
            Strategy::Idle => "no strategy",
        };
        write!(f, "{strategy}, max {}", self.max)?;
        match self.lease {
            Lease::Held => Ok(()),
            Lease::For(s) => write!(f, ", ttl {s} s"),
            Lease::Endless => f.write_str(", persistent"),
        }
    }
}

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        let pool = &self.namespace;
        match (&self.vote, &self.now) {
            (None, None) => write!(f, "withdraw from the pool {pool}"),
            (None, Some((now, _))) => write!(f, "withdraw from the pool {pool} ({now})"),
            (Some(vote), None) => write!(f, "vote in the pool {pool}: none → {vote}"),
            (Some(vote), Some((now, true))) => write!(f, "vote in the pool {pool}: {now} → {vote}"),
            (Some(vote), Some((now, false))) => {
                write!(f, "vote in the pool {pool}: {now} from an earlier run → {vote}")
            }
        }
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "the pool {}", self.namespace)
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "the schedule {}", self.namespace)
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch { namespace: self.namespace.clone() }.keys().into()])
    }
}
