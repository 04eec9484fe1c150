//! Functions, operators, constants, variables and classes: a section per module.

use super::{Reference, html, program};
use mclive_compiler::corelib::Example;
use mclive_compiler::corelib::docs::{Doc, DocKind};
use std::fmt::Write;

pub(super) fn write(made: &mut Reference, module: &str, entries: &[Doc]) {
    if module.is_empty() {
        made.open("module:", "Without an import", "<p>Operators, and functions that are always in scope.</p>\n");
    } else {
        let about = format!("<pre tabindex=\"0\">import \"{}\"</pre>\n", html::escape(module));
        made.open(&format!("module:{module}"), module, &about);
    }
    for entry in entries {
        // Classes are named with a space.
        made.entry(&entry.name.replace(' ', "."), &entry.name, tag(entry.kind), &body(entry));
    }
    made.close();
}

fn tag(kind: DocKind) -> &'static str {
    match kind {
        DocKind::Pure => "pure",
        DocKind::Buildable => "generic",
        DocKind::Inferred => "typed per call",
        DocKind::Streaming => "changes over time",
        DocKind::Io => "reads the host",
        DocKind::Const => "constant",
        DocKind::Variable => "variable",
        DocKind::Operator => "operator",
        DocKind::Class => "class",
    }
}

fn body(entry: &Doc) -> String {
    let mut out = String::new();
    let signature = |form: &&str| match form.strip_prefix("func") {
        Some(rest) if !matches!(entry.kind, DocKind::Const | DocKind::Variable) => {
            format!("{}{rest}", short(&entry.name))
        }
        _ => format!("{} {form}", entry.name),
    };
    let mut lines: Vec<String> = entry.signatures.iter().map(signature).collect();
    if let Some(value) = &entry.value {
        lines.iter_mut().for_each(|line| *line += &format!(" = {value}"));
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "<pre class=\"signature\" tabindex=\"0\">{}</pre>", html::escape(&lines.join("\n")));
    }
    out += &html::markdown(entry.doc);
    if !entry.examples.is_empty() {
        out.push_str("<ul class=\"examples\">\n");
        for example in entry.examples {
            out += &item(entry, example);
        }
        out.push_str("</ul>\n");
    }
    out
}

/// A name as written after the import: `strings.to_upper` for `golang/strings.to_upper`.
fn short(name: &str) -> &str {
    // An operator may be a slash.
    if name.contains('.') { name.rsplit('/').next().unwrap_or(name) } else { name }
}

fn item(entry: &Doc, example: &Example) -> String {
    let (call, link) = (html::escape(example.call), program::link(&example.program(entry.module)));
    let (class, gives) = match example.gives.strip_prefix("error: ") {
        Some(message) => (" class=\"fails\"", message),
        None => ("", example.gives),
    };
    let gives = html::escape(gives);
    format!(
        "<li{class}><span class=\"call\"><code>{call}</code><samp>{gives}</samp></span><a href=\"{link}\">Run<span class=\"sr\"> {call}</span></a></li>\n"
    )
}
