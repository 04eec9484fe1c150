//! Fields and statements of other tools that manage hosts: Puppet, Ansible, Salt, Chef, Terraform, Nix, CFEngine.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const NOT: &str = "not an MCL statement";
const FIELD: &str = "expected a field";
const PARAM: &str = "the type of a parameter follows its name";
const PUPPET: &str = "this looks like Puppet";
const LOOP: &str = "write a loop around the resource, or give it a list of names: `pkg [\"vim\", \"git\"] { … }`";
const DEPEND: &str = "write an item for each resource: `Depend => Kind[\"name\"],`";
const LISTEN: &str = "write an item for each resource: `Listen => Kind[\"name\"],`";
const COLONS: &str = "the name of a class has no `::`";
const CLASS: &str =
    "write `class {1}_{2} { … }`, and `include {1}_{2}`; to include a class of a module, write `include module.name`";
const PACKAGE: &str = "install a package with `pkg \"{2:bare}\" { state => \"installed\", }`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new("LINE ^ «Integer VAR =» …", PARAM, PUPPET, "write `{1} int`; parameters have no default values"),
    Mistake::new("LINE ^ «String VAR =» …", PARAM, PUPPET, "write `{1} str`; parameters have no default values"),
    Mistake::new("LINE ^ «Boolean VAR =» …", PARAM, PUPPET, "write `{1} bool`; parameters have no default values"),
    Mistake::new("LINE include «:: WORD» EOL", COLONS, PUPPET, "write `include {1}`").edit("{1}"),
    Mistake::new(
        "LINE include «:: WORD :: WORD» EOL",
        COLONS,
        PUPPET,
        "write `include {1}.{2}`, after `import \"{1}/\"`; for a class of this file, write `include {1}_{2}`",
    ),
    Mistake::new(
        "LINE include «:: …»",
        COLONS,
        PUPPET,
        "write `include name`; to include a class of a module, write `include module.name`",
    ),
    Mistake::new("LINE class «WORD :: WORD» inherits …", COLONS, PUPPET, CLASS)
        .more("MCL has no inheritance: include a class in another one with `include name`")
        .covers(Cover::Match),
    Mistake::new("LINE class «WORD :: WORD» …", COLONS, PUPPET, CLASS).covers(Cover::Match),
    Mistake::new(
        "LINE «stage {» …",
        "MCL has no stages",
        PUPPET,
        "write the order as an edge between two resources: `Kind[\"a\"] -> Kind[\"b\"]`",
    ),
    Mistake::new(
        "LINE «node default» {",
        "MCL has no `node`",
        NOT,
        "remove the line and its `}`: statements outside of an `if` apply to every host",
    ),
    Mistake::new(
        "LINE «tag STR» …? EOL",
        "MCL has no tags",
        NOT,
        "remove the line: group resources in a class, `class name { … }`",
    ),
    Mistake::new(
        "LINE «- hosts :» …",
        "this looks like an Ansible playbook",
        NOT,
        "write a task as a resource, as in `pkg \"nginx\" { state => \"installed\", }` and `svc \"nginx\" { state => \"running\", }`",
    )
    .more("write tasks for one host in `if $hostname == \"name\" { … }`")
    .covers(Cover::File),
    Mistake::new(
        "LINE «- name :» …",
        "this looks like an Ansible task",
        NOT,
        "write a task as a resource, as in `pkg \"nginx\" { state => \"installed\", }` and `svc \"nginx\" { state => \"running\", }`",
    )
    .covers(Cover::File),
    Mistake::new(
        "LINE «tasks/handlers/roles/pre_tasks/post_tasks :» EOL",
        "this looks like Ansible",
        NOT,
        "group resources in a class: `class name { … }`, and `include name`",
    )
    .more("write a handler as a resource that another one notifies: `Notify => Svc[\"name\"],`")
    .covers(Cover::Indented),
    Mistake::new(
        "«Meta => noop/autoedge/autogroup/hidden/reset/rewatch/realize/reverse/dollar» ,/}",
        "a meta parameter has a value",
        "expected `Meta:{1}`",
        "write `Meta:{1} => true,`",
    )
    .edit("Meta:{1} => true"),
    Mistake::new("«Meta :: NAME» =>", "a meta parameter has one colon", "expected `Meta:{1}`", "write `Meta:{1} => …,`")
        .edit("Meta:{1}"),
    Mistake::new(
        "LINE «Meta =>» { WORD …",
        "meta parameters are separate items",
        "expected `:`",
        "write an item for each: `Meta:noop => true,`",
    ),
    Mistake::new(
        "LINE Meta «{» …?",
        "meta parameters are separate items",
        "expected `:`",
        "write an item for each: `Meta:noop => true,`",
    ),
    Mistake::new(
        "@item LINE «become :/= …»",
        "MCL has no `become`",
        FIELD,
        "remove the line: everything runs as the user of the agent",
    ),
    Mistake::new(
        "LINE «gather_facts/become/remote_user/vars_files :» …?",
        "this looks like an Ansible playbook",
        NOT,
        "remove the line: a program describes the host that it runs on; for some hosts only, write `if $hostname == \"name\" { … }`",
    ),
    Mistake::new(
        "LINE «hosts : WORD/STR» EOL",
        "this looks like an Ansible playbook",
        NOT,
        "remove the line: a program describes the host that it runs on; for some hosts only, write `if $hostname == \"name\" { … }`",
    ),
    Mistake::new(
        "LINE «apt/yum/dnf/package/pip :» EOL",
        "this looks like Ansible",
        NOT,
        "install packages with `pkg [\"git\", \"vim\"] { state => \"installed\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «include :» EOL", "this looks like Salt", NOT, "write a line for each class: `include name`")
        .covers(Cover::Indented),
    Mistake::new("LINE «hiera_include/contain_classes (» …", "MCL has no `{1}`", NOT, "write a line for each class: `include name`"),
    Mistake::new("LINE «apt/yum/dnf/package : name =» WORD …?", "this looks like Ansible", NOT, PACKAGE),
    Mistake::new(
        "LINE «service/systemd : name =» WORD …?",
        "this looks like Ansible",
        NOT,
        "start a service with `svc \"{2}\" { state => \"running\", }`",
    ),
    Mistake::new(
        "LINE «block/rescue/always :» EOL",
        "this looks like Ansible",
        NOT,
        "write the tasks as resources: a failed one is retried with `Meta:retry => 3,`, and those that depend on it wait",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «WORD : & ~ WORD» EOL",
        "MCL has no anchors",
        "this looks like YAML",
        "define a variable, and use it in each place: `{2:var} = {\"a\" => 1}`",
    )
    .covers(Cover::File),
    Mistake::new(
        "@item LINE «notify : restart/reload/start WORD» ,? EOL",
        "the edge is named `Notify`",
        FIELD,
        "write `Notify => Svc[\"{2}\"],`",
    )
    .edit("Notify => Svc[\"{2}\"],"),
    Mistake::new(
        "LINE «notifies =>» : ~ WORD , …",
        "`notifies` is not an edge",
        "the edge is named `Notify`",
        "write the resource that is notified: `Notify => Kind[\"name\"],`",
    ),
    Mistake::new(
        "LINE «subscribes =>» : ~ WORD , …",
        "`subscribes` is not an edge",
        "the edge is named `Listen`",
        "write the resource whose changes are notified: `Listen => Kind[\"name\"],`",
    ),
    Mistake::new(
        "@item LINE «notifies/subscribes : ~ WORD» …?",
        "MCL has no `{1}`",
        FIELD,
        "write `Notify => Svc[\"name\"],`, or `Listen => Kind[\"name\"],` in the other resource",
    ),
    Mistake::new(
        "@item LINE «when :/= …»",
        "MCL has no `when`",
        FIELD,
        "write the condition around the resource: `if $condition { … }`",
    ),
    Mistake::new("@item LINE «loop/with_items/for_each/count :/= …»", "MCL has no `{1}`", FIELD, LOOP),
    Mistake::new(
        "@item LINE «register :/= …»",
        "MCL has no `register`",
        FIELD,
        "to use a value of a resource, send it with an edge: `Exec[\"a\"].output -> File[\"/b\"].content`",
    ),
    Mistake::new("@item LINE «tags :/= …»", "MCL has no tags", FIELD, "remove the line"),
    Mistake::written(
        "LINE «depends_on/require/requires/require_in/before/notify/watch/watch_in/listen/listen_in/subscribe/onchanges/\
         onchanges_in :/=/=> [» …",
        "`{1}` is not an edge",
        "each edge is a separate item",
        rewrite::edges,
    )
    .covers(Cover::Line),
    Mistake::written(
        "LINE «Before/Notify/Depend/Listen =>/= [» …",
        "an edge refers to one resource",
        "each edge is a separate item",
        rewrite::edges,
    )
    .covers(Cover::Line),
    Mistake::new(
        "LINE «depends_on/depends/require/requires/after :/=/=> [» …",
        "`{1}` is not an edge",
        "the edge is named `Depend`",
        DEPEND,
    ),
    Mistake::new(
        "LINE «watch/listen/subscribe/onchanges :/=/=> [» …",
        "`{1}` is not an edge",
        "the edge is named `Listen`",
        LISTEN,
    ),
    Mistake::new(
        "@item LINE NAME «:» EOL",
        "missing `=>` between field and value",
        "expected `=>` and a value",
        "write the value on the same line: a list is `{1} => [\"a\", \"b\"],`, a map `{1} => {\"a\" => 1},`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «lifecycle {» …?",
        "MCL has no `lifecycle`",
        FIELD,
        "remove the block: a resource is only removed with `state => \"absent\",`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «timeouts {» …?",
        "MCL has no `timeouts`",
        FIELD,
        "set the time limit of one check with a meta parameter, in milliseconds: `Meta:timeout => 600000,`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «dynamic STR {» …?",
        "MCL has no `dynamic`",
        FIELD,
        "write a list or a map as the value of a field: `name => [\"a\", \"b\"],`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@item LINE «provisioner STR {» …?",
        "MCL has no `provisioner`",
        FIELD,
        "write another resource, `exec \"name\" { cmd => \"…\", }`, with `Depend => Kind[\"name\"],`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "«each ~ . ~ key/value» ^",
        "MCL has no `each`",
        "this looks like HCL",
        "write the loop around the resource, and its variables: `for $index, $value in $list { … }`",
    ),
    Mistake::new(
        "LINE «services . WORD . enable =» …",
        "this looks like Nix",
        NOT,
        "start a service with `svc \"{1}\" { state => \"running\", }`",
    ),
    Mistake::new(
        "LINE «environment . systemPackages =» …",
        "this looks like Nix",
        NOT,
        "install packages with `pkg [\"git\", \"vim\"] { state => \"installed\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «users . users . WORD» …",
        "this looks like Nix",
        NOT,
        "create a user with `user \"{1}\" { state => \"exists\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «package/apt_package/yum_package STR do» EOL",
        "this looks like Chef",
        NOT,
        PACKAGE,
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «service STR do» EOL",
        "this looks like Chef",
        NOT,
        "start a service with `svc {1} { state => \"running\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «directory STR do» EOL",
        "this looks like Chef",
        NOT,
        "write a directory as a `file` whose path ends with a slash: `file \"{1:bare}/\" { state => \"exists\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «file/cookbook_file/remote_file STR do» EOL",
        "this looks like Chef",
        NOT,
        "write `file {2} { state => \"exists\", content => \"…\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «user/group STR do» EOL", "this looks like Chef", NOT, "write `{1} {2} { state => \"exists\", }`")
        .covers(Cover::Indented),
    Mistake::new("LINE «execute/bash/script STR do» EOL", "this looks like Chef", NOT, "write `exec {2} { cmd => \"…\", }`")
        .covers(Cover::Indented),
    Mistake::new("LINE «cron STR do» EOL", "this looks like Chef", NOT, "write `cron {1} { trigger => \"OnCalendar\", time => \"*-*-* 03:00:00\", }`")
        .covers(Cover::Indented),
    Mistake::new(
        "LINE «template STR do» EOL",
        "this looks like Chef",
        NOT,
        "write `file {1} { state => \"exists\", content => golang.template(deploy.readfile(\"/name.tmpl\"), $values), }`, after \
         `import \"golang\"` and `import \"deploy\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «bundle agent/common/server WORD» …?",
        "this looks like CFEngine",
        NOT,
        "group resources in a class: `class {2} { … }`, and `include {2}`",
    )
    .covers(Cover::File),
    Mistake::new(
        "LINE «entity/implement/implementation/typedef CAP/WORD» …?",
        "this looks like an Inmanta model",
        NOT,
        "write the model in a file that ends in `.cf`; in MCL, group resources in a class: `class name { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «Write ~ - ~ Host/Output/Warning/Error/Verbose STR» EOL",
        "messages are printed by resources",
        "this looks like PowerShell",
        "write `print \"message\" { msg => {2}, }`",
    )
    .edit("print \"message\" { msg => {2}, }"),
    Mistake::new(
        "LINE «CAP ~ - ~ CAP» …?",
        "this looks like PowerShell",
        NOT,
        "to run a command, write `exec \"name\" { cmd => \"/bin/command\", args => [\"…\"], }`",
    ),
    Mistake::new(
        "LINE «< ~ ? ~ php» …?",
        "this looks like PHP",
        NOT,
        "remove the line: a program is a list of statements, as in `print \"name\" { msg => \"…\", }`",
    ),
];
