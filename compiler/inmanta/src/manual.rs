//! Manual pages: the constructs of the language, and the modules, types, entities and functions of the library.
//!
//! They are generated from the same modules and definitions that models use.

use crate::compile::{Compilation, Setup, compile};
use crate::constructs::CONSTRUCTS;
use crate::export::{Registration, registrations};
use crate::library::{self, Function};
use crate::lower;
use crate::program::{AttrKind, Entity, NsId, Program, Typedef};
use crate::value::{NoInstances, written};
use mclive_base::source::{MemoryWorld, Sources};
use mclive_base::span::{FileId, Span};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The built-in modules.
pub fn modules() -> Vec<String> {
    library::MODULES.iter().map(|(name, _)| (*name).to_owned()).collect()
}

/// Every function, with its module.
pub fn functions() -> Vec<String> {
    library::all_functions().map(|function| function.name.to_string()).collect()
}

/// The page of a name: a construct, a module, a type, an entity, a function, or `models` for all of them.
pub fn page(name: &str) -> Option<String> {
    let found = Found::of(name)?;
    let mut out = format!("# {name}\n");
    for (module, doc) in &found.modules {
        let _ = write!(out, "\n## `import {module}`\n\n{doc}\n");
    }
    for (name, example, doc) in &found.constructs {
        let _ = write!(out, "\n### {name}\n\n```cf\n{example}\n```\n\n{doc}\n");
    }
    if !found.instead.is_empty() {
        out.push_str("\n### resources of published modules\n\n| module | kinds | in a model |\n|---|---|---|\n");
        for known in &found.instead {
            let kinds: Vec<String> = known.kinds.iter().map(|kind| format!("`{kind}`")).collect();
            let kinds = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
            let _ = writeln!(out, "| `{}` | {kinds} | {} |", known.module, known.text);
        }
        out.push_str("\nThe entities of these modules, and of others below `libs/`, register their resources in Python. They are left out, with one warning for each entity.\n");
    }
    for typedef in &found.typedefs {
        let _ = write!(out, "\n### `{}`\n\n- `{}`\n", typedef.name, typedef.text);
        if !typedef.doc.is_empty() {
            let _ = write!(out, "\n{}\n", typedef.doc);
        }
    }
    for entity in &found.entities {
        let _ = write!(out, "\n### `{}`\n\n", entity.name);
        if !entity.parents.is_empty() {
            let _ = writeln!(out, "Extends {}.\n", listed(&entity.parents));
        }
        if !entity.doc.is_empty() {
            let _ = writeln!(out, "{}\n", entity.doc);
        }
        if let Some(registration) = registrations().iter().find(|known| known.entity == entity.name) {
            let Registration { kind, id_attribute, .. } = registration;
            let _ = writeln!(out, "Each instance is a resource of kind `{kind}`, named after its `{id_attribute}`.\n");
        } else if lower::UNSUPPORTED.contains(&&*entity.name) {
            let _ = writeln!(out, "No kind corresponds to it: instances are left out with a warning.\n");
        }
        entity.members.iter().for_each(|member| {
            let _ = writeln!(out, "- `{member}`");
        });
        entity.indexes.iter().for_each(|index| {
            let _ = writeln!(out, "- `{index}`");
        });
    }
    for function in &found.functions {
        let _ = write!(out, "\n### `{}`\n\n- `{}`\n\n{}\n", function.name, function.signature, function.doc);
        if let Some(deprecation) = function.deprecation() {
            let _ = writeln!(out, "\n{deprecation}");
        }
        function.examples.iter().for_each(|(call, result)| {
            let _ = writeln!(out, "\n`{call}` is `{result}`.");
        });
    }
    Some(out)
}

/// The same as JSON.
pub fn page_json(name: &str) -> Option<Json> {
    let found = Found::of(name)?;
    let modules: Vec<Json> = found.modules.iter().map(|(name, doc)| json!({ "name": name, "doc": doc })).collect();
    let entities = found.entities.iter().map(|entity| {
        json!({
            "name": entity.name, "doc": entity.doc, "parents": entity.parents, "members": entity.members,
            "indexes": entity.indexes,
        })
    });
    let functions = found.functions.iter().map(|function| {
        let examples = function.examples.iter().map(|(call, result)| json!({ "call": call, "gives": result }));
        json!({
            "name": function.name, "signature": function.signature, "doc": function.doc,
            "deprecated": function.deprecated, "examples": examples.collect::<Json>(),
        })
    });
    let constructs = found.constructs.iter();
    let constructs = constructs.map(|(name, example, doc)| json!({ "name": name, "example": example, "doc": doc }));
    let instead = found.instead.iter();
    let instead = instead.map(|known| json!({ "module": known.module, "kinds": known.kinds, "text": known.text }));
    let typedefs = found.typedefs.iter();
    let typedefs = typedefs.map(|typedef| json!({ "name": typedef.name, "text": typedef.text, "doc": typedef.doc }));
    Some(json!({
        "constructs": constructs.collect::<Json>(), "instead": instead.collect::<Json>(), "typedefs": typedefs.collect::<Json>(),
        "modules": modules, "entities": entities.collect::<Json>(), "functions": functions.collect::<Json>(),
    }))
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

struct Found {
    constructs: Vec<&'static (&'static str, &'static str, &'static str)>,
    instead: Vec<&'static library::Instead>,
    typedefs: Vec<TypedefPage>,
    modules: Vec<(String, String)>,
    entities: Vec<EntityPage>,
    functions: Vec<&'static Function>,
}

struct TypedefPage {
    name: String,
    /// As declared.
    text: String,
    doc: String,
}

struct EntityPage {
    name: String,
    doc: String,
    parents: Vec<String>,
    /// Attributes and ends as declared.
    members: Vec<String>,
    indexes: Vec<String>,
}

impl Found {
    fn of(name: &str) -> Option<Found> {
        let library = whole_library();
        let is_module = library::MODULES.iter().any(|(module, _)| *module == name);
        let is_in = |full: &str| full.rsplit_once("::").is_some_and(|(module, _)| module == name);
        let is_meant = |full: &str| name == "models" || full == name || is_module && is_in(full);
        let program = &library.program;
        let modules = program.namespaces.values().filter(|namespace| namespace.is_loaded).filter(|namespace| {
            name == "models" && *namespace.name != *"__config__" || is_module && *namespace.name == *name
        });
        let entities = program.entities.values().filter(|entity| is_meant(&entity.full_name));
        let functions = library::all_functions().map(|function| &**function);
        let typedefs = program.typedefs.values().filter(|typedef| is_meant(&typedef.full_name));
        let found = Found {
            constructs: CONSTRUCTS.iter().filter(|(construct, _, _)| name == "models" || *construct == name).collect(),
            instead: match name {
                "models" | "resources of published modules" => library::INSTEAD.iter().collect(),
                _ => library::known_of(name).collect(),
            },
            typedefs: typedefs.map(|typedef| typedef_page(program, &library.sources, typedef)).collect(),
            modules: modules
                .map(|namespace| (namespace.name.to_string(), file_doc(&library.sources, namespace.file)))
                .collect(),
            entities: entities.map(|entity| entity_page(program, &library.sources, entity)).collect(),
            functions: functions.filter(|function| is_meant(&function.name)).collect(),
        };
        let is_empty = found.constructs.is_empty()
            && found.instead.is_empty()
            && found.modules.is_empty()
            && found.typedefs.is_empty()
            && found.entities.is_empty()
            && found.functions.is_empty();
        (!is_empty).then_some(found)
    }
}

/// A model that imports every module.
fn whole_library() -> Compilation {
    let mut text: String = modules().iter().filter(|name| *name != "std").fold(String::new(), |mut text, name| {
        let _ = writeln!(text, "import {name}");
        text
    });
    // The classic part is loaded when mentioned.
    text += "# std::File\n";
    let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
    compile(&world, "/main.cf", &Setup::default())
}

fn typedef_page(program: &Program, sources: &Sources, typedef: &Typedef) -> TypedefPage {
    TypedefPage {
        name: typedef.full_name.to_string(),
        text: typedef_text(program, typedef),
        doc: doc_text(sources, typedef.doc),
    }
}

/// A typedef as declared.
pub fn typedef_text(program: &Program, typedef: &Typedef) -> String {
    let condition = crate::ast::expr_text(&program.tree, typedef.condition, crate::ast::Style::Alone);
    format!("typedef {} as {} matching {condition}", typedef.full_name, program.type_name(&typedef.base))
}

fn entity_page(program: &Program, sources: &Sources, entity: &Entity) -> EntityPage {
    let members = entity.own.values().map(|attr| {
        let text = member_text(program, *attr);
        // A relation may be of another module, without which the entity does not have it.
        match namespace_of(program, program.attrs[*attr].span.file).filter(|ns| *ns != entity.ns) {
            Some(ns) => format!("{text}  # added by {}", program.namespaces[ns].name),
            None => text,
        }
    });
    let indexes = program.indexes.values().filter(|index| program.entities[index.entity].full_name == entity.full_name);
    EntityPage {
        name: entity.full_name.to_string(),
        doc: doc_text(sources, entity.doc),
        parents: entity.parents.iter().map(|parent| program.entities[*parent].full_name.to_string()).collect(),
        members: members.collect(),
        indexes: indexes.map(|index| format!("index {}({})", entity.full_name, index.attrs.join(", "))).collect(),
    }
}

/// An attribute or a relation's end as models declare it.
pub fn member_text(program: &Program, attr: crate::program::AttrId) -> String {
    let declared = &program.attrs[attr];
    match &declared.kind {
        AttrKind::Plain(_) => {
            // The text of the original's messages has single quotes, and no elements of a list.
            let slot = program.slot(declared.entity, &declared.name).map(|(slot, _)| slot);
            let default = slot.and_then(|slot| program.entities[declared.entity].defaults.get(slot)?.as_ref());
            match (declared.text.split_once(" = "), default) {
                (Some((head, _)), Some(default)) => format!("{head} = {}", written(&default.value, &NoInstances)),
                _ => declared.text.clone(),
            }
        }
        AttrKind::End(end) => {
            let target = &program.entities[end.target].full_name;
            let bounds = match end.high {
                Some(high) if high == end.low => format!("[{high}]"),
                Some(high) => format!("[{}:{high}]", end.low),
                None => format!("[{}:]", end.low),
            };
            format!("{} {bounds} -- {target}", declared.name)
        }
    }
}

/// The text of a documentation string: without quotes and common indentation.
pub fn doc_text(sources: &Sources, doc: Option<Span>) -> String {
    let Some(span) = doc else { return String::new() };
    let text = String::from_utf8_lossy(sources.slice(span)).into_owned();
    let lines = text.trim_matches('"').trim().lines().map(str::trim);
    lines.collect::<Vec<_>>().join("\n")
}

/// The documentation at the start of a module's file.
fn file_doc(sources: &Sources, file: FileId) -> String {
    let text = String::from_utf8_lossy(&sources.get(file).text);
    let doc = text.trim_start().strip_prefix("\"\"\"").and_then(|text| text.split_once("\"\"\""));
    doc.map_or_else(String::new, |(doc, _)| doc.trim().to_owned())
}

/// The namespace of a file.
pub fn namespace_of(program: &Program, file: FileId) -> Option<NsId> {
    program.namespaces.iter().find(|(_, namespace)| namespace.is_loaded && namespace.file == file).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_entities_and_functions_have_pages() {
        let text = |name: &str| page(name).unwrap_or_else(|| panic!("no page on {name}"));
        assert!(text("std::print").contains("print(message: any)"));
        assert!(text("fs::File").contains("string path") && text("fs::File").contains("index fs::File(host, path)"));
        assert!(text("std").contains("std::Host") && text("std").contains("std::File"));
        assert!(text("std::Package").contains("of kind `pkg`, named after its `name`"));
        let templates = text("std::template");
        for (kind, lacking) in [("filter", "random"), ("function", "lipsum")] {
            assert!(templates.contains(&format!("`{lacking}`")));
            assert!(!crate::template::offered().contains(&format!("{kind} {lacking}")), "{lacking} is available");
        }
        assert!(text("fs::JsonFile").contains("left out with a warning"));
        assert!(
            text("exec::Run").contains("`int[] returns = [0]`")
                && text("exec::Run").contains("`string creates = \"\"`")
        );
        assert!(text("std::port").contains("typedef std::port as int matching ((self >= 0) and (self < 65536))"));
        assert!(text("std").contains("std::ipv4_address") && text("ip::cidr").contains("ip::is_valid_cidr(self)"));
        assert!(text("is defined").contains("site.note is defined") && text("models").contains("### comprehension"));
        assert!(text("podman").contains("| `podman` | `file`, `svc` |") && text("models").contains("| `apt` |"));
        // What only another module adds, and what is known of deprecated and of served functions.
        assert!(text("std::Host").contains("- `users [0:] -- posix::User  # added by posix`"));
        assert!(!text("fs::File").contains("# added by") && text("std::Host").contains("- `os [1] -- std::OS`"));
        assert!(text("std::select").contains("\nDeprecated. Use a list comprehension.\n"));
        for served in library::all_functions().filter(|function| function.asks_a_server) {
            let declared = format!("`{{\"{}\": [{{\"args\": [", served.name);
            assert!(served.doc.contains(&declared) && served.doc.ends_with("}]}`."), "{}", served.name);
        }
        assert!(text("files").contains("| `files::Symlink` | `file` | use `fs::Symlink` |"));
        assert!(text("config").contains("declare the results of its functions in `functions.json`"));
        assert!(text("lsm").contains("| `lsm` | none |") && text("fs::JsonFile").contains("`std::json_dumps`"));
        for known in library::INSTEAD {
            for entity in known.text.split('`').filter(|word| word.contains("::")) {
                assert!(page(entity).is_some(), "{entity} of {}", known.module);
            }
        }
        assert!(text("ip").contains("Network addresses, ports") && text("ip::services").contains("ip::Host"));
        assert!(text("models").contains("exec::Run") && page("no::such").is_none());
        assert_eq!(page_json("std::print").expect("a page")["functions"][0]["name"], "std::print");
    }
}
