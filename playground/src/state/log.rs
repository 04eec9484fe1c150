//! The log for display, in which repeated lines become one row with a count, and the whole log as text.

use mclive_base::shapes::host::{LogLine, Tone};
use mclive_base::unicode::visible;
use std::collections::VecDeque;

/// The maximum number of lines that repeat together: a step or two, their result, and what followed.
const MAX_TOGETHER: usize = 4;

/// A row of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The index of its line, the latest of those that it represents.
    pub at: usize,
    /// How many these are.
    pub n: usize,
}

/// The rows of a log, oldest first. Lines that repeat, alone or together with others, such as those about a value that
/// changes each second, become the rows of the latest ones.
pub fn rows(log: &VecDeque<LogLine>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for at in 0..log.len() {
        rows.push(Row { at, n: 1 });
        let repeats = |n: usize| {
            let Some(before) = rows.len().checked_sub(2 * n) else { return false };
            let (old, new) = rows[before..].split_at(n);
            old.iter().zip(new).all(|(old, new)| new.n == 1 && is_again(&log[old.at], &log[new.at]))
        };
        let Some(n) = (1..=MAX_TOGETHER).find(|n| repeats(*n)) else { continue };
        let new = rows.split_off(rows.len() - n);
        let first = rows.len() - n;
        for (old, new) in rows[first..].iter_mut().zip(new) {
            *old = Row { at: new.at, n: old.n + 1 };
        }
    }
    rows
}

/// Whether a later line says the same again. What is about a resource may have another number in it.
fn is_again(old: &LogLine, new: &LogLine) -> bool {
    let is_same_text = match &new.resource {
        Some(_) => without_numbers(&old.text).eq(without_numbers(&new.text)),
        None => old.text == new.text,
    };
    let is_of_host = old.tone != Tone::Player && old.step < new.step;
    is_of_host && old.tone == new.tone && old.resource == new.resource && old.because == new.because && is_same_text
}

fn without_numbers(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|char| !char.is_ascii_digit())
}

/// The whole log as text. `stamp` writes a time in milliseconds.
pub fn as_text(log: &VecDeque<LogLine>, stamp: fn(u64) -> String) -> String {
    let mut text = String::new();
    let mut add = |line: String| {
        text.push_str(line.trim_end());
        text.push('\n');
    };
    for line in log {
        let about = line.resource.as_ref().map_or(String::new(), |id| format!("{}: ", visible(id)));
        let mut lines = line.text.lines().map(visible);
        let first = lines.next().unwrap_or_default();
        add(format!("{} {about}{first}", stamp(line.at_ms)));
        lines.for_each(|more| add(format!("    {more}")));
        if !line.because.is_empty() {
            add(format!("    because {}", visible(&line.because.join(" → "))));
        }
        line.diff.iter().flat_map(|diff| diff.lines()).for_each(|line| add(format!("    {}", visible(line))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: u64, resource: &str, text: &str) -> LogLine {
        let resource = (!resource.is_empty()).then(|| resource.to_owned());
        LogLine {
            at_ms: step * 1_000,
            step,
            tone: Tone::Info,
            resource,
            text: text.into(),
            diff: None,
            because: Vec::new(),
        }
    }

    fn numbers(log: Vec<LogLine>) -> Vec<(usize, usize)> {
        rows(&log.into()).into_iter().map(|row| (row.at, row.n)).collect()
    }

    #[test]
    fn a_value_that_changes_each_second_is_one_row_that_counts() {
        let second = |step: u64| {
            [line(step, "file[/a]", &format!("write /a ({step} bytes)")), line(step, "file[/a]", "updated")]
        };
        let log: Vec<LogLine> = std::iter::once(line(1, "", "started")).chain((2..9).flat_map(second)).collect();
        assert_eq!(numbers(log), [(0, 1), (13, 7), (14, 7)]);
    }

    #[test]
    fn what_differs_has_its_own_row() {
        let player = |step| LogLine { tone: Tone::Player, ..line(step, "", "someone wrote /a") };
        assert_eq!(numbers(vec![player(1), player(2)]).len(), 2, "each action of the user");
        assert_eq!(numbers(vec![line(1, "file[/1]", "created"), line(2, "file[/2]", "created")]).len(), 2);
        assert_eq!(numbers(vec![line(1, "", "3 resources"), line(2, "", "4 resources")]).len(), 2);
        assert_eq!(
            numbers(vec![line(1, "file[/a]", "mode 0644"), line(1, "file[/a]", "mode 0600")]).len(),
            2,
            "two steps"
        );
        let because = |step, why: &str| LogLine { because: vec![why.into()], ..line(step, "file[/a]", "updated") };
        assert_eq!(numbers(vec![because(1, "now changed"), because(2, "/a changed")]).len(), 2);
        assert_eq!(numbers(vec![line(1, "", "a"), line(2, "", "b"), line(3, "", "a"), line(4, "", "c")]).len(), 4);
    }

    #[test]
    fn the_text_has_each_line_with_its_causes_and_differences() {
        let changed = LogLine {
            because: vec!["now changed".into(), "$text".into()],
            diff: Some("-1\n+2\n".into()),
            ..line(2, "file[/a]", "updated\nat once")
        };
        let text = as_text(&vec![line(1, "", "started"), changed].into(), |ms| format!("{ms}"));
        assert_eq!(
            text,
            "1000 started\n2000 file[/a]: updated\n    at once\n    because now changed → $text\n    -1\n    +2\n"
        );
    }
}
