//! A map whose keys have no quotes, on one line: `{name: "web", os: "debian"}`.

use super::super::shape::Match;
use super::write;
use crate::parse::written;

/// A match that captures what is before the map, its first key, a sign, and the rest of it. There are several pairs:
/// a single key is reported by the grammar.
pub(in super::super) fn pairs(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let [_, first, sign, rest, ..] = found.captures[..] else { return None };
    // The fields of `Meta => { … }` are items of the resource.
    if matches!(first, "true" | "false") || text.get(..found.whole.0)?.trim_end().ends_with("Meta") {
        return None;
    }
    let whole = format!("{first} {sign} {rest}");
    let pairs: Vec<(&str, String)> = whole.trim_end_matches([',', ' ']).split(',').map(pair).collect::<Option<_>>()?;
    if pairs.len() < 2 {
        return None;
    }
    let joined = |quote: &str| {
        let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{quote}{name}{quote} => {value}")).collect();
        pairs.join(", ")
    };
    let structure = write(&format!("struct{{{}}}", joined("")))?;
    let is_text = |value: &str| value.starts_with('"');
    // The values of a map have one type.
    if pairs.iter().any(|(_, value)| is_text(value)) && !pairs.iter().all(|(_, value)| is_text(value)) {
        return Some(vec![structure]);
    }
    let map = write(&format!("{{{}}}", joined("\"")))?;
    Some(vec![map, structure.replacen("write", "for fixed names, use a struct:", 1)])
}

/// The name and the value of `port: 80`.
fn pair(text: &str) -> Option<(&str, String)> {
    let (name, value) = text.split_at(text.find([':', '='])?);
    let (name, value) = (name.trim(), value.trim_start_matches([':', '=', '>']).trim());
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let is_plain = !value.is_empty() && !value.contains(['{', '}', '(', '[', ']', ':', ';', '=']);
    let is_number = value.parse::<f64>().is_ok();
    let value = if is_number { value.to_owned() } else { written::as_value(value) };
    (is_name && is_plain).then_some((name, value))
}
