//! [`Archive`]: all keys of a cluster as a text that can be compared line by line, archived and loaded. It is JSON with
//! a line for each key, in order:
//!
//! ```json
//! {"keys":[
//! {"key":"agent/web1/live","leased":true,"value":"{…}"},
//! {"base64":"AP8=","key":"blob/SHA256/0"},
//! {"key":"strings/colour","value":"green"}
//! ],"v":1,"world":"main"}
//! ```
//!
//! A value is text if it is UTF-8. It leaves out what is not part of the state, such as revisions and the numbers of
//! leases, so that equal states have equal texts.

use crate::host::Whole;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The version of this form.
const FORM: u64 = 1;

#[derive(PartialEq, Eq, Debug)]
pub(super) struct Archive {
    pub(super) keys: BTreeMap<String, Item>,
    /// The name of the cluster.
    pub(super) world: String,
}

/// The content of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Item {
    pub(super) value: Vec<u8>,
    /// It ends with a lease.
    pub(super) leased: bool,
}

/// A key in the text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leased: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    keys: Vec<Line>,
    #[serde(rename = "v")]
    _version: u64,
    world: String,
}

/// The version of any form.
#[derive(Deserialize)]
struct Version {
    v: u64,
}

impl Archive {
    pub(super) fn of(world: &str, whole: Whole) -> Archive {
        let item = |lease: i64, value| Item { value, leased: lease != 0 };
        let keys = whole.keys.into_iter().map(|(key, stored)| (key, item(stored.lease, stored.value))).collect();
        Archive { keys, world: world.to_owned() }
    }

    pub(super) fn text(&self) -> String {
        let line = |(key, item): (&String, &Item)| serde_json::to_string(&Line::of(key, item)).expect("plain data");
        let lines: Vec<String> = self.keys.iter().map(line).collect();
        let end = json!({ "v": FORM, "world": self.world }).to_string();
        // The end without its opening brace.
        format!("{{\"keys\":[\n{}\n],{}\n", lines.join(",\n"), &end[1..])
    }

    /// Parses a text. Errors: what is wrong with it, for a sentence.
    pub(super) fn read(text: &[u8]) -> Result<Archive, String> {
        let version: Version = serde_json::from_slice(text).map_err(|_| "not JSON with a version")?;
        if version.v != FORM {
            return Err(format!("in format {}, which needs another version of mclive", version.v));
        }
        let Text { keys: lines, world, .. } =
            serde_json::from_slice(text).map_err(|error| format!("invalid: {error}"))?;
        let mut keys = BTreeMap::new();
        for line in lines {
            let (key, item) = line.read().map_err(|why| format!("invalid: {why}"))?;
            match keys.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(item);
                }
                Entry::Occupied(there) => return Err(format!("invalid: duplicate key {}", there.key())),
            }
        }
        Ok(Archive { keys, world })
    }
}

impl Line {
    fn of(key: &str, Item { value, leased }: &Item) -> Line {
        let (base64, value) = match std::str::from_utf8(value) {
            Ok(text) => (None, Some(text.to_owned())),
            Err(_) => (Some(STANDARD.encode(value)), None),
        };
        Line { base64, key: key.to_owned(), leased: leased.then_some(true), value }
    }

    fn read(self) -> Result<(String, Item), String> {
        let Line { base64, key, leased, value } = self;
        if key.is_empty() {
            return Err("a key is empty".into());
        }
        let value = match (value, base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => {
                STANDARD.decode(text).map_err(|error| format!("the value of {key} is not Base64: {error}"))?
            }
            (Some(_), Some(_)) => return Err(format!("the key {key} has two values")),
            (None, None) => return Err(format!("the key {key} has no value")),
        };
        Ok((key, Item { value, leased: leased.unwrap_or(false) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive() -> Archive {
        let item = |value: &[u8], leased| Item { value: value.to_vec(), leased };
        let keys = [
            ("strings/colour", item("grün\n\u{1b}".as_bytes(), false)),
            ("blob/a/0", item(&[0, 255], false)),
            ("agent/web1/live", item(br#"{"v":1}"#, true)),
            ("strings/empty", item(b"", false)),
        ];
        let keys = keys.into_iter().map(|(key, item)| (key.to_owned(), item)).collect();
        Archive { keys, world: "main".into() }
    }

    #[test]
    fn an_archive_comes_back_from_its_text_which_has_a_line_for_each_key_in_order() {
        let text = archive().text();
        let expect = r#"{"keys":[
{"key":"agent/web1/live","leased":true,"value":"{\"v\":1}"},
{"base64":"AP8=","key":"blob/a/0"},
{"key":"strings/colour","value":"grün\n\u001b"},
{"key":"strings/empty","value":""}
],"v":1,"world":"main"}
"#;
        assert_eq!(text, expect);
        assert_eq!(Archive::read(text.as_bytes()), Ok(archive()));
        let empty = Archive { keys: BTreeMap::new(), world: "main".into() };
        assert_eq!(Archive::read(empty.text().as_bytes()), Ok(empty));
    }

    #[test]
    fn a_text_that_is_not_an_archive_is_refused_with_a_reason() {
        let good = archive().text();
        let why = |from: &str, to: &str| Archive::read(good.replacen(from, to, 1).as_bytes()).unwrap_err();
        for (from, to, words) in [
            ("{\"keys\"", "[", "not JSON with a version"),
            ("\"v\":1,\"world\"", "\"v\":2,\"world\"", "in format 2, which needs another version of mclive"),
            ("\"v\":1,\"world\"", "\"world\"", "not JSON with a version"),
            (",\"world\":\"main\"", "", "missing field `world`"),
            (",\"world\":\"main\"", ",\"world\":\"main\",\"more\":1", "unknown field `more`"),
            ("\"leased\":true", "\"lease\":7", "unknown field `lease`"),
            ("AP8=", "AP8", "the value of blob/a/0 is not Base64"),
            (",\"value\":\"\"", "", "the key strings/empty has no value"),
            ("\"base64\":\"AP8=\",", "\"base64\":\"AP8=\",\"value\":\"\",", "the key blob/a/0 has two values"),
            ("strings/empty", "strings/colour", "duplicate key strings/colour"),
            ("strings/empty", "", "a key is empty"),
        ] {
            let said = why(from, to);
            assert!(said.contains(words), "{to}: {said}");
        }
    }
}
