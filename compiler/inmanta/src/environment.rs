//! [`Environment`]: the variables that `std::get_env` answers from.

use std::collections::BTreeMap;

/// The environment of the process for which a model is compiled, or what is known of it.
#[derive(Clone, Debug)]
pub struct Environment {
    /// By name; `None` is not set.
    variables: BTreeMap<String, Option<String>>,
    is_whole: bool,
}

impl Default for Environment {
    /// One in which nothing is set.
    fn default() -> Environment {
        Environment::whole([])
    }
}

impl Environment {
    /// One in which nothing else is set.
    pub fn whole(variables: impl IntoIterator<Item = (String, String)>) -> Environment {
        Environment {
            variables: variables.into_iter().map(|(name, value)| (name, Some(value))).collect(),
            is_whole: true,
        }
    }

    /// One that is asked, variable by variable ([`Environment::tell`]); what is not told yet is unknown to the model, and
    /// [`Compilation::wanted`](crate::Compilation::wanted) names it.
    pub fn asked() -> Environment {
        Environment { variables: BTreeMap::new(), is_whole: false }
    }

    /// A variable as it was read; `None` is not set.
    pub fn tell(&mut self, name: &str, value: Option<String>) {
        self.variables.insert(name.to_owned(), value);
    }

    /// The variable, `Some(None)` if it is not set; `None` if nobody told yet.
    pub fn get(&self, name: &str) -> Option<Option<&str>> {
        match self.variables.get(name) {
            Some(value) => Some(value.as_deref()),
            None => self.is_whole.then_some(None),
        }
    }
}
