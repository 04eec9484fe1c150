//! The front of the compiler in one call: the text of a file to its lowered module. The main file
//! and every import go through here.

use crate::diag::Diags;
use crate::hir::Module;
use crate::source::Source;
use crate::span::FileId;
use crate::{lex, lower, parse};

/// Lexes, parses and lowers a file.
///
/// There is always a module: what is broken is an `Error` node in it, and has been said. Errors:
/// the stages parse, init and interpolate.
pub fn read_module(source: &Source, file: FileId, diags: &mut Diags) -> Module {
    let tokens = lex::lex(source, file, diags);
    let tree = parse::parse(&tokens, source, diags);
    lower::lower(&tree, source, diags)
}
