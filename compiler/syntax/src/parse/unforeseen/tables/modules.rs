//! Imports and includes of other languages.

use super::super::Mistake;
use super::super::cover::Cover;

const PATH: &str = "the name of a module must be a string";
const NOT: &str = "not an MCL statement";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «from os/math/net/fmt/datetime/iter/regexp import» …",
        "modules are imported as a whole",
        NOT,
        "write `import \"{1}\"`, then `{1}.name(…)`",
    ),
    Mistake::new(
        "LINE «from … import» …",
        "modules are imported as a whole",
        NOT,
        "write `import \"name\"`, then `name.function(…)`; `mclive docs functions` lists the modules",
    ),
    Mistake::new(
        "LINE «import { …? } from» STR",
        "modules are imported as a whole",
        NOT,
        "write `import {2}`; its definitions have its name as a prefix, as in `name.value`",
    ),
    Mistake::new("LINE «import */WORD …? from» STR", "modules are imported as a whole", NOT, "write `import {3}`"),
    Mistake::new(
        "LINE «import os . path» …?",
        "the name of a module must be a string",
        "missing quotes",
        "write `import \"os\"` to read and check files, and `import \"golang/path\"` for the parts of a path",
    ),
    Mistake::new(
        "LINE «import os/sys/math/net/fmt/regexp/strings/datetime . WORD» …?",
        "the name of a module must be a string",
        "missing quotes",
        "write `import \"{1}\"`, and its name before each function, as in `{1}.name(…)`",
    ),
    Mistake::new(
        "LINE import «NAME» EOL",
        "the name of a module must be a string",
        "missing quotes",
        "write `import \"{1}\"`",
    )
    .edit("\"{1}\""),
    Mistake::new("LINE import «. / … . mcl» ;? EOL", PATH, "missing quotes", "write `import \"{1}.mcl\"`")
        .edit("\"{1}.mcl\""),
    Mistake::new("LINE import ^ «… . mcl» ;? EOL", PATH, "missing quotes", "write `import \"{1}.mcl\"`")
        .edit("\"{1}.mcl\""),
    Mistake::new(
        "LINE import ^ «.. / …» EOL",
        PATH,
        "missing quotes",
        "write the path in quotes: a file as `import \"../name.mcl\"`, a directory as `import \"../name/\"`",
    ),
    Mistake::new(
        "LINE import «[/{ STR» …?",
        "MCL has no import lists",
        "expected the name of a module",
        "write a line for each module: `import {2}`",
    ),
    Mistake::new(
        "LINE «import WORD . WORD» …?",
        "the name of a module must be a string",
        "missing quotes",
        "write `import \"fmt\"`; `mclive docs functions` lists the modules",
    ),
    Mistake::new(
        "LINE import STR as «NAME - NAME» …?",
        "names cannot contain hyphens",
        "expected a name",
        "write `_`: `import {1} as {2}_{3}`",
    ),
    Mistake::new(
        "LINE import WORD «as» WORD",
        "the name of a module must be a string",
        "missing quotes",
        "write `import \"{1}\" as {2}`",
    ),
    Mistake::new(
        "LINE «import WORD , …»",
        "each module is imported by a separate statement",
        "unexpected list",
        "write `import \"{1}\"`, and a separate line for each other module",
    ),
    Mistake::new(
        "LINE import «as» WORD",
        "missing name of the module",
        "expected a string before this",
        "write `import \"fmt\" as {1}`",
    ),
    Mistake::new(
        "LINE import STR «,» …",
        "each module is imported by a separate statement",
        "unexpected list",
        "write `import {1}`, and a separate line for each other module",
    ),
    Mistake::new(
        "LINE import «< WORD >» EOL",
        "the name of a module must be a string",
        "expected quotes",
        "write `import \"{1}\"`",
    )
    .edit("\"{1}\""),
    Mistake::new(
        "LINE «import . …",
        "the name of a module must be a string",
        "missing quotes",
        "write `import \"file.mcl\"`",
    ),
    Mistake::new(
        "LINE NAME «. / …» {",
        "a path must be a string",
        "missing quotes",
        "write the whole path: `{1} \"/path\" { … }`",
    ),
    Mistake::new("LINE «use std :: fmt/os/net» …?", "MCL has no `use`", NOT, "write `import \"{1}\"`"),
    Mistake::new(
        "LINE «use WORD :: …",
        "MCL has no `use`",
        NOT,
        "import a module by its name, as in `import \"fmt\"`; `mclive docs functions` lists the modules",
    ),
    Mistake::new(
        "LINE «package NAME» EOL",
        "MCL has no `package`",
        NOT,
        "remove the line: a module is named after its directory",
    ),
    Mistake::new(
        "LINE «include_recipe/include_role/include_tasks/import_tasks/import_role/require_relative» STR ^",
        "MCL has no `{1}`",
        NOT,
        "write `include name` for a class, and `import \"file.mcl\"` for a file",
    ),
    Mistake::new(
        "LINE include NAME «with/using/params» …",
        "MCL has no `{2}`",
        "expected the end of the line",
        "write the values in parentheses, in the order of the parameters: `include {1}(…)`",
    ),
    Mistake::new(
        "LINE collect «CAP [ VALUE ]» EOL",
        "a collected resource is declared",
        "a reference to a resource",
        "write `collect {1:snake} {2} {}`",
    )
    .edit("{1:snake} {2} {}"),
    Mistake::new(
        "LINE collect «STR» STR …",
        "the kind of a resource has no quotes",
        "expected a kind",
        "write `collect {1:bare} {2} {}`",
    )
    .edit("{1:bare}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE include NAME «{»",
        "the arguments of an `include` go in parentheses",
        "expected `(`",
        "write the values in parentheses, in the order of the parameters: `include {1}(…)`",
    ),
    Mistake::new(
        "LINE include WORD «,» …",
        "each class is included by a separate statement",
        "unexpected list",
        "write `include {1}`, and a separate line for each other class",
    ),
    Mistake::new(
        "LINE include … ( «VAR =>/=/:» VALUE )",
        "arguments have no names",
        "write only the value",
        "write the values in the order of the parameters: `include {1}({4})`",
    ),
    Mistake::new(
        "LINE include … (/, «VAR =>/=/:» VALUE",
        "arguments have no names",
        "write only the value",
        "write the values in the order of the parameters, as in `include name(1, 2)`",
    ),
    Mistake::new(
        "LINE include ^ «VAR» …?",
        "classes are included by name",
        "expected a name",
        "write `include name`; to choose between classes, write each `include` in the block of an `if`",
    ),
    Mistake::new(
        "LINE include «NAME / …» EOL",
        "a class is not a path",
        "expected a name",
        "import the file, and include its class: `import \"{1}.mcl\"`, and `include {1}.name`",
    ),
    Mistake::new(
        "LINE include ^ «./.. …» EOL",
        "a class is not a path",
        "expected a name",
        "import the file, and include its class: `import \"name.mcl\"`, and `include name.web`",
    ),
    Mistake::new(
        "LINE import STR «as STR» EOL",
        "the name of an import has no quotes",
        "expected a name",
        "write `import {1} as {2:bare}`",
    )
    .edit("as {2:bare}"),
    Mistake::new(
        "LINE import STR ^ «STR» …?",
        "each module is imported by a separate statement",
        "expected the end of the line",
        "write `import {1}` and `import {2}` on separate lines",
    ),
    Mistake::new(
        "LINE «realize CAP [ … ]» EOL",
        "MCL has no virtual resources",
        NOT,
        "write the resource in a class, and `include` the class where it is needed",
    ),
    Mistake::new("LINE «contain/require/realize/inherit WORD» EOL", "MCL has no `{1}`", NOT, "write `include {2}`"),
    Mistake::new("LINE «contain/require/realize WORD ::» …", "MCL has no `{1}`", NOT, "write `include {2}.name`"),
];
