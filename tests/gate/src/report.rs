//! The report of the suites: a line each while they run, and all failures at the end.

use std::collections::BTreeSet;
use std::time::Duration;

/// A failed test with its output.
pub(crate) struct Failure {
    pub(crate) name: String,
    pub(crate) output: String,
}

/// The result of a suite.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) n_passed: usize,
    pub(crate) failures: Vec<Failure>,
}

impl Outcome {
    pub(crate) fn passed(n_passed: usize) -> Outcome {
        Outcome { n_passed, failures: Vec::new() }
    }

    /// Adds the result of another part of the suite.
    pub(crate) fn add(&mut self, other: Outcome) {
        self.n_passed += other.n_passed;
        self.failures.extend(other.failures);
    }

    /// A suite must leave nothing running.
    pub(crate) fn leaves(&mut self, left: &[String]) {
        if !left.is_empty() {
            self.failures.push(Failure { name: "leaves processes running".into(), output: left.join("\n") });
        }
    }

    pub(crate) fn failed(name: &str, output: impl Into<String>) -> Outcome {
        Outcome { n_passed: 0, failures: vec![Failure { name: name.into(), output: output.into() }] }
    }
}

/// All suites of a run.
#[derive(Default)]
pub(crate) struct Report {
    suites: Vec<(String, Outcome, Duration)>,
}

/// The maximum number of output lines of one test shown at the end; the suite's log has all.
const MOST_LINES: usize = 120;

impl Report {
    /// Reports the result of a suite at once.
    pub(crate) fn add(&mut self, suite: &str, outcome: Outcome, took: Duration) {
        let Outcome { n_passed, failures } = &outcome;
        let verdict = if failures.is_empty() { "ok" } else { "FAILED" };
        println!(
            "{suite:<28} {verdict:<6} {n_passed:>5} passed {:>3} failed {:>7.1} s",
            failures.len(),
            took.as_secs_f64()
        );
        self.suites.push((suite.to_owned(), outcome, took));
    }

    /// Reports the skipped checks, each once, and the failures, and then their number. Returns whether all is well.
    pub(crate) fn end(self, took: Duration, left_out: &str) -> bool {
        let mut slowest: Vec<_> = self.suites.iter().map(|(name, _, took)| (took.as_secs_f64(), name)).collect();
        slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        let slowest: Vec<String> = slowest.iter().take(6).map(|(s, name)| format!("{name} {s:.0} s")).collect();
        println!("\n{:.0} s in total; slowest: {}", took.as_secs_f64(), slowest.join(", "));
        let n_passed: usize = self.suites.iter().map(|(_, outcome, _)| outcome.n_passed).sum();
        let failures: Vec<(&str, &Failure)> = self
            .suites
            .iter()
            .flat_map(|(suite, it, _)| it.failures.iter().map(move |one| (suite.as_str(), one)))
            .collect();
        for why in left_out.lines().collect::<BTreeSet<_>>() {
            println!("skipped: {why}");
        }
        for (suite, failure) in &failures {
            println!("\n✖ {suite}: {}\n{}", failure.name, shortened(&failure.output));
        }
        if !failures.is_empty() {
            println!("\nfailing tests: {}", failures.len());
            for (suite, failure) in &failures {
                println!("  {suite}: {}", failure.name);
                // Whoever has only the end of a log finds the cause there.
                in_short(&failure.output).iter().for_each(|line| println!("    {line}"));
            }
        }
        println!("\n{n_passed} passed, {} failed", failures.len());
        failures.is_empty()
    }
}

/// The first and the last lines of a long text.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    if lines.len() <= MOST_LINES {
        return lines.join("\n");
    }
    let (first, last) = (&lines[..MOST_LINES / 3], &lines[lines.len() - MOST_LINES * 2 / 3..]);
    let n_between = lines.len() - first.len() - last.len();
    format!("{}\n… {n_between} more lines in the suite's log …\n{}", first.join("\n"), last.join("\n"))
}

/// The maximum length of a line of the short report, in characters.
const MOST_CHARS: usize = 200;

/// Which lines of a test's output tell the cause: the first one, the message of a panic, what was waited for, and the place
/// in the test.
fn in_short(output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = |tells: &dyn Fn(&str) -> bool| lines.iter().position(|line| tells(line));
    let panic = first(&|line| line.contains(" panicked at "));
    let wanted = [
        Some(0),
        panic,
        panic.map(|at| at + 1),
        first(&|line| line.starts_with("- waiting for")),
        first(&|line| line.starts_with("at ") && line.contains(".test.mjs:")),
    ];
    let wanted: BTreeSet<usize> = wanted.into_iter().flatten().collect();
    wanted.iter().filter_map(|&at| lines.get(at)).map(|line| line.chars().take(MOST_CHARS).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_told_in_short() {
        let rust = "said before\n\nthread 'one' (7) panicked at src/one.rs:3:5:\nthis is why\nnote: run with\n";
        assert_eq!(in_short(rust), ["said before", "thread 'one' (7) panicked at src/one.rs:3:5:", "this is why"]);
        let page = "testCodeFailure: TimeoutError: locator.waitFor: Timeout\nCall log:\n  - waiting for locator('li')\n\n    \
                    at setup.mjs:3:1\n    at /one.test.mjs:9:2\n";
        let cause = "testCodeFailure: TimeoutError: locator.waitFor: Timeout";
        assert_eq!(in_short(page), [cause, "- waiting for locator('li')", "at /one.test.mjs:9:2"]);
        assert_eq!(in_short(&"x".repeat(500))[0].len(), MOST_CHARS);
        assert!(in_short(" \n").is_empty());
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        let text = (1..=500).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
        let shown = shortened(&text);
        assert!(shown.starts_with("1\n2\n") && shown.ends_with("\n499\n500"), "{shown}");
        assert!(shown.contains("\n40\n… 380 more lines") && shown.contains("…\n421\n"), "{shown}");
        assert_eq!(shortened("  one\ntwo\n"), "one\ntwo");
    }
}
