//! The list of functions. Spec, 14.3.

use super::{Function, Run, Signature, addresses, instances, lists, texts, validate, world};

/// A function as it is written down.
pub struct Definition {
    pub name: &'static str,
    pub signature: &'static str,
    pub doc: &'static str,
    pub examples: &'static [(&'static str, &'static str)],
    pub deprecated: Option<&'static str>,
    pub accepts_unknown: bool,
    pub looks_up_names: bool,
    pub run: Run,
}

impl Definition {
    pub const fn new(name: &'static str, signature: &'static str, doc: &'static str, run: Run) -> Definition {
        Definition {
            name,
            signature,
            doc,
            examples: &[],
            deprecated: None,
            accepts_unknown: false,
            looks_up_names: false,
            run,
        }
    }

    /// Calls with their results.
    pub const fn examples(mut self, examples: &'static [(&'static str, &'static str)]) -> Definition {
        self.examples = examples;
        self
    }

    /// It should not be used any more; what to use instead, or nothing.
    pub const fn deprecated(mut self, instead: &'static str) -> Definition {
        self.deprecated = Some(instead);
        self
    }

    pub const fn accepting_unknown(mut self) -> Definition {
        self.accepts_unknown = true;
        self
    }

    pub const fn looking_up_names(mut self) -> Definition {
        self.looks_up_names = true;
        self
    }

    pub(super) fn build(&self) -> Function {
        Function {
            name: self.name.into(),
            signature: self.signature.into(),
            doc: self.doc,
            examples: self.examples,
            deprecated: self.deprecated,
            accepts_unknown: self.accepts_unknown,
            looks_up_names: self.looks_up_names,
            run: self.run,
            parsed: Signature::parse(self.signature),
        }
    }
}

/// Every function.
pub(super) fn all() -> impl Iterator<Item = &'static Definition> {
    [texts::DEFS, lists::DEFS, instances::DEFS, addresses::DEFS, validate::DEFS, world::DEFS].into_iter().flatten()
}
