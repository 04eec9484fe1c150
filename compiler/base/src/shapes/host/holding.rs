//! The objects of a host other than files, by subject.

use serde::{Deserialize, Serialize};

/// The verb that adds a thing to a host: the thing's name is that of the new one.
pub const ADD: &str = "add";

/// All things of one subject on a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Holding {
    /// The subject's name in the vocabulary.
    pub subject: String,
    /// The title, for people.
    pub title: String,
    /// The things, in order.
    pub things: Vec<Thing>,
    /// What can be added with the verb [`ADD`].
    pub additions: Vec<Addition>,
}

/// Something that can be added to a host by hand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Addition {
    /// What it is, such as `user`.
    pub what: String,
    /// The beginning of the thing's name, before the name that the user chooses; may be empty.
    pub prefix: String,
    /// A name that the user could choose.
    pub example: String,
}

/// One thing of a host, such as a user or a unit.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thing {
    /// Its name.
    pub name: String,
    /// Its fields, in order.
    pub fields: Vec<ThingField>,
    /// The actions it offers.
    pub verbs: Vec<String>,
}

/// A field of a thing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThingField {
    /// The name.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// Whether it is read-only.
    pub is_fixed: bool,
    /// Whether the value may have several lines.
    pub has_lines: bool,
}

impl Thing {
    /// A thing without fields and verbs.
    pub fn new(name: impl Into<String>) -> Thing {
        Thing { name: name.into(), ..Thing::default() }
    }

    /// Adds a field that can be changed.
    pub fn field(self, name: &str, value: impl Into<String>) -> Thing {
        self.with(ThingField::new(name, value.into()))
    }

    /// Adds editable text, which can have several lines.
    pub fn text(self, name: &str, value: impl Into<String>) -> Thing {
        self.with(ThingField { has_lines: true, ..ThingField::new(name, value.into()) })
    }

    /// Adds a read-only field.
    pub fn fixed(self, name: &str, value: impl Into<String>) -> Thing {
        self.with(ThingField { is_fixed: true, ..ThingField::new(name, value.into()) })
    }

    /// Sets the verbs.
    pub fn verbs(mut self, verbs: &[&str]) -> Thing {
        self.verbs.extend(verbs.iter().map(|verb| (*verb).to_owned()));
        self
    }

    fn with(mut self, field: ThingField) -> Thing {
        self.fields.push(field);
        self
    }
}

impl ThingField {
    /// A field of one line that can be changed.
    pub fn new(name: &str, value: String) -> ThingField {
        ThingField { name: name.to_owned(), value, is_fixed: false, has_lines: false }
    }
}
