//! [`Lines`]: what was logged of all hosts, and which moments somebody who draws them has not got yet.

use mclive_base::shapes::host::{LogLine, Mark};
use std::collections::VecDeque;

/// Lines that are kept; the oldest go.
const MAX_LINES: usize = 10_000;
/// Lines that keep the differences of files; in older ones they are had again by going back.
const MAX_WITH_DIFF: usize = 400;
/// Lines of one host that are told at once.
const MAX_TOLD: usize = 200;
/// Letters of a mark.
const MAX_MARK: usize = 160;

pub(super) struct Lines {
    lines: VecDeque<(String, LogLine)>,
    /// As far as the course of events ever went.
    end: u64,
    /// Marks up to this step were told.
    told: u64,
    /// Those behind this step are void.
    kept: Option<u64>,
}

impl Default for Lines {
    fn default() -> Lines {
        // Whatever was told of another fleet is void.
        Lines { lines: VecDeque::new(), end: 0, told: 0, kept: Some(0) }
    }
}

impl Lines {
    pub(super) fn push(&mut self, host: &str, line: LogLine) {
        self.end = self.end.max(line.step);
        self.lines.push_back((host.to_owned(), line));
        if let Some(at) = self.lines.len().checked_sub(MAX_WITH_DIFF + 1) {
            self.lines[at].1.diff = None;
        }
        if self.lines.len() > MAX_LINES {
            self.lines.pop_front();
        }
    }

    /// The lines of a step, which are the last ones if there are any.
    pub(super) fn of_step(&self, step: u64) -> impl Iterator<Item = &LogLine> {
        self.lines.iter().rev().map(|(_, line)| line).take_while(move |line| line.step == step)
    }

    /// The last lines of a host, oldest first, and how many of those after that step were left out.
    pub(super) fn of_host(&self, host: &str, after: Option<u64>) -> (Vec<LogLine>, u64) {
        let news = self.lines.iter().rev().take_while(|(_, line)| after.is_none_or(|after| line.step > after));
        let mut own: Vec<LogLine> = news.filter(|(of, _)| of == host).map(|(_, line)| line.clone()).collect();
        let n_dropped = own.len().saturating_sub(MAX_TOLD);
        own.truncate(MAX_TOLD);
        own.reverse();
        (own, n_dropped as u64)
    }

    /// The marks that were not told yet, and whether earlier ones are void.
    pub(super) fn take_marks(&mut self) -> (Option<u64>, Vec<Mark>) {
        let told = self.told;
        let news =
            self.lines.iter().rev().take_while(|(_, line)| line.step > told).map(|(host, line)| mark(host, line));
        let mut news: Vec<Mark> = news.collect();
        news.reverse();
        self.told = news.last().map_or(told, |mark| mark.step);
        (self.kept.take(), news)
    }

    /// The last step at which something was said.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// From here on everything happens otherwise.
    pub(super) fn branch(&mut self, step: u64) {
        self.end = step;
        self.told = self.told.min(step);
        self.kept = Some(self.kept.map_or(step, |kept| kept.min(step)));
    }

    /// Nothing was said yet; how far it went is remembered.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }
}

fn mark(host: &str, line: &LogLine) -> Mark {
    let about = line.resource.as_ref().map_or(String::new(), |id| format!("{id}: "));
    let text = format!("{about}{}", line.text.lines().next().unwrap_or_default());
    let text = text.chars().take(MAX_MARK).collect();
    Mark { step: line.step, at_ms: line.at_ms, tone: line.tone, host: host.to_owned(), text }
}
