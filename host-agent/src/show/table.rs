//! [`Table`]: the state of a run in a few lines: the number of resources in each state, what runs, what failed, and the
//! last event. The only property of the terminal that it uses is the size.

use super::counted;
use super::json::shown;
use super::lines::visible;
use crate::output::live::cut;
use mclive_base::protocol::{Event, Phase, ResourceId, What};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Instant;

pub(super) struct Table {
    colour: bool,
    n_vertices: usize,
    n_edges: usize,
    phases: HashMap<ResourceId, Phase>,
    /// Running resources, by start time.
    running: BTreeMap<(Instant, ResourceId), ()>,
    began: HashMap<ResourceId, Instant>,
    failed: BTreeMap<ResourceId, String>,
    converged: Option<bool>,
    /// A current run-time error of the program.
    trouble: Option<String>,
    said: VecDeque<String>,
    /// Lines that were dropped before they were shown.
    n_lost: usize,
    /// It has changed since it was drawn.
    pub(super) is_stale: bool,
}

/// The states in the order of the output.
const SHOWN: [Phase; 9] = [
    Phase::InState,
    Phase::Changed,
    Phase::WouldChange,
    Phase::Checking,
    Phase::Waiting,
    Phase::Retrying,
    Phase::Limited,
    Phase::Failed,
    Phase::Unknown,
];
/// The maximum number of lines kept while the terminal is blocked.
const MOST_SAID: usize = 10_000;
/// The maximum length of a kept line in characters: wider than any terminal.
const LONGEST: usize = 1000;

impl Table {
    pub(super) fn new(colour: bool) -> Table {
        Table {
            colour,
            n_vertices: 0,
            n_edges: 0,
            phases: HashMap::new(),
            running: BTreeMap::new(),
            began: HashMap::new(),
            failed: BTreeMap::new(),
            converged: None,
            trouble: None,
            said: VecDeque::new(),
            n_lost: 0,
            is_stale: true,
        }
    }

    pub(super) fn take(&mut self, event: &Event, now: Instant) {
        self.is_stale = true;
        match &event.what {
            What::GraphSwitched { n_vertices, n_edges, .. } => {
                (self.n_vertices, self.n_edges) = (*n_vertices, *n_edges);
                self.trouble = None;
            }
            What::Resource { id, phase, text, .. } => self.resource(id, *phase, text, now),
            What::Converged { .. } => self.converged = Some(true),
            What::Unconverged => self.converged = Some(false),
            What::Stream { text } | What::Refused { text } => {
                self.trouble = Some(shortened(text.lines().next().unwrap_or_default()));
            }
            What::Steps { .. } | What::Grouped { .. } | What::Log { .. } => {}
        }
    }

    fn resource(&mut self, id: &ResourceId, phase: Phase, text: &str, now: Instant) {
        if let Some(began) = self.began.remove(id) {
            self.running.remove(&(began, id.clone()));
        }
        self.failed.remove(id);
        match phase {
            Phase::Removed => {
                self.phases.remove(id);
                return;
            }
            Phase::Checking | Phase::Applying => {
                self.began.insert(id.clone(), now);
                self.running.insert((now, id.clone()), ());
            }
            Phase::Failed | Phase::Unknown | Phase::Retrying => {
                self.failed.insert(id.clone(), shortened(text));
            }
            Phase::Waiting | Phase::InState | Phase::Changed | Phase::WouldChange | Phase::Limited => {}
        }
        self.phases.insert(id.clone(), phase);
    }

    /// Adds text that stays on the terminal, above the table; it may have several lines.
    pub(super) fn say(&mut self, text: &str) {
        self.is_stale = true;
        for line in text.lines() {
            if self.said.len() == MOST_SAID {
                self.said.pop_front();
                self.n_lost += 1;
            }
            self.said.push_back(line.chars().take(LONGEST).collect());
        }
    }

    /// The text since the last call.
    pub(super) fn take_said(&mut self) -> Vec<String> {
        let lost = std::mem::take(&mut self.n_lost);
        let lost = (lost > 0).then(|| format!("({lost} lines were dropped: the terminal was too slow)"));
        lost.into_iter().chain(self.said.drain(..)).collect()
    }

    /// Whether its content changes with time.
    pub(super) fn is_moving(&self) -> bool {
        !self.running.is_empty()
    }

    /// The lines, limited to the height and width.
    pub(super) fn lines(&self, now: Instant, (width, height): (usize, usize)) -> Vec<String> {
        let mut lines = vec![self.counts(), self.head()];
        // At least half of the terminal is left to other output.
        let room = (height / 2).saturating_sub(lines.len() + 1).max(2);
        let parts = [self.failed.len().min(room / 2), self.running.len().min(room / 2)];
        for (id, why) in self.failed.iter().take(parts[0]) {
            lines.push(format!("  {} {} {why}", self.paint("1;31", "✗"), visible(&id.to_string())));
        }
        for (began, id) in self.running.keys().take(parts[1]) {
            let seconds = now.saturating_duration_since(*began).as_secs_f64();
            lines.push(format!("  {} {} {seconds:.1} s", self.paint("36", "…"), visible(&id.to_string())));
        }
        let hidden = [(self.failed.len() - parts[0], "failing"), (self.running.len() - parts[1], "running")];
        let hidden = hidden.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} more {what}"));
        let hidden = hidden.collect::<Vec<_>>().join(", ");
        if !hidden.is_empty() {
            lines.push(self.paint("2", &format!("  {hidden}")));
        }
        lines.truncate(height);
        lines.iter().map(|line| cut(line, width)).collect()
    }

    /// `12 resources: 10 up to date, 1 checking, 1 failed`.
    fn counts(&self) -> String {
        let count = |phase: Phase| match phase {
            Phase::Checking => self.running.len(),
            // Resources without events wait as well.
            Phase::Waiting => {
                let heard = self.phases.values().filter(|known| **known != Phase::Waiting).count();
                self.n_vertices.saturating_sub(heard)
            }
            phase => self.phases.values().filter(|known| **known == phase).count(),
        };
        let counts = SHOWN.into_iter().map(|phase| (phase, count(phase))).filter(|(_, n)| *n > 0);
        let words = counts.map(|(phase, n)| {
            let code = match phase {
                Phase::InState | Phase::Changed => "32",
                Phase::WouldChange | Phase::Retrying | Phase::Limited | Phase::Unknown => "33",
                Phase::Failed => "1;31",
                Phase::Checking | Phase::Applying => "36",
                Phase::Waiting | Phase::Removed => "2",
            };
            self.paint(code, &format!("{n} {}", shown(phase)))
        });
        let words: Vec<String> = words.collect();
        format!("{}: {}", self.paint("1", &counted(self.n_vertices, "resource")), words.join(", "))
    }

    fn head(&self) -> String {
        if let Some(trouble) = &self.trouble {
            return self.paint("31", trouble);
        }
        match self.converged {
            Some(true) => self.paint("32", "converged"),
            Some(false) => self.paint("33", "not converged"),
            None => self.paint("2", &counted(self.n_edges, "edge")),
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The part of a text that fits in a line.
fn shortened(text: &str) -> String {
    visible(text).chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::protocol::Moment;

    fn take(table: &mut Table, what: What, now: Instant) {
        table.take(&Event { at: Moment(0), what, because: Vec::new() }, now);
    }

    #[test]
    fn it_tells_states_what_runs_and_what_happened_and_fits() {
        let start = Instant::now();
        let mut table = Table::new(false);
        let kinds = Vec::new();
        take(&mut table, What::GraphSwitched { n_vertices: 40, n_edges: 3, added: 40, removed: 0, kinds }, start);
        for index in 0..30 {
            let phase = match index {
                0..20 => Phase::Checking,
                20..25 => Phase::Failed,
                _ => Phase::InState,
            };
            let id = ResourceId::new(
                "file",
                format!("/a/very/long/path/that/is/wider/than/eighty/columns/by/far/{index:02}"),
            );
            take(&mut table, What::Resource { id, phase, text: "it\nbroke".into(), dry: false }, start);
        }
        (0..50).for_each(|n| table.say(&format!("line {n}")));
        let lines = table.lines(start, (80, 23));
        assert_eq!(lines[0], "40 resources: 5 up to date, 20 checking, 10 waiting, 5 failed");
        assert!(lines.len() <= 11, "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80));
        assert_eq!(lines.last().unwrap(), "  1 more failing, 16 more running");
        assert!(lines.iter().any(|line| line.starts_with("  … file[/a/very")));
        assert!(lines.iter().any(|line| line.starts_with("  ✗ file[/a/very")));
        let said = table.take_said();
        assert_eq!((said.len(), said[49].as_str(), table.take_said().len()), (50, "line 49", 0));
        assert!(table.lines(start, (80, 3)).len() <= 3);
    }
}
