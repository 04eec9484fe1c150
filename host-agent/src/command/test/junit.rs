//! The JUnit XML report for build servers.

use super::Played;
use std::time::Duration;

pub(super) fn report(played: &[Played], took: Duration) -> String {
    let failed = played.iter().filter(|played| played.tested.failed()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"mclive\" tests=\"{}\" failures=\"{failed}\" \
         time=\"{:.3}\">\n",
        played.len(),
        took.as_secs_f64()
    );
    for Played { file, tested, seed, took, .. } in played {
        let (name, file, seconds) = (escaped(&tested.name), escaped(file), took.as_secs_f64());
        text.push_str(&format!("<testcase name=\"{name}\" file=\"{file}\" time=\"{seconds:.3}\""));
        if tested.passed() {
            text.push_str("/>\n");
            continue;
        }
        text.push_str(">\n");
        if !tested.left_out.is_empty() {
            text.push_str(&format!("<skipped message=\"{}\"/>\n", escaped(&tested.left_out)));
        }
        for fault in &tested.faults {
            let (line, why) = (escaped(&fault.text), escaped(&fault.why));
            text.push_str(&format!("<failure message=\"{why}\">line {}: {line}</failure>\n", fault.line));
        }
        if let Some(failure) = &tested.failure {
            let (step, why, log) = (escaped(&failure.step), escaped(&failure.why), escaped(&failure.log.join("\n")));
            let with = seed.map_or_else(String::new, |seed| format!(" with seed {seed}"));
            text.push_str(&format!(
                "<failure message=\"{why}\">line {}{with}: {step}\n{log}</failure>\n",
                failure.line
            ));
        }
        text.push_str("</testcase>\n");
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text
}

/// Escapes text for XML; characters that XML forbids become U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push('\t'),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::scenario::{Failure, Tested};

    #[test]
    fn what_a_scenario_says_stays_text() {
        let failure =
            Failure { line: 3, step: "expect <b>".into(), why: "\"a\" & \u{1b}[0m".into(), ..Failure::default() };
        let tested = Tested { name: "n<>".into(), failure: Some(failure), ..Tested::default() };
        let played = Played { file: "a.scenario".into(), suite: 0, tested, seed: None, took: Duration::ZERO };
        let report = report(&[played], Duration::ZERO);
        assert!(report.contains("name=\"n&lt;&gt;\""), "{report}");
        assert!(report.contains("message=\"&quot;a&quot; &amp; \u{fffd}[0m\">line 3: expect &lt;b&gt;"), "{report}");
        assert!(report.contains("failures=\"1\""), "{report}");
    }
}
