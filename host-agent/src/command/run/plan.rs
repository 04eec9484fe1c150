//! `plan`: what a run would change on this host.

use super::super::{Done, GOOD, REFUSED};
use super::policy::policy;
use super::work::{Mandate, work};
use super::{options, reader};
use crate::cli::Plan;
use crate::embed::Sandbox;
use crate::network::Network;
use crate::rotate::Bounds;
use crate::show::{Show, Tally, counted};
use mclive_base::protocol::{Options, status};
use std::sync::Arc;

/// The exit code of `plan --detailed-exitcode` if something would change.
const CHANGES: u8 = 2;

/// The same if what some resources would do cannot be known: what else would change is only a part.
const UNKNOWN: u8 = 4;

const FAILED: u8 = status::FAILED as u8;

pub(in crate::command) fn plan(args: &Plan) -> Done {
    let Plan { work: args, run_checks, detailed_exitcode } = args;
    let mut sandbox = Sandbox::start()?;
    let loaded = super::super::compile::load_partial(&args.input, &args.partial, &mut sandbox)?;
    let policy = policy(args, &mut sandbox, &loaded, false)?;
    // A command may change anything, whatever its purpose.
    let policy = if *run_checks { policy } else { policy.running_nothing() };
    let options = Options { rehearse: true, once: true, ..options(args)? };
    let show = Arc::new(Show::new(reader(args, false), None).planning());
    let mandate = Mandate { policy, options, plans: true, bounds: Bounds::default(), orders: None };
    let status = work(sandbox, loaded, args, mandate, Network::default(), show.clone())?;
    let tally = show.tally();
    // A value that cannot be known in a plan is not a failure.
    let status = if status == FAILED && tally.failed == 0 { GOOD } else { status };
    // The refusal was reported already; nothing was planned.
    if tally.refused || status == REFUSED {
        show.flush();
        return Ok(REFUSED);
    }
    show.remark(&forecast(tally));
    show.flush();
    Ok(match detailed_exitcode {
        false => status,
        true if tally.failed > 0 => REFUSED,
        true if tally.unknown > 0 => UNKNOWN,
        true if tally.would_change > 0 => CHANGES,
        true => GOOD,
    })
}

/// The summary of a plan, in a sentence.
fn forecast(tally: Tally) -> String {
    let resources = |n| counted(n, "resource");
    let mut parts = vec![match tally.would_change {
        0 => "nothing would change".to_owned(),
        n => format!("{} would change", resources(n)),
    }];
    if tally.failed > 0 {
        parts.push(format!("{} would fail", resources(tally.failed)));
    }
    if tally.waiting > 0 {
        parts.push(format!("{} would be blocked by a failure", resources(tally.waiting)));
    }
    if tally.unknown > 0 {
        parts.push(format!("{} unknown", resources(tally.unknown)));
    }
    let forecast = parts.join(", ");
    if tally.would_change == 0 { forecast } else { format!("{forecast}; nothing was changed") }
}
