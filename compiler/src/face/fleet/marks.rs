//! [`Marks`]: what the page knows of the lines of the timeline.

use super::lines::Lines;
use mclive_base::shapes::host::Mark;

#[derive(Clone)]
pub(super) struct Marks {
    /// The last step with a line.
    end: u64,
    /// Marks up to this step were reported.
    told: u64,
    /// Marks after this step are void.
    kept: Option<u64>,
    /// Marks of lines that were removed before they were reported.
    unreported: Vec<Mark>,
}

impl Default for Marks {
    fn default() -> Marks {
        // Everything reported about another fleet is void.
        Marks { end: 0, told: 0, kept: Some(0), unreported: Vec::new() }
    }
}

impl Marks {
    /// Another step was performed.
    pub(super) fn see(&mut self, lines: &Lines) {
        self.end = self.end.max(lines.last_step());
    }

    /// The marks not reported yet, and whether earlier ones are void.
    pub(super) fn take(&mut self, lines: &Lines) -> (Option<u64>, Vec<Mark>) {
        self.collect(lines);
        (self.kept.take(), std::mem::take(&mut self.unreported))
    }

    /// Keeps the marks of lines that are about to be removed.
    pub(super) fn collect(&mut self, lines: &Lines) {
        let news = lines.marks_after(self.told);
        self.told = news.last().map_or(self.told, |mark| mark.step);
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
}
