//! What every probe, step, watch or fact can be asked, whatever its subject.
//!
//! The scheduler, the policy, the audit log, plans and traces use only these methods, so a new subject needs no change
//! in any of them.

use super::password::Secret;
use super::{FieldChange, Findings, Power, Watch};
use std::borrow::Cow;
use std::fmt::Write;

/// One subject of the vocabulary, by its types.
pub trait Subject {
    /// Its looks.
    type Probe: Look<Finding = Self::Finding>;
    /// Their results.
    type Finding;
    /// Its changes.
    type Step: Change;
    /// Its watches.
    type Watch: Listen;
    /// Its facts.
    type Fact: Learn;
}

/// A look at the host; it changes nothing.
pub trait Look {
    /// Its result.
    type Finding;

    /// The permissions that the policy must grant.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// Whether it waits for something other than this host's disks: a command, a bus, a network.
    fn waits(&self) -> bool {
        false
    }

    /// Whether repeating it can have an effect, so that it must not be silently done twice.
    fn repeats(&self) -> bool {
        true
    }

    /// Whether two findings of one probe show the same state. Ages are ignored.
    fn is_same(one: &Self::Finding, other: &Self::Finding) -> bool
    where
        Self::Finding: PartialEq,
    {
        one == other
    }

    /// The secrets in a finding. A trace replaces them with other texts.
    fn secrets(_finding: &mut Self::Finding) -> Vec<&mut Secret> {
        Vec::new()
    }

    /// The file and its content, if that is what was seen; used to show a diff against what a step writes.
    fn shows<'a>(&'a self, _finding: &'a Self::Finding) -> Option<(&'a str, &'a [u8])> {
        None
    }
}

/// A change of the host.
pub trait Change {
    /// A description for logs and plans, with old and new values where the step knows them.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result;

    /// A description for the audit log: what and where, but no content, argument or environment.
    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        self.words(f)
    }

    /// The permissions that the policy must grant.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// Whether it waits for something other than this host's disks: a command, a bus, a network.
    fn waits(&self) -> bool {
        false
    }

    /// Whether repeating it can have an effect, so that it must not be silently done twice.
    fn repeats(&self) -> bool {
        true
    }

    /// Each field it changes, unless the description already contains it.
    fn values(&self, _findings: &Findings) -> Vec<FieldChange> {
        Vec::new()
    }

    /// What the step affects.
    fn effect(&self) -> Effect {
        Effect::Host
    }

    /// Whether a plan can predict its outcome and the state afterwards, for everything that looks later.
    fn is_foreseen(&self) -> bool {
        false
    }

    /// The file whose content it replaces.
    fn rewrites(&self) -> Option<&str> {
        None
    }

    /// The future content of that file, given its current one, if the difference may be shown.
    fn rewritten(&self, _old: &[u8]) -> Option<Cow<'_, [u8]>> {
        None
    }
}

/// What a step affects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The host.
    Host,
    /// Our own records about a resource: carried out even if the rest was cancelled.
    Bookkeeping,
    /// Nothing but a message.
    Message,
}

/// A source of events, each of which means "look again".
pub trait Listen: PartialEq {
    /// A description of what is watched.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result;

    /// The permissions that the policy must grant.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// Whether one event can make both fire.
    fn overlaps(&self, other: &Self) -> bool {
        self == other
    }

    /// Whether it fires by the clock. A notification restarts the period.
    fn is_periodic(&self) -> bool {
        false
    }
}

/// A fact that a core function reads.
pub trait Learn {
    /// A description: `the content of /etc/motd`.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result;

    /// The permissions that the policy must grant.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// When the fact changes.
    fn changes(&self) -> Changes {
        Changes::Never
    }
}

/// When a fact changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changes {
    /// It is *sampled*: only its value at the time of the subscription counts.
    Never,
    /// It is read again whenever one of these fires, and reported if it differs.
    With(Vec<Watch>),
    /// It is not read: its source sends each value.
    Streams,
}

/// Generates empty types for the roles that a subject lacks.
macro_rules! never {
    ($($Role:ident),*) => { $($crate::vocab::subject::never!(@ $Role);)* };
    (@ Probe) => {
        $crate::vocab::subject::never!(# Probe);
        impl $crate::vocab::Look for Probe {
            type Finding = Finding;
        }
    };
    (@ Finding) => { $crate::vocab::subject::never!(# Finding); };
    (@ Step) => {
        $crate::vocab::subject::never!(# Step);
        impl $crate::vocab::Change for Step {
            fn words(&self, _: &mut dyn std::fmt::Write) -> std::fmt::Result {
                match *self {}
            }
        }
    };
    (@ Watch) => {
        $crate::vocab::subject::never!(# Watch);
        impl $crate::vocab::Listen for Watch {
            fn words(&self, _: &mut dyn std::fmt::Write) -> std::fmt::Result {
                match *self {}
            }
        }
    };
    (@ Fact) => {
        $crate::vocab::subject::never!(# Fact);
        impl $crate::vocab::Learn for Fact {
            fn words(&self, _: &mut dyn std::fmt::Write) -> std::fmt::Result {
                match *self {}
            }
        }
    };
    (# $Role:ident) => {
        /// This subject has no such role.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
        pub enum $Role {}
    };
}
pub(super) use never;
