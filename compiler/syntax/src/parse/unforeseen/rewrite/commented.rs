//! `#` where a value is expected.

use super::super::shape::Match;

/// A match whose line continues with a comment.
pub(in super::super) fn commented(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let rest = text.get(found.whole.1..)?.lines().next()?;
    let is_comment = rest.trim_start().starts_with('#');
    is_comment.then(|| vec!["`#` begins a comment: write the value before it, or remove the `#`".to_owned()])
}
