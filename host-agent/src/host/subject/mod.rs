//! The subjects of the vocabulary on this host, one module each.
//!
//! The list of subjects is the vocabulary's: a subject without an implementation here does not compile.

mod account;
mod archive;
mod attribute;
mod audience;
mod builder;
mod cloud;
mod command;
mod consul;
mod container;
mod controller;
mod desktop;
mod dhcp;
mod effect;
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
mod state;
mod states;
mod store;
mod sysctl;
mod tftp;
mod time;
mod tool;
mod unit;
mod virt;

pub(super) use account::{Primary, judge as judge_account};
pub(super) use file::seen_before;
pub(super) use mount::judge_table;
pub(crate) use package::PackageSystem;
pub(super) use states::States;
pub(super) use store::{key_changed, key_changed_for_facts, key_changed_for_watches, world_is_known};
pub(super) use sysctl::warn_of_later;

use audience::Audience;
use effect::Effect;
use states::SubjectState;

use super::program::Asker;
use super::running::Running;
use super::{Host, Shared};
use mclive_base::each_subject;
use mclive_base::protocol::{Input, ResourceId, Ticket};
use mclive_base::vocab::{
    Datum, FactSpec, Finding, HostError, HostErrorKind, Outcome, Power, Probe, Step, Subject, Watch, subjects,
};
use std::time::Instant;

/// A subject on this host.
trait Backend: Subject {
    /// What it keeps while the agent runs.
    type State: SubjectState;

    /// Runs a probe. Called on a thread that may block.
    fn probe(at: &Context, probe: &Self::Probe) -> Result<Self::Finding, HostError>;

    /// Runs a step. Called on a thread that may block.
    fn step(at: &Context, step: &Self::Step) -> Result<Outcome, HostError>;

    /// In a plan, which does not carry out the step: judges what of it only the host can tell. Errors: it would be
    /// refused now.
    fn foresee(_at: &Context, _step: &Self::Step) -> Result<(), HostError> {
        Ok(())
    }

    /// Starts a watch, on the driver's thread. Later changes are reported by [`changed`](super::subscribe::changed)
    /// with this ticket.
    fn watch(host: &mut Host, ticket: Ticket, watch: &Self::Watch) -> Result<(), HostError>;

    /// Reads the fact.
    fn fact(shared: &Shared, fact: &Self::Fact) -> Result<Datum, HostError>;

    /// Starts to send the values of a fact that is not polled.
    fn stream(_host: &mut Host, _ticket: Ticket, _fact: &Self::Fact) {}
}

/// The context of a probe or a step: its resource, and the handle to stop it.
pub(super) struct Context<'a> {
    pub(super) shared: &'a Shared,
    pub(super) id: &'a ResourceId,
    pub(super) running: &'a Running,
}

/// The roles that a subject does not have.
macro_rules! absent {
    ($($role:ident)*) => { $(absent!(@ $role);)* };
    (@ probe) => {
        fn probe(_: &Context, probe: &Self::Probe) -> Result<Self::Finding, HostError> {
            match *probe {}
        }
    };
    (@ step) => {
        fn step(_: &Context, step: &Self::Step) -> Result<Outcome, HostError> {
            match *step {}
        }
    };
    (@ watch) => {
        fn watch(_: &mut Host, _: Ticket, watch: &Self::Watch) -> Result<(), HostError> {
            match *watch {}
        }
    };
    (@ fact) => {
        fn fact(_: &Shared, fact: &Self::Fact) -> Result<Datum, HostError> {
            match *fact {}
        }
    };
}
use absent;

macro_rules! dispatch {
    ($($Name:ident: $module:ident,)*) => {
        fn look(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
            match probe { $(Probe::$Name(probe) => subjects::$Name::probe(at, probe).map(Finding::$Name),)* }
        }

        fn change(at: &Context, step: &Step) -> Result<Outcome, HostError> {
            match step { $(Step::$Name(step) => subjects::$Name::step(at, step),)* }
        }

        /// In a plan: whether a step would be refused, as far as only the host can tell.
        pub(super) fn foresee(at: &Context, step: &Step) -> Result<(), HostError> {
            match step { $(Step::$Name(step) => subjects::$Name::foresee(at, step),)* }
        }

        fn listen(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
            match watch { $(Watch::$Name(watch) => subjects::$Name::watch(host, ticket, watch),)* }
        }

        fn read(shared: &Shared, fact: &FactSpec) -> Result<Datum, HostError> {
            match fact { $(FactSpec::$Name(fact) => subjects::$Name::fact(shared, fact),)* }
        }

        fn begin(host: &mut Host, ticket: Ticket, fact: &FactSpec) {
            match fact { $(FactSpec::$Name(fact) => subjects::$Name::stream(host, ticket, fact),)* }
        }
    };
}
each_subject!(dispatch);

/// The finding of a probe, if the policy allows it.
pub(super) fn probe(at: &Context, probe: &Probe) -> Finding {
    let rehearsed = || at.shared.rehearsal.as_ref()?.probe(at, probe);
    let allowed = may_look(at, probe).and_then(|()| allowed(at.shared, &probe.powers()));
    let seen = allowed.and_then(|()| rehearsed().unwrap_or_else(|| look(at, probe)));
    seen.inspect_err(|error| tell_refusal(at.shared, error)).unwrap_or_else(Finding::Failed)
}

/// The policy also judges a command that a plan does not run: a refusal is known then.
fn may_look(at: &Context, probe: &Probe) -> Result<(), HostError> {
    let asker = match probe {
        Probe::Command(_) => Asker::Resource(&at.id.kind),
        _ => Asker::Tool(&at.id.kind),
    };
    for power in probe.powers() {
        if at.shared.policy.leaves_untried(&power).is_some()
            && let Power::Run(spec) = &power
            && let Err(error) = at.shared.may_run(asker, spec)
            && error.kind == HostErrorKind::Refused
        {
            return Err(error);
        }
    }
    Ok(())
}

/// Carries out a step if the policy allows it, and writes the audit line; in a plan it predicts the outcome.
pub(super) fn step(at: &Context, step: &Step) -> Outcome {
    let allowed = at.shared.policy.step(at.id, step).map_err(refused);
    if let Some(rehearsal) = &at.shared.rehearsal {
        let done = allowed.and_then(|()| rehearsal.step(at, step));
        return done.inspect_err(|error| tell_refusal(at.shared, error)).unwrap_or_else(Outcome::Failed);
    }
    let began = Instant::now();
    // Nothing is run where running is forbidden.
    let allowed = allowed.and_then(|()| self::allowed(at.shared, &step.powers()));
    let outcome = allowed.and_then(|()| change(at, step)).unwrap_or_else(Outcome::Failed);
    at.shared.audit.write(at.id, step, &outcome, began.elapsed());
    outcome
}

/// Starts a watch, if the policy allows it.
pub(super) fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
    let powers = watch.powers();
    if powers.iter().any(|power| host.shared.policy.leaves_unwatched(power)) {
        return Ok(());
    }
    let watched = allowed(&host.shared, &powers).and_then(|()| listen(host, ticket, watch));
    watched.inspect_err(|error| tell_refusal(&host.shared, error))
}

/// Reads a fact, if the policy allows it.
pub(super) fn fact(shared: &Shared, fact: &FactSpec) -> Result<Datum, HostError> {
    allowed(shared, &fact.powers())?;
    read(shared, fact)
}

/// Starts to send the values of a fact, if the policy allows it.
pub(super) fn stream(host: &mut Host, ticket: Ticket, fact: &FactSpec) {
    match allowed(&host.shared, &fact.powers()) {
        Ok(()) => begin(host, ticket, fact),
        Err(error) => host.shared.tell(Input::Fact(ticket, Err(error))),
    }
}

/// A plan distinguishes what would be refused from what would fail.
fn tell_refusal(shared: &Shared, error: &HostError) {
    if error.kind == HostErrorKind::Refused {
        shared.show.refuses(&error.message);
    }
}

fn allowed(shared: &Shared, powers: &[Power]) -> Result<(), HostError> {
    powers.iter().try_for_each(|power| match shared.policy.leaves_untried(power) {
        Some(why) => Err(HostError::new(HostErrorKind::Untried, why)),
        None => shared.policy.power(power).map_err(refused),
    })
}

fn refused(why: String) -> HostError {
    HostError::new(HostErrorKind::Refused, why)
}

/// A file of the kernel, as text.
fn kernel_text(path: &str) -> Result<String, HostError> {
    std::fs::read_to_string(path).map_err(|error| super::errno::io_failed("open", path, &error))
}

fn odd(path: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{path} has an unexpected format"))
}
