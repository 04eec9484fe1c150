//! What the brain reports to people: lines of the log, and diagnostics as text.

use super::Brain;
use crate::diag::Diagnostic;
use crate::protocol::{Event, Output, What};
use crate::source::Sources;

impl Brain {
    /// Reports something. The secrets of the run are hidden in lines of the log.
    pub(super) fn report(&mut self, mut what: What) {
        if let (Some(scheduler), What::Log { text } | What::Stream { text }) = (&self.scheduler, &mut what) {
            *text = scheduler.conceal(std::mem::take(text));
        }
        self.outputs.push_back(Output::Report(Event::new(self.now, what, Vec::new())));
    }

    /// Reports what the new graph leaves out.
    pub(super) fn warn(&mut self) {
        let Some(program) = &mut self.program else { return };
        let warnings = program.live.take_warnings();
        let texts: Vec<String> =
            warnings.iter().map(|warning| told(&program.sources, std::iter::once(warning))).collect();
        texts.into_iter().for_each(|text| self.report(What::Log { text }));
    }
}

/// Diagnostics as text: what is wrong, and where.
pub(super) fn told<'a>(sources: &Sources, diags: impl Iterator<Item = &'a Diagnostic>) -> String {
    let lines = diags.map(|diag| {
        let place = diag.primary.as_ref().map(|label| format!(": {}", sources.byline(label.span)));
        format!("{}: {}{}", diag.code, diag.message, place.unwrap_or_default())
    });
    lines.collect::<Vec<_>>().join("\n")
}
