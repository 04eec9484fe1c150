//! Edits JSON as text: untouched parts stay byte for byte, with their order, number formats and spaces.

use crate::sort;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::Range;

/// One edit of an object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JsonEdit {
    /// The keys from the root to the value; not empty.
    pub path: Vec<String>,
    /// JSON text; `None` removes the value.
    pub value: Option<String>,
}

/// The text after all edits, in order; `None` if they change nothing.
///
/// Errors: the text is not an object, or a path leads through something else.
pub fn edited(text: &str, edits: &[JsonEdit]) -> Result<Option<String>, String> {
    let mut new = text.to_owned();
    for JsonEdit { path, value } in edits {
        let (last, above) = path.split_last().ok_or("an edit without a path")?;
        match value {
            Some(value) => set(&mut new, above, last, value)?,
            None => remove(&mut new, above, last)?,
        }
    }
    // An edit may undo another one.
    Ok((canonical(&new)? != canonical(text)?).then_some(new))
}

/// A member of an object, as positions in the text.
struct Member {
    key: String,
    key_at: Range<usize>,
    value: Range<usize>,
}

/// An object, as positions in the text, braces included.
struct Object {
    at: Range<usize>,
    members: Vec<Member>,
}

impl Object {
    /// Of duplicate keys the last one counts.
    fn find(&self, key: &str) -> Option<&Member> {
        self.members.iter().rfind(|member| member.key == key)
    }
}

fn root(text: &str) -> Result<Object, String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) if text[values.byte_offset()..].trim().is_empty() => {}
        Some(Ok(_)) => return Err("unexpected data after the JSON object".into()),
        Some(Err(error)) => return Err(format!("it is not valid JSON: {error}")),
        None => return Err("it is empty: expected a JSON object".into()),
    }
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('{') {
        return Err("it is not a JSON object".into());
    }
    Ok(object(text, start))
}

/// The object that begins here, in valid JSON.
fn object(text: &str, start: usize) -> Object {
    let mut members = Vec::new();
    let mut at = blank(text, start + 1);
    while text.as_bytes().get(at) == Some(&b'"') {
        let key_at = at..value_end(text, at);
        let colon = blank(text, key_at.end);
        let value = blank(text, colon + 1);
        let value = value..value_end(text, value);
        at = blank(text, value.end);
        if text.as_bytes().get(at) == Some(&b',') {
            at = blank(text, at + 1);
        }
        let key = serde_json::from_str(&text[key_at.clone()]).unwrap_or_default();
        members.push(Member { key, key_at, value });
    }
    Object { at: start..at + 1, members }
}

fn blank(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

/// The end of the value that begins here.
fn value_end(text: &str, from: usize) -> usize {
    let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate().skip(from) {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = byte == b'\\' && !is_escaped;
            if !in_string && depth == 0 {
                return at + 1;
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return if depth == 1 { at + 1 } else { at },
            b'}' | b']' => depth -= 1,
            b',' | b' ' | b'\t' | b'\n' | b'\r' | b':' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The innermost existing object on a path, and the remaining keys.
fn follow<'k>(text: &str, above: &'k [String]) -> Result<(Object, &'k [String]), String> {
    let mut here = root(text)?;
    for (index, key) in above.iter().enumerate() {
        let Some(member) = here.find(key) else { return Ok((here, &above[index..])) };
        if !text[member.value.start..].starts_with('{') {
            return Err(format!("edit key `{key}` is not a JSON object"));
        }
        here = object(text, member.value.start);
    }
    Ok((here, &[]))
}

fn set(text: &mut String, above: &[String], last: &str, value: &str) -> Result<(), String> {
    let (here, missing) = follow(text, above)?;
    let (key, value) = match missing.split_first() {
        None => (last, value.to_owned()),
        Some((key, rest)) => {
            let keys = rest.iter().map(String::as_str).chain([last]);
            let nested = keys.rev().fold(value.to_owned(), |value, key| format!("{{{}: {value}}}", quoted(key)));
            (key.as_str(), nested)
        }
    };
    if let Some(member) = here.find(key) {
        if canonical(&text[member.value.clone()])? != canonical(&value)? {
            text.replace_range(member.value.clone(), &value);
        }
        return Ok(());
    }
    match here.members.last() {
        Some(last) => {
            // Follow the formatting of the previous member.
            let before = text[..last.key_at.start].rfind([',', '{']).map_or(0, |at| at + 1);
            let blanks = text[before..last.key_at.start].to_owned();
            let colon = text[last.key_at.end..last.value.start].to_owned();
            text.insert_str(last.value.end, &format!(",{blanks}{}{colon}{value}", quoted(key)));
        }
        None if here.at.start == blank(text, 0) => {
            text.replace_range(here.at, &format!("{{\n\t{}: {value}\n}}", quoted(key)));
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        None => text.replace_range(here.at, &format!("{{{}: {value}}}", quoted(key))),
    }
    Ok(())
}

fn remove(text: &mut String, above: &[String], last: &str) -> Result<(), String> {
    loop {
        let (here, missing) = follow(text, above)?;
        let at = here.members.iter().position(|member| member.key == last).filter(|_| missing.is_empty());
        let Some(at) = at else { return Ok(()) };
        let member = &here.members[at];
        let gone = match (at.checked_sub(1).map(|before| &here.members[before]), here.members.get(at + 1)) {
            (_, Some(next)) => member.key_at.start..next.key_at.start,
            (Some(before), None) => before.value.end..member.value.end,
            (None, None) => here.at.start + 1..here.at.end - 1,
        };
        text.replace_range(gone, "");
    }
}

/// A JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The maximum number of levels of nesting, as in most readers of JSON: the canonical form is made level by level.
const DEEPEST: usize = 128;

/// The levels of nesting, of valid JSON.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut is_escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// A canonical form: sorted keys, no spaces, numbers as written. Errors: it is not JSON, or nested too deeply.
fn canonical(text: &str) -> Result<String, String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    if !matches!(values.next(), Some(Ok(_))) {
        return Err("it is not valid JSON".into());
    }
    if depth(text) > DEEPEST {
        return Err(format!("it is nested more than {DEEPEST} levels deep"));
    }
    let start = blank(text, 0);
    let mut out = String::new();
    write_canonical(text, start..value_end(text, start), &mut out);
    Ok(out)
}

fn write_canonical(text: &str, value: Range<usize>, out: &mut String) {
    match text.as_bytes().get(value.start) {
        Some(b'{') => {
            let mut members = object(text, value.start).members;
            // Of duplicate keys the last one counts.
            sort::by(&mut members, |one, other| one.key.cmp(&other.key));
            let mut last: Vec<&Member> = Vec::new();
            for member in &members {
                if last.last().is_some_and(|known| known.key == member.key) {
                    last.pop();
                }
                last.push(member);
            }
            out.push('{');
            for member in last {
                let _ = write!(out, "{}:", quoted(&member.key));
                write_canonical(text, member.value.clone(), out);
                out.push(',');
            }
            out.push('}');
        }
        Some(b'[') => {
            out.push('[');
            let mut item = blank(text, value.start + 1);
            while text.as_bytes().get(item).is_some_and(|byte| *byte != b']') {
                let end = value_end(text, item);
                write_canonical(text, item..end, out);
                out.push(',');
                item = blank(text, end);
                if text.as_bytes().get(item) == Some(&b',') {
                    item = blank(text, item + 1);
                }
            }
            out.push(']');
        }
        Some(b'"') => {
            let decoded: String = serde_json::from_str(&text[value]).unwrap_or_default();
            out.push_str(&quoted(&decoded));
        }
        Some(_) | None => out.push_str(&text[value]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, edits: &[(&str, Option<&str>)], expect: Result<Option<&str>, &str>) {
        let edit = |(path, value): &(&str, Option<&str>)| JsonEdit {
            path: path.split('.').map(str::to_owned).collect(),
            value: value.map(str::to_owned),
        };
        let edits: Vec<JsonEdit> = edits.iter().map(edit).collect();
        let got = edited(text, &edits);
        assert_eq!(got.as_ref().map(Option::as_deref).map_err(String::as_str), expect, "{text} {edits:?}");
        if let Ok(Some(new)) = got {
            assert_eq!(edited(&new, &edits), Ok(None), "{new}: what was done once is not done again");
        }
    }

    #[test]
    fn what_is_not_touched_stays_byte_for_byte() {
        let text = "{\n  \"b\": 1.0e2,\n  \"a\" : [1, {\"x\": \"}\\\"\"}],\n  \"c\": {}\n}\n";
        check(text, &[("b", Some("100"))], Ok(Some(&text.replace("1.0e2", "100"))));
        check(text, &[("a", Some("[1,{\"x\":\"}\\u0022\"}]"))], Ok(None));
        check(text, &[("d", Some("true"))], Ok(Some(&text.replace("{}\n}", "{},\n  \"d\": true\n}"))));
        check(text, &[("c.k.l", Some("null"))], Ok(Some(&text.replace("{}\n", "{\"k\": {\"l\": null}}\n"))));
        check(text, &[("b", None)], Ok(Some(&text.replace("\"b\": 1.0e2,\n  ", ""))));
        check(text, &[("c", None)], Ok(Some(&text.replace(",\n  \"c\": {}", ""))));
        check(text, &[("none.k", None), ("c.k", None)], Ok(None));
    }

    #[test]
    fn empty_and_single_members() {
        check("{}", &[("a", Some("1"))], Ok(Some("{\n\t\"a\": 1\n}\n")));
        check("{\"a\":1}", &[("b", Some("2"))], Ok(Some("{\"a\":1,\"b\":2}")));
        check("{ \"a\": 1 }", &[("a", None)], Ok(Some("{}")));
        check("{\"a\":1,\"a\":2}", &[("a", None)], Ok(Some("{}")));
        check("{\"a\":1,\"a\":2}", &[("a", Some("2"))], Ok(None));
        check("{}", &[("a", Some("1")), ("a", None)], Ok(None));
    }

    #[test]
    fn what_is_nested_too_deeply_is_an_error() {
        let lists = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let to = |value: String| [JsonEdit { path: vec!["a".to_owned()], value: Some(value) }];
        let holding = |levels: usize| edited(&format!("{{\"b\": {}}}", lists(levels)), &to("1".to_owned()));
        assert!(matches!(holding(DEEPEST - 1), Ok(Some(_))));
        for levels in [DEEPEST, 100_000] {
            for too_deep in [holding(levels), edited("{}", &to(lists(levels)))] {
                assert_eq!(too_deep, Err("it is nested more than 128 levels deep".to_owned()));
            }
        }
    }

    #[test]
    fn what_is_no_object_is_an_error() {
        check("[1]", &[("a", Some("1"))], Err("it is not a JSON object"));
        check("", &[("a", Some("1"))], Err("it is empty: expected a JSON object"));
        check("{} x", &[("a", Some("1"))], Err("unexpected data after the JSON object"));
        check("{\"a\": 1}", &[("a.b", Some("1"))], Err("edit key `a` is not a JSON object"));
    }
}
