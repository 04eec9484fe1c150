//! [`Program`]: the files that a scenario is about; [`Testable`]: what a language tells of them.

use crate::compile::{self, Setup};
use crate::diag::Diags;
use crate::language::{Language, Mcl, language_of};
use crate::shapes::scenario::Covered;
use crate::source::MemoryWorld;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The files of a program by absolute path in its own tree, as `/main.mcl`.
pub struct Program {
    pub files: Vec<(String, Vec<u8>)>,
    /// What its hosts understand; the first is that of files whose names tell nothing.
    pub languages: &'static [&'static dyn Testable],
}

/// A language whose programs can be tested.
pub trait Testable: Language {
    /// What is wrong with a program.
    fn errors(&self, given: &Given<'_>) -> Diags;

    /// What of a program can be seen at work by compiling it alone, and whether it was; see [`crate::reached`] for what
    /// is seen in resource graphs.
    fn made(&self, given: &Given<'_>) -> Vec<Covered>;
}

/// A program as one host is given it.
pub struct Given<'a> {
    pub world: &'a Arc<MemoryWorld>,
    pub entry: &'a str,
    pub hostname: &'a str,
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
    /// A program of MCL.
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
