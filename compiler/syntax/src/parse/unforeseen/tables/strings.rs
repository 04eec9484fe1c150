//! Strings and references of other languages.

use super::super::Known;
use super::super::cover::Cover;

const LINES: &str = "a string may span several lines: `\"…\"`";

pub(super) const TABLE: &[Known] = &[
    Known::new(
        "«f ~ STR»",
        "MCL has no f-strings",
        "a string has no prefix",
        "remove the `f`; a variable is inserted with `\"${name}\"`",
    ),
    Known::new(
        "«r/b/u/rb/br ~ STR»",
        "a string has no prefix",
        "unexpected `{1}`",
        "write `{2}`, with each backslash doubled: `\\\\`",
    ),
    Known::new("«<</<<-/<<~ ~ STR/WORD» …?", "MCL has no heredocs", "this starts a heredoc", LINES)
        .covers(Cover::Heredoc),
    Known::new("«@ ( STR/WORD …? )»", "MCL has no heredocs", "this starts a heredoc", LINES).covers(Cover::Heredoc),
    Known::new("=>/: «|/> -?» EOL", "MCL has no block strings", "this looks like YAML", LINES).covers(Cover::Indented),
    Known::new(
        "STR ~ «VAR» ~ STR",
        "strings are joined with `+`",
        "expected an operator",
        "write the variable into one string, as in `\"…${name}…\"`, or join the parts: `\"…\" + {2} + \"…\"`",
    ),
    Known::new(
        "STR ~ «WORD …?» ~ STR",
        "a `\"` ends the string",
        "outside of the string",
        "inside a string, write `\\\"`",
    ),
    Known::new(
        "LINE «STR ~ STR ~ STR»",
        "a string is not a statement",
        "this looks like Python",
        "a comment begins with `#`: write it at the start of each line",
    ),
    Known::new("«''» EOL", "strings are written in double quotes", "this looks like Nix", LINES)
        .covers(Cover::Past("''")),
    Known::new("«var/local ~ . ~ NAME» ^", "a variable is written with `$`", "this looks like HCL", "write `${2}`")
        .edit("${2}"),
    Known::new(
        "«data/module/each ~ . ~ NAME .? NAME? .? NAME?» ^",
        "MCL has no `{1}`",
        "this looks like HCL",
        "define a variable: `${2} = …`, and write `${2}`",
    ),
    Known::new(
        "=/=>/(/,/if «/ ~ … / ~ . ~ test/match/exec» (",
        "MCL has no regular expressions between slashes",
        "this looks like JavaScript",
        "write `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Known::new(
        "«new CAP» …?",
        "MCL has no `new`",
        "not a value of MCL",
        "a value with fields is written `struct{name => \"…\"}`",
    )
    .more("a resource is a statement, without a variable: `kind \"name\" { field => value, }`"),
];
