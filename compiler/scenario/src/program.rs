//! [`Program`]: the files under test; [`Testable`]: what a scenario needs to know from their language.

use crate::compile::{self, Setup};
use crate::diag::Diags;
use crate::language::{Language, Mcl, language_of};
use crate::shapes::scenario::Covered;
use crate::source::MemoryWorld;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The files of a program by absolute path in its own tree, such as `/main.mcl`.
pub struct Program {
    /// Path and content of each file.
    pub files: Vec<(String, Vec<u8>)>,
    /// The languages of its hosts; the first is the default for files whose names tell nothing.
    pub languages: &'static [&'static dyn Testable],
}

/// A language whose programs can be tested.
pub trait Testable: Language {
    /// The errors of a program.
    fn errors(&self, given: &Given<'_>) -> Diags;

    /// The statements whose use shows when compiling, and whether they were used; [`crate::reached`] handles those that
    /// show in resource graphs.
    fn made(&self, given: &Given<'_>) -> Vec<Covered>;
}

/// A program deployed on one host.
pub struct Given<'a> {
    /// Its files.
    pub world: &'a Arc<MemoryWorld>,
    /// Its main file.
    pub entry: &'a str,
    /// The name of the host.
    pub hostname: &'a str,
    /// Environment variables of the agent.
    pub environment: &'a BTreeMap<String, String>,
}

impl Testable for Mcl {
    fn errors(&self, given: &Given<'_>) -> Diags {
        compile::check(given.world, given.entry, Setup { hostname: given.hostname }).diags
    }

    fn made(&self, _: &Given<'_>) -> Vec<Covered> {
        Vec::new()
    }
}

impl Program {
    /// An MCL program.
    pub fn mcl(files: Vec<(String, Vec<u8>)>) -> Program {
        Program { files, languages: &[&Mcl] }
    }

    pub(crate) fn spoken(&self) -> Vec<&'static dyn Language> {
        self.languages.iter().map(|language| *language as &'static dyn Language).collect()
    }

    pub(crate) fn errors(&self, entry: &str, hostname: &str, environment: &BTreeMap<String, String>) -> Diags {
        self.ask(entry, hostname, environment, |language, given| language.errors(given)).unwrap_or_default()
    }

    pub(crate) fn made(&self, entry: &str, hostname: &str, environment: &BTreeMap<String, String>) -> Vec<Covered> {
        self.ask(entry, hostname, environment, |language, given| language.made(given)).unwrap_or_default()
    }

    fn ask<T>(
        &self,
        entry: &str,
        hostname: &str,
        environment: &BTreeMap<String, String>,
        ask: impl FnOnce(&dyn Testable, &Given<'_>) -> T,
    ) -> Option<T> {
        let files = self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        let world = Arc::new(MemoryWorld::of(files));
        let language = language_of(self.languages, &*world, entry)?;
        Some(ask(language, &Given { world: &world, entry, hostname, environment }))
    }
}
