//! What a resource kind declares: its fields with types, its traits, its docs.

use crate::value::Value;

/// The declaration of a kind: data only, printed by the docs as it stands.
pub struct KindDecl {
    /// `file`, `http:server:file`.
    pub name: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
    pub traits: Traits,
}

impl KindDecl {
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// One field (*param*) of a kind.
pub struct Field {
    /// As written in a program.
    pub name: &'static str,
    /// Its type in the language's syntax; `variant` takes any value but functions.
    pub ty: &'static str,
    /// How it is stored: ranges of numbers, and whether unset differs from zero.
    pub store: Store,
    /// The default in the language's syntax; empty: the type's zero value.
    pub default: &'static str,
    /// As golden cases print it (`AnotherStr`); it also sorts them.
    pub printed_name: &'static str,
    /// Does it count when two resources are compared?
    pub compared: bool,
    pub doc: &'static str,
}

/// How a field is stored. Language spec, 8.4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Store {
    pub host_type: HostType,
    /// Unset is something else than the zero value.
    pub nullable: bool,
}

/// The implementation type, as far as ranges and send/recv compatibility depend on it. `text` is
/// how messages show it (`uint16`, `[]string`, `map[string]int64`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostType {
    pub text: &'static str,
}

/// What a kind takes part in.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traits {
    pub edgeable: bool,
    pub groupable: bool,
    pub refreshable: bool,
    pub recvable: bool,
    pub reversible: bool,
    pub exportable: bool,
    pub interruptable: bool,
    pub graph_queryable: bool,
    /// Duplicates may merge.
    pub compatible: bool,
    /// What it can send: name, type in the language's syntax, host type, nullable.
    pub sends: &'static [Sendable],
}

#[derive(Clone, Copy, Debug)]
pub struct Sendable {
    pub name: &'static str,
    pub ty: &'static str,
    pub store: Store,
}

/// The fields of one resource that are set, or have a default, by declaration order. `None`:
/// unset.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    pub values: Vec<Option<Value>>,
}
