//! Statements that stand for a resource, and parts of one.

use super::super::Known;

const NOT: &str = "not a statement of MCL";
const FACTS: &str =
    "facts are functions, such as `os.family()` after `import \"os\"` and `sys.cpu_count()` after `import \"sys\"`";
const PANIC: &str = "to stop with an error, write `panic(\"…\")`";

pub(super) const TABLE: &[Known] = &[
    Known::new(
        "LINE «puts/echo/print/println/printf/notice/say/warn/info/debug/log STR» EOL",
        "a message is printed by a resource",
        "not a resource",
        "write `print \"message\" { msg => {2}, }`",
    )
    .edit("print \"message\" { msg => {2}, }"),
    Known::new(
        "LINE !{ «echo/puts/print/say» … EOL",
        "a message is printed by a resource",
        NOT,
        "write `print \"name\" { msg => \"…\", }`",
    ),
    Known::new(
        "LINE «fmt . Println/Printf/Print» …",
        "a message is printed by a resource",
        NOT,
        "write `print \"name\" { msg => \"…\", }`",
    ),
    Known::new("LINE «raise/throw» … EOL", "MCL has no `{1}`", NOT, PANIC),
    Known::new(
        "LINE «assert VALUE» …?",
        "MCL has no `assert`",
        NOT,
        "write `if not … { panic(\"…\") }`, on three lines",
    ),
    Known::new(
        "LINE «await/async/defer/go/yield» …",
        "MCL has no `{1}`",
        NOT,
        "remove `{1}`: values and resources are updated when what they use changes",
    ),
    Known::new(
        "LINE «action : ~ NAME» …?",
        "MCL has no actions",
        NOT,
        "write the field `state`, as in `state => \"running\",`",
    ),
    Known::new("LINE NAME _ «: ~ NAME»", "MCL has no symbols", "expected `=>`", "write a string: `{1} => \"{2}\",`")
        .edit("=> \"{2}\","),
    Known::new(
        "@item LINE NAME «STR» EOL",
        "missing `=>` between field and value",
        "expected `=>`",
        "write `{1} => {2},`",
    )
    .edit("=> {2},"),
    Known::new(
        "@call LINE «NAME STR» {",
        "a resource is not a value",
        "a resource cannot stand here",
        "the body of a function is a single expression: write the resource outside of it",
    ),
    Known::new(
        "CAP [ … ] ~ . ~ «CAP»",
        "a field has a name in lower case",
        "expected a name in lower case",
        "write `{3:snake}`",
    )
    .edit("{3:snake}"),
    Known::new("«node/grains/pillar/facts/ohai [» …", "MCL has no `{1}`", "facts of another tool", FACTS),
    Known::new("«$ :: WORD»", "a variable has no `::`", "this looks like Puppet", FACTS),
];
