//! The name of a class as a statement.

use super::super::shape::Match;

/// A match that captures the name of a class, which the program defines.
pub(in super::super) fn included(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [name] = found.captures[..] else { return None };
    let defines = |line: &str| {
        let rest = line.trim_start().strip_prefix("class ").and_then(|rest| rest.trim_start().strip_prefix(name));
        rest.is_some_and(|rest| rest.trim_start().starts_with(['{', '(']))
    };
    text.lines().any(defines).then(|| vec![format!("include the class: `include {name}`")])
}
