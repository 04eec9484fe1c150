//! [`Environment`]: the variables that `std::get_env` reads.

use std::collections::BTreeMap;

/// The environment of a compilation, as far as it is known.
#[derive(Clone, Debug)]
pub struct Environment {
    /// By name; `None`: not set.
    variables: BTreeMap<String, Option<String>>,
    is_whole: bool,
}

impl Default for Environment {
    /// An environment without variables.
    fn default() -> Environment {
        Environment::whole([])
    }
}

impl Environment {
    /// An environment with exactly these variables.
    pub fn whole(variables: impl IntoIterator<Item = (String, String)>) -> Environment {
        Environment {
            variables: variables.into_iter().map(|(name, value)| (name, Some(value))).collect(),
            is_whole: true,
        }
    }

    /// An environment that is queried, variable by variable ([`Environment::tell`]); variables without an answer are
    /// unknown to the model, and listed in [`Compilation::wanted`](crate::Compilation::wanted).
    pub fn asked() -> Environment {
        Environment { variables: BTreeMap::new(), is_whole: false }
    }

    /// Records the value of a variable; `None`: the variable is not set.
    pub fn tell(&mut self, name: &str, value: Option<String>) {
        self.variables.insert(name.to_owned(), value);
    }

    /// The variable, `Some(None)` if it is not set; `None` if it is unknown.
    pub fn get(&self, name: &str) -> Option<Option<&str>> {
        match self.variables.get(name) {
            Some(value) => Some(value.as_deref()),
            None => self.is_whole.then_some(None),
        }
    }
}
