//! Values below the line that they belong to.

use super::super::shape::Match;
use super::write;
use crate::parse::written;

/// A match that captures a field and ends with its `=>`. Another field below it has its own value, and a list of
/// YAML its own message.
pub(in super::super) fn value_below(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let below = text.get(found.whole.1..)?.lines().nth(1)?.trim_start();
    let field = found.captures.first()?;
    let begins_value = below.starts_with(|first: char| matches!(first, '"' | '$' | '[' | '{' | '0'..='9'));
    begins_value.then(|| vec![format!("write the value on the same line: `{field} => …,`")])
}

/// A match that captures a variable and ends with its `=`, above a list of YAML: `- git`.
pub(in super::super) fn list_below(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let variable = found.captures.first()?;
    let lines = text.get(found.whole.1..)?.lines().skip(1);
    let items: Vec<&str> = lines.map_while(|line| line.trim().strip_prefix("- ")).map(str::trim).collect();
    let is_plain = |item: &&str| !item.is_empty() && !item.contains([':', '{', '[', ',']);
    let is_list = !items.is_empty() && items.iter().all(is_plain);
    Some(vec![write(&format!("{variable} = {}", written::list(items.into_iter()))).filter(|_| is_list)?])
}
