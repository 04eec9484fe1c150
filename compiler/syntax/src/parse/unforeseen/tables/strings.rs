//! Strings and references of other languages.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;
use crate::diag::codes;

const NIX: &str = "this looks like Nix";
const SLASHES: &str = "MCL has no regular expressions between slashes";
const LINES: &str = "a string may span several lines: `\"…\"`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake {
        edit: Some("\"{1}{2}{3}\""),
        ..unquoted("LINE mode => «WORD ~ +/-/= ~ …» ,? EOL", "missing quotes around `{1}{2}{3}`")
    },
    Mistake {
        edit: Some("\"{2}{3}{4}\""),
        ..unquoted("LINE NAME => «WORD ~ =/: ~ …» ,? EOL", "missing quotes around `{2}{3}{4}`")
    },
    Mistake::new(
        "«f ~ STR»",
        "MCL has no f-strings",
        "strings have no prefixes",
        "remove the `f`; insert a variable with `\"${name}\"`",
    ),
    Mistake::new(
        "«r/b/u/rb/br ~ STR»",
        "strings have no prefixes",
        "unexpected `{1}`",
        "write `{2}`, with each backslash doubled: `\\\\`",
    ),
    Mistake::new(
        "=/=>/(/,/[/+ «@ ~ STR»",
        "strings have no prefixes",
        "unexpected `@`",
        "remove the `@`: a string may span several lines",
    )
    .edit("{2}")
    .covers(Cover::Match),
    Mistake::new("«<</<<-/<<~ ~ STR/WORD» …?", "MCL has no heredocs", "this starts a heredoc", LINES)
        .covers(Cover::Heredoc),
    Mistake::new("«@ ( STR/WORD …? )»", "MCL has no heredocs", "this starts a heredoc", LINES).covers(Cover::Heredoc),
    Mistake::new("=>/: «|/> -?» EOL", "MCL has no block strings", "this looks like YAML", LINES)
        .covers(Cover::Indented),
    Mistake::new(
        "STR ~ «VAR» ~ STR",
        "strings are joined with `+`",
        "expected an operator",
        "write the variable into one string, as in `\"…${name}…\"`, or join the parts: `\"…\" + {2} + \"…\"`",
    ),
    Mistake::new(
        "«'' ~ … STR …? ~ ''»",
        "strings are written in double quotes",
        NIX,
        "write the string in double quotes, with `\\\"` for each `\"` in it",
    ),
    Mistake::new("«'' ~ … ~ ''»", "strings are written in double quotes", NIX, "write `\"{1}\"`").edit("\"{1}\""),
    Mistake::written(
        "[ …? «STR» ~ WORD …? ~ STR",
        "missing `\"` at the end of a string",
        "the comma is part of this string",
        rewrite::open_element,
    )
    .covers(Cover::Line),
    Mistake::new(
        "STR ~ «WORD …?» ~ STR",
        "a `\"` ends the string",
        "outside of the string",
        "inside a string, write `\\\"`",
    ),
    Mistake::new(
        "LINE «STR ~ STR ~ STR»",
        "a string is not a statement",
        "this looks like Python",
        "comments begin with `#`: write one at the start of each line",
    ),
    Mistake::new("«''» EOL", "strings are written in double quotes", NIX, LINES).covers(Cover::Past("''")),
    Mistake::new("«var/local ~ . ~ NAME» ^", "variables are written with `$`", "this looks like HCL", "write `${2}`")
        .edit("${2}"),
    Mistake::new(
        "«data/module/each ~ . ~ NAME .? NAME? .? NAME?» ^",
        "MCL has no `{1}`",
        "this looks like HCL",
        "define a variable: `${2} = …`, and write `${2}`",
    ),
    Mistake::new(
        "=/=>/(/,/in «/ ~ ^/^ …? ~ /» …?",
        SLASHES,
        "this looks like JavaScript",
        "write a condition as `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "=/=>/(/,/in «/ ~ … ~ $ ~ /» …?",
        SLASHES,
        "this looks like JavaScript",
        "write a condition as `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "=/=>/(/,/if «/ ~ … / ~ . ~ test/match/exec» (",
        SLASHES,
        "this looks like JavaScript",
        "write `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "«new CAP» …?",
        "MCL has no `new`",
        "not an MCL value",
        "write a value with fields as `struct{name => \"…\"}`",
    )
    .more("a resource is a statement, without a variable: `kind \"name\" { field => value, }`"),
];

/// A string of several parts.
const fn unquoted(pattern: &'static str, says: &'static str) -> Mistake {
    let mistake = Mistake::written(pattern, says, "strings are written in double quotes", rewrite::unquoted);
    Mistake { code: codes::UNQUOTED_TEXT, cover: Cover::Line, ..mistake }
}
