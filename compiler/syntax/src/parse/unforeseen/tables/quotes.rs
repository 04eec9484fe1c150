//! A quote too many at the end of a string: all text after it is read the wrong way round.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::shape::Match;

pub(super) const TABLE: &[Mistake] =
    &[Mistake::written("STR ~ ^ «STR»", "unexpected second `\"`", "this `\"` begins another string", one_quote)
        .covers(Cover::File)];

/// Shows the string with one quote at its end, if the text after the second one is not that of a string.
fn one_quote(_: &str, found: &Match<'_>) -> Option<Vec<String>> {
    const MOST: usize = 60;
    let [string, next] = found.captures[..] else { return None };
    let (rest, _) = next.strip_prefix('"')?.split_once('\n')?;
    let is_code = rest.chars().all(|char| matches!(char, ' ' | '\t' | ',' | '{' | '}' | '(' | ')' | '[' | ']'));
    // Three quotes are a mistake of their own.
    if !is_code || string == "\"\"" || string.contains('\n') {
        return None;
    }
    let is_shown = string.len() <= MOST && !string.contains('`');
    let written = if is_shown { format!(": write `{string}`") } else { String::new() };
    Some(vec![format!("remove one of the two `\"`{written}")])
}
