//! Commands and tests of a shell.

use super::super::Mistake;
use super::super::cover::Cover;

const RUN: &str = "to run a command, write `exec \"name\" { cmd => \"…\", }`";
const SHELL: &str = "this looks like a shell command";
const NOT: &str = "not an MCL statement";
const IN_CLASS: &str = "for resources, write a class: `class {1}($param) { … }`, and `include {1}(…)`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE if «[ [? VAR - ~ gt VALUE ]» …",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if {1} > {2:bare} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if «[ [? VAR - ~ lt VALUE ]» …",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if {1} < {2:bare} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if «[ [? VAR - ~ ge VALUE ]» …",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if {1} >= {2:bare} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if «[ [? VAR - ~ le VALUE ]» …",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if {1} <= {2:bare} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if «- ~ f/e/d/r/s STR» {",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if os.file_exists({2}) { … }`, after `import \"os\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "if/elif/while/until [ [? …? «- ~ f/e/d/r/s/x/L» …?",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if os.file_exists(\"/path\") { … }`, after `import \"os\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "if/elif/while/until [ [? …? «- ~ z/n» …?",
        "MCL has no shell tests",
        "this looks like a shell test",
        "compare the string: `if $text == \"\" { … }` or `if $text != \"\" { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if/elif/while/until «[ …? ]» ;? …?",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if $value == \"…\" { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "«$( ( … ) )»",
        "MCL has no `$((…))`",
        "not an MCL value",
        "write only the expression, as in `$n + 1`",
    ),
    Mistake::new(
        "«$ ~ { ~ CAP ~ : ~ - ~ NUM/WORD/STR ~ }»",
        "MCL has no `${…:-…}`",
        "this looks like a shell parameter",
        "write `sys.getenv(\"{1}\") <|> \"{2:bare}\"`, after `import \"sys\"`",
    ),
    Mistake::new(
        "«$ ~ { ~ WORD ~ : ~ -/+ …? }»",
        "MCL has no `${…:-…}`",
        "this looks like a shell parameter",
        "for a fallback if a value fails, write `{1:var} <|> \"…\"`; for an environment variable, write `sys.getenv(\"{1}\")`, \
        after `import \"sys\"`",
    ),
    Mistake::new(
        "«$(» …?",
        "MCL has no command substitution",
        "not an MCL value",
        "to use what a command prints, write `os.system(\"…\")`, after `import \"os\"`",
    ),
    Mistake::new(
        "LINE «CAP ~ = ~ WORD/NUM/STR» _ WORD …",
        SHELL,
        NOT,
        "to run a command, write `exec \"name\" { cmd => \"…\", }`; set its environment in the field `env`",
    ),
    Mistake::new(
        "LINE «CAP ~ = ~ / …» _ WORD …",
        SHELL,
        NOT,
        "to run a command, write `exec \"name\" { cmd => \"…\", }`; set its environment in the field `env`",
    ),
    Mistake::new(
        "LINE «( FREE …? )» |/>/>>/&&/||/; …",
        SHELL,
        NOT,
        "to run a command, write `exec \"name\" { cmd => \"…\", shell => \"/bin/sh\", }`",
    ),
    Mistake::new(
        "LINE «cat …? <</<<- ~ WORD» …?",
        SHELL,
        NOT,
        "write a file with `file \"/path\" { state => \"exists\", content => \"…\", }`",
    )
    .covers(Cover::Heredoc),
    Mistake::new(
        "LINE «echo/printf/cat …? >/>>» …",
        SHELL,
        NOT,
        "write a file with `file \"/path\" { state => \"exists\", content => \"…\", }`",
    ),
    Mistake::new(
        "LINE «source» ./WORD …",
        "files are imported with `import`",
        NOT,
        "write `import \"file.mcl\"`; run a shell script with `exec \"name\" { cmd => \"/path\", }`",
    ),
    Mistake::new(
        "LINE «source» / …",
        "files are imported with `import`",
        NOT,
        "write `import \"file.mcl\"`; run a shell script with `exec \"name\" { cmd => \"/path\", }`",
    ),
    Mistake::new(
        "LINE «. /» … EOL",
        SHELL,
        NOT,
        "import another file of the program with `import \"file.mcl\"`; run a shell script with `exec`",
    ),
    Mistake::new(
        "LINE «. ./.. /?» … EOL",
        SHELL,
        NOT,
        "import another file of the program with `import \"file.mcl\"`; run a shell script with `exec`",
    ),
    Mistake::new(
        "LINE «CAP/NAME ~ = ~ ( WORD/STR WORD/STR …? )» EOL",
        "lists are written in brackets",
        "this looks like a shell",
        "write `{1:var} = [\"…\", \"…\"]`",
    ),
    Mistake::new("LINE «export» WORD =", "MCL has no `export`", NOT, "write a variable as `{1:var} = …`")
        .more("set the environment of a command in the field `env` of `exec`"),
    Mistake::new(
        "LINE «export» … EOL",
        "MCL has no `export`",
        NOT,
        "everything that a file defines can be imported: write `import \"file.mcl\"` in the other file",
    ),
    Mistake::new(
        "LINE «apt ~ - ~ get» … EOL",
        SHELL,
        NOT,
        "install a package with `pkg \"name\" { state => \"installed\", }`",
    ),
    Mistake::new(
        "LINE sudo? «apt/yum/dnf/zypper/apk/brew/pip/npm/gem install» … EOL",
        SHELL,
        NOT,
        "install a package with `pkg \"name\" { state => \"installed\", }`",
    ),
    Mistake::new(
        "LINE sudo «apt ~ - ~ get» … EOL",
        SHELL,
        NOT,
        "install a package with `pkg \"name\" { state => \"installed\", }`",
    ),
    Mistake::new(
        "LINE sudo? «systemctl» … EOL",
        SHELL,
        NOT,
        "start a service with `svc \"name\" { state => \"running\", }`",
    ),
    Mistake::new(
        "LINE sudo? «mkdir» … EOL",
        SHELL,
        NOT,
        "create a directory with `file \"/path/\" { state => \"exists\", }`: its path ends with a slash",
    ),
    Mistake::new(
        "LINE sudo? «touch» … EOL",
        SHELL,
        NOT,
        "create a file with `file \"/path\" { state => \"exists\", }`",
    ),
    Mistake::new("LINE sudo? «rm» … EOL", SHELL, NOT, "remove a file with `file \"/path\" { state => \"absent\", }`"),
    Mistake::new(
        "LINE sudo? «chmod/chown/chgrp» … EOL",
        SHELL,
        NOT,
        "write the fields `mode`, `owner` and `group` of the `file`",
    ),
    Mistake::new(
        "LINE sudo? «cp/scp/rsync» … EOL",
        SHELL,
        NOT,
        "copy a file with `file \"/path\" { state => \"exists\", source => \"/from\", }`",
    ),
    Mistake::new(
        "LINE sudo? «ln» … EOL",
        SHELL,
        NOT,
        "create a link with `file \"/path\" { state => \"exists\", source => \"/target\", symlink => true, }`",
    ),
    Mistake::new(
        "LINE sudo? «useradd/adduser» … EOL",
        SHELL,
        NOT,
        "create a user with `user \"name\" { state => \"exists\", }`",
    ),
    Mistake::new(
        "LINE sudo? «service NAME start/stop/restart/reload/status» EOL",
        SHELL,
        NOT,
        "start a service with `svc \"{1}\" { state => \"running\", }`",
    ),
    Mistake::new(
        "LINE «sudo/cd/mv/curl/wget/git/sed/awk/grep/cat/ls/eval/trap/shopt/umask/ulimit/exit» … EOL",
        SHELL,
        NOT,
        RUN,
    ),
    Mistake::new(
        "LINE «set» - …",
        SHELL,
        NOT,
        "remove the line: a resource whose command fails is reported, and the resources that depend on it wait",
    ),
    Mistake::new(
        "LINE «for WORD in» NAME NAME ; do EOL",
        "this looks like a shell loop",
        NOT,
        "write `for $index, ${1} in [\"{2}\", \"{3}\"] { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for WORD in» NAME NAME NAME ; do EOL",
        "this looks like a shell loop",
        NOT,
        "write `for $index, ${1} in [\"{2}\", \"{3}\", \"{4}\"] { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for WORD in» …? ; do EOL",
        "this looks like a shell loop",
        NOT,
        "write `for $index, ${1} in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for WORD in … ; do» …?",
        "this looks like a shell loop",
        NOT,
        "write `for $index, ${1} in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «while/until» …? do EOL",
        "MCL has no loop with a condition",
        NOT,
        "iterate over a list: `for $index, $value in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «case …? in» EOL",
        "MCL has no `case`",
        NOT,
        "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`",
    )
    .covers(Cover::Until("esac")),
    Mistake::new(
        "LINE «function NAME» {",
        "this looks like a shell function",
        NOT,
        "write a function as `func {1}($param) { … }`: its body is one expression",
    )
    .more(IN_CLASS)
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «FREE ( )» {",
        "this looks like a shell function",
        NOT,
        "write a function as `func {1}($param) { … }`: its body is one expression",
    )
    .more(IN_CLASS),
    Mistake::new(
        "«$ ~ NUM»",
        "variable names begin with a letter",
        "this looks like a shell parameter",
        "write a variable as `$name`",
    ),
    Mistake::new(
        "LINE «CAP/NAME ~ =» ~ $(",
        "MCL has no command substitution",
        NOT,
        "to use what a command prints, write `os.system(\"…\")`, after `import \"os\"`",
    ),
];
