//! The compiler's report on a program: as text, and as data in a line of JSON.

use super::counted;
use crate::embed::contract::{Report, Severity};
use crate::output;
use mclive_base::shapes::{Diagnostic, Diagnostics};

/// The output of the program during compilation.
pub(crate) fn print(report: &Report) {
    report.printed.iter().for_each(|line| output::print(&format!("{line}\n")));
}

/// The same on standard error, for a command whose output is something else.
pub(crate) fn print_to_errors(report: &Report) {
    report.printed.iter().for_each(|line| output::tell(line));
}

/// Prints each diagnostic, and their number, on standard error.
pub(crate) fn tell(report: &Report) {
    output::tell_text(&text(report));
}

pub(super) fn text(report: &Report) -> String {
    let summary = summary(report).map(|summary| summary + "\n");
    report.rendered.clone() + &summary.unwrap_or_default()
}

fn summary(report: &Report) -> Option<String> {
    let count = |severity| report.diagnostics.iter().filter(|one| one.severity == severity).count();
    let word = |n: usize, word: &str| (n > 0).then(|| counted(n, word));
    let parts =
        [word(count(Severity::Error) + count(Severity::Bug), "error"), word(count(Severity::Warning), "warning")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

pub(super) fn diagnostics(report: &Report) -> Vec<Diagnostic> {
    // The compiler and this program are built from the same shapes.
    let all: Diagnostics = serde_json::from_str(&report.json).expect("the compiler writes what we read");
    all.diagnostics
}
