//! Statements that someone is still writing.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const WRITE: &str = "not complete";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «Meta : ^ FREE» …?",
        "a meta parameter belongs in a resource",
        "not an MCL statement",
        "write it among the fields of a resource: `kind \"name\" { Meta:{1} => …, }`",
    ),
    Mistake::new(
        "Meta ~ : ~ NAME «=>» ^ ,",
        "missing value for `Meta:{1}`",
        "expected a value after this",
        "write the value: `Meta:{1} => …,`",
    ),
    Mistake::new(
        "«Meta ~ : ~ NAME» ^ ,/}",
        "missing value for `Meta:{1}`",
        "expected `=>` and a value after this",
        "write the value: `Meta:{1} => …,`",
    ),
    Mistake::new("@item LINE «meta : NAME» =>", "`Meta` is capitalized", "expected `Meta`", "write `Meta:{1} => …,`")
        .edit("Meta:{1}"),
    Mistake::new(
        "@item LINE «meta ~ . ~ NAME» =>",
        "meta parameters are written with a colon",
        "expected `Meta:{1}`",
        "write `Meta:{1} => …,`",
    )
    .edit("Meta:{1}"),
    Mistake::half(
        "@def LINE «VAR» EOL",
        "unexpected end of the line",
        "expected `=`",
        "define a variable with `{1} = …`",
    ),
    Mistake::written("LINE VAR «=» EOL", "missing value after `=`", "a comment begins after this", rewrite::commented)
        .covers(Cover::Line),
    Mistake {
        code: crate::diag::codes::UNEXPECTED_TOKEN,
        ..Mistake::written("LINE VAR «=» EOL", "unexpected end of the line", "expected a value", rewrite::list_below)
    },
    Mistake::half(
        "LINE VAR «=» EOL",
        "unexpected end of the line",
        "expected a value",
        "write the value on the same line",
    )
    .covers(Cover::Indented),
    Mistake {
        code: crate::diag::codes::UNEXPECTED_TOKEN,
        ..Mistake::written("LINE NAME «=>» EOL", "unexpected end of the line", "expected a value", rewrite::value_below)
    },
    Mistake::half(
        "LINE NAME «=>» EOL",
        "unexpected end of the line",
        "expected a value",
        "write the value on the same line: `{1} => …,`",
    ),
    Mistake::new(
        "LINE NAME «=>» NAME =>",
        "missing value for the field `{1}`",
        "expected a value after this",
        "write the value, and each field on a separate line: `{1} => …,`",
    ),
    Mistake::new(
        "NAME «=>» ^ ,",
        "missing value for the field `{1}`",
        "expected a value after this",
        "write the value: `{1} => …,`",
    ),
    Mistake::new("@expr => «=>» VALUE", "unexpected second `=>`", "not expected here", "remove the second `=>`")
        .edit(""),
    Mistake::new(
        "=/=>/(/, «$» ,/)",
        "missing name of the variable",
        "expected a name after this",
        "write a variable as `$name`",
    ),
    Mistake::new(") ^ «)» ,? EOL", "unmatched `)`", "closes nothing", "remove it, or add the missing `(`")
        .covers(Cover::Match),
    Mistake {
        code: crate::diag::codes::FOREIGN_SIGN,
        ..Mistake::new(
            "LINE NAME/STR «= >» VALUE",
            "expected `=>`, found `= >`",
            "one operator, without a space",
            "write `=>` without a space",
        )
    }
    .edit("=>")
    .covers(Cover::Match),
    Mistake {
        code: crate::diag::codes::FOREIGN_SIGN,
        ..Mistake::new(
            "LINE NAME/STR «== ~ >» VALUE",
            "expected `=>`, found `==>`",
            "write `=>` between name and value",
            "replace `==>` with `=>`",
        )
    }
    .edit("=>")
    .covers(Cover::Match),
    Mistake::new(
        "STR «=>» ^ }",
        "missing value for this key",
        "expected a value after this",
        "write the value: `{{1} => …}`",
    ),
    Mistake::new(
        "CAP [ … ] ~ «. ^ ->»",
        "missing field of the first resource",
        "expected a name after the dot",
        "send a value from field to field: `Exec[\"a\"].output -> File[\"/b\"].content`",
    ),
    Mistake::new(
        "LINE } «NAME» {",
        "unexpected `{1}`",
        "expected `else`",
        "write `else` as `} else {`, and begin another statement on a separate line",
    ),
    Mistake::new("} «esle/eles/elese/els/esl» {", "unexpected `{1}`", "expected `else`", "did you mean `else`?")
        .edit("else"),
    Mistake::half(
        "LINE } «else» EOL",
        "unexpected end of the line",
        "expected `{`",
        "write the body in braces: `{ … }`",
    ),
    Mistake::half(
        "LINE } «NAME» EOL",
        "unexpected `{1}`",
        "expected the end of the line",
        "write `else` as `} else {`, and begin another statement on a separate line",
    ),
    Mistake::half(
        "LINE CAP [ STR ] «-» EOL",
        "unexpected end of the line",
        "expected `->`",
        "write an edge as `{1}[{2}] -> Kind[\"name\"]`",
    ),
    Mistake::half(
        "LINE CAP «=>» EOL",
        "unexpected end of the line",
        "expected a resource",
        "write `{1} => Kind[\"name\"],`",
    ),
    Mistake::half(
        "LINE CAP => «CAP [?» EOL",
        "unexpected end of the line",
        "expected a name in brackets",
        "write `{1} => {2}[\"name\"],`",
    ),
    Mistake::half(
        "LINE Meta «:? NAME?» EOL",
        "unexpected end of the line",
        "not complete",
        "write a meta parameter as `Meta:noop => true,`",
    ),
    Mistake::half(
        "@item LINE «NAME» EOL",
        "unexpected end of the line",
        "expected `=>`",
        "write a field as `{1} => …,`",
    ),
    Mistake::half(
        "LINE «import» EOL",
        "unexpected end of the line",
        "expected a string",
        "write the name of a module, as in `import \"fmt\"`",
    ),
    Mistake::half(
        "LINE import STR «as» EOL",
        "unexpected end of the line",
        "expected a name",
        "write the name that the file uses for the module, as in `import \"fmt\" as f`",
    ),
    Mistake::half(
        "LINE «include» EOL",
        "unexpected end of the line",
        "expected a name",
        "write the name of a class, as in `include base`",
    ),
    Mistake::half(
        "LINE «class» EOL",
        "unexpected end of the line",
        "expected a name",
        "write a class as `class name { … }`",
    ),
    Mistake::half(
        "LINE «func NAME? (? )?» EOL",
        "unexpected end of the line",
        WRITE,
        "write a function as `func name($x) { … }`",
    ),
    Mistake::half(
        "LINE VAR = … ^ «,» EOL",
        "unexpected `,`",
        "expected the end of the line",
        "statements are separated by newlines: remove the comma",
    ),
    Mistake::new(
        "LINE VAR = «VALUE if …» EOL",
        "the condition goes first",
        "not an MCL value",
        "write `{1} = if {3} { {2} } else { … }`, with the value in the other case",
    ),
    Mistake::new(
        "LINE VAR = «VALUE unless …» EOL",
        "the condition goes first",
        "not an MCL value",
        "write `{1} = if {3} { … } else { {2} }`, with the value in the other case",
    ),
    Mistake::half("LINE «if» EOL", "unexpected end of the line", "expected a condition", "write `if $cond { … }`"),
    Mistake::half("@block LINE !{ «if …» ^ EOL", "unexpected end of the line", "expected `{`", "write `if {1} { … }`"),
    Mistake::half(
        "LINE «for» VAR? ,? VAR? in? EOL",
        "unexpected end of the line",
        WRITE,
        "write a loop as `for $index, $value in $list { … }`",
    ),
    Mistake::half(
        "@block LINE !{ «for VAR , VAR in …» ^ EOL",
        "unexpected end of the line",
        "expected `{`",
        "write a loop as `for {1}, {2} in {3} { … }`",
    ),
    Mistake::half(
        "LINE CAP [ STR ] «->» EOL",
        "unexpected end of the line",
        "expected a resource",
        "write an edge as `{1}[{2}] -> Kind[\"name\"]`",
    ),
    Mistake::new(
        "@block LINE collect NAME «{ }» EOL",
        "missing name of the resources to collect",
        "expected a name before this",
        "write `collect {1} \"name\" {}`",
    ),
    Mistake::half(
        "@expr LINE collect NAME EOL",
        "unexpected end of the line",
        "expected a name",
        "write `collect {1} \"name\" {}`",
    ),
    Mistake {
        writes: Some(rewrite::included),
        ..Mistake::half("@expr LINE «NAME» EOL", "unexpected end of the line", "expected a name", "")
    },
    Mistake::half(
        "@expr LINE «NAME» EOL",
        "unexpected end of the line",
        "expected a name",
        "write a resource as `{1} \"name\" { … }`, and a variable as `${1} = …`",
    ),
    Mistake::half(
        "@block LINE exec «STR» EOL",
        "unexpected end of the line",
        "expected `{`",
        "write the command as a field: `exec \"name\" { cmd => {1}, }`",
    ),
    Mistake::new(
        "@block LINE «use/using/require/load/source/from/imprt/improt/imort/inport STR» EOL",
        "modules are imported with `import`",
        "MCL has no `{1}`",
        "write `import {2}`",
    )
    .edit("import {2}"),
    Mistake::half(
        "@block LINE NAME «STR» EOL",
        "unexpected end of the line",
        "expected `{`",
        "a resource needs a body, even if it is empty: `{1} {2} {}`",
    )
    .edit("{2} {}"),
    // Nothing above begins like this: the name of a state.
    Mistake::new(
        "LINE NAME NAME NAME? NAME? «:» EOL",
        "this looks like YAML",
        "not an MCL statement",
        "write a resource as `kind \"name\" { field => value, }`, and a variable as `$name = value`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «NAME ~ : ~ CAP» STR {",
        "a resource is declared in lower case",
        "expected a kind in lower case",
        "write each part of the kind in lower case, as in `docker:container \"name\" { … }`",
    )
    .covers(Cover::Indented),
    Mistake::written(
        "@stmt LINE «WORD :» …? EOL",
        "this looks like a makefile",
        "not an MCL statement",
        rewrite::target,
    ),
    Mistake::new(
        "LINE «NAME _ -/-- ~ WORD» …?",
        "this looks like a shell command",
        "not an MCL statement",
        "to run a command, write `exec \"name\" { cmd => \"/bin/command\", args => [\"…\"], }`",
    ),
    Mistake::new(
        "LINE «TYPO» WORD/STR/VAR …? EOL",
        "MCL has no `{1}`",
        "not an MCL statement",
        "did you mean `{1:keyword}`?",
    )
    .edit("{1:keyword}")
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «FREE FREE» EOL",
        "not an MCL statement",
        "two words",
        "write a resource as `kind \"name\" { field => value, }`; to run a command, write `exec \"name\" { cmd => \"…\", }`",
    ),
    // The lines that continue the expression are part of it.
    Mistake::half(
        "«+/*/and/or/==/!=/<|>» ^ EOL",
        "unexpected end of the line",
        "expected an expression",
        "write the value after `{1}` on the same line",
    )
    .covers(Cover::Indented),
    Mistake::half(
        "@start LINE ^ «+/and/or/==/!=/<|>» …",
        "unexpected `{1}`",
        "expected a statement",
        "an expression must be on one line: move this to the end of the previous line",
    ),
    Mistake::new(
        "LINE if … ^ «FREE STR {» …?",
        "blocks are written in braces",
        "expected `{`",
        "write `if {1} { … }`, with the resource on a separate line",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE for VAR , VAR in … ^ «FREE STR {» …?",
        "blocks are written in braces",
        "expected `{`",
        "write `for {1}, {2} in {3} { … }`, with the resource on a separate line",
    )
    .covers(Cover::Indented),
];
