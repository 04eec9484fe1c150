//! [`Draft`]: a resource for unit tests, made from a kind's name and fields, and its first check.

use super::{How, Kind, Meta, Params, Seen, Want, lines, lookup, store, validate};
use crate::source::MemoryWorld;
use crate::value::Value;

/// A resource under construction.
pub(crate) struct Draft {
    pub(crate) kind: &'static dyn Kind,
    pub(crate) name: String,
    pub(crate) params: Params,
    pub(crate) meta: Meta,
}

impl Draft {
    pub(crate) fn new(kind: &str, name: &str) -> Draft {
        let kind = lookup(kind).expect(kind);
        Draft { kind, name: name.into(), params: Params::default(), meta: Meta::default() }
    }

    pub(crate) fn set(mut self, field: &str, value: Value) -> Draft {
        let decl = self.kind.decl();
        let index = decl.index_of(field).expect(field);
        store::store(decl, &mut self.params, index, &value).expect("it fits");
        self
    }

    pub(crate) fn text(self, field: &str, text: &str) -> Draft {
        self.set(field, text.into())
    }

    pub(crate) fn texts(self, field: &str, texts: &[&str]) -> Draft {
        self.set(field, Value::list(texts.iter().map(Value::str)))
    }

    pub(crate) fn meta(mut self, change: impl FnOnce(&mut Meta)) -> Draft {
        change(&mut self.meta);
        self
    }

    pub(crate) fn want(&self) -> Want<'_> {
        Want { decl: self.kind.decl(), name: &self.name, params: &self.params, meta: &self.meta, children: &() }
    }

    pub(crate) fn printed(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines::fields(&self.want(), &mut lines);
        lines
    }

    /// What it decides: `WHAT: HOW`.
    pub(crate) fn decides(&self) -> Vec<String> {
        let want = self.want();
        let text = |how: How<'_>| match how {
            How::Shown(how) | How::Hidden(how) => how.into_owned(),
        };
        self.kind.decides(&want).into_iter().map(|decided| format!("{}: {}", decided.what, text(decided.how))).collect()
    }

    /// Validates; `expect` is the whole reason, empty if it is valid.
    #[track_caller]
    pub(crate) fn check(self, expect: &str) {
        let got = validate(self.kind, &self.want()).err().unwrap_or_default();
        assert_eq!(got, expect, "{}", self.want());
    }
}

impl Seen<'_> {
    /// A first check before any finding.
    pub(crate) const fn first() -> Seen<'static> {
        Seen {
            findings: &[],
            outcomes: &[],
            apply: true,
            is_plan: false,
            refresh: false,
            received: &[],
            kept: None,
            managed: &[],
            hostname: "",
            ends_after_s: None,
            program: MemoryWorld::EMPTY,
        }
    }
}
