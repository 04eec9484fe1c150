//! `gsettings`: sets a GSettings (dconf) key for a user by driving the gsettings tool. Resource spec, 9.

use crate::kinds::accounts::{wanted_group, wanted_user};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, file_exists, one_of_named};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Claim, Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::value::Value;
use crate::vocab::desktop::{self, DATABASE, Key, plain, quoted};
use crate::vocab::{Datum, FactSpec, Finding, Watch, account, file};
use std::borrow::Cow;

/// The kind `gsettings`.
pub(crate) struct Gsettings;

static DECL: KindDecl = KindDecl {
    name: "gsettings",
    doc: "Sets a GSettings (dconf) key for a user.",
    fields: &[
        Field::str("schema", "Schema", "Schema. If empty, it is taken from a resource name of the form `schema key`."),
        Field::str("key", "Key", "Key. If empty, it is taken from the resource name as well."),
        Field::str("type", "Type", "`bool`, `str`, `int` or `custom`.").required(),
        Field::new(
            "value",
            "Value",
            HostType::Any,
            "Value of the given type. For `custom`, a string that is passed on \
                                                     verbatim.",
        )
        .required(),
        Field::str("user", "User", "User to run as."),
        Field::str("group", "Group", "Group to run as."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[
        Required::list(PolicyList::Users),
        Required::list(PolicyList::Groups).case("`group`"),
        Required::list(PolicyList::Commands).entry("`/usr/bin/gsettings` and `/usr/bin/dbus-run-session`"),
    ],
};

impl Kind for Gsettings {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (schema, key) = schema_and_key(want);
        ensure(!schema.is_empty(), "`schema` is empty")?;
        ensure(!key.is_empty(), "`key` is empty")?;
        let ty = want.text("type");
        one_of_named("type", &ty, &["bool", "str", "int", "custom"])?;
        let fits = |value: &Value| match value {
            Value::Bool(_) => ty == "bool",
            Value::Str(_) => ty == "str" || ty == "custom",
            Value::Int(_) => ty == "int",
            _ => false,
        };
        let expected = if ty == "custom" { "str" } else { &*ty };
        match want.set("value") {
            Some(value) if fits(value) => Ok(()),
            Some(value) => Err(format!("`value` must be of the type {expected}, found {}", value.kind().name())),
            None => Err("`value` is missing".into()),
        }
    }

    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        let dirs = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
        dirs.map(|dir| FactSpec::File(file::Fact::State { path: format!("{dir}/gsettings") })).into()
    }

    fn validate_there(&self, _want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let found = facts.iter().any(|fact| fact.as_ref().is_none_or(file_exists));
        ensure(found, "the program `gsettings` is not in the PATH")
    }

    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        [wanted_user(&want.text("user")), wanted_group(&want.text("group"))].into_iter().flatten().collect()
    }

    fn backend(&self) -> &'static str {
        "`gsettings` with dconf (packages `libglib2.0-bin` and `dconf-gsettings-backend`), run as the user, on the \
         session bus of the user if there is one. The dconf database of the user is watched."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let path = format!("~{}/{DATABASE}", want.text("user"));
        vec![Watch::Account(account::Watch::Home { path })]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (schema, key) = schema_and_key(want);
    let key = Key {
        schema: schema.into_owned(),
        key: key.into_owned(),
        user: want.text("user").into_owned(),
        group: want.text("group").into_owned(),
    };
    let value = match want.set("value") {
        Some(Value::Str(_)) if want.text("type") == "custom" => want.text("value").into_owned(),
        Some(Value::Str(_)) => quoted(&want.text("value")),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let now = look(walk, &key)?;
    if plain(now) == plain(&value) {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.act(vec![desktop::Step { key: key.clone(), value: value.clone(), now: now.to_owned() }.into()])?;
    let after = look(walk, &key)?;
    if plain(after) == plain(&value) {
        return Ok(Decision::Mended(Vec::new()));
    }
    let why = format!("{} {} was set to {value}, but is now {after}", key.schema, key.key);
    let help = "install the package `dconf-gsettings-backend` if it is missing; keys that an administrator has locked \
                cannot be set";
    Err(Decision::CannotTell(format!("{why}: {help}")))
}

fn look<'a>(walk: &mut Walk<'a>, key: &Key) -> Result<&'a str, Decision> {
    match &walk.look(vec![desktop::Probe { key: key.clone() }.into()])?[0] {
        Finding::Desktop(desktop::Finding::Value(value)) => Ok(value),
        other => Err(cannot_tell(other)),
    }
}

/// Schema and key from the fields. An unset schema comes from the name, and so does an unset key: the name then has
/// exactly two words.
fn schema_and_key<'a>(want: &Want<'a>) -> (Cow<'a, str>, Cow<'a, str>) {
    let (schema, key) = (want.text("schema"), want.text("key"));
    if !schema.is_empty() {
        return (schema, key);
    }
    let words: Vec<&str> = want.name.split(' ').collect();
    let [first, second] = words[..] else { return (schema, key) };
    (Cow::Borrowed(first), if key.is_empty() { Cow::Borrowed(second) } else { key })
}
