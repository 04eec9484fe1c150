//! [`Lines`]: the log of all hosts.

use mclive_base::shapes::host::{LogLine, Mark};
use std::collections::VecDeque;
use std::rc::Rc;

/// The maximum number of lines kept; the oldest are dropped.
const MAX_LINES: usize = 10_000;
/// The maximum number of lines kept with diffs of files; older diffs are recomputed by going back.
const MAX_WITH_DIFF: usize = 400;
/// The maximum number of lines of one host reported at once.
const MAX_TOLD: usize = 200;
/// The maximum number of characters of a mark.
const MAX_MARK: usize = 160;

/// The log of all hosts. Copies share its lines.
#[derive(Clone, Default)]
pub(super) struct Lines {
    lines: VecDeque<Rc<Line>>,
    /// Of these lines, and of all before them as well. Units: bytes.
    size: usize,
    n_logged: u64,
}

#[derive(Clone)]
struct Line {
    host: String,
    line: LogLine,
}

impl Line {
    fn size(&self) -> usize {
        let LogLine { resource, text, diff, because, .. } = &self.line;
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let because: usize = because.iter().map(|cause| size_of::<String>() + cause.len()).sum();
        size_of::<Line>() + self.host.len() + optional(resource) + text.len() + optional(diff) + because
    }
}

impl Lines {
    pub(super) fn push(&mut self, host: &str, line: LogLine) {
        let line = Line { host: host.to_owned(), line };
        self.size += line.size();
        self.n_logged += line.size() as u64;
        self.lines.push_back(Rc::new(line));
        if let Some(at) = self.lines.len().checked_sub(MAX_WITH_DIFF + 1)
            && let Some(diff) = &self.lines[at].line.diff
        {
            self.size -= diff.len();
            Rc::make_mut(&mut self.lines[at]).line.diff = None;
        }
        if self.lines.len() > MAX_LINES
            && let Some(oldest) = self.lines.pop_front()
        {
            self.size -= oldest.size();
        }
    }

    /// The lines of a step; if there are any, they are the last ones.
    pub(super) fn of_step(&self, step: u64) -> impl Iterator<Item = &LogLine> {
        self.lines.iter().rev().map(|line| &line.line).take_while(move |line| line.step == step)
    }

    /// The last lines of a host, oldest first, and the number of lines after that step that were left out.
    pub(super) fn of_host(&self, host: &str, after: Option<u64>) -> (Vec<LogLine>, u64) {
        let own = self.since(after.map_or(0, |after| after + 1)).filter(|line| line.host == host);
        let mut own: Vec<LogLine> = own.map(|line| line.line.clone()).collect();
        let n_dropped = own.len().saturating_sub(MAX_TOLD);
        own.truncate(MAX_TOLD);
        own.reverse();
        (own, n_dropped as u64)
    }

    /// The marks of the lines after a step, oldest first.
    pub(super) fn marks_after(&self, step: u64) -> Vec<Mark> {
        let mut marks: Vec<Mark> = self.since(step + 1).map(|line| mark(&line.host, &line.line)).collect();
        marks.reverse();
        marks
    }

    /// The step of the last line; 0: there is none.
    pub(super) fn last_step(&self) -> u64 {
        self.lines.back().map_or(0, |line| line.line.step)
    }

    /// The size of these lines, and that of all before them as well. Units: bytes.
    pub(super) fn size(&self) -> (usize, u64) {
        (self.size, self.n_logged)
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The lines from a step on, newest first.
    fn since(&self, step: u64) -> impl Iterator<Item = &Rc<Line>> {
        self.lines.iter().rev().take_while(move |line| line.line.step >= step)
    }
}

fn mark(host: &str, line: &LogLine) -> Mark {
    let about = line.resource.as_ref().map_or(String::new(), |id| format!("{id}: "));
    let text = format!("{about}{}", line.text.lines().next().unwrap_or_default());
    let text = text.chars().take(MAX_MARK).collect();
    let LogLine { step, at_ms, tone, resource, .. } = line;
    Mark { step: *step, at_ms: *at_ms, tone: *tone, host: host.to_owned(), text, resource: resource.clone() }
}
