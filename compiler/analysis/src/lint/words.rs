//! Messages of lints.

use super::commands::Problem;
use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::hir::{Half, MetaProperty};
use crate::kinds::crontab;
use crate::span::Span;
use crate::types::Type;

pub(super) fn warning(code: Code, message: impl Into<String>, span: Span, here: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(code, Stage::Interpret, message).at(span, here)
}

pub(super) fn unknown_switch(comment: Span) -> Diagnostic {
    warning(codes::UNKNOWN_LINT, "unknown instruction for mclive", comment, "expected `allow` or `allow-file`")
        .help("write `# mclive: allow NAME` before a statement, or `# mclive: allow-file NAME`")
}

pub(super) fn unknown_lint(name: &str, comment: Span) -> Diagnostic {
    warning(codes::UNKNOWN_LINT, format!("unknown lint `{name}`"), comment, "this has no effect")
        .help("`mclive explain` lists the lints")
}

pub(super) fn dollar_in_text(name: &str, span: Span) -> Diagnostic {
    warning(
        codes::DOLLAR_IN_TEXT,
        format!("`${name}` in this string is not replaced with the value of the variable"),
        span,
        "not replaced",
    )
    .help(format!("write `${{{name}}}` to insert the value"))
    .help(format!("to keep these characters, write `\\${name}`"))
}

/// `hole` is the hole of another language, such as `#{name}`.
pub(super) fn foreign_hole(hole: &str, name: &str, span: Span) -> Diagnostic {
    not_replaced(hole, span, format!("write `${{{name}}}` to insert the value"))
}

/// A hole with the name of a variable that the program does not have.
pub(super) fn undefined_hole(hole: &str, name: &str, span: Span) -> Diagnostic {
    not_replaced(hole, span, format!("define a variable, `${name} = …`, and write `${{{name}}}` to insert its value"))
}

fn not_replaced(hole: &str, span: Span, help: String) -> Diagnostic {
    let message = format!("`{hole}` in this string is not replaced with the value of the variable");
    warning(codes::DOLLAR_IN_TEXT, message, span, "not replaced")
        .help(help)
        .help("to keep these characters, write `# mclive: allow dollar_in_text` above the statement")
}

/// `what` is, for example, `variable `$x``.
pub(super) fn unused(code: Code, what: &str, span: Span, help: &str) -> Diagnostic {
    warning(code, format!("unused {what}"), span, "never used").help(help)
}

pub(super) fn ignored_notification(kind: &str, span: Span) -> Diagnostic {
    let said = warning(
        codes::IGNORED_NOTIFICATION,
        format!("`{kind}` ignores notifications"),
        span,
        "this edge only sets the order",
    );
    match kind {
        "exec" => said
            .help(
                "to run the command after a change, list the files in `watchfiles` and add a guard such as `ifcmd` \
                   or `creates`",
            )
            .help("if only the order matters, write `Before` or `Depend`"),
        _ => said.help("write `Before` or `Depend`, which only set the order"),
    }
}

pub(super) fn constant_condition(value: bool, span: Span) -> Diagnostic {
    let help = if value { "remove the condition" } else { "remove the code that depends on the condition" };
    warning(codes::CONSTANT_CONDITION, format!("the condition is always {value}"), span, format!("always {value}"))
        .help(help)
}

pub(super) fn conflicting_fields(kind: &str, field: &str, because: &str, span: Span, first: Span) -> Diagnostic {
    warning(codes::CONFLICTING_FIELDS, format!("the field `{field}` of `{kind}` has no effect"), span, "ignored")
        .also(first, because)
        .help("remove one of the two")
}

pub(super) fn unsupported_field(kind: &str, field: &str, why: &str, span: Span) -> Diagnostic {
    warning(codes::CONFLICTING_FIELDS, format!("the field `{field}` of `{kind}` has no effect"), span, "ignored")
        .help(why)
}

pub(super) fn never_created(name: Span) -> Diagnostic {
    let message = "a `file` without `state` is never created";
    warning(codes::NEVER_CREATED, message, name, "fails if this file does not exist").help("add `state => \"exists\",`")
}

pub(super) fn relative_source(path: &str, span: Span) -> Diagnostic {
    if let Some((scheme, rest)) = path.split_once("://") {
        let said = warning(codes::ALWAYS_FAILS, "`source` is a path on the host, not a URL", span, "not a path");
        let file = rest.rsplit('/').next().unwrap_or(rest);
        return match scheme {
            "http" | "https" | "ftp" | "s3" => said.help(
                "download it with a resource: `http:client \"/path\" { url => \"https://…\", }`; its name is the file",
            ),
            _ => said.help(format!(
                "for a file of the program, write `import \"deploy\"` and `content => deploy.readfile(\"/{file}\"),`"
            )),
        };
    }
    relative("source", &format!("/srv/{path}"), span).help(format!(
        "for a file of the program, write `import \"deploy\"` and `content => deploy.readfile(\"/{path}\"),`"
    ))
}

/// A relative path in a field; `full` is an absolute one.
pub(super) fn relative(field: &str, full: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, format!("the path in `{field}` must be absolute"), span, "relative")
        .help(format!("write the full path on the host, such as `{field} => \"{full}\",`"))
}

/// `owner => "root:root"`
pub(super) fn owner_and_group(owner: &str, group: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, "`owner` cannot contain a group", span, "no user has this name")
        .help(format!("write `owner => \"{owner}\",` and `group => \"{group}\",`"))
}

/// A path where a name is expected; `name` is its last part.
pub(super) fn path_as_name(kind: &str, name: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, format!("the name of a `{kind}` is not a path"), span, "contains a `/`")
        .help(format!("write only the name: `{kind} \"{name}\" {{ … }}`"))
}

/// `unit => "backup"`
pub(super) fn bare_unit(unit: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, "`unit` is the full name of a unit", span, "its type is missing")
        .help(format!("write `unit => \"{unit}.service\",`"))
        .edit(span, format!("\"{unit}.service\""), format!("write `\"{unit}.service\"`"))
}

pub(super) fn file_in_file(path: &str, above: &str, span: Span, first: Span) -> Diagnostic {
    let message = format!("`{path}` cannot exist below the file `{above}`");
    warning(codes::ALWAYS_FAILS, message, span, format!("needs the directory `{above}/`"))
        .also(first, "this is a file")
        .help(format!("for a directory, end its path with a slash: `file \"{above}/\"`"))
}

pub(super) fn same_file(path: &str, first: &str, span: Span, place: Span) -> Diagnostic {
    let what = if path.ends_with('/') { "directory" } else { "file" };
    let message = format!("`{path}` and `{first}` are the same {what}");
    warning(codes::SAME_FILE, message, span, format!("the same {what} again"))
        .also(place, "first declared here")
        .help("write all fields in one resource; if two resources set a field differently, each undoes the other")
}

pub(super) fn foreign_version(state: &str, ours: &str, span: Span) -> Diagnostic {
    let message = format!("no package has the version `{state}`");
    warning(codes::ALWAYS_FAILS, message, span, "read as a version").help(format!("write `state => \"{ours}\",`")).edit(
        span,
        format!("\"{ours}\""),
        format!("write `\"{ours}\"`"),
    )
}

/// `pkg "vim git"`.
pub(super) fn several_names(names: &str, span: Span) -> Diagnostic {
    let list: Vec<String> = names.split_whitespace().map(|name| format!("\"{name}\"")).collect();
    warning(codes::ALWAYS_FAILS, "the name of a package contains no spaces", span, "read as the name of one package")
        .help(format!("write a list of names: `pkg [{}] {{ … }}`", list.join(", ")))
}

/// `pkg "nginx=1.20"`.
pub(super) fn pinned_name(name: &str, version: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, "the name of a package contains no version", span, "read as the name of one package")
        .help(format!("write the version as the state: `pkg \"{name}\" {{ state => \"{version}\", }}`"))
}

/// `svc "nginx.service"`
pub(super) fn unit_name(name: &str, service: &str, span: Span) -> Diagnostic {
    let message = "the name of a `svc` must not end with `.service`";
    warning(codes::ALWAYS_FAILS, message, span, format!("the unit is `{name}.service`"))
        .help(format!("write `svc \"{service}\" {{ … }}`"))
        .edit(span, format!("\"{service}\""), format!("write `\"{service}\"`"))
}

/// `svc "docker.socket"`
pub(super) fn other_unit(name: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, "a `svc` is always a service", span, format!("the unit is `{name}.service`")).help(
        format!(
            "start other units with a command: `exec \"systemctl enable --now {name}\" {{ nifcmd => \"systemctl is-active \
             {name}\", }}`"
        ),
    )
}

pub(super) fn relative_mount(place: &str, span: Span) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, "the mount point must be an absolute path", span, "relative")
        .help(format!("write the full path: `mount \"/{place}\" {{ … }}`"))
}

/// `strings.split(",", $text)`.
pub(super) fn separator_first(separator: &str, span: Span) -> Diagnostic {
    let separator = if separator == "\n" { "\\n" } else { separator };
    let message = "the arguments of `strings.split` look swapped";
    warning(codes::SWAPPED_ARGUMENTS, message, span, "the separator is the second argument")
        .help(format!("write the text first: `strings.split($text, \"{separator}\")`"))
}

/// `regexp.match($text, "^web")`.
pub(super) fn pattern_second(pattern: &str, span: Span) -> Diagnostic {
    const MOST: usize = 40;
    let is_shown = pattern.len() <= MOST && !pattern.contains(['\n', '`', '"']);
    let shown = if is_shown { pattern.replace('\\', "\\\\") } else { "…".to_owned() };
    let message = "the arguments of `regexp.match` look swapped";
    warning(codes::SWAPPED_ARGUMENTS, message, span, "the pattern is the first argument")
        .help(format!("write the pattern first: `regexp.match(\"{shown}\", $text)`"))
}

/// `least` is the smallest number with a meaning.
pub(super) fn negative_meta(property: MetaProperty, least: i32, span: Span) -> Diagnostic {
    let help = match property {
        MetaProperty::Retry => "write the number of attempts, or `-1` to retry forever",
        MetaProperty::Poll => "write a period in seconds, or `-1` to check only once",
        _ => "write the number of events that are allowed",
    };
    let message = format!("`Meta:{}` is out of range", property.name());
    warning(codes::NEGATIVE_META, message, span, format!("expected {least} or more")).help(help)
}

pub(super) fn crontab_time(time: &str, span: Span) -> Diagnostic {
    let said = warning(codes::ALWAYS_FAILS, "`time` is in crontab syntax", span, "expected systemd syntax");
    match crontab::calendar(time) {
        Some(time) => said.help(format!("write `time => \"{time}\",`")).edit(
            span,
            format!("\"{time}\""),
            format!("write `\"{time}\"`"),
        ),
        None => said.help("write it in systemd syntax, such as `time => \"Mon *-*-* 02:00:00\",`"),
    }
}

pub(super) fn no_interval(name: Span) -> Diagnostic {
    let message = "a `timer` without `interval` fails on every host";
    warning(codes::ALWAYS_FAILS, message, name, "no interval").help("add `interval => 60,`: a period in seconds")
}

pub(super) fn zero_interval(span: Span) -> Diagnostic {
    let message = "a `timer` with an interval of 0 fails on every host";
    warning(codes::ALWAYS_FAILS, message, span, "expected at least 1")
        .help("write a period in seconds, such as `interval => 60,`")
}

/// An edge that sends a value of type `is` to a field of type `expects`.
pub(super) fn other_type(from: &Half, to: &Half, is: &Type, expects: &Type) -> Diagnostic {
    let (sent, received) = (from.field.as_deref().unwrap_or_default(), to.field.as_deref().unwrap_or_default());
    let message = format!("`{sent}` is `{is}`, but `{received}` expects `{expects}`");
    let field = Span { start: to.span.end.saturating_sub(received.len() as u32).max(to.span.start), ..to.span };
    let said = warning(codes::ALWAYS_FAILS, message, field, "received here")
        .help(format!("a value is not converted when it is sent: send it to a field that is `{is}`"));
    match &*from.kind {
        "exec" => said.help(
            "to compute a value from what a command prints, write `os.system(\"…\")`, after `import \"os\"`, instead of \
             the edge",
        ),
        _ => said,
    }
}

/// The label of a sign of a shell.
fn no_meaning(sign: &str) -> String {
    let sign = if sign == "`" { "a backtick".to_owned() } else { format!("`{sign}`") };
    format!("{sign} has no special meaning here")
}

/// `file "/tmp/*.log"`
pub(super) fn wildcard(name: Span) -> Diagnostic {
    warning(codes::SHELL_SYNTAX, "the path of a `file` has no wildcards", name, no_meaning("*"))
        .help("write the path of each file: `file [\"/tmp/a.log\", \"/tmp/b.log\"] { … }`")
}

/// `$(…)` in a text that no shell reads, with its command.
pub(super) fn substitution(command: &str, span: Span) -> Diagnostic {
    let message = "`$(…)` in this string is not replaced with the output of the command";
    let said = warning(codes::SHELL_SYNTAX, message, span, "not replaced");
    let said = match command {
        "hostname" => said.help("write `${hostname}` for the name of the host"),
        _ => said.help(format!(
            "define a variable, `$value = os.system(\"{command}\")`, after `import \"os\"`, and write `${{value}}`"
        )),
    };
    said.help("to keep these characters, write `\\$(`")
}

/// A sign of a shell in `args`. `command` is the whole command for a shell, if it is known.
pub(super) fn shell_in_args(sign: &str, command: Option<&str>, span: Span) -> Diagnostic {
    const MOST: usize = 100;
    let is_shown = |text: &&str| text.len() <= MOST && !text.contains(['"', '\\', '`', '\n']) && !text.contains("${");
    let message = "shell syntax in `args`, which are passed to the command unchanged";
    let said = warning(codes::SHELL_SYNTAX, message, span, no_meaning(sign));
    match command.filter(is_shown) {
        Some(command) => said.help(format!(
            "for a shell, write the whole command in `cmd`, without `args`: `cmd => \"{command}\",` and \
             `shell => \"/bin/sh\",`"
        )),
        None => {
            said.help("for a shell, write the whole command in `cmd`, and `shell => \"/bin/sh\",` instead of `args`")
        }
    }
}

/// `field` is the command field, `shell` the one for its interpreter.
pub(super) fn needs_shell(problem: &Problem, field: &str, shell: &str, span: Span) -> Diagnostic {
    let run = format!("add `{shell} => \"/bin/sh\",` to run the command in a shell");
    match problem {
        Problem::Sign(sign) => {
            let message = format!("shell syntax in `{field}`, which runs without a shell");
            warning(codes::SHELL_SYNTAX, message, span, no_meaning(sign)).help(run)
        }
        Problem::Builtin(word) => {
            let message = format!("`{word}` is part of the shell, but `{field}` runs without a shell");
            let said = warning(codes::ALWAYS_FAILS, message, span, format!("no command is named `{word}`")).help(run);
            match (word.as_str(), field) {
                ("cd", "cmd") => said.help("to choose the directory, set `cwd`"),
                ("!", "ifcmd") => said.help("to run `cmd` only if a command fails, set `nifcmd`"),
                _ => said,
            }
        }
        Problem::Assignment(word) => {
            let message = format!("`{field}` sets a variable, but runs without a shell");
            warning(codes::ALWAYS_FAILS, message, span, format!("no command is named `{word}`"))
                .help(run)
                .help("for the whole environment of the command, set `env`")
        }
        Problem::NoCommand(word) => {
            let message = format!("`{field}` does not begin with a command");
            warning(codes::ALWAYS_FAILS, message, span, format!("no command is named `{word}`"))
                .help("begin with the name of a command, such as `/usr/bin/touch`")
        }
        Problem::Blank => {
            let message = format!("`{field}` contains only whitespace");
            warning(codes::ALWAYS_FAILS, message, span, "expected a command")
                .help(format!("write the command to run, such as `{field} => \"/usr/bin/touch /tmp/a\",`"))
        }
    }
}
