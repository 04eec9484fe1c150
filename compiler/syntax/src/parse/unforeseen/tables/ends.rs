//! Lines that end too early: after a sign, within the head of a loop or a function, after half of an edge.

use super::super::Mistake;

const END: &str = "unexpected end of the line";
const SENT: &str = "send the value to a field of another resource: `{1}[{2}].{3} -> Kind[\"name\"].field`";
const LOOP: &str = "write a loop over a map as `forkv $key, $value in $map { … }`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::half("«$» EOL", END, "expected a name", "write the name of the variable after the `$`, as in `$name`"),
    Mistake::half(
        "=/=>/(/,/[ «struct» EOL",
        END,
        "expected `{`",
        "write a struct as `struct{name => \"…\", port => 80}`",
    ),
    Mistake::half("=/=>/(/, «func» EOL", END, "expected `(`", "write a function as `func($x) { … }`"),
    Mistake::half(
        "@block =/=>/(/, «func ( …? )» ^ EOL",
        END,
        "expected `{`",
        "write the value that it returns in braces: `func({2}) { … }`",
    ),
    Mistake::half("=/=> «if» EOL", END, "expected a condition", "write `if $cond { … } else { … }`"),
    Mistake::half("@block !{ =/=> «if …» ^ EOL", END, "expected `{`", "write `if {2} { … } else { … }`"),
    Mistake::half("LINE «forkv» VAR? ,? VAR? in? EOL", END, "not complete", LOOP),
    Mistake::half(
        "@block LINE «forkv VAR , VAR in …» ^ EOL",
        END,
        "expected `{`",
        "write a loop over a map as `forkv {1}, {2} in {3} { … }`",
    ),
    Mistake::half(
        "LINE include … «as» EOL",
        END,
        "expected a name",
        "write the name that its variables begin with, as in `include base as b`",
    ),
    Mistake::half("LINE «collect» EOL", END, "expected a kind", "write `collect file \"name\" {}`"),
    Mistake::half("LINE «panic» EOL", END, "expected `(`", "write `panic(\"…\")`"),
    Mistake::half(
        "LINE CAP [ STR ] -> «CAP» [? EOL",
        END,
        "expected a name in brackets",
        "write `{1}[{2}] -> {3}[\"name\"]`",
    ),
    Mistake::half(
        "LINE CAP [ STR ] «.» EOL",
        END,
        "expected the name of a field",
        "write the field that is sent, as in `Exec[\"a\"].output -> File[\"/b\"].content`",
    ),
    Mistake::half("LINE «CAP [ STR ] . NAME» EOL", END, "expected `->`", SENT),
    Mistake::half("LINE CAP [ STR ] . NAME «->» EOL", END, "expected a resource", SENT),
    Mistake::half(
        "LINE CAP [ STR ] . NAME -> CAP [ STR ] «.» EOL",
        END,
        "expected the name of a field",
        "write the field that receives the value after the dot, as in `{4}[{5}].content`",
    ),
    Mistake::new(
        "«+/*/==/!=/</>/<=/>=/and/or/not/in/<|>» ^ ,/)/]",
        "missing value after `{1}`",
        "expected a value after this",
        "write the value to the right of `{1}`",
    ),
    Mistake::sign("NAME/STR «=> ~ >» VALUE", "expected `=>`, found `=>>`", "replace `=>>` with `=>`", "=>"),
    Mistake::sign(
        "@item NAME «>» ATOM",
        "expected `=>`, found `>`",
        "in a resource, write `=>` between name and value",
        "=>",
    ),
];
