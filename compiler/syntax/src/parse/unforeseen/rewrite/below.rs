//! A field whose value is on the next line.

use super::super::shape::Match;

/// A match that captures a field and ends with its `=>`. Another field below it has its own value, and a list of
/// YAML its own message.
pub(in super::super) fn value_below(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let below = text.get(found.whole.1..)?.lines().nth(1)?.trim_start();
    let field = found.captures.first()?;
    let begins_value = below.starts_with(|first: char| matches!(first, '"' | '$' | '[' | '{' | '0'..='9'));
    begins_value.then(|| vec![format!("write the value on the same line: `{field} => …,`")])
}
