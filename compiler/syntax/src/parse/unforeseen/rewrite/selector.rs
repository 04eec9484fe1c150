//! Puppet's `$x ? { 'a' => 1, default => 2 }` as a look-up in a map.

use super::super::shape::Match;
use super::write;
use crate::parse::written;

const HELP: &str = "look the value up in a map: `{\"debian\" => \"apache2\"}[$key] <|> \"httpd\"`";

/// A selector that begins with the last brace of the match; its capture before that is what it looks at.
pub(in super::super) fn selector(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let subject = found.captures.iter().rev().find(|capture| !capture.is_empty() && !is_sign(capture))?;
    let open = text[found.marked.0..].find('{').map(|ahead| found.marked.0 + ahead)?;
    let body = &text[open + 1..];
    let body = &body[..body.find('}').unwrap_or(body.len())];
    Some(vec![look_up(subject, body).and_then(|text| write(&text)).unwrap_or_else(|| HELP.to_owned())])
}

/// The same with the first capture as the name of the variable.
pub(in super::super) fn single_selector(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let help = selector(text, found)?;
    let (name, value) = (found.captures.first()?, help.first()?.strip_prefix("write `"));
    Some(match value {
        Some(value) => vec![format!("write `{name} = {value}")],
        None => help,
    })
}

fn is_sign(text: &str) -> bool {
    matches!(text, "=" | "=>" | "(" | ",")
}

fn look_up(subject: &str, body: &str) -> Option<String> {
    let entries = body.split([',', '\n']).map(str::trim).filter(|entry| !entry.is_empty() && !entry.starts_with('#'));
    let mut pairs = Vec::new();
    let mut fallback = None;
    for entry in entries {
        let (key, value) = entry.split_once("=>")?;
        let (key, value) = (key.trim(), written::as_value(value));
        match key {
            "default" => fallback = Some(value),
            // A regular expression is not a key.
            key if key.starts_with('/') => return None,
            key => pairs.push(format!("{} => {value}", written::as_value(key))),
        }
    }
    let subject = subject.replace('\'', "\"");
    let found = format!("{{{}}}[{subject}]", pairs.join(", "));
    match fallback {
        _ if pairs.is_empty() => None,
        Some(fallback) => Some(format!("{found} <|> {fallback}")),
        None => Some(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_a_look_up() {
        let body = "\n  'debian' => 'apache2',\n  default => 'httpd',\n";
        let written = look_up("$os['family']", body);
        assert_eq!(written.as_deref(), Some("{\"debian\" => \"apache2\"}[$os[\"family\"]] <|> \"httpd\""));
        assert_eq!(look_up("$os", "/^Deb/ => 'a'"), None);
        assert_eq!(look_up("$os", ""), None);
    }
}
