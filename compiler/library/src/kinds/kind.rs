//! [`Kind`]: the interface of a resource kind. Every method is pure.

use super::decl::{KindDecl, Params};
use super::want::Want;
use crate::source::MemoryWorld;
use crate::value::Value;
use crate::vocab::path::clean;
use crate::vocab::{Datum, FactSpec, Finding, Outcome, Probe, Step, Watch};
use std::borrow::Cow;

/// A resource kind: declared data plus pure methods. To add one, write a file and add a line to [`ALL`](super::ALL).
pub trait Kind: Sync {
    /// Its declaration.
    fn decl(&self) -> &'static KindDecl;

    /// The kind's own validation; `Err` is the reason in `did not Validate: …`.
    fn validate(&self, _want: &Want) -> Result<(), String> {
        Ok(())
    }

    /// Facts of the host needed for the rest of validation, requested if there is a host; else the check finds out.
    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        Vec::new()
    }

    /// The rest of validation, with the answers in order. A fact that the host could not report never causes a refusal.
    fn validate_there(&self, _want: &Want, _facts: &[Option<Datum>]) -> Result<(), String> {
        Ok(())
    }

    /// Whether two resources of one name are the same. `Err` is the difference. The default compares every field that
    /// matters.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        super::compare::fields(one, other)
    }

    /// The first probes of a check.
    fn probes(&self, _want: &Want) -> Vec<Probe> {
        Vec::new()
    }

    /// Decides from the findings whether it is up to date, and otherwise what to do.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision;

    /// The values sent by a check that must change nothing, although something differs.
    fn sends_dry(&self, _want: &Want, _seen: &Seen) -> Sent {
        Vec::new()
    }

    /// The values sent by its grouped children: kind, name and values of each. Called after a check without error.
    fn members_send(&self, _want: &Want, _seen: &Seen) -> Vec<(&'static str, String, Sent)> {
        Vec::new()
    }

    /// Data kept in memory from one check without error (also a dry one) to the next; it is passed as [`Seen::kept`].
    fn keep(&self, _want: &Want, _seen: &Seen) -> Option<Datum> {
        None
    }

    /// Whether it must know the paths that all resources manage, passed as [`Seen::managed`]. Paths in homes begin with a
    /// tilde; only a check knows where homes and links lead.
    fn queries_paths(&self, _want: &Want) -> bool {
        false
    }

    /// Names that no other resource of its kind should remove from the host; passed as [`Seen::managed`] to kinds that
    /// [`Kind::spares`].
    fn keeps(&self, _want: &Want) -> Vec<String> {
        Vec::new()
    }

    /// Whether the kind must know what others of its kind keep.
    fn spares(&self) -> bool {
        false
    }

    /// Whether it depends on the program's files: it is looked at again after a deploy with other files.
    fn is_of_program(&self) -> bool {
        false
    }

    /// Its watches: their events trigger a look.
    fn watches(&self, _want: &Want) -> Vec<Watch> {
        Vec::new()
    }

    /// What it decides about things that others may decide about, too. Two resources that decide differently would undo
    /// each other in each run.
    fn decides<'a>(&self, _want: &Want<'a>) -> Vec<Decided<'a>> {
        Vec::new()
    }

    /// The subject of all its decisions, so that only resources with the same subject are compared, for kinds with many
    /// resources in a graph. `None`: it is always compared.
    fn subject(&self, _want: &Want) -> Option<String> {
        None
    }

    /// Its claims, for automatic edges (resource spec, 1.6).
    fn claims(&self, _want: &Want) -> Vec<Claim> {
        Vec::new()
    }

    /// The claims of others that it wants before or after itself, in batches: in a batch with `first_only`, only the
    /// first match counts.
    fn wants(&self, _want: &Want) -> Vec<WantBatch> {
        Vec::new()
    }

    /// Facts of the host needed for automatic edges; the answers are passed to [`Kind::owns`].
    fn asks_for_edges(&self, _want: &Want) -> Vec<FactSpec> {
        Vec::new()
    }

    /// What this resource brings to its host, as far as only the host can tell. Facts the host could not report count
    /// as empty.
    fn owns(&self, _want: &Want, _facts: &[Option<&Datum>]) -> Owned {
        Owned::default()
    }

    /// A clean path: the nearest directory above it that another resource claims comes before this one.
    fn wants_above(&self, _want: &Want) -> Option<String> {
        None
    }

    /// Claims of others that come before this resource on a host, though the reference has no such edges: graphs that
    /// are only drawn have none either, and an edge that would close a cycle is dropped.
    fn wants_on_hosts(&self, _want: &Want) -> Vec<Claim> {
        Vec::new()
    }

    /// What it reads from the host, and the files that it writes there: resources that claim such files, a directory
    /// above or a mount there come before, under the conditions of [`Kind::wants_on_hosts`].
    fn reads(&self, _want: &Want) -> Vec<Read> {
        Vec::new()
    }

    /// The files on the host that a purge of their directory keeps; their paths may begin with a tilde.
    fn puts(&self, _want: &Want) -> Vec<String> {
        Vec::new()
    }

    /// Probes for undoing this resource later. Called before it changes anything. Engine spec, 14.
    fn reverse_probes(&self, want: &Want) -> Result<Vec<Probe>, String> {
        Err(format!("resources of kind `{}` cannot be reversed", want.decl.name))
    }

    /// The fields of the resource that undoes it.
    fn reverse(&self, want: &Want, _findings: &[Finding]) -> Result<Params, String> {
        Err(format!("resources of kind `{}` cannot be reversed", want.decl.name))
    }

    /// Whether it can lead a group. If not, no members are offered to [`Kind::groups`].
    fn leads(&self, _want: &Want) -> bool {
        self.decl().traits.groups_others
    }

    /// Whether `member` may be grouped into a leader of this kind. Both are groupable and not switched off, and if they
    /// are of one kind, the leader is not a member itself and the member leads no group. `Err` says why not. Resource
    /// spec, 8.1.
    fn groups(&self, _leader: &Want, _member: &Want) -> Result<(), String> {
        Err("this kind does not support grouping".into())
    }

    /// Merges two different duplicates, for a kind with the trait `compatible`; `Err` is the reason in
    /// `incompatible duplicate resource`. Language spec, 12.5.
    fn merge(&self, _one: &Want, _other: &Want) -> Result<Params, String> {
        Err("this kind does not support merging".into())
    }

    /// The exit status of the whole program after this has changed something.
    fn exits(&self, _want: &Want) -> Option<i32> {
        None
    }

    /// How it works on a Linux host, for its page: the tools it uses, its events, the packages it needs. In Markdown.
    fn backend(&self) -> &'static str;
}

/// Everything seen and done in one check so far.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// Every finding so far, in order: those of [`Kind::probes`] first, then those of each [`Decision::LookFurther`].
    pub findings: &'a [Finding],
    /// The outcomes of the steps carried out in this check, in order; empty at first.
    pub outcomes: &'a [Outcome],
    /// Whether it may change something.
    pub apply: bool,
    /// Whether this is a plan, which ends with the first steps whose effect cannot be predicted.
    pub is_plan: bool,
    /// Whether a notification is pending.
    pub refresh: bool,
    /// The fields wired to a sender, and whether a new value came since the last check without error.
    pub received: &'a [(&'static str, bool)],
    /// The last result of [`Kind::keep`]; `None` before the first check.
    pub kept: Option<&'a Datum>,
    /// The paths that [`Kind::queries_paths`] asks for, or what all of its kind keep, sorted.
    pub managed: &'a [String],
    /// The name of this host among those that share a store.
    pub hostname: &'a str,
    /// How long after converging this agent exits, if it does. Units: seconds.
    pub ends_after_s: Option<u64>,
    /// The files of the running program.
    pub program: &'a MemoryWorld,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Up to date; the sent values, if the kind sends any.
    InState(Sent),
    /// It has drifted: these steps repair it. When they are done the kind is called again, with their outcomes; it then
    /// answers `Mended`, or more steps.
    Drifted(Vec<Step>),
    /// The steps are done and it is up to date now.
    Mended(Sent),
    /// More probes are needed.
    LookFurther(Vec<Probe>),
    /// It could not look, or could not repair. This is never "nothing to do".
    CannotTell(String),
    /// These members of a group, by name, cannot be applied, with the reason of the first. Each is to run alone from
    /// now on, so that nothing else fails with it.
    Apart(Vec<String>, String),
}

/// The complete set of values that a resource sends, by name; `None` for null. Empty: it sends nothing this time.
pub type Sent = Vec<(&'static str, Option<Value>)>;

/// A thing that a resource decides about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided<'a> {
    /// The thing, as messages name it. It is the same for two resources if the texts are equal.
    pub what: String,
    /// The decision.
    pub how: How<'a>,
}

/// How a resource decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How<'a> {
    /// Messages show it.
    Shown(Cow<'a, str>),
    /// It may be long, or confidential.
    Hidden(Cow<'a, str>),
}

impl<'a> Decided<'a> {
    /// A decision that messages show.
    pub fn shown(what: String, how: impl Into<Cow<'a, str>>) -> Decided<'a> {
        Decided { what, how: How::Shown(how.into()) }
    }

    /// A decision that messages do not show.
    pub fn hidden(what: String, how: impl Into<Cow<'a, str>>) -> Decided<'a> {
        Decided { what, how: How::Hidden(how.into()) }
    }
}

/// A thing that a resource claims or wants.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Claim {
    /// A path, byte for byte; a trailing slash counts.
    File(String),
    /// A systemd unit.
    Svc {
        /// The unit.
        name: String,
        /// Whether it belongs to the session manager.
        session: bool,
    },
    /// The unit of a timer.
    Cron {
        /// The unit.
        unit: String,
        /// Whether it belongs to the session manager.
        session: bool,
    },
    /// A package.
    Pkg(String),
    /// A file of a package.
    PkgFile(String),
    /// A user. Each part counts only if both sides know it.
    User {
        /// The user name.
        name: Option<String>,
        /// The user id.
        uid: Option<u32>,
    },
    /// A group. Each part counts only if both sides know it.
    Group {
        /// The group name.
        name: Option<String>,
        /// The group id.
        gid: Option<u32>,
    },
    /// A Docker image.
    DockerImage(String),
    /// An fwupd remote.
    FwupdRemote(String),
    /// An fwupd device.
    FwupdDevice(String),
    /// All fwupd devices.
    FwupdSystem,
    /// The current value of a kernel parameter.
    Sysctl(String),
    /// What is at a mount point, which is written with a trailing slash.
    Mount(String),
}

/// Wants that are searched together.
#[derive(Clone, PartialEq, Debug)]
pub struct WantBatch {
    /// The wanted claims, each with its direction.
    pub claims: Vec<(Claim, Direction)>,
    /// Stop after the first claim that another resource matches.
    pub first_only: bool,
}

/// What a resource brings to its host, for automatic edges: all of it comes after the resource.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Owned {
    /// Claims that come after it.
    pub claims: Vec<Claim>,
    /// Paths, sorted, directories with a trailing slash. Of each branch the nearest claim counts, from the leaf
    /// upwards. Resource spec, 2.4.
    pub paths: Vec<String>,
}

/// What a resource reads or writes, for automatic edges. Paths are absolute and clean; those of directories end with a slash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// A file, which may come with a directory above it.
    File(String),
    /// The files directly in a directory.
    Entries(String),
    /// A directory with everything below it, which may come with a directory above it.
    Tree(String),
    /// What is mounted at a directory, or below.
    Mounts(String),
}

impl Read {
    /// A path, which is a directory if it ends with a slash; `None` if it is relative or empty.
    pub fn of(path: &str) -> Option<Read> {
        match path.ends_with('/') {
            _ if !path.starts_with('/') => None,
            true => Some(Read::Tree(directory(path))),
            false => Some(Read::File(clean(path))),
        }
    }

    /// The files directly in a directory.
    pub fn entries(path: &str) -> Read {
        Read::Entries(directory(path))
    }

    /// What is mounted at a directory, or below.
    pub fn mounts(path: &str) -> Read {
        Read::Mounts(directory(path))
    }

    /// The path, which ends with a slash if it is a directory.
    pub fn path(&self) -> &str {
        let (Read::File(path) | Read::Entries(path) | Read::Tree(path) | Read::Mounts(path)) = self;
        path
    }
}

fn directory(path: &str) -> String {
    match clean(path) {
        root if root == "/" => root,
        path => format!("{path}/"),
    }
}

/// The direction of an automatic edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The match comes before this resource.
    Before,
    /// This resource comes before the match.
    After,
}
