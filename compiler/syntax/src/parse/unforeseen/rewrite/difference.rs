//! A difference in which the second variable has no `$`: `$total-used`.

use super::super::shape::Match;

/// A match that captures a sign, a variable and a word. Both are names of variables elsewhere in the program, and
/// together they are not.
pub(in super::super) fn difference(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [_, variable, word] = found.captures[..] else { return None };
    let has_both = count(text, variable) > 1 && count(text, &format!("${word}")) > 0;
    let is_difference = has_both && count(text, &format!("{variable}_{word}")) == 0;
    is_difference.then(|| vec![format!("write `{variable} - ${word}`")])
}

/// How often a text has a variable.
fn count(text: &str, variable: &str) -> usize {
    let ends = |at: usize| !text[at..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    text.match_indices(variable).filter(|(at, _)| ends(at + variable.len())).count()
}
