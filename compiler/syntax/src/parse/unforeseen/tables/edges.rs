//! Edges in the notation of other tools: arrows of Puppet, Airflow and diagrams, lists of resources.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const CONNECTS: &str = "an edge connects resources";
const BRACKETS: &str = "the name of a resource must be in brackets here";
const REFERS: &str = "an edge refers to resources";
const NO_REFERENCE: &str = "not a reference to a resource";
const LIST: &str = "an edge cannot begin or end with a list of resources";
const NO_ARROW: &str = "expected `->`, found `→`";
const LIKE_ARROW: &str = "replace `→` with `->`";
const EACH: &str = "write an edge for each resource, or one with a list of names: `Kind[[\"a\", \"b\"]]`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE CAP [ VALUE ] . WORD -> «CAP [ VALUE ]» EOL",
        "missing field of the second resource",
        "expected a dot and a field after this",
        "write the field that receives the value: `{4}[{5}].field`",
    ),
    Mistake::new(
        "LINE «CAP [ VALUE ]» -> CAP [ VALUE ] ^ . WORD",
        "missing field of the first resource",
        "expected a dot and a field after this",
        "write the field that is sent: `{1}[{2}].field`",
    ),
    Mistake::new(
        "LINE CAP [ VALUE ] . WORD -> CAP [ VALUE ] . WORD «->» …",
        "an edge with fields has two ends",
        "not a part of this edge",
        "write each edge on its own line, as in `{1}[{2}].{3} -> {4}[{5}].{6}`",
    ),
    Mistake::new("LINE «CAP STR -> CAP STR» EOL", BRACKETS, "expected `[`", "write `{1}[{2}] -> {3}[{4}]`")
        .edit("{1}[{2}] -> {3}[{4}]"),
    Mistake::new("LINE «CAP STR» -> …", BRACKETS, "expected `[`", "write `{1}[{2}]`").edit("{1}[{2}]"),
    Mistake::new("LINE CAP [ VALUE ] -> «CAP STR» EOL", BRACKETS, "expected `[`", "write `{3}[{4}]`").edit("{3}[{4}]"),
    Mistake::new("LINE CAP => «NAME STR» ,? EOL", REFERS, NO_REFERENCE, "write `{1} => {2:kind}[{3}],`")
        .edit("{2:kind}[{3}]"),
    Mistake::new("LINE CAP => «CAP STR» ,? EOL", BRACKETS, "expected `[`", "write `{1} => {2}[{3}],`").edit("{2}[{3}]"),
    Mistake::new(
        "CAP [ «STR , STR» ] …?",
        "several names must be in a list",
        "expected one name, or a list",
        "write `{1}[[{2}, {3}]]`",
    )
    .edit("[{2}, {3}]"),
    Mistake::new(
        "CAP [ «STR , STR , …» ] …?",
        "several names must be in a list",
        "expected one name, or a list",
        "write `{1}[[{2}, {3}, {4}]]`",
    )
    .edit("[{2}, {3}, {4}]"),
    Mistake::new(
        "CAP [ «FREE , FREE» ] …?",
        "several names must be in a list",
        "expected one name, or a list",
        "write `{1}[[\"{2}\", \"{3}\"]]`",
    )
    .edit("[\"{2}\", \"{3}\"]"),
    // What programs for writing make of an arrow.
    Mistake::sign("] «→»", NO_ARROW, LIKE_ARROW, "->"),
    Mistake::sign("] . NAME «→»", NO_ARROW, LIKE_ARROW, "->"),
    Mistake::sign("VAR «→»", NO_ARROW, LIKE_ARROW, "->"),
    Mistake::sign("VAR . NAME «→»", NO_ARROW, LIKE_ARROW, "->"),
    Mistake::sign("->/→ NAME «→»", NO_ARROW, LIKE_ARROW, "->"),
    Mistake::sign("NAME/CAP/STR «→»", "expected `=>`, found `→`", "replace `→` with `=>`", "=>"),
    arrow("LINE CAP … «-> ~ >» …", "expected `->`, found `->>`"),
    arrow("LINE CAP … «-- ~ >» …", "expected `->`, found `-->`"),
    Mistake::new(
        "LINE CAP [ STR ] «~>» CAP [ STR ] EOL",
        "MCL has no `~>`",
        "this looks like Puppet",
        "write `Notify => {3:kind}[{4}],` in the resource `{1:kind}[{2}]`",
    ),
    arrow("LINE CAP [ … ] «>>» CAP …", "expected `->`, found `>>`"),
    Mistake::new(
        "LINE «CAP [ … ] <- CAP [ … ]» EOL",
        "an edge points to the right",
        "expected `->`",
        "write `{3}[{4}] -> {1}[{2}]`",
    )
    .edit("{3}[{4}] -> {1}[{2}]"),
    Mistake::new(
        "LINE «CAP [ VALUE ] before/then/precedes CAP [ VALUE ]» EOL",
        "an edge is written as an arrow",
        "expected `->`",
        "write `{1}[{2}] -> {4}[{5}]`",
    )
    .edit("{1}[{2}] -> {4}[{5}]"),
    Mistake::new(
        "LINE «CAP [ VALUE ] after/requires/require/needs/depends/depend on? CAP [ VALUE ]» EOL",
        "an edge is written as an arrow",
        "expected `->`",
        "write `{4}[{5}] -> {1}[{2}]`: the first one is applied first",
    )
    .edit("{4}[{5}] -> {1}[{2}]"),
    Mistake::new(
        "LINE CAP [ VALUE ] «notifies/notify» CAP [ VALUE ] EOL",
        "a notification is an item of a resource",
        "expected `->`",
        "write `Notify => {4}[{5}],` in the resource `{1}[{2}]`",
    ),
    Mistake::new("LINE CAP … -> «[» CAP …", LIST, "expected a resource", EACH),
    Mistake::new("LINE «CAP [ VALUE ] , CAP [ VALUE ]» -> …", LIST, "expected one resource", EACH),
    Mistake::new("LINE «[» CAP … ] -> …", LIST, "expected a resource", EACH),
    Mistake::new("LINE «NAME STR -> NAME STR» EOL", REFERS, NO_REFERENCE, "write `{1:kind}[{2}] -> {3:kind}[{4}]`"),
    Mistake::new(
        "LINE «NAME [ VALUE ] => NAME [ VALUE ]» EOL",
        REFERS,
        NO_REFERENCE,
        "write `{1:kind}[{2}] -> {3:kind}[{4}]`",
    )
    .edit("{1:kind}[{2}] -> {3:kind}[{4}]"),
    Mistake::new(
        "LINE «NAME . NAME -> NAME . NAME» EOL",
        REFERS,
        NO_REFERENCE,
        "write `{1:kind}[\"{2}\"] -> {3:kind}[\"{4}\"]`",
    ),
    Mistake::written("LINE «STR ->/=>/~> STR» EOL", CONNECTS, "a string is not a resource", rewrite::quoted_edge),
    Mistake::new("LINE «STR -> STR» EOL", CONNECTS, "a string is not a resource", "write `Kind[{1}] -> Kind[{2}]`"),
    Mistake::new(
        "LINE «->» …",
        "edges are written on one line",
        "expected a resource before this",
        "write `Kind[\"a\"] -> Kind[\"b\"]`",
    ),
    Mistake::new(
        "LINE «~>» …",
        "edges are written on one line, with `->`",
        "expected a resource before this",
        "write `Kind[\"a\"] -> Kind[\"b\"]`; a notification is an item of the resource: `Notify => Kind[\"b\"],`",
    ),
];

/// Another arrow.
const fn arrow(pattern: &'static str, says: &'static str) -> Mistake {
    Mistake::sign(pattern, says, "edges are written `->`", "->").covers(Cover::Line)
}
