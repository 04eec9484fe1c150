//! The subjects of the vocabulary on the simulated host, one module each.
//!
//! The list of subjects is the vocabulary's own: a missing implementation does not compile.

mod account;
mod archive;
mod attribute;
mod builder;
mod cloud;
mod command;
mod consul;
mod container;
mod controller;
mod desktop;
mod dhcp;
mod file;
mod firewall;
mod firmware;
mod guest;
mod hostname;
mod lens;
mod link;
mod local;
mod machine;
mod message;
mod mount;
mod package;
mod password;
mod program;
mod remote;
mod request;
mod schedule;
mod server;
mod servers;
mod state;
mod states;
mod store;
mod sysctl;
mod tftp;
mod time;
mod unit;
mod virt;

pub use cloud::state::Clouds;
pub use consul::Consuls;
pub use container::state::Containers;
pub use controller::state::Controllers;
pub use dhcp::state::Leases;
pub use firewall::state::Firewall;
pub use firmware::state::Firmwares;
pub use guest::state::Guests;
pub use link::state::{Interface, Links};
pub use machine::Hardware;
pub use message::Messages;
pub use package::state::{Packages, Release};
pub use password::Passwords;
pub use program::Started;
pub use remote::state::Reached;
pub use request::Answers;
pub use states::{Simulated, SubjectState, Subjects};
pub use tftp::state::Boot;
pub use time::Clock;
pub use unit::state::Units;
pub use virt::state::Virts;

use super::host::{SimHost, States};
use super::world::World;
use crate::protocol::{ResourceId, Ticket};
use crate::vocab::HostErrorKind;
use crate::vocab::{CommandSpec, Datum, FactSpec, Finding, HostError, Outcome, Probe, Step, Watch, subjects};
use mclive_base::each_subject;
use mclive_base::shapes::host::{ADD, Addition, Alteration, Holding, Thing};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

/// A subject on the simulated host.
trait Play: Simulated {
    /// The title of what [`Play::holds`] shows.
    const TITLE: &'static str = "";

    /// What can be added by hand.
    const ADDS: Adds = &[];

    /// The things that a host has, for display.
    fn holds(_world: &World) -> Vec<Thing> {
        Vec::new()
    }

    /// Adds a thing by hand. Errors: why it is impossible.
    fn add(_world: &mut World, thing: &str) -> Result<(), HostError> {
        Err(no_such(thing, &Alteration::Do { verb: ADD.to_owned() }))
    }

    /// Changes one of these things by hand. Errors: why it is impossible.
    fn alter(_world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        Err(no_such(thing, how))
    }

    fn probe(at: &mut Context, probe: &Self::Probe) -> Answer<Self::Finding>;

    fn step(at: &mut Context, step: &Self::Step) -> Answer<Outcome>;

    /// Starts a watch.
    fn watch(_host: &mut SimHost, _ticket: Ticket, _watch: &Self::Watch) -> Result<(), HostError> {
        Ok(())
    }

    fn leave(_host: &mut SimHost, _ticket: Ticket, _watch: &Self::Watch) {}

    /// A hash of the part of the world that a watch sees: the watch fires when it changes. `None`: the subject itself
    /// tells when something has changed.
    fn fingerprint(_world: &World, _watch: &Self::Watch) -> Option<u64> {
        None
    }

    /// A number that is a different one whenever a fingerprint of this subject may be. While it is equal, no watch is
    /// compared. `None`: it is not known.
    fn stamp(_world: &World) -> Option<u64> {
        None
    }

    /// The current value of a fact.
    fn fact(world: &mut World, now_ns: u64, fact: &Self::Fact) -> Result<Datum, HostError>;

    /// Starts sending the values of a fact that is not read.
    fn stream(_host: &mut SimHost, _ticket: Ticket, _fact: &Self::Fact) {}
}

/// Things that can be added: what each is, the beginning of its name before the part that the user chooses, and an example
/// of that part.
type Adds = &'static [(&'static str, &'static str, &'static str)];

/// The context of a probe or a step.
pub(super) struct Context<'a> {
    pub(super) world: &'a mut World,
    pub(super) states: &'a mut States,
    pub(super) id: &'a ResourceId,
    /// Lines for the log.
    pub(super) printed: &'a mut Vec<String>,
}

/// The result of a probe or a step.
pub(super) enum Answer<T> {
    Now(Result<T, HostError>),
    /// Run this first; its outcome is the answer.
    Command(CommandSpec),
    /// Ask again after this delay. Units: milliseconds.
    Later(u64),
}

impl<T> Answer<T> {
    fn map<U>(self, with: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Now(answer) => Answer::Now(answer.map(with)),
            Answer::Command(command) => Answer::Command(command),
            Answer::Later(ms) => Answer::Later(ms),
        }
    }
}

impl<T> From<Result<T, HostError>> for Answer<T> {
    fn from(answer: Result<T, HostError>) -> Answer<T> {
        Answer::Now(answer)
    }
}

/// A finished step.
fn done(result: Result<(), HostError>) -> Answer<Outcome> {
    Answer::Now(result.map(|()| Outcome::Done))
}

/// The first texts of a list for a field: a program may make it as long as it likes.
fn listed(texts: &[String]) -> String {
    const MOST: usize = 20;
    match texts.get(MOST..) {
        Some(rest) if !rest.is_empty() => format!("{} and {} more", texts[..MOST].join(", "), rest.len()),
        Some(_) | None => texts.join(", "),
    }
}

/// The error of a change that a thing does not support.
fn no_such(thing: &str, how: &Alteration) -> HostError {
    let how = match how {
        Alteration::Set { field, .. } => format!("set {field} of {thing}"),
        Alteration::Do { verb } => format!("{verb} {thing}"),
    };
    HostError::new(HostErrorKind::NotFound, format!("cannot {how}: no such object"))
}

/// The error of a change of a subject that does not exist. `all`: those that do, with their titles.
fn unknown(subject: &str, all: &[(&str, &str)]) -> HostError {
    let shown: Vec<&str> = all.iter().filter(|(_, title)| !title.is_empty()).map(|(name, _)| *name).collect();
    let message = format!("cannot find subject `{subject}`; expected one of: {}", shown.join(", "));
    HostError::new(HostErrorKind::NotFound, message)
}

/// The error of a thing that cannot be added, because it is there.
fn exists(thing: &str) -> HostError {
    HostError::new(HostErrorKind::Exists, format!("{thing} already exists"))
}

/// Parses a number. Errors: it is not one.
fn number<T: FromStr>(field: &str, value: &str) -> Result<T, HostError> {
    value
        .trim()
        .parse()
        .map_err(|_| HostError::new(HostErrorKind::Other, format!("{field}: `{value}` is not a number")))
}

fn hash(of: &impl Hash) -> u64 {
    hashed(&|hasher| of.hash(hasher))
}

/// It is not generic, so that the code of the hasher exists once.
fn hashed(feed: &dyn Fn(&mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    feed(&mut hasher);
    hasher.finish()
}

/// Stubs for roles that a subject lacks.
macro_rules! absent {
    ($($role:ident)*) => { $(absent!(@ $role);)* };
    (@ probe) => {
        fn probe(_: &mut Context, probe: &Self::Probe) -> Answer<Self::Finding> {
            match *probe {}
        }
    };
    (@ step) => {
        fn step(_: &mut Context, step: &Self::Step) -> Answer<Outcome> {
            match *step {}
        }
    };
    (@ fact) => {
        fn fact(_: &mut World, _: u64, fact: &Self::Fact) -> Result<Datum, HostError> {
            match *fact {}
        }
    };
}
use absent;

macro_rules! dispatch {
    ($($Name:ident: $module:ident,)*) => {
        /// Runs one probe.
        pub(super) fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
            match probe { $(Probe::$Name(probe) => subjects::$Name::probe(at, probe).map(Finding::$Name),)* }
        }

        /// Carries out one step.
        pub(super) fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
            match step { $(Step::$Name(step) => subjects::$Name::step(at, step),)* }
        }

        pub(super) fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
            match watch { $(Watch::$Name(watch) => subjects::$Name::watch(host, ticket, watch),)* }
        }

        pub(super) fn leave(host: &mut SimHost, ticket: Ticket, watch: &Watch) {
            match watch { $(Watch::$Name(watch) => subjects::$Name::leave(host, ticket, watch),)* }
        }

        pub(super) fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
            match watch { $(Watch::$Name(watch) => subjects::$Name::fingerprint(world, watch),)* }
        }

        /// The name of the subject of a watch.
        pub(super) fn subject_of(watch: &Watch) -> &'static str {
            match watch { $(Watch::$Name(_) => stringify!($Name),)* }
        }

        /// The stamp of the subject of a watch.
        pub(super) fn stamp(world: &World, watch: &Watch) -> Option<u64> {
            match watch { $(Watch::$Name(_) => subjects::$Name::stamp(world),)* }
        }

        /// The current value of a fact; some have side effects.
        pub(super) fn fact(world: &mut World, now_ns: u64, fact: &FactSpec) -> Result<Datum, HostError> {
            match fact { $(FactSpec::$Name(fact) => subjects::$Name::fact(world, now_ns, fact),)* }
        }

        /// Everything a host has, by subject.
        pub(super) fn holdings(world: &World) -> Vec<Holding> {
            let all = [$((
                stringify!($Name), subjects::$Name::TITLE, subjects::$Name::holds(world), subjects::$Name::ADDS,
            ),)*];
            let addition = |(what, prefix, example): &(&str, &str, &str)| Addition {
                what: (*what).to_owned(),
                prefix: (*prefix).to_owned(),
                example: (*example).to_owned(),
            };
            let holding = |(subject, title, things, adds): (&str, &str, Vec<Thing>, Adds)| {
                (!things.is_empty() || !adds.is_empty()).then(|| Holding {
                    subject: subject.to_owned(),
                    title: title.to_owned(),
                    things,
                    additions: adds.iter().map(addition).collect(),
                })
            };
            all.into_iter().filter_map(holding).collect()
        }

        /// Changes a thing of a host by hand. Errors: why it is impossible.
        pub(super) fn alter(
            world: &mut World, subject: &str, thing: &str, how: &Alteration,
        ) -> Result<(), HostError> {
            let adds = matches!(how, Alteration::Do { verb } if verb == ADD);
            match subject {
                $(stringify!($Name) if adds => subjects::$Name::add(world, thing),)*
                $(stringify!($Name) => subjects::$Name::alter(world, thing, how),)*
                _ => Err(unknown(subject, &[$((stringify!($Name), subjects::$Name::TITLE),)*])),
            }
        }

        pub(super) fn stream(host: &mut SimHost, ticket: Ticket, fact: &FactSpec) {
            match fact { $(FactSpec::$Name(fact) => subjects::$Name::stream(host, ticket, fact),)* }
        }
    };
}
each_subject!(dispatch);

/// A simple hash (splitmix64), the same on every machine.
pub(super) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn texts<'a>(texts: impl Iterator<Item = &'a String>) -> Datum {
    Datum::List(texts.map(|text| Datum::text(text.as_str())).collect())
}
