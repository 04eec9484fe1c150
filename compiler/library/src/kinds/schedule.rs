//! `schedule`: joins (or leaves) a cluster scheduling pool from which a number of hosts is elected. Resource spec, 6.1
//! and 9.46; world spec, 16.

use crate::kinds::rules::{ensure, one_of_named};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want, compare};
use crate::vocab::schedule::{self, Lease, Options, Strategy};
use crate::vocab::{Finding, Watch};

/// The kind `schedule`.
pub(crate) struct Schedule;

static DECL: KindDecl = KindDecl {
    name: "schedule",
    doc: "Joins or leaves a scheduling pool, from which a number of hosts is elected.",
    fields: &[
        Field::str("namespace", "Namespace", "Name of the pool; defaults to the resource name.").effective(),
        Field::str("strategy", "Strategy", "`rr` or `alpha`; null means `rr`.").nullable(),
        Field::int("max", "Max", HostType::Int, "Number of hosts to elect; null means 1.").nullable(),
        Field::bool("persist", "Persist", "Keep the vote when the host disconnects."),
        Field::int(
            "ttl",
            "TTL",
            HostType::Int,
            "Number of seconds that a vote is kept after its host has disconnected; null means 10.",
        )
        .nullable(),
        Field::bool("withdraw", "Withdraw", "Leave the pool instead of joining."),
    ],
    traits: Traits { background: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for Schedule {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let strategy = want.text_if_set("strategy");
        if let Some(strategy) = &strategy {
            one_of_named("strategy", strategy, &["rr", "alpha", ""])?;
        }
        let persist = want.bool("persist");
        ensure(!(persist && want.int("ttl") > 0), "`persist` cannot be combined with `ttl`")?;
        if want.bool("withdraw") {
            ensure(strategy.is_none(), "`withdraw` cannot be combined with `strategy`")?;
            ensure(want.set("max").is_none(), "`withdraw` cannot be combined with `max`")?;
            ensure(!persist, "`withdraw` cannot be combined with `persist`")?;
            ensure(want.set("ttl").is_none(), "`withdraw` cannot be combined with `ttl`")?;
        }
        Ok(())
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(one.effective("namespace") == other.effective("namespace"), "the Namespace differs")?;
        compare::fields(one, other)
    }

    fn backend(&self) -> &'static str {
        "the store shared by the hosts. On a single host, that is the store of the agent, and this host is the only \
         candidate. The votes and the result of the pool are watched. Without `ttl` and `persist`, the vote ends with \
         the resource or the agent; if the agent was killed, it ends 10 seconds after the next start. A `ttl` below 2 \
         is treated as 2."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let watch = schedule::Watch { namespace: want.effective("namespace").into_owned() };
        vec![watch.keys().into(), watch.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let namespace = want.effective("namespace").into_owned();
    let vote = (!want.bool("withdraw")).then(|| options(want));
    let now = match &walk.look(vec![schedule::Probe { namespace: namespace.clone() }.into()])?[0] {
        Finding::Schedule(schedule::Finding::Vote(now)) => now.clone(),
        other => return Err(cannot_tell(other)),
    };
    if now == vote.clone().map(|options| (options, true)) {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.mend(vec![schedule::Step { namespace, vote, now }.into()])
}

fn options(want: &Want) -> Options {
    let strategy = match want.text_if_set("strategy").as_deref() {
        None | Some("rr") => Strategy::RoundRobin,
        Some("alpha") => Strategy::Alphabetical,
        Some(_) => Strategy::Idle,
    };
    let above_zero = |field: &str| u64::try_from(want.int(field)).ok().filter(|number| *number > 0);
    let lease = match above_zero("ttl") {
        _ if want.bool("persist") => Lease::Endless,
        Some(s) => Lease::For(s.max(Lease::LEAST_S)),
        None => Lease::Held,
    };
    Options { strategy, max: above_zero("max").unwrap_or(1), lease }
}
