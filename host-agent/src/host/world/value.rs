//! Values in the shared store: texts as they are, lists and numbers as JSON with sorted keys and a version, so that
//! equal values have equal bytes.

use super::{EXPORTS, SEALED, VALUES};
use mclive_base::vocab::{Datum, HostError, HostErrorKind};
use serde_json::{Value, json};

/// The prefixes of keys whose values are never JSON of ours.
const PLAIN: [&str; 3] = [VALUES, SEALED, EXPORTS];

/// The stored form of a value.
pub(super) fn bytes(value: &Datum) -> Result<Vec<u8>, HostError> {
    let text = |item: &Datum| match item {
        Datum::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
        _ => None,
    };
    let form = match value {
        Datum::Bytes(bytes) => return Ok(bytes.clone()),
        Datum::Int(number) => Some(json!({ "int": number, "v": 1 })),
        Datum::List(items) => {
            items.iter().map(text).collect::<Option<Vec<_>>>().map(|list| json!({ "list": list, "v": 1 }))
        }
        _ => None,
    };
    let form = form.ok_or_else(|| HostError::new(HostErrorKind::Other, "the shared store cannot hold this value"))?;
    Ok(form.to_string().into_bytes())
}

/// The value of a key.
pub(super) fn read(key: &str, bytes: Vec<u8>) -> Datum {
    let is_plain = PLAIN.iter().any(|prefix| key.starts_with(prefix)) || bytes.first() != Some(&b'{');
    let form = if is_plain { None } else { serde_json::from_slice::<Value>(&bytes).ok() };
    let form = form.filter(|form| form["v"] == 1);
    let datum = form.and_then(|form| match (&form["int"], &form["list"]) {
        (Value::Number(number), _) => number.as_i64().map(Datum::Int),
        (_, Value::Array(list)) => {
            list.iter().map(|item| item.as_str().map(Datum::text)).collect::<Option<_>>().map(Datum::List)
        }
        _ => None,
    });
    datum.unwrap_or(Datum::Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_back_from_its_bytes() {
        let hosts = Datum::List(vec![Datum::text("h1"), Datum::text("h2")]);
        for value in [Datum::text("a"), Datum::Bytes(vec![0, 255]), Datum::Int(-7), hosts] {
            assert_eq!(read("pool/web/chosen", bytes(&value).unwrap()), value);
        }
        assert_eq!(bytes(&Datum::List(vec![Datum::text("h1")])).unwrap(), br#"{"list":["h1"],"v":1}"#);
        assert!(bytes(&Datum::Bool(true)).is_err() && bytes(&Datum::List(vec![Datum::Int(1)])).is_err());
    }

    #[test]
    fn a_text_that_looks_like_a_list_stays_a_text() {
        let text = r#"{"list":["h1"],"v":1}"#;
        assert_eq!(read("strings/k", text.into()), Datum::text(text));
        for other in ["{}", "{", r#"{"list":[1],"v":1}"#, r#"{"list":["x"],"v":2}"#] {
            assert_eq!(read("pool/web/chosen", other.into()), Datum::text(other));
        }
    }
}
