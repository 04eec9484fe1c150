//! Conditions and queries of SQL.

use super::super::Mistake;
use super::super::cover::Cover;

const OPERATOR: &str = "not an MCL operator";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "=/=>/(/, «SELECT» …",
        "this looks like SQL",
        "not an MCL value",
        "to use what a query prints, write `os.system(\"…\")` with a database client, after `import \"os\"`",
    )
    .covers(Cover::Line),
    Mistake::new(
        "VALUE «NOT? LIKE/like/ILIKE» …",
        "MCL has no `{2}`",
        OPERATOR,
        "write `strings.has_prefix({1}, \"…\")` or `strings.contains({1}, \"…\")`, after `import \"strings\"`",
    ),
    Mistake::new(
        "«VALUE BETWEEN/between VALUE AND/and VALUE»",
        "MCL has no `{2}`",
        OPERATOR,
        "write `{1} >= {3} and {1} <= {5}`",
    )
    .edit("{1} >= {3} and {1} <= {5}")
    .covers(Cover::Match),
    Mistake::new(
        "«CASE WHEN … THEN VALUE ELSE VALUE END»",
        "MCL has no `CASE`",
        "not an MCL value",
        "write `if $condition { {2} } else { {3} }`",
    ),
    Mistake::new("«CASE WHEN» …", "MCL has no `CASE`", "not an MCL value", "write `if $condition { … } else { … }`"),
    Mistake::new(
        "VALUE «IN (» …",
        "MCL has no `IN`",
        OPERATOR,
        "to check whether a list contains a value, write `{1} in [\"…\", \"…\"]`",
    ),
    Mistake {
        code: crate::diag::codes::FOREIGN_SIGN,
        ..Mistake::new(
            "VALUE ==/!= VALUE «||» STR/NUM",
            "expected `or`, found `||`",
            OPERATOR,
            "repeat the comparison: `{1} {2} {3} or {1} {2} {4}`",
        )
    },
    Mistake {
        code: crate::diag::codes::FOREIGN_SIGN,
        ..Mistake::new(
            "VALUE «||» STR/NUM",
            "MCL has no `||`",
            OPERATOR,
            "strings are joined with `+`; for a fallback if a value fails, write `{1} <|> {2}`",
        )
    }
    .more("combine two conditions with `or`"),
];
