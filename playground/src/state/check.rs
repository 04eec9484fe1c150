//! [`Check`]: the result of the last compilation.

use super::model::Lost;
use super::shared::Shared;
use crate::worker::protocol::{Picture, ProgramFile};
use mclive_base::shapes;

/// The result of the last compilation.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Check {
    /// The compiled edit; 0: none yet.
    pub edit: u64,
    /// All diagnostics.
    pub result: Shared<Vec<shapes::Diagnostic>>,
    /// The same as of the last pause in typing: the problem list is calm while squiggles are immediate.
    pub calm: Shared<Vec<shapes::Diagnostic>>,
    /// The edit whose graphs are drawn.
    pub drawn: u64,
    /// The files that were drawn.
    pub drawn_files: Shared<Vec<ProgramFile>>,
    /// The hosts declared by the program; empty if it runs on any host.
    pub hosts: Shared<Vec<String>>,
    /// The function graph of the last valid program: it stays while errors are being typed.
    pub functions: Shared<Picture<shapes::FunctionGraph>>,
    /// The edit of that program.
    pub functions_edit: u64,
    /// For each of its vertices, the index of its value; empty if they are the same.
    pub value_of: Shared<Vec<u32>>,
    /// What the statements for resources read.
    pub reads: Shared<Vec<shapes::Reads>>,
    /// The resource graph of the last valid program.
    pub resources: Shared<Picture<shapes::ResourceGraph>>,
    /// Set if the worker was lost because of this edit.
    pub lost: Option<Lost>,
}

impl Check {
    /// The number of errors.
    pub fn n_errors(&self) -> usize {
        self.result.iter().filter(|one| is_error(one)).count()
    }
}

/// Whether it keeps the program from running.
pub fn is_error(one: &shapes::Diagnostic) -> bool {
    match one.severity {
        shapes::Severity::Error | shapes::Severity::Bug => true,
        shapes::Severity::Warning | shapes::Severity::Note => false,
    }
}
