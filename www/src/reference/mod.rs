//! The reference: one page with every function, every resource kind and the language of models, made from their
//! definitions in the compiler, and with common mistakes, lints, scenarios and the API of the server. In: nothing. Out: the two HTML fragments that are
//! inserted into the shell `web/reference.html`.
//!
//! It is complete without scripts; `web/reference.js` adds the search. Each entry has an anchor: a function its name, a
//! kind `kind:NAME`, a module `module:NAME`, a meta parameter `meta:NAME`, an entry about models `models:NAME`.

mod api;
mod differences;
mod functions;
mod html;
mod kinds;
mod mistakes;
mod models;
pub(crate) mod program;
mod scenarios;

use mclive_compiler::corelib::docs::{self, Doc};
use std::fmt::Write;

/// The fragments for the shell.
pub(crate) struct Reference {
    /// Items of the list of entries.
    pub(crate) entries: String,
    /// Sections of the page.
    pub(crate) content: String,
}

/// The whole reference.
pub(crate) fn make() -> Reference {
    let mut made = Reference { entries: String::new(), content: String::new() };
    let mut modules: Vec<(&str, Vec<Doc>)> = Vec::new();
    for entry in docs::entries() {
        match modules.iter_mut().find(|(module, _)| *module == entry.module) {
            Some((_, entries)) => entries.push(entry),
            None => modules.push((entry.module, vec![entry])),
        }
    }
    modules.sort_by_key(|(module, _)| *module);
    kinds::write(&mut made);
    for (module, entries) in &modules {
        functions::write(&mut made, module, entries);
    }
    mistakes::write(&mut made);
    scenarios::write(&mut made);
    api::write(&mut made);
    differences::write(&mut made);
    models::write(&mut made);
    made
}

impl Reference {
    /// Begins a section.
    fn open(&mut self, id: &str, title: &str, about: &str) {
        let href = html::fragment(id);
        let (id, title) = (html::escape(id), html::escape(title));
        let _ = writeln!(self.entries, "<li class=\"group\"><a href=\"#{href}\">{title}</a></li>");
        let _ = write!(self.content, "<section>\n<h2 id=\"{id}\">{title}</h2>\n{about}");
    }

    fn close(&mut self) {
        self.content.push_str("</section>\n");
    }

    /// A section with the parts of a Markdown file, whose own title is left out.
    fn page(&mut self, id: &str, title: &str, markdown: &str) {
        let (head, parts) = markdown.split_once("\n## ").unwrap_or((markdown, ""));
        let about = head.split_once('\n').map_or("", |(_, about)| about);
        self.open(id, title, &html::markdown(about));
        for part in parts.split("\n## ").filter(|part| !part.is_empty()) {
            let (title, body) = part.split_once('\n').unwrap_or((part, ""));
            let _ = writeln!(self.content, "<h3>{}</h3>\n{}", html::inline(title), html::markdown(body));
        }
        self.close();
    }

    /// An entry: its line in the list, and its article with this body.
    fn entry(&mut self, id: &str, name: &str, tag: &str, body: &str) {
        let href = html::fragment(id);
        let (id, name) = (html::escape(id), html::escape(name));
        let _ = writeln!(self.entries, "<li><a href=\"#{href}\">{name}</a><small>{tag}</small></li>");
        let title = format!("<h3><a href=\"#{href}\">{name}</a> <span class=\"tag\">{tag}</span></h3>");
        let _ = writeln!(self.content, "<article id=\"{id}\">{title}\n{body}</article>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_entry_has_one_anchor_of_its_own() {
        let made = make();
        let ids: Vec<&str> =
            made.content.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len());
        assert!(!ids.iter().any(|id| id.contains(char::is_whitespace)));
        for id in [
            "strings.to_upper",
            "kind:file",
            "module:golang/strings",
            "meta:noop",
            "panic",
            "kind:http:server:file",
            "models:entity",
            "models:fs::File",
            "models:std::print()",
        ] {
            assert!(distinct.contains(id), "{id}");
        }
        let n_entries = docs::entries().count() + mclive_compiler::kinds::all().count() - 1;
        assert!(made.content.matches("<article").count() >= n_entries);
    }

    #[test]
    fn text_never_becomes_markup() {
        let made = make();
        assert!(!made.content.contains("<script") && !made.content.contains("style="));
        assert_eq!(made.content.matches("<article").count(), made.content.matches("</article>").count());
    }
}
