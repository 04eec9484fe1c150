//! Whole files of other formats, and what tools leave in a file.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::shape::Match;
use crate::diag::codes;

const YAML: &str = "write a resource as `kind \"name\" { field => value, }`, and a variable as `$name = value`";
const NGINX: &str = "write the configuration as the content of a file: \
     `file \"/etc/nginx/conf.d/site.conf\" { state => \"exists\", content => \"…\", }`";
const TEMPLATE: &str = "insert a variable into a string with `\"${name}\"`";
const RENDER: &str = "to render a template, write `golang.template(\"…\", $values)`, after `import \"golang\"`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «<<<<<<<",
        "unresolved merge conflict",
        "the conflict starts here",
        "keep one of the two versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`",
    )
    .covers(Cover::Until(">>>>>>>")),
    Mistake::new(
        "LINE «=======/>>>>>>> …?",
        "unresolved merge conflict",
        "left by a merge",
        "keep one of the two versions, and remove this line",
    ),
    Mistake::new("«<%/<%=/<%- …? %>", "MCL has no template tags", "this looks like ERB", TEMPLATE).more(RENDER),
    Mistake {
        code: codes::FOREIGN_COMMENT,
        cover: Cover::Past("#}"),
        ..Mistake::written("LINE «{» EOL", "comments begin with `#`", "this looks like Jinja", comment_of_jinja)
    },
    Mistake::new(
        "LINE «{% set WORD =» …",
        "MCL has no template tags",
        "this looks like Jinja",
        "write a variable as `{1:var} = …`",
    ),
    Mistake::new(
        "LINE {% «if/for/set/macro/block/include/extends/from» …? %}",
        "MCL has no template tags",
        "this looks like Jinja",
        "write `if $cond { … }` or `for $index, $value in $list { … }`",
    )
    .covers(Cover::Until("{% end")),
    Mistake::new("«{% …? %}»", "MCL has no template tags", "this looks like Jinja", TEMPLATE).more(RENDER),
    Mistake::new("«{{ $? . WORD …? } }»", "MCL has no template tags", "this looks like a Go template", TEMPLATE)
        .more(RENDER),
    Mistake::new("«{{ WORD } }»", "MCL has no template tags", "this looks like Jinja", "write a variable as `{1:var}`"),
    Mistake::new("«{{ … } }»", "MCL has no template tags", "this looks like Jinja", TEMPLATE).more(RENDER),
    Mistake {
        code: codes::FOREIGN_COMMENT,
        edit: Some("#"),
        ..Mistake::new(
            "LINE «--» …",
            "comments begin with `#`",
            "this does not start a comment",
            "replace `--` with `#`",
        )
    },
    Mistake::new(
        "LINE «SELECT/INSERT/UPDATE/DELETE/CREATE/ALTER/DROP/GRANT/TRUNCATE» WORD/*",
        "this looks like SQL",
        "not an MCL statement",
        "run SQL statements with a database client: `exec \"name\" { cmd => \"/usr/bin/psql\", args => [\"-c\", \
        \"…\"], }`",
    )
    .covers(Cover::Past(";")),
    Mistake::new(
        "LINE «listen/server_name/proxy_pass/access_log/error_log/try_files/worker_processes» … ; EOL",
        "this looks like an nginx configuration",
        "not an MCL statement",
        NGINX,
    ),
    Mistake::new("LINE «location» …? / …? {", "this looks like an nginx configuration", "not an MCL statement", NGINX)
        .covers(Cover::Indented),
    Mistake::new("LINE «---» EOL", "this looks like YAML", "not an MCL statement", YAML).covers(Cover::File),
    Mistake::new("LINE «include/import/class/for/if : » EOL", "this looks like YAML", "not an MCL statement", YAML)
        .covers(Cover::Indented),
    Mistake::new(
        "LINE / …? «:» EOL",
        "this looks like YAML",
        "not an MCL statement",
        "declare a file with `file \"/path\" { state => \"exists\", content => \"…\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «[ WORD ]» EOL", "this looks like an INI or TOML file", "not an MCL statement", YAML)
        .covers(Cover::File),
    Mistake::new("LINE «[ [ WORD ] ]» EOL", "this looks like TOML", "not an MCL statement", YAML).covers(Cover::File),
    Mistake::new("LINE «[ WORD . …? ]» EOL", "this looks like TOML", "not an MCL statement", YAML).covers(Cover::File),
    Mistake::new("LINE «< /? WORD …? >", "this looks like XML or HTML", "not an MCL statement", YAML),
    Mistake::new("LINE «<?", "this looks like XML or HTML", "not an MCL statement", YAML),
    Mistake::new(
        "LINE «{ WORD ,/} …? :»",
        "this looks like Nix",
        "not an MCL statement",
        "a program is a list of statements: `kind \"name\" { field => value, }`, `$name = value`",
    )
    .covers(Cover::File),
];

/// `{# … #}`: MCL reads a comment after the brace.
fn comment_of_jinja(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let help = || vec!["begin each line of the comment with `#`, and remove the braces".to_owned()];
    text.get(found.whole.1..)?.starts_with('#').then(help)
}
