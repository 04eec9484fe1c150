//! What everyone may ask of a probe, step, watch or fact without knowing its subject.
//!
//! The scheduler, the policy, the audit log, plans and traces work from these answers alone, so that a
//! new subject needs no change in any of them.

use super::password::Secret;
use super::{FieldChange, Known, Power, Watch};
use std::borrow::Cow;
use std::fmt::Write;

/// One thing of a host, by the types in which its two bodies speak of it.
pub trait Subject {
    type Probe: Look<Finding = Self::Finding>;
    type Finding;
    type Step: Change;
    type Watch: Listen;
    type Fact: Learn;
}

/// A way to look. It changes nothing.
pub trait Look {
    type Finding;

    /// What the policy must allow.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// It waits for something beside this host's disks: a command, a bus, a network.
    fn waits(&self) -> bool {
        false
    }

    /// It may be done twice where once was asked for.
    fn repeats(&self) -> bool {
        true
    }

    /// What nobody may be shown of a finding. A trace has other texts in their places.
    fn secrets(_finding: &mut Self::Finding) -> Vec<&mut Secret> {
        Vec::new()
    }

    /// A file and what it holds, if that is what was seen; the difference to what a step writes is shown.
    fn shows<'a>(&'a self, _finding: &'a Self::Finding) -> Option<(&'a str, &'a [u8])> {
        None
    }
}

/// A way to change.
pub trait Change {
    /// In words, for logs and plans, with old and new value where the step knows them.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result;

    /// In words, for the audit log: what and where, never a content, an argument or an environment.
    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        self.words(f)
    }

    /// What the policy must allow.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// It waits for something beside this host's disks: a command, a bus, a network.
    fn waits(&self) -> bool {
        false
    }

    /// It may be done twice where once was asked for.
    fn repeats(&self) -> bool {
        true
    }

    /// Each field that it changes, as far as the words do not tell.
    fn values(&self, _known: &Known) -> Vec<FieldChange> {
        Vec::new()
    }

    fn effect(&self) -> Effect {
        Effect::Host
    }

    /// A plan can tell how it would go and what would be there afterwards, for everybody who looks later.
    fn is_foreseen(&self) -> bool {
        false
    }

    /// The file that it gives another content.
    fn rewrites(&self) -> Option<&str> {
        None
    }

    /// What that file will hold, given what it holds, if the difference may be shown to people.
    fn rewritten(&self, _old: &[u8]) -> Option<Cow<'_, [u8]>> {
        None
    }
}

/// What a step changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The host.
    Host,
    /// What we keep about a resource: it is done also when the rest was cancelled.
    Bookkeeping,
    /// Nothing: people are told something.
    Message,
}

/// A source of events, each of which means "look again".
pub trait Listen: PartialEq {
    /// In words, for people: what is watched.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result;

    /// What the policy must allow.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    /// One thing can make both fire.
    fn overlaps(&self, other: &Self) -> bool {
        self == other
    }

    /// Does it fire by the clock? A notification starts the period anew.
    fn is_periodic(&self) -> bool {
        false
    }
}

/// Something that a core function reads.
pub trait Learn {
    /// In words, for people: `the content of /etc/motd`.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result;

    /// What the policy must allow.
    fn powers(&self) -> Vec<Power<'_>> {
        Vec::new()
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }
}

/// When a fact changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changes {
    /// It is *sampled*: the answer as of the subscription is enough.
    Never,
    /// It is read again whenever one of these fires, and told when it differs.
    With(Vec<Watch>),
    /// It is not read: its source sends each value when there is one.
    Streams,
}

/// Makes the types of roles that a subject does not have: nothing is of them.
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
        /// This subject has none.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
        pub enum $Role {}
    };
}
pub(super) use never;
