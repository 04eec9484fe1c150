//! [`Kind`]: what a resource kind answers. Every question is pure.

use super::decl::{KindDecl, Params};
use super::want::Want;
use crate::source::MemoryWorld;
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, Finding, Outcome, Probe, Step, Watch};

/// A resource kind: declared data plus pure questions. Adding one is a file and a line.
pub trait Kind: Sync {
    fn decl(&self) -> &'static KindDecl;

    /// The kind's own validation; `Err` is the reason that `did not Validate: …` gives.
    fn validate(&self, _want: &Want) -> Result<(), String> {
        Ok(())
    }

    /// What the rest of validation must know of the host, if anything. It is asked where a host is
    /// at hand; elsewhere the check itself finds out.
    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        Vec::new()
    }

    /// That rest, given the answers in the order of the questions. What the host could not tell
    /// refuses nothing.
    fn validate_there(&self, _want: &Want, _facts: &[Option<Datum>]) -> Result<(), String> {
        Ok(())
    }

    /// Do two resources of one name say the same? `Err` is what differs. The default compares
    /// every field that counts.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        super::compare::fields(one, other)
    }

    /// What must be looked at.
    fn probes(&self, _want: &Want) -> Vec<Probe> {
        Vec::new()
    }

    /// Given what was seen: whether it is as wanted, and what to do if not.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision;

    /// What a check that must change nothing sends, although something differs.
    fn sends_dry(&self, _want: &Want, _seen: &Seen) -> Sent {
        Vec::new()
    }

    /// What its grouped children send: kind, name and values of each. Asked after a check that
    /// ended without error.
    fn members_send(&self, _want: &Want, _seen: &Seen) -> Vec<(&'static str, String, Sent)> {
        Vec::new()
    }

    /// What this resource remembers in memory from one check that ended without error (also a dry
    /// one) to the next; it comes back as [`Seen::kept`].
    fn keep(&self, _want: &Want, _seen: &Seen) -> Option<Datum> {
        None
    }

    /// The directory, with a trailing slash, below which it must know what other resources
    /// manage: it comes as [`Seen::managed`].
    fn queries_below(&self, _want: &Want) -> Option<String> {
        None
    }

    /// What no other resource of its kind should take from the host, by name; it comes to those that
    /// [`Kind::spares`] as [`Seen::managed`].
    fn keeps(&self, _want: &Want) -> Vec<String> {
        Vec::new()
    }

    /// Whether the kind must know what others of its kind keep.
    fn spares(&self) -> bool {
        false
    }

    /// Whether it is made of the program's files: it is looked at again when another deploy brings others.
    fn is_of_program(&self) -> bool {
        false
    }

    /// What should make it be looked at again.
    fn watches(&self, _want: &Want) -> Vec<Watch> {
        Vec::new()
    }

    /// What it says of a thing that others may speak of as well: what it is, and how it is to be. Two resources that say
    /// different things of one would undo each other in each run.
    fn decides(&self, _want: &Want) -> Option<(String, String)> {
        None
    }

    /// The identities that this resource claims, for automatic edges (resource spec, 1.6).
    fn claims(&self, _want: &Want) -> Vec<Claim> {
        Vec::new()
    }

    /// The claims of others that it wants to come before or after, batch by batch: of a batch
    /// with `first_only`, only the first that matches counts.
    fn wants(&self, _want: &Want) -> Vec<WantBatch> {
        Vec::new()
    }

    /// What automatic edges must know of the host, if anything; the answers come to [`Kind::owns`].
    fn asks_for_edges(&self, _want: &Want) -> Vec<FactSpec> {
        Vec::new()
    }

    /// What this resource brings to its host, as only the host can tell. What the host could not tell is nothing.
    fn owns(&self, _want: &Want, _facts: &[Option<&Datum>]) -> Owned {
        Owned::default()
    }

    /// A clean path: the nearest directory above it that another resource claims comes before this one.
    fn wants_above(&self, _want: &Want) -> Option<String> {
        None
    }

    /// Claims of others that come before this resource on a host, though the reference has no such edges: graphs that
    /// are only drawn have none either, and one that would close a cycle is left out.
    fn wants_on_hosts(&self, _want: &Want) -> Vec<Claim> {
        Vec::new()
    }

    /// Directories, each with a slash at its end, whose files are read: whoever claims one of these comes before.
    fn wants_in(&self, _want: &Want) -> Vec<String> {
        Vec::new()
    }

    /// What must be looked at to undo this resource some day? Asked before it changes anything.
    /// Engine spec, 14.
    fn reverse_probes(&self, _want: &Want) -> Result<Vec<Probe>, String> {
        Err(format!("resources of kind `{}` cannot be reversed", self.decl().name))
    }

    /// The fields of the resource that undoes it.
    fn reverse(&self, _want: &Want, _findings: &[Finding]) -> Result<Params, String> {
        Err(format!("resources of kind `{}` cannot be reversed", self.decl().name))
    }

    /// Can it lead a group at all? Where not, no member is offered to [`Kind::groups`].
    fn leads(&self, _want: &Want) -> bool {
        self.decl().traits.groups_others
    }

    /// May `member` be grouped into a leader of this kind? Both are groupable and not switched
    /// off, and if they are of one kind, the leader is no member itself and the member leads
    /// nobody. `Err` says why not. Resource spec, 8.1.
    fn groups(&self, _leader: &Want, _member: &Want) -> Result<(), String> {
        Err("this kind does not support grouping".into())
    }

    /// Merges two duplicates that are not the same, for a kind with the trait `compatible`;
    /// `Err` is the reason that `incompatible duplicate resource` gives. Language spec, 12.5.
    fn merge(&self, _one: &Want, _other: &Want) -> Result<Params, String> {
        Err("this kind does not support merging".into())
    }

    /// The status with which the whole program ends once this has changed something.
    fn exits(&self, _want: &Want) -> Option<i32> {
        None
    }

    /// What carries it out on a Linux host, for its page: what is asked and changed there, what wakes it, what must be
    /// installed. In Markdown; empty for what is no matter of a host.
    fn backend(&self) -> &'static str {
        ""
    }
}

/// All that was seen and done in one check so far.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Every probe asked so far with its finding: those of [`Kind::probes`] first, then those of
    /// each [`Decision::LookFurther`], in order.
    pub findings: &'a [Finding],
    /// The outcomes of the steps that were carried out in this check, in order; empty at first.
    pub outcomes: &'a [Outcome],
    /// The engine lets it change something.
    pub apply: bool,
    /// A notification is pending.
    pub refresh: bool,
    /// The fields that are wired to a sender, and whether a new value came since the last check
    /// without error.
    pub received: &'a [(&'static str, bool)],
    /// What [`Kind::keep`] answered last; `None` before the first check.
    pub kept: Option<&'a Datum>,
    /// The paths of other resources below [`Kind::queries_below`], or what all of its kind keep, sorted.
    pub managed: &'a [String],
    /// The name of this host among those that share a store.
    pub hostname: &'a str,
    /// The files of the running program.
    pub program: &'a MemoryWorld,
}

#[cfg(test)]
impl Seen<'_> {
    /// A first check in which nothing was asked yet.
    pub(crate) const fn first() -> Seen<'static> {
        Seen {
            findings: &[],
            outcomes: &[],
            apply: true,
            refresh: false,
            received: &[],
            kept: None,
            managed: &[],
            hostname: "",
            program: MemoryWorld::EMPTY,
        }
    }
}

/// What a check comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// As wanted; the sent values, if the kind sends any.
    InState(Sent),
    /// Something differs: these steps mend it. When they are done the kind is asked again, with
    /// their outcomes; it then answers `Mended`, or more steps.
    Drifted(Vec<Step>),
    /// The steps are done and it is as wanted now.
    Mended(Sent),
    /// More must be looked at first.
    LookFurther(Vec<Probe>),
    /// Could not look, or could not mend. This is never "nothing to do".
    CannotTell(String),
    /// Of a group these members, by their names, cannot be as wanted, and why the first of them cannot. Each is to stand
    /// alone from now on: then it fails alone, and nobody else with it.
    Apart(Vec<String>, String),
}

/// The complete set of values that a resource sends, by name; `None` for null. Empty: it sent
/// nothing this time.
pub type Sent = Vec<(&'static str, Option<Value>)>;

/// An identity: a type of claim and what it names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Claim {
    /// A path, byte for byte; a trailing slash counts.
    File(String),
    Svc {
        name: String,
        session: bool,
    },
    Cron {
        unit: String,
        session: bool,
    },
    Pkg(String),
    PkgFile(String),
    /// Each part counts only where both sides know it.
    User {
        name: Option<String>,
        uid: Option<u32>,
    },
    Group {
        name: Option<String>,
        gid: Option<u32>,
    },
    DockerImage(String),
    FwupdRemote(String),
    FwupdDevice(String),
    FwupdSystem,
}

/// Wants that are asked together.
#[derive(Clone, PartialEq, Debug)]
pub struct WantBatch {
    pub claims: Vec<(Claim, Direction)>,
    /// Stop asking after the first claim that another resource matches.
    pub first_only: bool,
}

/// What a resource brings to its host, for automatic edges: all of it settles after the resource.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Owned {
    /// Claims that it wants after itself.
    pub claims: Vec<Claim>,
    /// Paths, sorted, directories with a slash at the end. Of each branch the nearest claim counts, from the leaf
    /// upwards. Resource spec, 2.4.
    pub paths: Vec<String>,
}

/// Which way an automatic edge points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The match settles before me.
    Before,
    /// I settle before the match.
    After,
}
