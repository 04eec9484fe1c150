//! Resource kinds and the common meta parameters.

use super::{Reference, html, program};
use mclive_compiler::kinds::{self, Kind, MetaProperty};
use serde_json::Value as Json;
use std::fmt::Write;

pub(super) fn write(made: &mut Reference) {
    made.open("kinds", "Resource kinds", "<p>The resources that a program can describe, with their fields.</p>\n");
    // What begins with an underscore cannot be written.
    for kind in kinds::all().filter(|kind| !kind.decl().name.starts_with('_')) {
        let name = kind.decl().name;
        made.entry(&format!("kind:{name}"), name, "kind", &body(kind));
    }
    made.close();
    made.open(
        "meta",
        "Meta parameters",
        &format!(
            "<p>All kinds support these; they control how the engine handles a resource.</p>\n{}",
            example(kinds::examples::META, "meta parameters")
        ),
    );
    for property in MetaProperty::ALL {
        let name = format!("Meta:{}", property.name());
        let signature = format!(
            "<pre class=\"signature\" tabindex=\"0\">{name} {}</pre>\n",
            html::escape(&property.ty().to_string())
        );
        made.entry(&format!("meta:{}", property.name()), &name, "meta", &(signature + &html::markdown(property.doc())));
    }
    made.close();
}

/// A program with a link that runs it.
fn example(text: &str, of: &str) -> String {
    let run = format!(
        "<a href=\"{}\">Run<span class=\"sr\"> the example of {}</span></a>",
        program::link(text),
        html::escape(of)
    );
    format!("<div class=\"program\"><pre tabindex=\"0\">{}</pre>{run}</div>\n", html::escape(text.trim_end()))
}

fn body(kind: &'static dyn Kind) -> String {
    let decl = kind.decl();
    let mut out = html::markdown(decl.doc);
    if !kind.backend().is_empty() {
        out += &html::markdown(&format!("On Linux: {}", kinds::docs::on_linux(kind)));
    }
    if let Some(text) = kinds::examples::of(decl.name) {
        out += &example(text, decl.name);
    }
    out += &fields(&kinds::docs::json([kind])[0]);
    if !decl.traits.sends.is_empty() {
        let sent = |sent: &kinds::decl::Sendable| {
            format!("<code>{} {}</code>", sent.name, html::escape(&sent.ty().to_string()))
        };
        let sent: Vec<String> = decl.traits.sends.iter().map(sent).collect();
        let _ = writeln!(out, "<p>Sends {}.</p>", sent.join(", "));
    }
    out
}

/// The table of a kind's fields, from its JSON.
fn fields(kind: &Json) -> String {
    let Some(fields) = kind["fields"].as_array().filter(|fields| !fields.is_empty()) else { return String::new() };
    let mut out = String::from(
        "<div class=\"fields\" tabindex=\"0\"><table><thead><tr><th>Field</th><th>Type</th><th>Default</th><th>Description</th></tr></thead><tbody>\n",
    );
    for field in fields {
        let word = |key: &str| html::escape(field[key].as_str().unwrap_or_default());
        let is_required = field["optional"] == false;
        let needed = if is_required { "<span class=\"tag\">required</span>" } else { "" };
        let unset = if is_required || field["default"].is_null() {
            String::new()
        } else {
            format!("<code>{}</code>", html::escape(&field["default"].to_string()))
        };
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><code>{}</code>{needed}</th><td><code>{}</code></td><td>{unset}</td><td>{}</td></tr>",
            word("name"),
            word("type"),
            html::inline(field["doc"].as_str().unwrap_or_default())
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::Severity;
    use mclive_compiler::face::check::check;

    #[test]
    fn a_required_field_shows_no_default() {
        let table = kinds::lookup("sysctl").map(|kind| fields(&kinds::docs::json([kind])[0])).expect("a kind");
        let row = |name: &str| {
            let head = format!("<code>{name}</code>");
            table.lines().find(|line| line.contains(&head)).unwrap_or_default().to_owned()
        };
        let (value, path) = (row("value"), row("path"));
        assert!(value.contains("required</span>") && value.contains("<td></td>"), "{value}");
        assert!(path.contains("<td><code>&quot;&quot;</code></td>") && !path.contains("required"), "{path}");
    }

    #[test]
    fn every_example_shows_its_kind_and_compiles() {
        let names = kinds::all().map(|kind| kind.decl().name);
        let examples = names.filter_map(|kind| Some((kind, kinds::examples::of(kind)?)));
        // That of the meta parameters shows them in a file.
        for (kind, text) in examples.chain([("file", kinds::examples::META)]) {
            let shows = |line: &str| line.trim_start().starts_with(&format!("{kind} "));
            assert!(text.lines().any(shows), "{kind}");
            let said = check([("/main.mcl", text.as_bytes())], "/main.mcl", "web1").diagnostics.diagnostics;
            let errors: Vec<_> = said.iter().filter(|one| one.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{kind}: {errors:#?}");
            let formatted = mclive_compiler::fmt::format(text.as_bytes()).expect("it parses");
            assert_eq!(String::from_utf8_lossy(&formatted), text, "{kind}");
        }
    }
}
