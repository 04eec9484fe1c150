//! An extra quote at the start or the end of a string, which turns all strings after it into code and vice versa.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::shape::Match;

pub(super) const TABLE: &[Mistake] = &[
    Mistake::written("STR ~ ^ «STR»", "unexpected second `\"`", "this `\"` begins another string", one_quote)
        .covers(Cover::File),
    Mistake::written("«STR» ~ … ~ STR", "unexpected second `\"`", "this is an empty string", quotes_before)
        .covers(Cover::File),
];

/// Shows the string with one quote at its end, if the text after the second one is not that of a string.
fn one_quote(_: &str, found: &Match<'_>) -> Option<Vec<String>> {
    const MOST: usize = 60;
    let [string, next] = found.captures[..] else { return None };
    let (rest, _) = next.strip_prefix('"')?.split_once('\n')?;
    // Three quotes are their own mistake.
    if !is_code(rest) || string == "\"\"" || string.contains('\n') {
        return None;
    }
    let is_shown = string.len() <= MOST && !string.contains('`');
    let written = if is_shown { format!(": write `{string}`") } else { String::new() };
    Some(vec![format!("remove one of the two `\"`{written}")])
}

/// The same for two quotes before a text.
fn quotes_before(_: &str, found: &Match<'_>) -> Option<Vec<String>> {
    const MOST: usize = 60;
    let [string, text, next] = found.captures[..] else { return None };
    let rest = next.strip_prefix('"')?.lines().next().unwrap_or_default();
    let is_text = text.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '/' | '.' | '~'));
    if string != "\"\"" || !is_text || !is_code(rest) {
        return None;
    }
    let is_shown = text.len() <= MOST && !text.contains(['`', '\n']);
    let written = if is_shown { format!(": write `\"{text}\"`") } else { String::new() };
    Some(vec![format!("remove one of the two `\"`{written}")])
}

/// Whether the rest of a line is what follows a string in a program, and not more text.
fn is_code(rest: &str) -> bool {
    rest.chars().all(|char| matches!(char, ' ' | '\t' | ',' | '{' | '}' | '(' | ')' | '[' | ']'))
}
