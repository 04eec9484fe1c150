//! Reads a [`Query`] field by field.
//!
//! The derived code for a tagged enum in a flattened field would collect all fields as values of any type first, which
//! makes a module for the browser much bigger.

use super::{At, Query, Service, Units};
use serde::de::{Deserialize, Deserializer, Error};

/// The fields of all services.
#[derive(serde::Deserialize)]
struct Asked {
    file: String,
    #[serde(default)]
    units: Units,
    ask: Ask,
    at: Option<At>,
    from: Option<u32>,
    to: Option<u32>,
    name: Option<String>,
}

/// The names of the services.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ask {
    Tokens,
    Hover,
    Completion,
    Signature,
    Definition,
    Uses,
    Renamable,
    Rename,
    Symbols,
    Hints,
}

impl<'de> Deserialize<'de> for Query {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Query, D::Error> {
        let Asked { file, units, ask, at, from, to, name } = Asked::deserialize(deserializer)?;
        let at = || at.ok_or_else(|| D::Error::missing_field("at"));
        let from = || from.ok_or_else(|| D::Error::missing_field("from"));
        let to = || to.ok_or_else(|| D::Error::missing_field("to"));
        let service = match ask {
            Ask::Tokens => Service::Tokens { from: from()?, to: to()? },
            Ask::Hover => Service::Hover { at: at()? },
            Ask::Completion => Service::Completion { at: at()? },
            Ask::Signature => Service::Signature { at: at()? },
            Ask::Definition => Service::Definition { at: at()? },
            Ask::Uses => Service::Uses { at: at()? },
            Ask::Renamable => Service::Renamable { at: at()? },
            Ask::Rename => {
                let name = name.ok_or_else(|| D::Error::missing_field("name"))?;
                Service::Rename { at: at()?, name }
            }
            Ask::Symbols => Service::Symbols,
            Ask::Hints => Service::Hints { from: from()?, to: to()? },
        };
        Ok(Query { file, units, service })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let (offset, place) = (At::Offset(7), At::LineCol { line: 2, col: 3 });
        let services = [
            Service::Tokens { from: 1, to: 9 },
            Service::Hover { at: offset },
            Service::Completion { at: place },
            Service::Signature { at: offset },
            Service::Definition { at: place },
            Service::Uses { at: offset },
            Service::Renamable { at: place },
            Service::Rename { at: offset, name: "x".into() },
            Service::Symbols,
            Service::Hints { from: 0, to: u32::MAX },
        ];
        for service in services {
            let query = Query { file: "/main.mcl".into(), units: Units::Utf16, service };
            let text = serde_json::to_string(&query).unwrap();
            assert_eq!(serde_json::from_str::<Query>(&text).unwrap(), query, "{text}");
        }
    }

    #[test]
    fn an_incomplete_query_is_refused() {
        let why = |query: &str| serde_json::from_str::<Query>(query).unwrap_err().to_string();
        for (query, missing) in [
            (r#"{"ask":"symbols"}"#, "file"),
            (r#"{"file":"/main.mcl"}"#, "ask"),
            (r#"{"file":"/main.mcl","ask":"hover"}"#, "at"),
            (r#"{"file":"/main.mcl","ask":"tokens","from":1}"#, "to"),
            (r#"{"file":"/main.mcl","ask":"rename","at":1}"#, "name"),
        ] {
            assert!(why(query).contains(&format!("missing field `{missing}`")), "{query}: {}", why(query));
        }
        assert!(why(r#"{"file":"/main.mcl","ask":"colour"}"#).contains("unknown variant `colour`"));
    }
}
