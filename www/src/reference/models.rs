//! Models: each construct of the Inmanta language, then its types, entities and functions.

use super::{Reference, html};
use mclive_compiler::language::{FrontEnd, Inmanta};
use serde_json::Value as Json;
use std::fmt::Write;

pub(super) fn write(made: &mut Reference) {
    let about = "<p>The Inmanta modeling language: instances and relations, in <code>.cf</code> files.</p>\n";
    made.open("models:", "Models: the language", about);
    let Some(library) = Inmanta.page_json("models") else { return };
    let list = |json: &Json, name: &str| json[name].as_array().cloned().unwrap_or_default();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    for construct in list(&library, "constructs") {
        let name = text(&construct["name"]);
        let code = html::escape(&text(&construct["example"]));
        let body = format!("<pre tabindex=\"0\">{code}</pre>\n{}", html::markdown(&text(&construct["doc"])));
        made.entry(&format!("models:{}", name.replace(' ', "-")), &name, "model", &body);
    }
    made.close();
    made.open(
        "models:library",
        "Models: types, entities and functions",
        "<p>Types, entities and functions that are built in.</p>\n",
    );
    for typedef in list(&library, "typedefs") {
        let name = text(&typedef["name"]);
        let mut body = format!("<pre tabindex=\"0\">{}</pre>\n", html::escape(&text(&typedef["text"])));
        body += &html::markdown(&text(&typedef["doc"]));
        made.entry(&format!("models:{name}"), &name, "type of models", &body);
    }
    for entity in list(&library, "entities") {
        let name = text(&entity["name"]);
        let mut lines: Vec<String> =
            ["members", "indexes"].iter().flat_map(|part| list(&entity, part)).map(|line| text(&line)).collect();
        let parents: Vec<String> = list(&entity, "parents").iter().map(&text).collect();
        if !parents.is_empty() {
            lines.insert(0, format!("extends {}", parents.join(", ")));
        }
        let mut body = html::markdown(&text(&entity["doc"]));
        if !lines.is_empty() {
            let _ = writeln!(body, "<pre tabindex=\"0\">{}</pre>", html::escape(&lines.join("\n")));
        }
        made.entry(&format!("models:{name}"), &name, "entity", &body);
    }
    for function in list(&library, "functions") {
        let name = text(&function["name"]);
        let mut body = format!("<pre tabindex=\"0\">{}</pre>\n", html::escape(&text(&function["signature"])));
        body += &html::markdown(&text(&function["doc"]));
        for example in list(&function, "examples") {
            let (call, gives) = (html::escape(&text(&example["call"])), html::escape(&text(&example["gives"])));
            let _ = writeln!(body, "<p><code>{call}</code> is <code>{gives}</code></p>");
        }
        made.entry(&format!("models:{name}()"), &name, "function of models", &body);
    }
    made.close();
}
