//! Hard inputs of the front: each ends in bounds, with one clear diagnostic where it is refused.
//! The tests' threads have small stacks, as wasm has.

use mclive_compiler::diag::{Code, Diags, Severity, codes};
use mclive_compiler::fmt::format;
use mclive_compiler::front::read_module;
use mclive_compiler::source::Source;
use mclive_compiler::span::FileId;

/// The codes of the errors, in order.
fn errors(text: impl AsRef<[u8]>) -> Vec<Code> {
    let diags = read(text.as_ref());
    diags.iter().filter(|diagnostic| diagnostic.is_error()).map(|diagnostic| diagnostic.code).collect()
}

fn read(text: &[u8]) -> Diags {
    let mut diags = Diags::default();
    read_module(&Source::new("/main.mcl", text), FileId(0), &mut diags);
    diags
}

const DEEP: usize = 100_000;

#[test]
fn deep_nesting_is_one_diagnostic() {
    let deep = |open: &str, close: &str| {
        let both = format!("$x = {}1{}\n", open.repeat(DEEP), close.repeat(DEEP));
        assert_eq!(errors(both), [codes::TOO_DEEP], "{open}…{close}");
        let unclosed = format!("$x = {}", open.repeat(DEEP));
        assert_eq!(errors(unclosed), [codes::TOO_DEEP], "{open}…");
    };
    deep("[", "]");
    deep("(", ")");
    deep("{1 => ", "}");
    deep("struct{a => ", "}");
    deep("not ", "");
    deep("f(", ")");
    deep("func() { ", " }");
    deep("if true { 1 } else { ", " }");
    deep("if ", " { 1 } else { 2 }");
    deep("[\n", ",\n]");
    deep("$s->f <|> ", "");
}

#[test]
fn deep_blocks_and_types_are_one_diagnostic() {
    let blocks = format!("{}{}", "if true {\n".repeat(DEEP), "}\n".repeat(DEEP));
    assert_eq!(errors(blocks), [codes::TOO_DEEP]);
    assert_eq!(errors("class c {\n".repeat(DEEP)), [codes::TOO_DEEP]);
    assert_eq!(errors(format!("$x {}int = []\n", "[]".repeat(DEEP))), [codes::TOO_DEEP]);
    assert_eq!(errors(format!("$x {} = []\n", "func(".repeat(DEEP))), [codes::TOO_DEEP]);
    assert_eq!(errors(format!("$x {} = []\n", "map{".repeat(DEEP))), [codes::TOO_DEEP]);
}

#[test]
fn long_chains_of_operators_work_and_others_are_one_diagnostic() {
    for chain in [" + 1", " <|> 1", " and true"] {
        assert_eq!(errors(format!("$x = 1{}\n", chain.repeat(DEEP))), [], "{chain}");
    }
    for chain in ["[0]", "->f"] {
        assert_eq!(errors(format!("$x = 1{}\n", chain.repeat(DEEP))), [codes::TOO_DEEP], "{chain}");
        assert_eq!(errors(format!("$x = 1{}\n", chain.repeat(400))), [], "{chain}");
    }
}

#[test]
fn what_is_just_allowed_is_lowered_and_formatted() {
    for (open, close) in [("[", "]"), ("(", ")"), ("not ", ""), ("func() { ", " }"), ("f(", ")")] {
        let text = format!("$x = {}1{}\n", open.repeat(190), close.repeat(190));
        assert_eq!(errors(&text), [], "{open}");
        assert_eq!(format(text.as_bytes()), Ok(text.clone().into_bytes()), "{open}");
    }
}

#[test]
fn moved_classes_cannot_nest_without_end() {
    let mut text = String::new();
    for depth in 1..=400 {
        text.push_str(&format!("class {} {{\n}}\n", vec!["a"; depth].join(":")));
    }
    assert_eq!(errors(text), [codes::TOO_DEEP]);
}

#[test]
fn wide_programs_are_fine() {
    let list: Vec<String> = (0..100_000).map(|n| n.to_string()).collect();
    assert_eq!(errors(format!("$x = [{}]\n", list.join(", "))), []);
    let line = "a".repeat(1 << 20);
    assert_eq!(errors(format!("$x = \"{line}\"\n")), []);
    assert_eq!(errors(format!("# {line}\n")), []);
    assert_eq!(errors(format!("${line} = 1\n")), []);
    assert_eq!(errors("\n".repeat(1 << 20)), []);
}

#[test]
fn odd_bytes_are_reported_once() {
    assert_eq!(errors("\u{feff}$x = 1\n"), [codes::UNRECOGNIZED]);
    assert_eq!(errors("$x = 1\r\n$y = 2\r\n$z = 3\r\n"), [codes::CARRIAGE_RETURN]);
    assert_eq!(errors("$x = \0\n"), [codes::UNRECOGNIZED]);
    assert_eq!(errors(b"$x = \xff\n"), [codes::UNRECOGNIZED]);
    assert_eq!(errors(b"$x = \"\xff\"\n"), []);
    assert_eq!(errors(b"# \xff\n"), []);
}

#[test]
fn bytes_that_are_not_utf8_are_warned_about_once() {
    let diags = read(b"# \xff\n$x = \"\xe9 \xe9\"\n");
    let found: Vec<(Code, Severity)> = diags.iter().map(|found| (found.code, found.severity)).collect();
    assert_eq!(found, [(codes::UNRECOGNIZED, Severity::Warning)]);
    assert_eq!(
        diags.iter().flat_map(|found| &found.help).next().unwrap(),
        "save the file as UTF-8: it has 3 such bytes"
    );
    assert!(read(b"$x = \xff\n").iter().all(|found| found.severity == Severity::Error), "told as an error");
}

#[test]
fn garbage_has_few_errors() {
    assert!(errors("@".repeat(1 << 16)).len() <= 50);
    assert!(errors("} ) ] , => \n".repeat(1 << 14)).len() <= 50);
    assert!(errors("\"".repeat((1 << 16) + 1)).len() <= 50);
    assert!(errors("$x = [\n".repeat(10_000)).len() <= 50);
    assert!(errors("noop \"a\" {\n".repeat(10_000)).len() <= 50);
    for line in ["\tname => yes,\n", "\tstartup => yes,\n", "\tx = yes,\n", "\tsvc[\"a\"],\n", "\tyes,\n"] {
        let lines = line.repeat(10_000);
        for text in [format!("$x = {{\n{lines}}}\n"), format!("$x = [\n{lines}]\n"), format!("svc {{\n{lines}}}\n")] {
            assert!(errors(text).len() <= 50, "{line:?}");
        }
    }
}

#[test]
fn direction_marks_are_warned_about() {
    let diags = read("# \u{202e}\n$x = 1\n".as_bytes());
    let found: Vec<(Code, Severity)> = diags.iter().map(|found| (found.code, found.severity)).collect();
    assert_eq!(found, [(codes::HIDDEN_CHARACTER, Severity::Warning)]);
    assert!(read("# \u{2026}\n".as_bytes()).is_empty(), "an ellipsis is no mark");
}
