//! `gsettings`: Sets a GSettings (dconf) key for a user by driving the gsettings tool. Resource
//! spec, 9.

use crate::kinds::rules::{ensure, file_exists};
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, file};
use std::borrow::Cow;

/// The kind `gsettings`.
pub(crate) struct Gsettings;

static DECL: KindDecl = KindDecl {
    name: "gsettings",
    doc: "Sets a GSettings (dconf) key for a user by driving the gsettings tool.",
    fields: &[
        Field::str("schema", "Schema", "Schema; taken from a `schema key` name when empty."),
        Field::str("key", "Key", "Key; taken from the name likewise."),
        Field::str("type", "Type", "bool, str, int or custom (mandatory).").required(),
        Field::new("value", "Value", HostType::Any, "Value of the matching type (custom takes a str passed verbatim).")
            .required(),
        Field::str("user", "User", "User to run as."),
        Field::str("group", "Group", "Group to run as."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Gsettings {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (schema, key) = schema_and_key(want);
        ensure(!schema.is_empty(), "empty schema")?;
        ensure(!key.is_empty(), "empty key")?;
        let ty = want.text("type");
        let matches = match (&*ty, want.set("value")) {
            ("bool", Some(Value::Bool(_))) | ("str" | "custom", Some(Value::Str(_))) | ("int", Some(Value::Int(_))) => {
                true
            }
            ("bool" | "str" | "int" | "custom", _) => false,
            _ => return Err(format!("invalid type: {ty}")),
        };
        let got = want.set("value").map_or("nothing", |value| value.kind().name());
        ensure(matches, format!("invalid {ty}, got: {got}"))
    }

    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        let dirs = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
        dirs.map(|dir| FactSpec::File(file::Fact::State { path: format!("{dir}/gsettings") })).into()
    }

    fn validate_there(&self, _want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let found = facts.iter().any(|fact| fact.as_ref().is_none_or(file_exists));
        ensure(found, "the program `gsettings` is not in the PATH")
    }
}

/// The fields. A schema that is not set comes from the name, and the key with it unless that is set: the name
/// has exactly two words then.
fn schema_and_key<'a>(want: &Want<'a>) -> (Cow<'a, str>, Cow<'a, str>) {
    let (schema, key) = (want.text("schema"), want.text("key"));
    if !schema.is_empty() {
        return (schema, key);
    }
    let words: Vec<&str> = want.name.split(' ').collect();
    let [first, second] = words[..] else { return (schema, key) };
    (Cow::Borrowed(first), if key.is_empty() { Cow::Borrowed(second) } else { key })
}
