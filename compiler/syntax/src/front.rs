//! The front end in one call: from the text of a file to its lowered module. The main file and every import go through
//! here.

use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::hir::Module;
use crate::source::Source;
use crate::span::{FileId, Span};
use crate::{lex, lower, parse};

/// The maximum number of bytes of a file: hundreds of thousands of statements.
pub const MAX_TEXT: usize = 16 << 20;

/// Lexes, parses and lowers a file. A file above the size limit is not read at all.
///
/// Always returns a module: broken parts are reported and become `Error` nodes. Errors: the stages parse, init and
/// interpolate.
pub fn read_module(source: &Source, file: FileId, diags: &mut Diags) -> Module {
    if source.text.len() > MAX_TEXT {
        diags.push(
            Diagnostic::error(codes::PROGRAM_TOO_LARGE, Stage::Parse, "the file is too large")
                .at(Span::new(file, 0, 0), "this file")
                .help(format!("the maximum size of a file is {} MiB", MAX_TEXT >> 20)),
        );
        return read_module(&Source::new(source.path.clone(), Vec::new()), file, diags);
    }
    let tree = {
        // Those of a large file need much memory, and lowering needs as much.
        let tokens = lex::lex(source, file, diags);
        parse::parse(&tokens, source, diags)
    };
    lower::lower(&tree, source, diags)
}
