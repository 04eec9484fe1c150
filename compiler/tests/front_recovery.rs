//! Several errors in one go: each is said once, in the language's order, and what is sound is still
//! there.

use mclive_compiler::diag::codes;
use mclive_compiler::diag::{Code, Diags};
use mclive_compiler::front::read_module;
use mclive_compiler::hir::print;
use mclive_compiler::source::Source;
use mclive_compiler::span::FileId;

/// The codes that a program is told, in order, and its statements as they print.
fn read(text: &str) -> (Vec<Code>, Vec<String>) {
    let mut diags = Diags::default();
    let module = read_module(&Source::new("/main.mcl", text.as_bytes()), FileId(0), &mut diags);
    let stmts = module.root.stmts.iter().map(|stmt| print::stmt(&module, stmt)).collect();
    (diags.iter().map(|diagnostic| diagnostic.code).collect(), stmts)
}

fn check(text: &str, expect: &[Code], stmts: &[&str]) {
    let (found, printed) = read(text);
    assert_eq!(found, expect, "{text}");
    assert_eq!(printed, stmts, "{text}");
}

#[test]
fn each_broken_statement_is_reported_once() {
    check(
        "$x = 1 +\n$y = 2 2\nfile \"a\" {\n\tcontent \"x\",\n\tmode => \"y\"\n}\nnoop \"b\" {}\n",
        &[codes::UNEXPECTED_TOKEN, codes::UNEXPECTED_TOKEN, codes::FOREIGN_SIGN, codes::MISSING_COMMA],
        &["bind(x)", "bind(y)", "res(file)", "res(noop)"],
    );
}

#[test]
fn a_broken_statement_in_a_block_leaves_the_block_whole() {
    check(
        "class c {\n\t$x = [1, 2,\n\tnoop \"a\" {}\n}\ninclude c\n",
        &[codes::UNEXPECTED_TOKEN],
        &["class(c)", "include(c)"],
    );
    check("if true { noop \"a\" {} }\n$x = 1\n", &[codes::UNEXPECTED_TOKEN], &["if( bool(true) ) { prog }", "bind(x)"]);
}

#[test]
fn a_broken_header_skips_its_block() {
    check("class Foo {\n\t$x = 1\n}\n$y = 2\n", &[codes::UNEXPECTED_TOKEN], &["error", "bind(y)"]);
}

#[test]
fn what_the_lexer_cannot_read_is_no_second_error() {
    check("$x = 4 @ 5\n$y = 1\n", &[codes::UNRECOGNIZED], &["bind(x)", "bind(y)"]);
    check("$x = 99999999999999999999\n", &[codes::INT_OVERFLOW], &["bind(x)"]);
    check("$x = \"abc\n$y = 1\n", &[codes::UNCLOSED_STRING], &["bind(x)", "bind(y)"]);
}

#[test]
fn a_missing_bracket_ends_where_a_statement_begins() {
    check("$x = f(1, 2\n$y = 2\n", &[codes::UNEXPECTED_TOKEN], &["bind(x)", "bind(y)"]);
}

#[test]
fn of_several_errors_of_complete_rules_the_last_is_first() {
    let two = "$x int = \"a\"\n$y str = 1.5\n";
    let mut diags = Diags::default();
    let source = Source::new("/main.mcl", two.as_bytes());
    read_module(&source, FileId(0), &mut diags);
    let lines: Vec<u32> =
        diags.iter().filter_map(|error| Some(source.line_col(error.primary.as_ref()?.span.start).line)).collect();
    assert_eq!(lines, [2, 1]);
    check(
        &format!("{two}$z =\n"),
        &[codes::UNEXPECTED_TOKEN, codes::TYPED_BIND, codes::TYPED_BIND],
        &["bind(x)", "bind(y)", "bind(z)"],
    );
}

#[test]
fn colon_classes_move_into_their_parents() {
    let text = "class a:b:c {\n}\nclass a {\n}\nclass a:b {\n}\nclass x:y {\n}\n";
    check(text, &[], &["class(a)", "class(x:y)"]);
}
