//! How loud each lint is, as the command line says.

use crate::diag::codes::lint_named;
use crate::diag::{Code, Diagnostic, Severity};
use std::collections::BTreeMap;

/// How loud a lint is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Not at all.
    Allow,
    Warn,
    /// It refuses the program.
    Deny,
}

/// The levels of lints; those that are not named warn.
#[derive(Clone, Default, Debug)]
pub struct Levels {
    all: Option<Level>,
    of: BTreeMap<Code, Level>,
}

impl Levels {
    /// Sets the level of a lint by its name or code, or of `all` that have none of their own. Errors: there is no such
    /// lint.
    pub fn set(&mut self, lint: &str, level: Level) -> Result<(), String> {
        if lint == "all" {
            self.all = Some(level);
            return Ok(());
        }
        let entry = lint_named(lint).ok_or_else(|| format!("unknown lint `{lint}`; `mclive explain` lists them"))?;
        self.of.insert(entry.code, level);
        Ok(())
    }

    /// The diagnostic as loud as it should be; `None` if it should not be there. What is no lint stays.
    pub fn apply(&self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        if !super::is_lint(&diagnostic) {
            return Some(diagnostic);
        }
        match self.of.get(&diagnostic.code).copied().or(self.all).unwrap_or(Level::Warn) {
            Level::Allow => return None,
            Level::Warn => {}
            Level::Deny => diagnostic.severity = Severity::Error,
        }
        Some(diagnostic)
    }
}
