//! [`Progress`]: what the hosts report on a deploy, as a table that is redrawn on a terminal, otherwise as a line for
//! each change.

use super::super::world::state_words;
use crate::deploy::{HostState, Standing, Targets};
use crate::output::live::{self, Live, cut};
use crate::output::{flush, print, print_json};
use mclive_base::unicode::visible;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// The last report of each host that takes deploys.
pub(super) type States = BTreeMap<String, Said>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    State(HostState),
    /// This version cannot read it.
    Unreadable,
    /// The host was there, and is not any more: its agent has ended, or is cut off.
    Gone,
}

/// Takes in what the store has now of the hosts that the deploy is for. A host that a deploy has silenced still counts.
pub(super) fn take_in(states: &mut States, mut now: BTreeMap<String, Option<HostState>>, targets: Option<&Targets>) {
    now.retain(|host, _| targets.is_none_or(|targets| targets.include(host)));
    for (host, said) in states.iter_mut() {
        if !now.contains_key(host) {
            *said = Said::Gone;
        }
    }
    states.extend(now.into_iter().map(|(host, state)| (host, state.map_or(Said::Unreadable, Said::State))));
}

impl Said {
    fn words(&self) -> String {
        match self {
            Said::State(state) => state_words(state),
            Said::Unreadable => "its state was written by another version".to_owned(),
            Said::Gone => "its agent has stopped or is disconnected".to_owned(),
        }
    }
}

/// The hosts that take deploys, by what they say about one.
#[derive(Default, PartialEq, Eq, Debug, Clone, Copy)]
pub(super) struct Count {
    pub(super) n_hosts: usize,
    pub(super) n_good: usize,
    /// They neither apply it nor have reported why not.
    pub(super) n_open: usize,
}

impl Count {
    pub(super) fn of(states: &States, id: u64) -> Count {
        let mut count = Count::default();
        for stand in states.values().filter_map(|said| Stand::of(said, id)) {
            count.n_hosts += 1;
            match stand {
                Stand::Refused => {}
                Stand::Waiting | Stand::Starting => count.n_open += 1,
                Stand::Good => count.n_good += 1,
            }
        }
        count
    }

    pub(super) fn is_enough(self, at_least: u8) -> bool {
        self.n_hosts > 0 && self.n_good * 100 >= self.n_hosts * usize::from(at_least)
    }
}

/// How far a host is, in the order of the table: problems first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stand {
    Refused,
    Waiting,
    Starting,
    Good,
}

impl Stand {
    /// `None`: it is not known.
    fn of(said: &Said, id: u64) -> Option<Stand> {
        let state = match said {
            Said::State(state) => state,
            Said::Gone => return Some(Stand::Waiting),
            Said::Unreadable => return None,
        };
        Some(match state.standing {
            _ if state.deploy < id => Stand::Waiting,
            Standing::Ok => Stand::Good,
            // A newer deploy is for other hosts.
            Standing::Skipped if state.runs >= id => Stand::Good,
            Standing::Skipped => Stand::Refused,
            Standing::Starting => Stand::Starting,
            Standing::Refused | Standing::Failed => Stand::Refused,
        })
    }
}

pub(super) enum Progress {
    Table { live: Live, colour: bool },
    Lines { is_json: bool, printed: States },
}

impl Progress {
    pub(super) fn new(is_json: bool, colour: bool) -> Progress {
        match !is_json && live::can_draw() {
            true => Progress::Table { live: Live::default(), colour },
            false => Progress::Lines { is_json, printed: BTreeMap::new() },
        }
    }

    /// `waited`: since the deploy, and at most.
    pub(super) fn show(&mut self, states: &States, id: u64, waited: (Duration, Duration)) {
        match self {
            Progress::Table { live, colour } => live.draw(&[], &table(states, id, Some(waited), live::size(), *colour)),
            Progress::Lines { is_json, printed } => {
                for (host, said) in states {
                    let state = match said {
                        Said::State(state) if state.deploy >= id => Some(state),
                        Said::Gone => None,
                        Said::State(_) | Said::Unreadable => continue,
                    };
                    if printed.get(host) == Some(said) {
                        continue;
                    }
                    match is_json {
                        true => print_json(&format!("{}\n", json!({ "host": host, "state": state }))),
                        false => print(&format!("{}\n", visible(&format!("{host}  {}", said.words())))),
                    }
                    flush();
                    printed.insert(host.clone(), said.clone());
                }
            }
        }
    }

    /// The last table stays.
    pub(super) fn finish(&mut self, states: &States, id: u64) {
        if let Progress::Table { live, colour } = self {
            live.finish(&[], &table(states, id, None, live::size(), *colour));
        }
    }
}

/// The lines of the table.
fn table(
    states: &States,
    id: u64,
    waited: Option<(Duration, Duration)>,
    (width, height): (usize, usize),
    colour: bool,
) -> Vec<String> {
    let paint = |code: &str, text: &str| match colour {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let Count { n_hosts, n_good, n_open } = Count::of(states, id);
    let mut head = format!("{n_good} of {n_hosts} hosts apply deploy {id}");
    for (n, what) in [(n_hosts - n_good - n_open, "cannot"), (n_open, "not yet")] {
        if n > 0 {
            head.push_str(&format!(", {n} {what}"));
        }
    }
    if let Some((waited, most)) = waited {
        head.push_str(&format!(" ({} of {} s)", waited.as_secs(), most.as_secs()));
    }
    let mut rows: Vec<(Stand, &String, &Said)> =
        states.iter().filter_map(|(host, said)| Some((Stand::of(said, id)?, host, said))).collect();
    rows.sort_by_key(|(stand, host, _)| (*stand, *host));
    let widest = rows.iter().map(|(_, host, _)| host.chars().count()).max().unwrap_or(0).min(width / 2);
    let room = height.saturating_sub(1);
    let n_shown = if rows.len() > room { room.saturating_sub(1) } else { rows.len() };
    let mut lines = vec![paint("1", &head)];
    for (stand, host, said) in &rows[..n_shown] {
        let mark = match stand {
            Stand::Refused => paint("1;31", "✗"),
            Stand::Waiting => paint("2", "·"),
            Stand::Starting => paint("36", "…"),
            Stand::Good => paint("32", "✓"),
        };
        lines.push(format!("  {mark} {:<widest$}  {}", visible(host), visible(&said.words())));
    }
    if n_shown < rows.len() {
        lines.push(paint("2", &format!("  {} more hosts", rows.len() - n_shown)));
    }
    lines.iter().map(|line| cut(line, width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> States {
        let state = |deploy, standing, text: &str| Said::State(HostState::new(deploy, deploy, standing, text, false));
        let states = [
            ("a", state(6, Standing::Ok, "")),
            ("b", state(7, Standing::Ok, "")),
            ("c", state(8, Standing::Ok, "")),
            ("d", state(7, Standing::Starting, "")),
            ("web1", state(7, Standing::Refused, "E0301\x1b[2J\nmore")),
            ("f", state(7, Standing::Failed, "no graph")),
            ("written by another version", Said::Unreadable),
        ];
        states.map(|(host, state)| (host.to_owned(), state)).into()
    }

    #[test]
    fn hosts_count_by_what_they_say_about_this_deploy() {
        let count = Count::of(&states(), 7);
        assert_eq!(count, Count { n_hosts: 6, n_good: 2, n_open: 2 });
        assert!(count.is_enough(33) && !count.is_enough(34) && !Count::default().is_enough(1));
    }

    #[test]
    fn a_host_that_vanishes_is_missed() {
        let state = |deploy| Some(HostState::new(deploy, deploy, Standing::Ok, "", false));
        let mut states = States::new();
        take_in(&mut states, [("a".to_owned(), state(7)), ("b".to_owned(), state(6))].into(), None);
        take_in(&mut states, [("a".to_owned(), state(7))].into(), None);
        assert_eq!((&states["b"], Count::of(&states, 7)), (&Said::Gone, Count { n_hosts: 2, n_good: 1, n_open: 1 }));
        assert!(table(&states, 7, None, (80, 24), false)[1].ends_with("b  its agent has stopped or is disconnected"));
        take_in(&mut states, [("a".to_owned(), state(7)), ("b".to_owned(), state(7))].into(), None);
        assert_eq!(Count::of(&states, 7), Count { n_hosts: 2, n_good: 2, n_open: 0 });
    }

    #[test]
    fn only_targets_count_also_if_a_newer_deploy_is_for_others() {
        let state = |deploy, runs, standing| Some(HostState::new(deploy, runs, standing, "", false));
        let now = [
            ("web1", state(7, 7, Standing::Ok)),
            ("web2", state(8, 7, Standing::Skipped)),
            ("web3", state(8, 6, Standing::Skipped)),
            ("web4", state(6, 6, Standing::Ok)),
            ("db1", state(7, 6, Standing::Skipped)),
        ];
        let now: BTreeMap<String, Option<HostState>> =
            now.into_iter().map(|(host, state)| (host.to_owned(), state)).collect();
        let count = |targets: Option<&Targets>| {
            let mut states = States::new();
            take_in(&mut states, now.clone(), targets);
            Count::of(&states, 7)
        };
        let web = Targets::new(&["web*".to_owned()]).unwrap();
        assert_eq!(count(Some(&web)), Count { n_hosts: 4, n_good: 2, n_open: 1 });
        assert_eq!(count(None).n_hosts, 5);
    }

    #[test]
    fn problems_come_first_and_the_table_fits() {
        let waited = Some((Duration::from_secs(12), Duration::from_secs(60)));
        let lines = table(&states(), 7, waited, (80, 24), false);
        assert_eq!(
            lines,
            [
                "2 of 6 hosts apply deploy 7, 2 cannot, 2 not yet (12 of 60 s)",
                "  ✗ f     deploy 7 failed, applying deploy 7: no graph",
                "  ✗ web1  deploy 7, cannot apply a newer one: E0301\\u{1b}[2J",
                "  · a     deploy 6",
                "  … d     deploy 7 has no graph yet",
                "  ✓ b     deploy 7",
                "  ✓ c     deploy 8",
            ]
        );
        let few = table(&states(), 7, None, (20, 4), true);
        assert_eq!(few.len(), 4);
        assert!(few[3].contains("4 more hosts"), "{few:?}");
        assert!(few.iter().all(|line| !line.contains("refused")), "cut at 20 columns: {few:?}");
    }
}
