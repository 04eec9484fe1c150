//! Documentation from the definitions, in Markdown, short enough for a tooltip.

use crate::corelib::docs::{self, Doc};
use crate::corelib::{Example, FnDef, Sig};
use crate::kinds::{Field, KindDecl, MetaProperty, docs::type_text};
use std::fmt::Write;

/// The maximum number of examples and fields shown.
const MOST: usize = 3;

/// The call signatures of a function.
pub(super) fn signatures(def: &FnDef) -> Vec<String> {
    let forms = match def.sig {
        Sig::Fixed(sig) => vec![sig],
        Sig::OneOf { accepts, .. } => accepts.to_vec(),
        Sig::Inferred { shown, .. } => shown.to_vec(),
    };
    forms.into_iter().map(|form| format!("{}{}", def.path, form.strip_prefix("func").unwrap_or(form))).collect()
}

/// The page of a function.
pub(super) fn function(def: &FnDef) -> String {
    let mut out = def.doc.to_owned();
    examples(&mut out, def.examples);
    out
}

fn examples(out: &mut String, examples: &[Example]) {
    if examples.is_empty() {
        return;
    }
    out.push_str("\n\n```mcl\n");
    for Example { call, gives } in examples.iter().take(MOST) {
        let _ = writeln!(out, "{call} # {gives}");
    }
    out.push_str("```");
}

/// An operator, or a constant or variable with its dollar.
pub(super) fn symbol(name: &str) -> Option<Doc> {
    docs::entries().find(|entry| entry.name == name)
}

/// An operator's page.
pub(super) fn operator(entry: &Doc) -> String {
    let mut out = entry.doc.to_owned();
    examples(&mut out, entry.examples);
    out
}

/// The page of a kind: what it is, and its fields.
pub(super) fn kind(decl: &KindDecl) -> String {
    let mut out = decl.doc.to_owned();
    let fields: Vec<String> = decl.fields.iter().map(|field| format!("`{}`", field.name)).collect();
    if !fields.is_empty() {
        let _ = write!(out, "\n\nFields: {}.", fields.join(", "));
    }
    if !decl.traits.sends.is_empty() {
        let sends: Vec<String> =
            decl.traits.sends.iter().map(|sent| format!("`{}` {}", sent.name, sent.ty())).collect();
        let _ = write!(out, "\n\nSends: {}.", sends.join(", "));
    }
    out
}

/// A field as it is declared: `content str, nullable`.
pub(super) fn field_head(field: &Field) -> String {
    format!("{} {}", field.name, type_text(field))
}

/// The page of a field.
pub(super) fn field(field: &Field) -> String {
    let mut out = field.doc.to_owned();
    match field.unset_value() {
        _ if field.required => out.push_str("\n\nRequired."),
        Some(value) => {
            let _ = write!(out, "\n\nDefault: `{value}`.");
        }
        None => {}
    }
    out
}

/// A meta parameter as it is declared.
pub(super) fn meta_head(property: MetaProperty) -> String {
    format!("Meta:{} {}", property.name(), property.ty())
}

/// The first sentence of a page.
pub(super) fn first_sentence(doc: &str) -> &str {
    let paragraph = doc.split("\n\n").next().unwrap_or(doc);
    paragraph.split_inclusive(". ").next().unwrap_or(paragraph).trim_end()
}
