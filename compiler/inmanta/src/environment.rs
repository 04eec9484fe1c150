//! [`Environment`]: what only a host knows: the variables that `std::get_env` reads, and the facts of `std::getfact`.

use mclive_base::vocab::{Datum, FactSpec, program};
use std::collections::BTreeMap;

/// The environment of a compilation, as far as it is known.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The host, if it is a specific one.
    host: Option<String>,
    /// `None`: there is no value.
    known: BTreeMap<FactSpec, Option<Datum>>,
    is_whole: bool,
}

impl Default for Environment {
    /// An environment without variables and facts.
    fn default() -> Environment {
        Environment::whole([])
    }
}

impl Environment {
    /// An environment with exactly these variables, and without facts.
    pub fn whole(variables: impl IntoIterator<Item = (String, String)>) -> Environment {
        let variable =
            |(name, value): (String, String)| (FactSpec::from(program::Fact::Env { name }), Some(Datum::text(value)));
        Environment { host: None, known: variables.into_iter().map(variable).collect(), is_whole: true }
    }

    /// An environment that is queried, fact by fact ([`Environment::tell`]); what has no answer is unknown to the model,
    /// and listed in [`Compilation::wanted`](crate::Compilation::wanted).
    pub fn asked() -> Environment {
        Environment { host: None, known: BTreeMap::new(), is_whole: false }
    }

    /// The same for a specific host, which knows facts about its own resources.
    #[must_use]
    pub fn on(mut self, host: &str) -> Environment {
        self.host = Some(host.to_owned());
        self
    }

    /// The host, if it is a specific one.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// Records what the host has answered; `None`: there is no value.
    pub fn tell(&mut self, fact: FactSpec, value: Option<Datum>) {
        self.known.insert(fact, value);
    }

    /// The answer, `Some(None)` if there is no value; `None` if it is unknown.
    pub fn get(&self, fact: &FactSpec) -> Option<Option<&Datum>> {
        match self.known.get(fact) {
            Some(value) => Some(value.as_ref()),
            None => self.is_whole.then_some(None),
        }
    }
}

/// A value as text, if it is one.
pub(crate) fn text(value: &Datum) -> Option<String> {
    match value {
        Datum::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}
