//! `mclive world hosts --wait-converged`: waits until all hosts apply the newest deploy and have been converged for a time.

use super::show::state_words;
use crate::deploy::{HostState, Standing};
use crate::host::Visit;
use crate::output::tell;
use mclive_base::unicode::visible;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often to look.
const PACE: Duration = Duration::from_secs(1);
/// How many of the hosts that it waits for are named.
const MOST_NAMED: usize = 5;

/// What hosts report, by name; `None`: it cannot be read.
type States = BTreeMap<String, Option<HostState>>;

/// Waits, and reports what for. Errors: why the first look fails, a sentence without a full stop. Later the store may be
/// away for a while.
pub(super) fn wait(visit: &Visit, seconds: u64) -> Result<(), String> {
    let (mut told, mut has_looked) = (String::new(), false);
    let mut since: Option<Instant> = None;
    loop {
        let waits = match look(visit) {
            Ok((id, states)) => {
                has_looked = true;
                waits(&states, id)
            }
            Err(why) if !has_looked => return Err(why),
            Err(why) => Some(why),
        };
        match waits {
            None => {
                let since = *since.get_or_insert_with(Instant::now);
                if since.elapsed() >= Duration::from_secs(seconds) {
                    return Ok(());
                }
            }
            Some(why) => {
                since = None;
                if told != why {
                    tell(&format!("mclive: {}", visible(&why)));
                    told = why;
                }
            }
        }
        std::thread::sleep(PACE);
    }
}

/// The number of the newest deploy, and what hosts report.
fn look(visit: &Visit) -> Result<(u64, States), String> {
    let newest = visit.newest()?.record.ok_or("there is no deploy yet")?;
    Ok((newest.id, visit.states()?))
}

/// Which hosts are not there yet, in words. `None`: all are.
fn waits(states: &States, id: u64) -> Option<String> {
    if states.is_empty() {
        return Some("waiting for a host that takes deploys".to_owned());
    }
    let open: Vec<(&String, &Option<HostState>)> =
        states.iter().filter(|(_, state)| !matches!(state, Some(state) if is_converged(state, id))).collect();
    if open.is_empty() {
        return None;
    }
    let words = |(host, state): &(&String, &Option<HostState>)| match state {
        Some(state) => format!("{host} ({})", state_words(state)),
        None => format!("{host} (its state was written by another version)"),
    };
    let mut named: Vec<String> = open.iter().take(MOST_NAMED).map(words).collect();
    if open.len() > named.len() {
        named.push("...".to_owned());
    }
    Some(format!("waiting for {} of {} hosts to converge: {}", open.len(), states.len(), named.join(", ")))
}

/// Whether a host applies the newest deploy that is for it, and nothing is left to do there.
fn is_converged(state: &HostState, id: u64) -> bool {
    let applies = state.deploy >= id && matches!(state.standing, Standing::Ok | Standing::Skipped);
    applies && state.converged && state.text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_lags_or_fails_is_waited_for() {
        let state = |deploy, standing, text, converged| Some(HostState::new(deploy, 7, standing, text, converged));
        let there = [("a", state(7, Standing::Ok, "", true)), ("b", state(8, Standing::Skipped, "", true))];
        let states = |more: &[(&str, Option<HostState>)]| -> States {
            there.iter().chain(more).map(|(host, state)| ((*host).to_owned(), state.clone())).collect()
        };
        assert_eq!(waits(&states(&[]), 7), None);
        assert_eq!(waits(&States::new(), 7).as_deref(), Some("waiting for a host that takes deploys"));
        let open = [
            ("c", state(6, Standing::Ok, "", true), "deploy 6, converged"),
            ("c", state(7, Standing::Ok, "", false), "deploy 7"),
            ("c", state(7, Standing::Ok, "1 resource failed: file[/x]", true), "deploy 7, 1 resource failed: file[/x]"),
            ("c", state(7, Standing::Starting, "", true), "deploy 7 has no graph yet"),
            ("c", None, "its state was written by another version"),
        ];
        for (host, state, words) in open {
            let expect = format!("waiting for 1 of 3 hosts to converge: {host} ({words})");
            assert_eq!(waits(&states(&[(host, state)]), 7), Some(expect));
        }
        let many = ["c", "d", "e", "f", "g", "h"].map(|host| (host, None));
        let said = waits(&states(&many), 7).unwrap();
        assert!(said.starts_with("waiting for 6 of 8 hosts to converge: c (") && said.ends_with("), ..."), "{said}");
    }
}
