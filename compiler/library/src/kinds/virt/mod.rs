//! The `virt` family.

pub(crate) mod builder;
pub(crate) mod domain;
pub(crate) mod network;
pub(crate) mod network_host;
pub(crate) mod network_range;
mod seeds;

use crate::kinds::rules::{ensure, one_of_named};
use crate::kinds::{Field, HostField, HostType, Want};
use crate::value::Value;
use crate::vocab::password::Secret;
use crate::vocab::virt::{Connection, Login, Place};
use std::borrow::Cow;

/// The parts of the field `auth`.
const LOGIN: [HostField; 2] = [HostField::new("username", HostType::Str), HostField::new("password", HostType::Str)];

/// The field `auth` of machines and networks.
const AUTH: Field =
    Field::new("auth", "Auth", HostType::Struct(&LOGIN), "Credentials for the connection.").nullable().secret();

/// Checks the field `startup`: what is only defined while it is up cannot start with the host.
fn check_startup(want: &Want) -> Result<(), String> {
    let startup = want.text("startup");
    one_of_named("startup", &startup, &["enabled", "disabled", ""])?;
    ensure(!want.bool("transient") || startup.is_empty(), "`transient` cannot be combined with `startup`")
}

/// The location of a machine or a network.
fn place(want: &Want) -> Place {
    let login = want.set("auth").map(|auth| Login {
        username: part(auth, "username").into_owned(),
        password: Secret(part(auth, "password").into_owned()),
    });
    let connection = Connection { uri: want.text("uri").into_owned(), login };
    Place { connection, name: want.name.to_owned() }
}

/// A field of a struct.
fn part<'a>(value: &'a Value, name: &str) -> Cow<'a, str> {
    value.as_struct().and_then(|fields| fields.get(name)).and_then(Value::as_text).unwrap_or_default()
}
