//! The lexer's product as text, for what is easily got wrong. Language spec, section 1.

use mclive_compiler::diag::Diags;
use mclive_compiler::lex::{dump, lex};
use mclive_compiler::source::Source;
use mclive_compiler::span::FileId;

/// The names and texts of the tokens, without the end.
fn check(text: &str, expect: &[&str]) {
    let source = Source::new("/main.mcl", text.as_bytes());
    let tokens = lex(&source, FileId(0), &mut Diags::default());
    let dumped = dump(&tokens, &source);
    let lines = dumped.lines().filter_map(|line| line.split_once(' ')).map(|(_, token)| token);
    let found: Vec<&str> = lines.filter(|token| !token.starts_with("$end")).collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn a_minus_before_a_digit_belongs_to_the_number() {
    check("3-2 - 5->", &["INTEGER \"3\"", "INTEGER \"-2\"", "MINUS \"-\"", "INTEGER \"5\"", "ARROW \"->\""]);
    check(
        "1.5.2 1. -0.5",
        &["FLOAT \"1.5\"", "DOT \".\"", "INTEGER \"2\"", "INTEGER \"1\"", "DOT \".\"", "FLOAT \"-0.5\""],
    );
}

#[test]
fn names_do_not_end_with_underscores_and_have_no_capitals() {
    check(
        "foo__bar fooBar if_ iff",
        &[
            "IDENTIFIER \"foo__bar\"",
            "IDENTIFIER \"foo\"",
            "CAPITALIZED_IDENTIFIER \"Bar\"",
            "IF \"if\"",
            "IDENTIFIER \"iff\"",
            "problem \"_\"",
        ],
    );
}

#[test]
fn the_longest_sign_wins() {
    check(
        "<|><=<=>?:!==",
        &["EXCEPT \"<|>\"", "LTE \"<=\"", "LTE \"<=\"", "GT \">\"", "ELVIS \"?:\"", "NEQ \"!=\"", "EQUALS \"=\""],
    );
}

#[test]
fn a_string_ends_at_a_quote_without_a_backslash() {
    check(r#""a\"b" "#, &[r#"STRING "\"a\\\"b\"""#]);
    // An escaped backslash does not count: the string continues to the next quote.
    let tokens = [r#"STRING "\"a\\\\\" x \"""#, "IDENTIFIER \"b\"", r#"STRING "\"""#, r#"problem "\"""#];
    check(r#""a\\" x "b""#, &tokens);
    // Without one, it ends at the last quote, and the rest is lost.
    check("\"a\\\" b\n", &[r#"STRING "\"a\\\"""#, r#"lost " b\n""#]);
}

#[test]
fn a_comment_ends_before_its_newline() {
    check("# a\r\n1", &["NEWLINE \"\\n\"", "INTEGER \"1\"", "comment \"# a\\r\""]);
}
