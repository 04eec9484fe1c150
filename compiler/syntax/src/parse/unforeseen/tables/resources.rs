//! Statements that stand for a resource, and parts of one.

use super::super::Mistake;
use super::super::cover::Cover;

const NOT: &str = "not an MCL statement";
const FACTS: &str =
    "facts are functions, such as `os.family()` after `import \"os\"` and `sys.cpu_count()` after `import \"sys\"`";
const PANIC: &str = "to stop with an error, write `panic(\"…\")`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «puts/echo/print/println/printf/notice/say/warn/info/debug/log STR» EOL",
        "messages are printed by resources",
        "not a resource",
        "write `print \"message\" { msg => {2}, }`",
    )
    .edit("print \"message\" { msg => {2}, }"),
    Mistake::new(
        "LINE «puts/echo/print/println/printf/notice/say/warn/info/debug/log ~ ( STR )» ;? EOL",
        "messages are printed by resources",
        "not a resource",
        "write `print \"message\" { msg => {2}, }`",
    )
    .edit("print \"message\" { msg => {2}, }"),
    Mistake::new(
        "LINE !{ «echo/puts/print/say» … EOL",
        "messages are printed by resources",
        NOT,
        "write `print \"name\" { msg => \"…\", }`",
    ),
    Mistake::new(
        "LINE «fmt . Println/Printf/Print» …",
        "messages are printed by resources",
        NOT,
        "write `print \"name\" { msg => \"…\", }`",
    ),
    Mistake::new(
        "LINE «println/print/eprintln/eprint/dbg ~ !» (",
        "messages are printed by resources",
        NOT,
        "write `print \"name\" { msg => \"…\", }`",
    ),
    Mistake::new("LINE «raise/throw» … EOL", "MCL has no `{1}`", NOT, PANIC),
    Mistake::new(
        "@block LINE «return …» EOL",
        "MCL has no `return`",
        NOT,
        "the value of a function is its single expression, as in `func name($x) { $x + 1 }`",
    ),
    Mistake::new(
        "LINE «assert …» EOL",
        "MCL has no `assert`",
        NOT,
        "to stop with an error, write `panic(\"…\")` in the block of an `if`",
    ),
    Mistake::new(
        "LINE «await/async/defer/go/yield» … EOL",
        "MCL has no `{1}`",
        NOT,
        "remove `{1}`: values and resources are updated when what they use changes",
    ),
    Mistake::new(
        "LINE «action : ~ NAME» …?",
        "MCL has no actions",
        NOT,
        "write the field `state`, as in `state => \"running\",`",
    ),
    Mistake::new(
        "LINE «action => [? : ~ create/touch/create_if_missing» …?",
        "MCL has no actions",
        "expected a field",
        "write the field `state`: `state => \"exists\",`",
    ),
    Mistake::new(
        "LINE «action => [? : ~ install/upgrade» …?",
        "MCL has no actions",
        "expected a field",
        "write the field `state`: `state => \"installed\",`, or `state => \"newest\",` for the latest version",
    ),
    Mistake::new(
        "LINE «action => [? : ~ NAME» …?",
        "MCL has no actions",
        "expected a field",
        "write the field `state`, as in `state => \"running\",`",
    ),
    Mistake::new(
        "@item LINE «action [» …",
        "MCL has no actions",
        NOT,
        "write the field `state`, as in `state => \"running\",`",
    ),
    Mistake::new("LINE NAME _ «: ~ NAME»", "MCL has no symbols", "expected `=>`", "write a string: `{1} => \"{2}\",`")
        .edit("=> \"{2}\","),
    Mistake::new(
        "@item LINE ^ «if» …",
        "a resource cannot contain statements",
        "expected a field",
        "to set a field conditionally, write `name => $condition ?: value,`; for a conditional value, write `if $condition { … } else { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE ^ «for/forkv» …",
        "a resource cannot contain statements",
        "expected a field",
        "write the loop around the resource: `for $index, $value in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «foreach/each» …",
        "a resource cannot contain statements",
        "expected a field",
        "write the loop around the resource: `for $index, $value in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE ^ «VAR =» …",
        "a resource cannot contain statements",
        "expected a field",
        "define the variable before the resource",
    ),
    Mistake::new(
        "@item LINE «let/const/var/local WORD/VAR =» …",
        "a resource cannot contain statements",
        "expected a field",
        "define the variable before the resource: `{2:var} = …`",
    ),
    Mistake::new(
        "@item LINE ^ «include/import/class/func» …",
        "a resource cannot contain statements",
        "expected a field",
        "write the statement outside of the resource",
    ),
    Mistake::new(
        "@item LINE «only_if/onlyif {/do» …?",
        "MCL has no `{1}`",
        "expected a field",
        "write the condition as a command: `ifcmd => \"…\",` runs `cmd` only if it succeeds",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «not_if/unless {/do» …?",
        "MCL has no `{1}`",
        "expected a field",
        "write the condition as a command: `nifcmd => \"…\",` runs `cmd` only if it fails",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «NAME ^ STR {» …?",
        "a resource cannot contain blocks",
        "expected a field",
        "write another resource before or after this one; write a field as `{1} => …,`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «. NAME =/:/=>» …",
        "the name of a field has no `.`",
        "expected a field",
        "write `{1} => …,`",
    )
    .edit("{1} =>"),
    Mistake::new(
        "@item LINE ^ «VAR =>» …",
        "the name of a field has no `$`",
        "expected a field",
        "write a field as `name => value,`",
    ),
    Mistake::new(
        "@item LINE NAME => «VALUE , STR/NUM/VAR» ,? EOL",
        "several values must be in a list",
        "expected one value",
        "write `{1} => [{2}, {3}],`",
    )
    .edit("[{2}, {3}]"),
    Mistake::new(
        "@item LINE NAME => «VALUE , STR/NUM/VAR , …» EOL",
        "several values must be in a list",
        "expected one value",
        "write the values in brackets: `{1} => [{2}, {3}, …],`",
    ),
    Mistake::sign(
        "LINE Depend/Before/Notify/Listen «:» CAP …",
        "expected `=>`, found `:`",
        "in a resource, write `=>` between name and value",
        "=>",
    )
    .covers(Cover::Line),
    Mistake::new(
        "LINE Depend/Before/Notify/Listen «CAP» [ …",
        "missing `=>` after `{1}`",
        "expected `=>` before this",
        "write `{1} => {2}[…],`",
    ),
    Mistake::new(
        "@block LINE NAME STR «(» EOL",
        "the body of a resource is written in braces",
        "expected `{`",
        "write `{1} {2} { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Until(")")),
    Mistake::new(
        "@block LINE NAME STR «( … )» EOL",
        "the body of a resource is written in braces",
        "expected `{`",
        "write `{1} {2} { … }`, with each field as `name => value,`",
    ),
    Mistake::new(
        "@item LINE «* =>» …",
        "the fields of a resource are written one by one",
        "expected a field",
        "write each field in full, as in `mode => $options->mode,`",
    ),
    Mistake::new(
        "@item LINE ^ «STR» =>/:/= …",
        "the name of a field has no quotes",
        "expected a field",
        "write `{1:bare} => …,`",
    )
    .edit("{1:bare}"),
    Mistake::new(
        "LINE FREE «{ STR , … }» {",
        "several names must be in a list",
        "expected one name, or a list",
        "write `{1} [{2}, {3}] { … }`",
    )
    .edit("[{2}, {3}]"),
    Mistake::new(
        "@item LINE NAME «{» …?",
        "missing `=>` between field and value",
        "expected `=>`",
        "write a field as `{1} => …,`; its value may be a map, `{\"a\" => 1}`, or a struct, `struct{a => 1}`",
    )
    .covers(Cover::Indented),
    Mistake::new("@item , ~ «,»", "unexpected `,`", "the item has ended", "remove the second `,`")
        .edit("")
        .covers(Cover::Match),
    Mistake::new(
        "@item LINE NAME «VAR/NUM» ,? EOL",
        "missing `=>` between field and value",
        "expected `=>`",
        "write `{1} => {2},`",
    )
    .edit("=> {2}")
    .covers(Cover::Match),
    Mistake::new(
        "@item LINE NAME «STR» EOL",
        "missing `=>` between field and value",
        "expected `=>`",
        "write `{1} => {2},`",
    )
    .edit("=> {2},"),
    Mistake::new(
        "@item LINE NAME ^ «/ …» ,/;? EOL",
        "missing `=>` between field and value",
        "expected `=>`",
        "a path must be a string: write `{1} => \"/…\",`",
    ),
    Mistake::new(
        "@item ^ «CAP» =>",
        "unknown item `{1}`",
        "expected a field, `Meta` or an edge",
        "the names of fields are in lower case; the edges are `Depend`, `Before`, `Notify` and `Listen`",
    ),
    Mistake::new(
        "@item LINE «- WORD/STR/NUM» …?",
        "lists are written in brackets",
        "this looks like YAML",
        "write the list after the `=>`, as in `groups => [\"a\", \"b\"],`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE NAME STR «:» EOL",
        "blocks are written in braces",
        "expected `{`",
        "write `{1} {2} { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE FREE [ … ] «:» EOL",
        "blocks are written in braces",
        "expected `{`",
        "write `{1} [{2}] { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE VAR = «FREE STR {» …?",
        "a resource is not a value",
        "a resource is declared here",
        "write a statement, `{2} {3} { … }`; an edge refers to it as `{2:kind}[{3}]`",
    ),
    Mistake::new(
        "@start LINE «STR» { …?",
        "missing kind of the resource",
        "expected a kind before this",
        "write the kind before the name, as in `file \"/path\" { … }`",
    ),
    Mistake::new(
        "LINE «pkg/package FREE installed/present/latest» EOL",
        "a resource has a body",
        "expected a name in quotes, and a body",
        "write `pkg \"{2}\" { state => \"installed\", }`",
    ),
    Mistake::new(
        "LINE «svc FREE running/started» EOL",
        "a resource has a body",
        "expected a name in quotes, and a body",
        "write `svc \"{1}\" { state => \"running\", }`",
    ),
    Mistake::new(
        "@call LINE «NAME STR/VAR» {",
        "a resource is not a value",
        "a resource is not allowed here",
        "the body of a function is a single expression: write the resource outside of it",
    ),
    Mistake::new(
        "CAP [ … ] ~ . ~ «CAP»",
        "field names are in lower case",
        "expected a name in lower case",
        "write `{3:snake}`",
    )
    .edit("{3:snake}"),
    Mistake::new(
        "«node/grains/pillar/facts/ohai/hostvars/groups/ansible_facts/salt/facter [» …",
        "MCL has no `{1}`",
        "facts from another tool",
        FACTS,
    ),
    Mistake::new(
        "=/=>/(/,/[/if/==/!=/in «node/grains/pillar/facts/ohai/hostvars/ansible_facts/facter . NAME .? NAME? .? NAME?» ^",
        "MCL has no `{2}`",
        "facts from another tool",
        FACTS,
    ),
    Mistake::new(
        "=/=>/(/,/[/if/==/!=/in «ansible_hostname/ansible_fqdn/ansible_nodename/inventory_hostname» ^",
        "MCL has no `{2}`",
        "a fact from another tool",
        "for the name of the host, write `$hostname`",
    )
    .edit("$hostname"),
    Mistake::new(
        "=/=>/(/,/[/if/==/!=/in «ansible_os_family/ansible_distribution/osfamily/operatingsystem» ^",
        "MCL has no `{2}`",
        "a fact from another tool",
        "for the family of the distribution, write `os.family()`, after `import \"os\"`",
    ),
    Mistake::new(
        "=/=>/(/,/[/if/==/!=/in «item . NAME» ^",
        "MCL has no `item`",
        "not a variable",
        "name the variables of a loop in its head: `for $index, $item in $list { … }`, and write a field as `$item->{2}`",
    ),
    Mistake::new(
        "@block LINE NAME [ … ] «:/=/=>» {",
        "unexpected `{3}`",
        "not part of the name",
        "write `{1} [{2}] { … }`: the names of a resource go before its `{`",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "@block LINE NAME VAR/STR «:/=/=>» {",
        "unexpected `{3}`",
        "not part of the name",
        "write `{1} {2} { … }`: the name of a resource goes before its `{`",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "@stmt LINE FREE «:» STR {",
        "unexpected `:`",
        "not part of the kind",
        "write `{1} {2} { … }`: the name of a resource follows its kind",
    )
    .edit(""),
    Mistake::new("«$ :: WORD»", "a variable has no `::`", "this looks like Puppet", FACTS),
];
