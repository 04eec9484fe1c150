//! `mclive deploy --wait`: prints what each host reports on a deploy, until all have answered.

use super::super::world::state_words;
use super::super::{GOOD, REFUSED, for_machines};
use crate::cli;
use crate::deploy::{HostState, Standing};
use crate::host::Visit;
use crate::output::{flush, print, print_json, tell};
use mclive_base::unicode::visible;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often to look.
const PACE: Duration = Duration::from_millis(300);

/// The hosts that take deploys, by what they say about one.
#[derive(Default, PartialEq, Eq, Debug)]
struct Count {
    n_hosts: usize,
    n_good: usize,
    /// They neither apply it nor have said why not.
    n_open: usize,
}

/// Waits for the hosts. Returns the exit code.
pub(super) fn wait(args: &cli::Deploy, visit: &Visit, id: u64, seconds: u64) -> u8 {
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut printed = BTreeMap::new();
    let is_json = for_machines(&args.output);
    let mut count = Count::default();
    let problem = loop {
        let mut problem = None;
        match visit.states() {
            Ok(states) => {
                count = Count::of(states.values().flatten(), id);
                for (host, state) in states {
                    let Some(state) = state.filter(|state| state.deploy >= id) else { continue };
                    if printed.get(&host) != Some(&state) {
                        let words = format!("{host}  {}", state_words(&state));
                        match is_json {
                            true => print_json(&format!("{}\n", json!({ "host": host, "state": state }))),
                            false => print(&format!("{}\n", visible(&words))),
                        }
                        flush();
                        printed.insert(host, state);
                    }
                }
            }
            Err(why) => problem = Some(why),
        }
        // Without a host there may be one in a moment.
        if count.n_hosts > 0 && count.n_open == 0 && problem.is_none() || Instant::now() >= until {
            break problem;
        }
        std::thread::sleep(PACE);
    };
    if let Some(why) = problem {
        tell(&format!("mclive: error: {}", visible(&why)));
        return REFUSED;
    }
    let Count { n_hosts, n_good, n_open } = count;
    let is_enough = count.is_enough(args.at_least);
    if is_json {
        let line = json!({ "applied": n_good, "deploy": id, "enough": is_enough, "hosts": n_hosts, "waiting": n_open });
        print_json(&format!("{line}\n"));
    } else {
        print(&format!("{n_good} of {n_hosts} hosts apply deploy {id}\n"));
    }
    if n_hosts == 0 {
        tell("mclive: error: no host takes deploys: start agents with `mclive run --world URL`");
    } else if !is_enough {
        let late = if n_open > 0 { format!("; {n_open} have not answered within {seconds} s") } else { String::new() };
        tell(&format!("mclive: error: fewer than {}% of the hosts apply deploy {id}{late}", args.at_least));
    }
    if is_enough { GOOD } else { REFUSED }
}

impl Count {
    fn of<'a>(states: impl Iterator<Item = &'a HostState>, id: u64) -> Count {
        let mut count = Count::default();
        for state in states {
            count.n_hosts += 1;
            match state.standing {
                _ if state.deploy < id => count.n_open += 1,
                Standing::Ok => count.n_good += 1,
                Standing::Starting => count.n_open += 1,
                Standing::Refused | Standing::Failed => {}
            }
        }
        count
    }

    fn is_enough(&self, at_least: u8) -> bool {
        self.n_hosts > 0 && self.n_good * 100 >= self.n_hosts * usize::from(at_least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_count_by_what_they_say_about_this_deploy() {
        let state = |deploy, standing| HostState::new(deploy, deploy, standing, "", false);
        let states = [
            state(6, Standing::Ok),
            state(7, Standing::Ok),
            state(8, Standing::Ok),
            state(7, Standing::Starting),
            state(7, Standing::Refused),
            state(7, Standing::Failed),
        ];
        let count = Count::of(states.iter(), 7);
        assert_eq!(count, Count { n_hosts: 6, n_good: 2, n_open: 2 });
        assert!(count.is_enough(33) && !count.is_enough(34) && !Count::default().is_enough(1));
    }
}
