//! [`Lines`]: the log of all hosts, and the marks not yet reported to the page.

use mclive_base::shapes::host::{LogLine, Mark};
use std::collections::VecDeque;

/// The most lines kept; the oldest are dropped.
const MAX_LINES: usize = 10_000;
/// The most lines kept with diffs of files; older diffs are recomputed by going back.
const MAX_WITH_DIFF: usize = 400;
/// The most lines of one host reported at once.
const MAX_TOLD: usize = 200;
/// The most characters of a mark.
const MAX_MARK: usize = 160;

pub(super) struct Lines {
    lines: VecDeque<(String, LogLine)>,
    /// The last step ever reached.
    end: u64,
    /// Marks up to this step were reported.
    told: u64,
    /// Marks after this step are void.
    kept: Option<u64>,
    /// Marks of lines that were removed before they were reported.
    unreported: Vec<Mark>,
}

impl Default for Lines {
    fn default() -> Lines {
        // Everything reported about another fleet is void.
        Lines { lines: VecDeque::new(), end: 0, told: 0, kept: Some(0), unreported: Vec::new() }
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

    /// The lines of a step; if there are any, they are the last ones.
    pub(super) fn of_step(&self, step: u64) -> impl Iterator<Item = &LogLine> {
        self.lines.iter().rev().map(|(_, line)| line).take_while(move |line| line.step == step)
    }

    /// The last lines of a host, oldest first, and the number of lines after that step that were left out.
    pub(super) fn of_host(&self, host: &str, after: Option<u64>) -> (Vec<LogLine>, u64) {
        let news = self.lines.iter().rev().take_while(|(_, line)| after.is_none_or(|after| line.step > after));
        let mut own: Vec<LogLine> = news.filter(|(of, _)| of == host).map(|(_, line)| line.clone()).collect();
        let n_dropped = own.len().saturating_sub(MAX_TOLD);
        own.truncate(MAX_TOLD);
        own.reverse();
        (own, n_dropped as u64)
    }

    /// The marks not reported yet, and whether earlier ones are void.
    pub(super) fn take_marks(&mut self) -> (Option<u64>, Vec<Mark>) {
        self.collect_marks();
        (self.kept.take(), std::mem::take(&mut self.unreported))
    }

    fn collect_marks(&mut self) {
        let told = self.told;
        let news =
            self.lines.iter().rev().take_while(|(_, line)| line.step > told).map(|(host, line)| mark(host, line));
        let mut news: Vec<Mark> = news.collect();
        news.reverse();
        self.told = news.last().map_or(told, |mark| mark.step);
        self.unreported.extend(news);
    }

    /// The last step with a line.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// From here on everything happens differently.
    pub(super) fn branch(&mut self, step: u64) {
        self.end = step;
        self.told = self.told.min(step);
        self.unreported.retain(|mark| mark.step <= step);
        self.kept = Some(self.kept.map_or(step, |kept| kept.min(step)));
    }

    /// Removes all lines; the last step ever reached is kept.
    pub(super) fn clear(&mut self) {
        self.collect_marks();
        self.lines.clear();
    }
}

fn mark(host: &str, line: &LogLine) -> Mark {
    let about = line.resource.as_ref().map_or(String::new(), |id| format!("{id}: "));
    let text = format!("{about}{}", line.text.lines().next().unwrap_or_default());
    let text = text.chars().take(MAX_MARK).collect();
    Mark { step: line.step, at_ms: line.at_ms, tone: line.tone, host: host.to_owned(), text }
}
