//! Words of other languages, and their MCL counterparts. No list contains a reserved word of MCL.

/// Words that declare a variable.
pub(super) fn declares_variable(word: &str) -> bool {
    matches!(
        word,
        "let" | "var" | "const" | "local" | "my" | "val" | "set" | "final" | "static" | "global" | "string" | "auto"
    )
}

/// Words that declare a function.
pub(super) fn declares_function(word: &str) -> bool {
    matches!(word, "function" | "def" | "fn" | "fun" | "defun" | "proc" | "sub" | "method" | "macro")
}

/// Words that begin a loop over a list.
pub(super) fn loops(word: &str) -> bool {
    matches!(word, "foreach" | "each" | "forall")
}

/// Words that begin a block without a counterpart in MCL, with the alternative.
pub(super) fn block_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" | "until" | "loop" | "repeat" => {
            "MCL has no loop with a condition: iterate over a list with `for $index, $value in $list { … }`"
        }
        "unless" => "write `if not $cond { … }`",
        "switch" | "case" | "match" | "select" => {
            "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`"
        }
        "when" => "write `if $cond { … }`",
        "elif" | "elsif" | "elseif" | "elsf" => {
            "write `else` on the line of the `}` before it, and nest the second `if`: `} else { if $cond { … } }`"
        }
        "esle" | "eles" | "elese" | "els" => "write `else` on the line of the `}` before it: `} else {`",
        "go" | "defer" => "write the statements outside of a function: each is applied again when what it uses changes",
        "try" => "for a fallback if a value fails, use `<|>`: `$value <|> $fallback`",
        "node" => "compare the host name: `if $hostname == \"name\" { … }`",
        "define" => "write `class name($param) { … }`, and `include name(…)` to use it",
        "variable" | "locals" | "vars" => "write a variable as `$name = value`",
        "output" => "print a value with `print \"name\" { msg => \"…\", }`",
        "module" => "write `import \"name\"`, and `include name.web` for what it declares",
        "provider" | "terraform" => "remove the block: MCL resources need no provider",
        "moved" | "removed" => "remove the block: a program keeps no state of its resources",
        "role" | "recipe" | "state" | "task" | "play" => {
            "group resources in a class: `class name { … }`, and `include name`"
        }
        _ => return None,
    })
}

/// Words that stand alone on a line and do nothing, or are part of a block, with the alternative.
pub(super) fn lone_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "pass" => "write an empty block as `{ }`",
        "continue" | "break" => {
            "a loop takes every element of its list: write the statements for some of them in `if $condition { … }`"
        }
        "return" => "a block cannot be left: write the statements after this in `if $condition { … }`",
        "then" | "fi" | "done" | "end" | "endif" | "esac" | "begin" => "write a block in braces: `{ … }`",
        _ => return None,
    })
}

/// The MCL kind for a kind name of other tools in an edge.
pub(super) fn edge_kind(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "Service" => "Svc",
        "Package" => "Pkg",
        "Directory" => "File",
        "Cronjob" => "Cron",
        _ => return None,
    })
}

/// Field values that are often written without quotes.
pub(super) fn is_value_word(word: &str) -> bool {
    matches!(
        word,
        "present"
            | "absent"
            | "exists"
            | "undefined"
            | "running"
            | "stopped"
            | "enabled"
            | "disabled"
            | "installed"
            | "uninstalled"
            | "newest"
            | "latest"
            | "directory"
            | "link"
            | "file"
            | "started"
            | "mounted"
            | "unmounted"
            | "root"
    )
}

/// Words for an absent value in other languages.
pub(super) fn is_null(word: &str) -> bool {
    matches!(word, "null" | "nil" | "none" | "undef" | "undefined" | "nothing" | "void")
}

/// Functions that print in other languages.
pub(super) fn prints(word: &str) -> bool {
    matches!(word, "print" | "println" | "printf" | "echo" | "puts" | "notice" | "log" | "warn" | "debug")
}

/// Functions that declare resources in other languages.
pub(super) fn declares_resources(word: &str) -> bool {
    matches!(word, "ensure_packages" | "ensure_package" | "ensure_resource" | "ensure_resources" | "create_resources")
}

/// Functions that read another file of a program in other languages.
pub(super) fn imports(word: &str) -> bool {
    matches!(word, "load" | "require" | "source" | "dofile" | "loadfile" | "execfile" | "include_once" | "require_once")
}

/// Kinds of resources, as MCL and other tools name them.
pub(super) fn is_kind(word: &str) -> bool {
    matches!(
        word,
        "file"
            | "exec"
            | "pkg"
            | "svc"
            | "user"
            | "group"
            | "cron"
            | "mount"
            | "noop"
            | "line"
            | "timer"
            | "package"
            | "service"
    )
}

/// Functions that end a program in other languages.
pub(super) fn fails(word: &str) -> bool {
    matches!(word, "fail" | "raise" | "die" | "abort" | "error" | "exit")
}
