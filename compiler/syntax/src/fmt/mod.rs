//! The formatter: a file in its canonical form. Language spec, section 13.
//!
//! In: the text of a file. Out: the text with canonical spaces, indentation and blank lines. It prints the syntax tree
//! with its comments, placed by their source rows; order, parentheses and the choice between one line and several are
//! kept.
//!
//! Invariant: the result has the same tree and the same comments, and formatting it again changes nothing. This is
//! checked before it is returned.

mod expr;
mod printer;
mod resource;
mod stmt;
mod types;

use crate::ast::{self, Tree};
use crate::diag::{Diagnostic, Diags, Severity, Stage, codes};
use crate::lex::lex;
use crate::parse::parse;
use crate::source::Source;
use crate::span::FileId;

/// The maximum number of passes until the result stays the same. A comment that gets a separate line can split the
/// construct around it over several lines, so the second pass may differ from the first.
const MAX_PASSES: usize = 8;

/// The canonical form of a file.
///
/// Errors: those of the parse stage; later stages are not run. A pass that changes the meaning of the program is a
/// diagnostic of severity `Bug`.
pub fn format(text: &[u8]) -> Result<Vec<u8>, Diags> {
    let mut given = text.to_vec();
    if !given.is_empty() && given.last() != Some(&b'\n') {
        given.push(b'\n');
    }
    let original = read(given)?;
    let meaning = original.meaning();
    let mut printed = original.print();
    for _ in 0..MAX_PASSES {
        let Ok(again) = read(printed.clone()) else { return Err(bug("the result does not parse")) };
        if again.meaning() != meaning {
            return Err(bug("the result is a different program"));
        }
        let next = again.print();
        if next == printed {
            return Ok(printed);
        }
        printed = next;
    }
    Err(bug("the result changes when it is formatted again"))
}

/// A file without syntax errors.
struct Readable {
    source: Source,
    tree: Tree,
}

fn read(text: Vec<u8>) -> Result<Readable, Diags> {
    let source = Source::new("", text);
    let mut diags = Diags::default();
    let tokens = lex(&source, FileId(0), &mut diags);
    let tree = parse(&tokens, &source, &mut diags);
    if diags.has_errors() { Err(diags) } else { Ok(Readable { source, tree }) }
}

impl Readable {
    /// The parts that formatting must not change: the tree, and the comments in order.
    fn meaning(&self) -> (String, Vec<&[u8]>) {
        let comment = |span: &crate::span::Span| &self.source.text[span.start as usize..span.end as usize];
        (ast::dump(&self.tree, &self.source), self.tree.comments.iter().map(comment).collect())
    }

    fn print(&self) -> Vec<u8> {
        printer::Printer::new(&self.tree, &self.source).file()
    }
}

fn bug(what: &str) -> Diags {
    let mut diags = Diags::default();
    let message = format!("internal error in the formatter: {what}");
    let diagnostic = Diagnostic { severity: Severity::Bug, ..Diagnostic::error(codes::BUG, Stage::Parse, message) };
    diags.push(diagnostic.help("the file was not changed; please report this together with the file"));
    diags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let printed = format(text.as_bytes()).unwrap_or_else(|diags| panic!("{diags:?}"));
        assert_eq!(String::from_utf8_lossy(&printed), expect);
    }

    #[test]
    fn the_example_of_the_specification() {
        check(
            "\n\n\n$a=1\n$list=[\n1,   # one\n\n# rest\n  2,\n]\n\n\nif   $a==1{\nnoop \"x\" {comment=>\"c\",Meta:noop=>true,} # done\n}else{\n}\n",
            "$a = 1\n$list = [\n\t1, # one\n\n\t# rest\n\t2,\n]\n\nif $a == 1 {\n\tnoop \"x\" { # done\n\t\tcomment => \"c\",\n\t\tMeta:noop => true,\n\t}\n} else {}\n",
        );
    }

    #[test]
    fn an_empty_file_stays_empty_and_a_newline_is_added() {
        check("", "");
        check("\n\n", "");
        check("$x=1", "$x = 1\n");
        check("# only\n\n", "# only\n");
    }

    #[test]
    fn a_comment_without_a_place_goes_to_the_next_one() {
        check("$x = f(\n# c\n)\n$y = 2\n", "$x = f()\n# c\n\n$y = 2\n");
        check("test f(\n# c\n) {}\n", "test f() {\n\t# c\n}\n");
    }

    #[test]
    fn a_second_pass_may_be_needed() {
        check("$x = [func() {\n1 }] # c\n", "$x = [\n\tfunc() {\n\t\t1 # c\n\t},\n]\n");
    }

    #[test]
    fn guessed_rows_leave_a_blank_line() {
        check("func f(\n$a,\n) func(\nint,\n) str {\n$a\n}\n", "func f(\n\t$a,\n\n) func(int) str {\n\t$a\n}\n");
    }

    #[test]
    fn literals() {
        check(
            "$x = [007, -0, 1.50, -0.0, 100000000000000000000000.0]\n",
            "$x = [7, 0, 1.5, -0.0, 100000000000000000000000.0]\n",
        );
    }

    #[test]
    fn what_does_not_parse_is_refused() {
        let diags = format(b"$x = \n").expect_err("not an expression");
        assert_eq!(diags.first_error().map(|error| error.code), Some(codes::UNEXPECTED_TOKEN));
    }
}
