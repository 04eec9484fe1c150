//! The front of the compiler in one call: the text of a file to its lowered module. The main file
//! and every import go through here.

use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::hir::Module;
use crate::source::Source;
use crate::span::{FileId, Span};
use crate::{lex, lower, parse};

/// Bytes of text that a file may have: hundreds of thousands of statements.
pub const MAX_TEXT: usize = 16 << 20;

/// Lexes, parses and lowers a file. Of one that is too large nothing is read.
///
/// There is always a module: what is broken is an `Error` node in it, and has been said. Errors:
/// the stages parse, init and interpolate.
pub fn read_module(source: &Source, file: FileId, diags: &mut Diags) -> Module {
    if source.text.len() > MAX_TEXT {
        diags.push(
            Diagnostic::error(codes::PROGRAM_TOO_LARGE, Stage::Parse, "the file is too large")
                .at(Span::new(file, 0, 0), "this file")
                .help(format!("the maximum size of a file is {} MiB", MAX_TEXT >> 20)),
        );
        return read_module(&Source::new(source.path.clone(), Vec::new()), file, diags);
    }
    let tokens = lex::lex(source, file, diags);
    let tree = parse::parse(&tokens, source, diags);
    lower::lower(&tree, source, diags)
}
