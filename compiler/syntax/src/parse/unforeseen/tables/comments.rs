//! Comments of other languages.

use super::super::Mistake;
use super::super::cover::Cover;
use crate::diag::codes;

pub(super) const TABLE: &[Mistake] = &[
    comment("LINE «< ~ ! ~ --» …?", "expected a statement", "begin each line of the comment with `#`")
        .covers(Cover::Past("-->")),
    comment("LINE «;» WORD …?", "expected a statement", "replace `;` with `#`").edit("#"),
    comment("LINE «'» WORD …", "expected a statement", "replace `'` with `#`").edit("#"),
    comment("LINE «REM» WORD …", "expected a statement", "replace `REM` with `#`").edit("#"),
    comment("LINE «%» _ WORD …", "expected a statement", "replace `%` with `#`").edit("#"),
    comment("NUM/STR/VAR/)/]/}/true/false _ «--» _ WORD …", "MCL has no `--`", "replace `--` with `#`").edit("#"),
    comment(",/{ _ «--» _ WORD …?", "MCL has no `--`", "replace `--` with `#`").edit("#"),
];

/// A comment of another language.
const fn comment(pattern: &'static str, label: &'static str, help: &'static str) -> Mistake {
    Mistake { code: codes::FOREIGN_COMMENT, ..Mistake::new(pattern, "comments begin with `#`", label, help) }
}
