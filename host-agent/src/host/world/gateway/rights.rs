//! The rights that a request needs, in words. etcd only says that one is missing.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_base::unicode::visible;
use serde_json::Value;
use std::collections::BTreeSet;

/// The maximum number of keys that are named; of more, the number is given.
const MOST: usize = 2;

/// Such as `read /mclive/main/* and write /mclive/main/strings/a`.
pub(super) fn needed(path: &str, asked: &Value) -> String {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    match path {
        "kv/txn" => {
            read.extend(list(&asked["compare"]).iter().map(range));
            for part in [&asked["success"], &asked["failure"]].into_iter().flat_map(list) {
                read.extend(part.get("request_range").map(range));
                written.extend(part.get("request_put").map(range));
                written.extend(part.get("request_delete_range").map(range));
            }
        }
        _ => drop(read.insert(range(asked))),
    }
    let words = [("read", read), ("write", written)];
    let words = words.iter().filter(|(_, keys)| !keys.is_empty()).map(|(verb, keys)| format!("{verb} {}", named(keys)));
    words.collect::<Vec<_>>().join(" and ")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn named(keys: &BTreeSet<String>) -> String {
    let mut names: Vec<String> = keys.iter().take(MOST).cloned().collect();
    if keys.len() > MOST {
        names.push(format!("{} more", keys.len() - MOST));
    }
    names.join(", ")
}

/// The keys of a part: one, those with a prefix, or those from one up to another.
fn range(of: &Value) -> String {
    let bytes = |name: &str| STANDARD.decode(of[name].as_str().unwrap_or_default()).unwrap_or_default();
    let text = |bytes: &[u8]| visible(&String::from_utf8_lossy(bytes)).into_owned();
    let (key, end) = (bytes("key"), bytes("range_end"));
    let mut after = key.clone();
    if let Some(last) = after.last_mut() {
        *last = last.wrapping_add(1);
    }
    match end.is_empty() {
        true => text(&key),
        false if end == after => format!("{}*", text(&key)),
        false => format!("{} up to {}", text(&key), text(&end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_needs_what_it_reads_compares_and_writes() {
        let key = |key: &str| STANDARD.encode(key);
        let one = json!({ "key": key("/m/a/x") });
        assert_eq!(needed("kv/range", &one), "read /m/a/x");
        assert_eq!(needed("kv/range", &json!({ "key": key("/m/a/"), "range_end": key("/m/a0") })), "read /m/a/*");
        assert_eq!(needed("kv/range", &json!({ "key": key("/a"), "range_end": key("/c") })), "read /a up to /c");
        let put = |name: &str| json!({ "request_put": { "key": key(name), "value": key("secret") } });
        let transaction = json!({ "compare": [one], "success": [put("/m/1"), put("/m/2"), put("/m/3")],
            "failure": [{ "request_delete_range": { "key": key("/m/0") } }] });
        assert_eq!(needed("kv/txn", &transaction), "read /m/a/x and write /m/0, /m/1, 2 more");
    }
}
