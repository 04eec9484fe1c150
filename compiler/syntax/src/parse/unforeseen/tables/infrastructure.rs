//! Statements and values of languages that describe infrastructure: Bicep, Dhall, Jsonnet, Nix, Pulumi, PowerShell, Salt.

use super::super::Mistake;
use super::super::cover::Cover;

const NOT: &str = "not an MCL statement";
const BICEP: &str = "this looks like Bicep";
const DHALL: &str = "this looks like Dhall";
const NIX: &str = "this looks like Nix";
const PULUMI: &str = "this looks like Pulumi";
const LET: &str = "MCL has no `let … in`";
const DEFINE: &str = "write `{1:var} = {2}` in a separate statement";
const METHODS: &str = "values have no methods";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «output WORD WORD =» …",
        "MCL has no `output`",
        BICEP,
        "print a value with `print \"{1}\" { msg => \"…\", }`",
    ),
    Mistake::new(
        "=/=>/(/, «\\ (? WORD» …",
        "functions are defined with `func`",
        DHALL,
        "write `func({2:var}) { … }`",
    ),
    Mistake::new(
        "LINE VAR = [ ] «: List WORD» EOL",
        "the type of a variable follows its name",
        DHALL,
        "write `{1} []str = []`",
    ),
    Mistake::new("LINE «let WORD = …» ; in {", LET, NIX, DEFINE).covers(Cover::Until("}")),
    Mistake::new("LINE «let WORD = …» ; in …", LET, NIX, DEFINE),
    Mistake::new(
        "«terraform ~ . ~ workspace» …?",
        "MCL has no workspaces",
        "this looks like HCL",
        "define a variable, as in `$workspace = \"prod\"`, or compare the name of the host: `$hostname == \"web1\"`",
    ),
    Mistake::new(
        "@item LINE «inherit FREE» ;? EOL",
        "MCL has no `inherit`",
        NIX,
        "write the field in full: `{1} => ${1},`",
    ),
    Mistake::new(
        "LINE «inherit …» ;? EOL",
        "MCL has no `inherit`",
        NIX,
        "write each value with its name: `$name = …`",
    ),
    Mistake::new(
        "LINE «WORD = WORD . … CAP (» …",
        "a resource is not a value",
        PULUMI,
        "write `kind \"name\" { field => value, }`, without a variable; an edge refers to it as `Kind[\"name\"]`",
    ),
    Mistake::new(
        "«VAR ~ . ~ WORD ~ . ~ apply ~ (» FREE …",
        METHODS,
        PULUMI,
        "use the value itself, `{1}->{2}`: whatever is computed from it is updated when it changes",
    ),
    Mistake::new(
        "«VAR ~ . ~ apply ~ (» FREE …",
        METHODS,
        PULUMI,
        "use `{1}` itself: whatever is computed from it is updated when it changes",
    ),
    Mistake::new(
        "=/=>/(/+ «Get/Set/New/Remove/Add/Test/Start/Stop/Restart/Invoke/Import/Export/ConvertTo/ConvertFrom/Join/Split/\
         Copy/Move/Read/Write/Out/Select/Where/Install/Enable/Disable ~ - ~ CAP» …?",
        "MCL has no cmdlets",
        "this looks like PowerShell",
        "read a file with `os.readfile(\"/path\")`, and the output of a command with `os.system(\"…\")`, after `import \"os\"`",
    ),
    Mistake::new(
        "=/=>/(/,/+/: «self/this ~ . ~ WORD» ^",
        "MCL has no `{2}`",
        "a map or a resource cannot refer to itself",
        "define a variable for the value first, `{3:var} = …`, and use it in both places",
    )
    .covers(Cover::Match),
    Mistake::new(
        "LINE «file ~ . ~ managed/directory/symlink :» EOL",
        "this looks like Salt",
        NOT,
        "write a state as a resource: a file as `file \"/path\" { state => \"exists\", content => \"…\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «cmd/pkg/file/service/user/group/git/mount/archive ~ . ~ run/wait/installed/latest/managed/directory/\
         running/present/absent/cloned/symlink :» EOL",
        "this looks like Salt",
        NOT,
        "write a state as a resource: a command as `exec \"name\" { cmd => \"…\", }`, a package as `pkg \"name\" { state => \"installed\", }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "@stmt LINE «pkg/pkgs/packages :» EOL",
        "this looks like YAML",
        NOT,
        "install packages with `pkg [\"git\", \"vim\"] { state => \"installed\", }`",
    )
    .covers(Cover::Indented),
];
