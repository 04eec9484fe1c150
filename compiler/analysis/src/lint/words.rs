//! The words of lints.

use crate::diag::{Code, Diagnostic, Stage, codes};
use crate::span::Span;

pub(super) fn warning(code: Code, message: impl Into<String>, span: Span, here: impl Into<String>) -> Diagnostic {
    Diagnostic::warning(code, Stage::Interpret, message).at(span, here)
}

pub(super) fn unknown_switch(comment: Span) -> Diagnostic {
    warning(codes::UNKNOWN_LINT, "unknown instruction for mclive", comment, "expected `allow` or `allow-file`")
        .help("write `# mclive: allow NAME` before a statement, or `# mclive: allow-file NAME`")
}

pub(super) fn unknown_lint(name: &str, comment: Span) -> Diagnostic {
    warning(codes::UNKNOWN_LINT, format!("unknown lint `{name}`"), comment, "this switches nothing off")
        .help("`mclive explain` lists the lints")
}

pub(super) fn dollar_in_text(name: &str, span: Span) -> Diagnostic {
    warning(codes::DOLLAR_IN_TEXT, format!("a text has `${name}`, not the variable's value"), span, "stays as it is")
        .help(format!("write `${{{name}}}` to insert the value"))
        .help(format!("if these characters are meant, write `\\${name}`"))
}

/// `what` is such as `variable `$x``.
pub(super) fn unused(code: Code, what: &str, span: Span, help: &str) -> Diagnostic {
    warning(code, format!("unused {what}"), span, "never used").help(help)
}

pub(super) fn ignored_notification(kind: &str, span: Span) -> Diagnostic {
    let said =
        warning(codes::IGNORED_NOTIFICATION, format!("`{kind}` ignores notifications"), span, "this edge only orders");
    match kind {
        "exec" => said
            .help("to run the command after a change, list the files in `watchfiles`, and guard the command with `ifcmd` or `creates`")
            .help("if only the order is meant, write `Before` or `Depend`"),
        _ => said.help("write `Before` or `Depend`, which say the order alone"),
    }
}

pub(super) fn constant_condition(value: bool, span: Span) -> Diagnostic {
    let help = if value { "remove the condition" } else { "remove what depends on the condition" };
    warning(codes::CONSTANT_CONDITION, format!("the condition is always {value}"), span, format!("always {value}"))
        .help(help)
}

pub(super) fn conflicting_fields(kind: &str, field: &str, because: &str, span: Span, first: Span) -> Diagnostic {
    warning(codes::CONFLICTING_FIELDS, format!("the field `{field}` of `{kind}` has no effect"), span, "ignored")
        .also(first, because)
        .help("remove one of the two")
}
