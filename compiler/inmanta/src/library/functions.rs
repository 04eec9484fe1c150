//! The list of functions. Spec, 14.3.

use super::{Function, Run, Signature, addresses, facts, instances, ip, lists, texts, validate, world};
use std::borrow::Cow;

/// The declaration of a function.
pub struct Definition {
    /// The name, without the module.
    pub name: &'static str,
    /// The signature.
    pub signature: &'static str,
    /// The description, in Markdown.
    pub doc: &'static str,
    /// Calls with their results.
    pub examples: &'static [(&'static str, &'static str)],
    /// Deprecated: what to use instead, or empty.
    pub deprecated: Option<&'static str>,
    /// Whether arguments may be unknown.
    pub accepts_unknown: bool,
    /// Whether it looks up names where it is called.
    pub looks_up_names: bool,
    /// Whether it asks a server, so that its results may be declared.
    pub asks_a_server: bool,
    /// The implementation.
    pub run: Run,
}

impl Definition {
    /// A function with the usual settings.
    pub const fn new(name: &'static str, signature: &'static str, doc: &'static str, run: Run) -> Definition {
        Definition {
            name,
            signature,
            doc,
            examples: &[],
            deprecated: None,
            accepts_unknown: false,
            looks_up_names: false,
            asks_a_server: false,
            run,
        }
    }

    /// Sets the examples: calls with their results.
    pub const fn examples(mut self, examples: &'static [(&'static str, &'static str)]) -> Definition {
        self.examples = examples;
        self
    }

    /// Marks it as deprecated; `instead` may be empty.
    pub const fn deprecated(mut self, instead: &'static str) -> Definition {
        self.deprecated = Some(instead);
        self
    }

    /// Allows unknown arguments.
    pub const fn accepting_unknown(mut self) -> Definition {
        self.accepts_unknown = true;
        self
    }

    /// Makes it look up names where it is called.
    pub const fn looking_up_names(mut self) -> Definition {
        self.looks_up_names = true;
        self
    }

    /// Allows its results to be declared, since it queries a server.
    pub const fn asking_a_server(mut self) -> Definition {
        self.asks_a_server = true;
        self
    }

    pub(super) fn build(&self) -> Function {
        Function {
            name: self.name.into(),
            signature: self.signature.into(),
            doc: self.doc,
            examples: self.examples,
            deprecated: self.deprecated.map(Cow::Borrowed),
            accepts_unknown: self.accepts_unknown,
            looks_up_names: self.looks_up_names,
            asks_a_server: self.asks_a_server,
            is_foreign: false,
            run: self.run,
            parsed: Signature::parse(self.signature),
        }
    }
}

/// Every function.
pub(super) fn all() -> impl Iterator<Item = &'static Definition> {
    [texts::DEFS, lists::DEFS, instances::DEFS, addresses::DEFS, validate::DEFS, world::DEFS, facts::DEFS, ip::DEFS]
        .into_iter()
        .flatten()
}
