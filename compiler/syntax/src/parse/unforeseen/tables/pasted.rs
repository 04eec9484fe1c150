//! Text pasted from other tools as a whole: states, tasks, selectors. The help shows the same thing in MCL.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const NOT: &str = "not an MCL statement";
const PUPPET: &str = "this looks like Puppet";
const SALT: &str = "this looks like Salt";
const ANSIBLE: &str = "this looks like Ansible";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «NAME :» int/string/float/bool/number/bytes &/| …",
        "this looks like CUE",
        NOT,
        "write `{1:var} = …`; a type follows the name, as in `$port int = 8080`",
    ),
    Mistake::new(
        "=/=> STR «|» *? STR …?",
        "MCL has no `|`",
        "not an MCL operator",
        "write one value, such as `{2}`; for a fallback if a value fails, write `$value <|> $fallback`",
    ),
    Mistake::written("LINE VAR = «VALUE ? {»", "MCL has no selectors", PUPPET, rewrite::single_selector),
    Mistake::written("=/=>/(/, «VALUE ? {»", "MCL has no selectors", PUPPET, rewrite::selector),
    Mistake::written("@stmt LINE «WORD :» EOL", SALT, NOT, rewrite::salt),
    Mistake::written("@stmt LINE «WORD - …? :» EOL", SALT, NOT, rewrite::salt),
    Mistake::written("@stmt LINE «WORD WORD …? :» EOL", SALT, NOT, rewrite::salt),
    Mistake::written("@stmt LINE «/ … :» EOL", SALT, NOT, rewrite::salt),
    Mistake::written("@stmt LINE «STR :» EOL", SALT, NOT, rewrite::salt),
    Mistake::written("@stmt LINE «vars/set_fact :» EOL", ANSIBLE, NOT, rewrite::variables),
    Mistake::written("@stmt LINE «WORD :» EOL", ANSIBLE, NOT, rewrite::module),
    Mistake::written("@stmt LINE «WORD . WORD …? :» EOL", ANSIBLE, NOT, rewrite::module),
    Mistake::written("@stmt LINE «WORD :» WORD = …", ANSIBLE, NOT, rewrite::inline_task),
    Mistake::written(
        "LINE «notifies/subscribes =>» [ : ~ NAME , STR …? ] …?",
        "`{1}` is not an edge",
        "this looks like Chef",
        rewrite::chef_edge,
    )
    .covers(Cover::Line),
    Mistake::new(
        "@expr LINE ^ «- NAME :» …",
        "the elements of a list have no dashes",
        "this looks like YAML",
        "write each element as a struct with a comma after it: `struct{{1} => …},`",
    )
    .covers(Cover::Until("]")),
    Mistake::written("@stmt LINE «- WORD …? :» …?", "this looks like an Ansible task", NOT, rewrite::playbook),
    Mistake::new(
        "@stmt LINE «include_tasks/import_tasks/include_role/import_role/import_playbook : WORD» …?",
        ANSIBLE,
        NOT,
        "import another file with `import \"{2}.mcl\"`, and include its classes: `include {2}.name`",
    ),
    Mistake::new(
        "«!? defined (» …? )",
        "a program cannot check whether a resource is declared",
        PUPPET,
        "write the resource in a class, `class name { … }`, without the `if`, and `include name` where it is needed",
    ),
    Mistake::new(
        "LINE «function WORD :: WORD» ( …",
        "functions are defined with `func`",
        PUPPET,
        "write `func {1}_{2}($x str) { … }`: its body is one expression",
    ),
    Mistake::new(
        "LINE if «platform_family ? ( STR )» {? EOL",
        "MCL has no `platform_family?`",
        "this looks like Chef",
        "write `if os.family() == {1} { … }`, after `import \"os\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if «platform ? ( STR )» {? EOL",
        "MCL has no `platform?`",
        "this looks like Chef",
        "write `if os.family() == \"debian\" { … }`, after `import \"os\"`; Debian and Ubuntu belong to the same \
        family",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «link STR do» EOL",
        "this looks like Chef",
        NOT,
        "write `file {1} { state => \"exists\", source => \"/target\", symlink => true, }`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE «log STR do» EOL", "this looks like Chef", NOT, "write `print \"message\" { msg => {1}, }`")
        .covers(Cover::Indented),
    Mistake::new(
        "@block LINE «package/apt_package/yum_package/chef_gem/gem_package STR» EOL",
        "this looks like Chef",
        NOT,
        "install a package with `pkg {2} { state => \"installed\", }`",
    ),
    Mistake::new(
        "@block LINE «service STR» EOL",
        "this looks like Chef",
        NOT,
        "start a service with `svc {1} { state => \"running\", }`",
    ),
    Mistake::new(
        "LINE «import {» EOL",
        "MCL has no `import` blocks",
        "this looks like HCL",
        "remove the block: a resource that exists already is managed like any other; import a module with \
         `import \"name\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «<< : * ~ WORD» …?",
        "MCL has no anchors",
        "this looks like YAML",
        "define a variable, and use it in each place: `{1:var} = {\"a\" => 1}`",
    ),
    Mistake::new(
        "LINE «WORD : ! ~ Ref WORD» …?",
        "MCL has no `!Ref`",
        "this looks like CloudFormation",
        "refer to a variable by its name: `{2:var}`",
    ),
    Mistake::new(
        "LINE «WORD : ! ~ WORD» …?",
        "MCL has no `!{2}`",
        "this looks like YAML with tags",
        "write a variable as `{1:var} = …`",
    ),
];
