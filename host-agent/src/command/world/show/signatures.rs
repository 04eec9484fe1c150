//! Exports and values with what their signatures say.

use super::{Row, all_values, below, export, text_of};
use crate::host::{EXPORTS, Seen, VALUES};
use mclive_base::vocab::Datum;
use serde_json::{Value, json};
use std::fmt::Write;

/// The exported resources, and whether the signature of each is valid. `doubt`: why that of a key is not.
pub(in super::super) fn judged_exports(seen: &Seen, doubt: impl Fn(&str) -> Option<String>, is_json: bool) -> String {
    let row = |(key, held): (&str, &Datum)| {
        let Row { mut words, mut json } = export(key, held)?;
        let doubt = doubt(&format!("{EXPORTS}{key}"));
        match &doubt {
            None => words += ", valid signature",
            Some(why) => {
                let _ = write!(words, ", refused: {why}");
            }
        }
        json["signature"] = json!({ "valid": doubt.is_none(), "why": doubt });
        Some(Row { words, json })
    };
    text_of(&below(seen, EXPORTS).filter_map(row).collect::<Vec<_>>(), is_json)
}

/// The values whose keys begin with a prefix, and whether the signature of each is valid. `verdict`: why that of a key is
/// not; `None`: there is none to check. It comes first in a line, since a value may contain any words.
pub(in super::super) fn judged_values(
    seen: &Seen,
    prefix: &str,
    verdict: impl Fn(&str) -> Option<Result<(), String>>,
    is_json: bool,
) -> String {
    let row = |(key, Row { words, mut json }): (&str, Row)| {
        let verdict = verdict(&format!("{VALUES}{key}"));
        let words = match &verdict {
            None => format!("no signature: {words}"),
            Some(Ok(())) => format!("valid signature: {words}"),
            Some(Err(why)) => format!("refused, {why}: {words}"),
        };
        json["signature"] = match verdict {
            None => Value::Null,
            Some(verdict) => json!({ "valid": verdict.is_ok(), "why": verdict.err() }),
        };
        Row { words, json }
    };
    text_of(&all_values(seen, prefix).into_iter().map(row).collect::<Vec<_>>(), is_json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_listed_with_what_their_signatures_say() {
        let values = [("colour", "green, valid signature"), ("place/web1", "rack 1"), ("place/web2", "rack 2")];
        let keys = values.map(|(key, value)| (format!("{VALUES}{key}"), Datum::text(value))).into();
        let seen = Seen { endpoint: "http://a:1".into(), cluster: "7".into(), revision: 12, keys };
        let verdict = |key: &str| match key {
            "strings/place/web1" => Some(Ok(())),
            "strings/place/web2" => Some(Err("it is not signed".to_owned())),
            _ => None,
        };
        let said = |prefix: &str, is_json: bool| judged_values(&seen, prefix, verdict, is_json);
        assert_eq!(
            said("", false),
            "no signature: colour = green, valid signature\n\
             valid signature: place/web1 = rack 1\n\
             refused, it is not signed: place/web2 = rack 2\n"
        );
        let json: Vec<Value> = said("", true).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let signatures: Vec<&Value> = json.iter().map(|row| &row["signature"]).collect();
        let refused = json!({ "valid": false, "why": "it is not signed" });
        assert_eq!(signatures, [&Value::Null, &json!({ "valid": true, "why": null }), &refused]);
        assert_eq!(said("place/web1", false), "valid signature: place/web1 = rack 1\n");
    }
}
