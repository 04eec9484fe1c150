//! Levels of lints, from the command line.

use crate::diag::codes::lint_named;
use crate::diag::{Code, Diagnostic, Severity};
use std::collections::BTreeMap;

/// The level of a lint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// It is not reported.
    Allow,
    /// It is reported as a warning.
    Warn,
    /// It is an error and refuses the program.
    Deny,
}

/// The levels of lints; a lint without a level warns.
#[derive(Clone, Default, Debug)]
pub struct Levels {
    all: Option<Level>,
    of: BTreeMap<Code, Level>,
}

impl Levels {
    /// Sets the level of a lint by name or code, or of `all` lints without a level. Errors: there is no such lint.
    pub fn set(&mut self, lint: &str, level: Level) -> Result<(), String> {
        if lint == "all" {
            self.all = Some(level);
            return Ok(());
        }
        let entry = lint_named(lint).ok_or_else(|| format!("unknown lint `{lint}`; `mclive explain` lists them"))?;
        self.of.insert(entry.code, level);
        Ok(())
    }

    /// The diagnostic at its level; `None` if it is not to be reported. Diagnostics that are not lints stay.
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
