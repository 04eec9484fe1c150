//! Pools of hosts, in the store that the hosts share: each votes for itself, and a few are elected. World spec, 13 and 16.

mod election;
mod holders;

pub use election::{Vote, cast, place, votes_by, votes_of};
pub use holders::{End, Holders};

use super::store::{self, KeyStore, Keys};
use super::{Change, Changes, Datum, Learn, Listen, Look};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

/// How a host wants its pool to be: the options of its vote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    pub strategy: Strategy,
    /// How many are elected.
    pub max: u64,
    pub lease: Lease,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Strategy {
    /// Who is elected stays so; others come in the order of their arrival.
    RoundRobin,
    /// The first by name.
    Alphabetical,
    /// Nobody is elected.
    Idle,
}

/// How long a vote outlives whoever holds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Lease {
    /// Not at all; so long, where the holder went without a word: [`Lease::USUAL_S`].
    Held,
    /// Units: seconds.
    For(u64),
    Endless,
}

impl Lease {
    pub const USUAL_S: u64 = 10;
    pub const LEAST_S: u64 = 2;

    /// How long a vote outlives a holder that went without a word; an endless one stays.
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
    pub namespace: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// This host's, and whether this run holds it; `None`: it has none in the pool.
    Vote(Option<(Options, bool)>),
}

/// Votes, or withdraws the vote.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub namespace: String,
    pub vote: Option<Options>,
    /// What it was, and whether this run held it.
    pub now: Option<(Options, bool)>,
}

/// The votes and the result of a pool. Whoever has voted holds the vote as long as this watch lives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub namespace: String,
}

/// `List` of `Bytes`: the hosts elected in a pool, by name; empty before a first result. Again on change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Fact {
    pub namespace: String,
}

impl Watch {
    /// The keys that it is about.
    pub fn keys(&self) -> store::Watch {
        store::Watch { store: KeyStore::World, key: place(&self.namespace) }
    }
}

impl Fact {
    /// The fact as the keys are now.
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
