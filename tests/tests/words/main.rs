//! What people read is what a native engineer would write: no text of the compiler, the agent, the page or the lessons has
//! a turn of phrase that `turns.txt` lists.

mod literals;

use literals::literals;
use regex_lite::{Regex, RegexBuilder};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A turn of phrase to avoid.
struct Turn {
    pattern: Regex,
    instead: String,
    why: String,
    example: String,
    /// Good phrases of the same form.
    except: Option<Regex>,
}

impl Turn {
    /// What it finds in a text.
    fn find(&self, text: &str) -> Option<String> {
        let text = self.except.as_ref().map_or(text.into(), |good| good.replace_all(text, ""));
        self.pattern.find(&text).map(|found| found.as_str().to_owned())
    }
}

fn pattern(text: &str) -> Regex {
    RegexBuilder::new(text).case_insensitive(true).build().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn turns() -> Vec<Turn> {
    let lines = include_str!("turns.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [form, instead, why, example] = parts[..4] else { panic!("{line}") };
            let except = parts.get(4).map(|good| pattern(good));
            Turn { pattern: pattern(form), instead: instead.into(), why: why.into(), example: example.into(), except }
        })
        .collect()
}

/// A line or literal that people may read, and where it is.
struct Text {
    at: String,
    text: String,
}

/// What is code is not prose: spans in backticks, and placeholders.
fn prose(text: &str) -> String {
    static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"`[^`]*`|\{[^{}]*\}"));
    CODE.replace_all(text, "").into_owned()
}

/// The lines of a Markdown page, without blocks of code.
fn page(text: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((n + 1, line.to_owned()));
        }
    }
    lines
}

/// The prose of a lesson: its page and its hints.
fn lesson(text: &str) -> Vec<(usize, String)> {
    let mut is_page = false;
    let is_prose = |line: &str, is_page: bool| is_page || line.starts_with("hint ") || line.starts_with("# ");
    let mut lines = Vec::new();
    for (n, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("-- ") {
            is_page = name == "lesson.md --";
        } else if is_prose(line, is_page) {
            lines.push((n + 1, line.to_owned()));
        }
    }
    lines
}

/// Files that hold tests alone, whose texts nobody but a developer meets.
fn is_test(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = ["tests.rs", "agreement.rs", "runnable.rs", "library_examples.rs"];
    beside.contains(&&*name)
        || name.ends_with("_tests.rs")
        || path
            .iter()
            .any(|part| ["tests", "benches", "contract", "target", "node_modules", "dist"].iter().any(|it| part == *it))
}

/// All texts below a path, from the root of the repository.
fn texts(root: &Path, path: &Path, found: &mut Vec<Text>) {
    let shown = path.strip_prefix(root).expect("below the root").display().to_string();
    if is_test(Path::new(&shown)) {
        return;
    }
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| texts(root, entry, found));
        return;
    }
    let read = || fs::read_to_string(path).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let lines = match path.extension().and_then(|end| end.to_str()) {
        Some("rs") => literals(&read()).into_iter().map(|literal| (literal.line, literal.text)).collect(),
        Some("md" | "html") => page(&read()),
        Some("txtar") if shown.starts_with("playground/lessons") => lesson(&read()),
        _ => Vec::new(),
    };
    found.extend(lines.into_iter().map(|(line, text)| Text { at: format!("{shown}:{line}"), text: prose(&text) }));
}

const READ: &[&str] = &["README.md", "compiler", "host-agent", "playground/src", "playground/lessons", "www"];

#[test]
fn texts_have_no_turn_from_another_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let turns = turns();
    let mut read = Vec::new();
    READ.iter().for_each(|path| texts(root, &root.join(path), &mut read));
    assert!(read.len() > 10_000, "only {} texts were found", read.len());
    let mut odd = Vec::new();
    for Text { at, text } in read.iter().filter(|text| text.text.trim().contains(' ')) {
        for turn in &turns {
            if let Some(found) = turn.find(text) {
                odd.push(format!("{at}: `{found}` ({}): write `{}`\n    {}", turn.why, turn.instead, text.trim()));
            }
        }
    }
    assert!(odd.is_empty(), "{} odd texts:\n{}", odd.len(), odd.join("\n"));
}

#[test]
fn each_turn_finds_its_example_and_says_what_is_better() {
    let turns = turns();
    assert!(turns.len() >= 40, "{}", turns.len());
    for turn in turns {
        assert!(turn.find(&turn.example).is_some(), "`{}` is not in `{}`", turn.pattern, turn.example);
        assert!(turn.find(&turn.instead).is_none(), "`{}` is no better", turn.instead);
        assert!(!turn.why.is_empty() && !turn.instead.is_empty(), "{}", turn.example);
    }
}

#[test]
fn texts_are_found_and_comments_are_not() {
    let source = r##"
// "a comment"
/* "one /* inside */ another" */
#[doc = "an attribute"]
fn shown<'a>(text: &'a str) -> char {
    say("a \"quoted\" text \
         that goes on", '"', '\'', r#"raw "text""#, b"bytes");
    'x'
}
#[cfg(test)]
mod tests {
    fn quiet() { say("of a test"); }
}
fn later() { say("later") }
"##;
    let found: Vec<(usize, String)> = literals(source).into_iter().map(|it| (it.line, it.text)).collect();
    let texts = [(6, "a \\\"quoted\\\" text that goes on"), (7, "raw \"text\""), (7, "bytes"), (14, "later")];
    assert_eq!(found, texts.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn of_a_page_only_prose_is_read() {
    assert_eq!(page("a\n```\nb\n```\nc"), [(1, "a".to_owned()), (5, "c".to_owned())]);
    let archive =
        "-- lesson.md --\nread\n-- main.mcl --\n# a comment\n$a = 1\n-- check.scenario --\nhint \"look\"\nrun\n";
    let texts = ["read", "# a comment", "hint \"look\""];
    assert_eq!(lesson(archive).into_iter().map(|(_, text)| text).collect::<Vec<_>>(), texts);
    assert_eq!(prose("say `nobody` {blanks}now"), "say  now");
}
