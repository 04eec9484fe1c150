//! Lists, maps and their parts in other languages.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;
use crate::diag::codes;

const MAP: &str = "write `iter.map($list, func($x) { … })`, after `import \"iter\"`";
const FILTER: &str = "write `iter.filter($list, func($x) { … })`, after `import \"iter\"`";
const SLICE: &str =
    "to get part of a string, write `strings.substr($text, 1, 3)`, after `import \"strings\"`; lists have no slices";
const LIST: &str = "the elements of a list are separated by commas";

pub(super) const TABLE: &[Mistake] = &[
    Mistake {
        code: codes::UNQUOTED_TEXT,
        cover: Cover::Line,
        ..Mistake::written(
            "=/=> «{ FREE :/=/=> … }»",
            "missing quotes around the keys",
            "a key is an expression",
            rewrite::pairs,
        )
    },
    Mistake::new(
        "LINE VAR = «VALUE , VALUE , …» EOL",
        "several values must be in a list",
        "expected one value",
        "write `{1} = [{2}, {3}, {4}]`",
    )
    .edit("[{2}, {3}, {4}]"),
    Mistake::new(
        "in «( ATOM , ATOM )»",
        "lists are written in brackets",
        "this looks like Python",
        "write `[{1}, {2}]`",
    )
    .edit("[{1}, {2}]"),
    Mistake::new(
        "in «( ATOM , ATOM , ATOM )»",
        "lists are written in brackets",
        "this looks like Python",
        "write `[{1}, {2}, {3}]`",
    )
    .edit("[{1}, {2}, {3}]"),
    Mistake::new("in «( ATOM , … )»", "lists are written in brackets", "this looks like Python", "write `[{1}, {2}]`"),
    Mistake::new(
        "[/( … «for» VAR/WORD ,? VAR/WORD? in …? if …",
        "MCL has no comprehensions",
        "a loop is not a value",
        FILTER,
    )
    .more("to transform the elements, write `iter.map($list, func($x) { … })`"),
    Mistake::new("[/( … «for» VAR/WORD ,? VAR/WORD? in …", "MCL has no comprehensions", "a loop is not a value", MAP),
    Mistake::new(
        "{ VALUE :/=> … «for» VAR/WORD ,? VAR/WORD? in …",
        "MCL has no comprehensions",
        "a loop is not a value",
        MAP,
    ),
    Mistake::new(
        "{ «for» VAR/WORD ,? VAR/WORD? in … :/=>",
        "MCL has no comprehensions",
        "a loop is not a value",
        "write the pairs of the map in full: `{\"a\" => 1, \"b\" => 2}`",
    )
    .more("write a loop over a map as `forkv $key, $value in $map { … }`"),
    Mistake::new(
        "[/{ «for» VAR/WORD ,? VAR/WORD? in … :/=>",
        "MCL has no comprehensions",
        "a loop is not a value",
        MAP,
    ),
    Mistake::new("[ «for» VAR/WORD ,? VAR/WORD? in …", "MCL has no comprehensions", "a loop is not a value", MAP),
    Mistake::new("VAR/WORD/STR/]/) ~ «[ …? : …? ]»", "MCL has no slices", "expected one index", SLICE),
    Mistake::new("VAR/WORD/STR/]/) ~ «[ …? .. …? ]»", "MCL has no slices", "expected one index", SLICE),
    Mistake::new(
        "«[ ] NAME {» …",
        "a list has no type before it",
        "this looks like Go",
        "write only the list: `[\"a\", \"b\"]`",
    ),
    Mistake::new(
        "«map [ NAME ] NAME {» …",
        "a map has no type before it",
        "this looks like Go",
        "write only the map: `{\"a\" => 1}`",
    ),
    Mistake::new(
        "[ …? «STR/NUM» ^ STR/NUM/VAR …? ]",
        "missing `,` between two elements",
        "expected `,` after this",
        LIST,
    ),
    Mistake::new("[ …? «VAR» ^ VAR …? ]", "missing `,` between two elements", "expected `,` after this", LIST),
    Mistake::new(
        "{/, «: ~ NAME» =>",
        "MCL has no symbols",
        "this looks like Ruby",
        "write the key as a string: `\"{2}\"`",
    )
    .edit("\"{2}\""),
    Mistake::new("=/=>/,/[/( «: ~ NAME»", "MCL has no symbols", "this looks like Ruby", "write a string: `\"{2}\"`")
        .edit("\"{2}\""),
    Mistake::new(
        "=/=>/( «{ NAME =» VALUE ; …",
        "structs are written `struct{…}`",
        "this looks like Nix",
        "separate the fields by commas, as in `struct{{2} => {3}, …}`",
    ),
    Mistake::new(
        "«struct (» …",
        "structs are written in braces",
        "expected `{`",
        "write `struct{name => \"…\", port => 80}`, with the name of each field",
    ),
    Mistake::new(
        "struct ~ { «NAME» ,/}",
        "missing value for the field `{1}`",
        "expected `=>` after this",
        "write each field in full: `{1} => ${1}`",
    ),
    Mistake::new(
        "struct ~ { … , «NAME» ,/}",
        "missing value for the field `{2}`",
        "expected `=>` after this",
        "write each field in full: `{2} => ${2}`",
    ),
    Mistake::new(
        "struct ~ { «inherit NAME» …? }",
        "MCL has no `inherit`",
        "this looks like Nix",
        "write each field in full: `{1} => ${1}`",
    ),
    Mistake::new(
        "{ «inherit NAME …? ;» …?",
        "MCL has no `inherit`",
        "this looks like Nix",
        "write each pair in full: `\"{1}\" => ${1}`",
    ),
    Mistake::new(
        "VAR/WORD ~ «[ * ]» …?",
        "MCL has no `[*]`",
        "expected an index",
        "to take a field of each element, write `iter.map($list, func($x struct{name str}) { $x->name })`, after \
         `import \"iter\"`; the struct type must list all fields",
    ),
    Mistake::new(
        "=/=>/,/(/[ «CAP {» …",
        "types have no names",
        "this looks like Go",
        "write `struct{name => \"…\", port => 80}`, with the names of the fields in lower case",
    ),
    Mistake::new(
        "«rec {» …?",
        "MCL has no `rec`",
        "this looks like Nix",
        "define a variable for each value: `$name = …`",
    ),
    Mistake::new(
        "«with VALUE ;» …",
        "MCL has no `with`",
        "this looks like Nix",
        "write the full name, as in `module.name`",
    ),
];
