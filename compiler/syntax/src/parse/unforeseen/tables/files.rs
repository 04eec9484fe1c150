//! Whole files of other formats, and what tools leave in a file.

use super::super::Known;
use super::super::cover::Cover;

const YAML: &str = "a resource is written `kind \"name\" { field => value, }`, a variable `$name = value`";
const TEMPLATE: &str = "insert a variable into a string with `\"${name}\"`";
const RENDER: &str = "to render a template, write `golang.template(\"…\", $values)`, after `import \"golang\"`";

pub(super) const TABLE: &[Known] = &[
    Known::new(
        "LINE «<<<<<<<",
        "unresolved merge conflict",
        "the conflict starts here",
        "keep one of the two versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`",
    )
    .covers(Cover::Until(">>>>>>>")),
    Known::new(
        "LINE «=======/>>>>>>> …?",
        "unresolved merge conflict",
        "left by a merge",
        "keep one of the two versions, and remove this line",
    ),
    Known::new("«<%/<%=/<%- …? %>", "MCL has no template tags", "this looks like ERB", TEMPLATE).more(RENDER),
    Known::new(
        "LINE {% «if/for/set/macro/block/include/extends/from» …? %}",
        "MCL has no template tags",
        "this looks like Jinja",
        "write `if $cond { … }` or `for $index, $value in $list { … }`",
    )
    .covers(Cover::Until("{% end")),
    Known::new("«{% …? %}»", "MCL has no template tags", "this looks like Jinja", TEMPLATE).more(RENDER),
    Known::new("«{{ $? . WORD …? } }»", "MCL has no template tags", "this looks like a Go template", TEMPLATE)
        .more(RENDER),
    Known::new("«{{ WORD } }»", "MCL has no template tags", "this looks like Jinja", "a variable is written `{1:var}`"),
    Known::new("«{{ … } }»", "MCL has no template tags", "this looks like Jinja", TEMPLATE).more(RENDER),
    Known::new("LINE «---» EOL", "this looks like YAML", "not a statement of MCL", YAML).covers(Cover::File),
    Known::new("LINE «include/import/class/for/if : » EOL", "this looks like YAML", "not a statement of MCL", YAML)
        .covers(Cover::Indented),
    Known::new("LINE / …? «:» EOL", "this looks like YAML", "not a statement of MCL", YAML).covers(Cover::Indented),
    Known::new("LINE «[ WORD ]» EOL", "this looks like an INI or TOML file", "not a statement of MCL", YAML)
        .covers(Cover::File),
    Known::new("LINE «[ [ WORD ] ]» EOL", "this looks like TOML", "not a statement of MCL", YAML).covers(Cover::File),
    Known::new("LINE «[ WORD . …? ]» EOL", "this looks like TOML", "not a statement of MCL", YAML).covers(Cover::File),
    Known::new("LINE «< /? WORD …? >", "this looks like XML or HTML", "not a statement of MCL", YAML),
    Known::new("LINE «<?", "this looks like XML or HTML", "not a statement of MCL", YAML),
    Known::new(
        "LINE «FROM/RUN/COPY/ADD/ENV/CMD/ENTRYPOINT/WORKDIR/EXPOSE/LABEL» WORD/STR/[/. …?",
        "this looks like a Dockerfile",
        "not a statement of MCL",
        "a container is declared with `docker:container \"name\" { image => \"…\", }`",
    )
    .covers(Cover::File),
    Known::new(
        "LINE «{ WORD ,/} …? :»",
        "this looks like Nix",
        "not a statement of MCL",
        "a program is a list of statements: `kind \"name\" { field => value, }`, `$name = value`",
    )
    .covers(Cover::File),
];
