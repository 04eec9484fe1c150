//! `mclive deploy --wait`: prints what each host reports on a deploy, until all have answered.

use super::super::{GOOD, REFUSED, coloured, failed, for_machines};
use super::progress::{Count, Progress, States, take_in};
use crate::cli;
use crate::deploy::Targets;
use crate::host::Visit;
use crate::output::{print, print_json, tell};
use mclive_base::unicode::visible;
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often to look.
const PACE: Duration = Duration::from_millis(300);

/// Why the wait ended.
enum End {
    /// All hosts have answered.
    Answered,
    Late,
    /// By a signal.
    Stopped,
    /// The store cannot be read.
    Problem(String),
}

/// Waits for the hosts that a deploy is for. Returns the exit code.
pub(super) fn wait(args: &cli::Deploy, visit: &Visit, id: u64, targets: Option<&Targets>, seconds: u64) -> u8 {
    let is_json = for_machines(&args.output);
    let mut progress = Progress::new(is_json, coloured(args.output.color, &std::io::stdout()));
    let mut states = States::new();
    let end = follow(
        visit,
        &mut states,
        Duration::from_secs(seconds),
        |states, waited| progress.show(states, id, waited),
        (id, targets),
    );
    progress.finish(&states, id);
    let count = Count::of(&states, id);
    let Count { n_hosts, n_good, n_open } = count;
    let is_enough = count.is_enough(args.at_least);
    let late = match end {
        End::Problem(why) => return failed(&why),
        End::Stopped => {
            tell(&format!("mclive: stopped waiting; deploy {id} remains in effect"));
            return REFUSED;
        }
        End::Late if n_open > 0 => format!("; {n_open} did not answer within {seconds} s"),
        End::Late | End::Answered => String::new(),
    };
    if is_json {
        let line = json!({ "applied": n_good, "deploy": id, "enough": is_enough, "hosts": n_hosts, "waiting": n_open });
        print_json(&format!("{line}\n"));
    } else if matches!(progress, Progress::Lines { .. }) {
        print(&format!("{n_good} of {n_hosts} hosts apply deploy {id}\n"));
    }
    if n_hosts == 0 {
        let of = targets.map(|targets| format!(" among its targets ({})", visible(&targets.words())));
        let of = of.unwrap_or_default();
        tell(&format!("mclive: error: no host{of} takes deploys: start agents with `mclive run --world URL`"));
    } else if !is_enough {
        tell(&format!("mclive: error: fewer than {}% of the hosts apply deploy {id}{late}", args.at_least));
    }
    if is_enough { GOOD } else { REFUSED }
}

/// Looks until all hosts have answered, at most for this time.
fn follow(
    visit: &Visit,
    states: &mut States,
    most: Duration,
    mut show: impl FnMut(&States, (Duration, Duration)),
    (id, targets): (u64, Option<&Targets>),
) -> End {
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // A second one ends the command also while the store does not answer.
        let heard = flag::register_conditional_shutdown(signal, i32::from(REFUSED), stopped.clone())
            .and_then(|_| flag::register(signal, stopped.clone()));
        if let Err(error) = heard {
            return End::Problem(format!("cannot handle signals: {error}"));
        }
    }
    let began = Instant::now();
    loop {
        let problem = match visit.states() {
            Ok(read) => {
                take_in(states, read, targets);
                show(states, (began.elapsed().min(most), most));
                None
            }
            Err(why) => Some(why),
        };
        let count = Count::of(states, id);
        match problem {
            _ if stopped.load(Ordering::Relaxed) => return End::Stopped,
            // Without a host there may be one in a moment.
            None if count.n_hosts > 0 && count.n_open == 0 => return End::Answered,
            Some(why) if began.elapsed() >= most => return End::Problem(why),
            None if began.elapsed() >= most => return End::Late,
            Some(_) | None => std::thread::sleep(PACE),
        }
    }
}
