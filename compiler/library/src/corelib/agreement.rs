//! Compares the library with its specification: names, signatures, argument names, and which functions are built in
//! place. The specification is outside the repository. Without it nothing is compared, which `make test` reports at its
//! end (or, if `MCLIVE_MUST_LOOK` is set, fails for).

use super::{FnDef, Sig, all, lookup, variables};
use crate::types;
use serde_json::Value as Json;

#[allow(clippy::disallowed_methods, reason = "the specification is a file")]
fn specification() -> Option<Vec<Json>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/spec/functions.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        mclive_kit::left_out("the functions beside the specification, which is not beside this clone");
        return None;
    };
    Some(serde_json::from_str(&text).expect("the specification is JSON"))
}

fn texts(entry: &Json, key: &str) -> Vec<String> {
    let list =
        entry[key].as_array().map(|list| list.iter().filter_map(|text| text.as_str().map(String::from)).collect());
    list.unwrap_or_default()
}

/// A normalised signature.
fn normal(sig: &str) -> String {
    types::parse(sig).map_or_else(|| sig.to_string(), |ty| ty.to_string())
}

fn accepted(def: &FnDef) -> Vec<String> {
    match def.sig {
        Sig::Fixed(sig) => vec![normal(sig)],
        Sig::OneOf { accepts, .. } => accepts.iter().map(|sig| normal(sig)).collect(),
        Sig::Inferred { shown, .. } => shown.iter().map(|sig| normal(sig)).collect(),
    }
}

#[test]
fn functions_are_those_of_the_specification() {
    let Some(entries) = specification() else { return };
    let mut differences = Vec::new();
    let is_function =
        |entry: &&Json| !matches!(entry["kind"].as_str(), Some("operator" | "const" | "variable" | "class"));
    for entry in entries.iter().filter(is_function) {
        let name = entry["name"].as_str().unwrap_or_default();
        // Written in MCL.
        if matches!(name, "example.nativeanswer" | "example.test1") {
            continue;
        }
        let Some(def) = lookup(name) else {
            differences.push(format!("{name}: missing"));
            continue;
        };
        let (ours, theirs) = (accepted(def), texts(entry, "signatures"));
        let theirs: Vec<String> = theirs.iter().map(|sig| normal(sig)).collect();
        if ours != theirs {
            differences.push(format!("{name}: {ours:?} is not {theirs:?}"));
        }
        if def.shape.inline != entry["spec"].as_bool().unwrap_or_default() {
            differences.push(format!("{name}: built in place: {}", def.shape.inline));
        }
    }
    for def in all() {
        if !entries.iter().any(|entry| entry["name"].as_str() == Some(def.path)) {
            differences.push(format!("{}: not in the specification", def.path));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn templates_know_the_functions_of_the_specification() {
    let Some(entries) = specification() else { return };
    let name = |entry: &Json| entry["template_name"].as_str().map(String::from);
    let theirs: std::collections::BTreeSet<String> = entries.iter().filter_map(name).collect();
    let ours: std::collections::BTreeSet<String> = super::golang::template_names().map(String::from).collect();
    let surplus: Vec<_> = ours.difference(&theirs).collect();
    let is_there = |name: &&String| lookup_template(&entries, name).is_some_and(|path| lookup(path).is_some());
    let missing: Vec<_> = theirs.difference(&ours).filter(is_there).collect();
    assert!(surplus.is_empty() && missing.is_empty(), "surplus {surplus:?}, missing {missing:?}");
}

fn lookup_template<'a>(entries: &'a [Json], name: &str) -> Option<&'a str> {
    entries.iter().find(|entry| entry["template_name"].as_str() == Some(name))?["name"].as_str()
}

/// All 390 functions, with their kinds and signatures, as `mclive docs functions --json` prints them.
#[test]
fn docs_tell_every_name_with_its_kind_and_signature() {
    let Some(entries) = specification() else { return };
    let ours = super::docs::json(super::docs::entries());
    let ours: Vec<&Json> = ours.as_array().into_iter().flatten().collect();
    let of = |entries: &[&Json]| -> Vec<String> {
        let line = |entry: &&Json| {
            let signatures: Vec<String> = texts(entry, "signatures").iter().map(|sig| normal(sig)).collect();
            let single = entry["signature"].as_str().map(normal);
            format!("{} {} {} {single:?} {signatures:?}", entry["name"], entry["module"], entry["kind"])
        };
        let mut lines: Vec<String> = entries.iter().map(line).collect();
        lines.sort();
        lines
    };
    let theirs = of(&entries.iter().collect::<Vec<_>>());
    let ours = of(&ours);
    let surplus: Vec<_> = ours.iter().filter(|line| !theirs.contains(line)).collect();
    let missing: Vec<_> = theirs.iter().filter(|line| !ours.contains(line)).collect();
    assert!(surplus.is_empty() && missing.is_empty(), "surplus {surplus:#?}, missing {missing:#?}");
    assert_eq!(ours.len(), entries.len());
}

#[test]
fn constants_are_those_of_the_specification() {
    let Some(entries) = specification() else { return };
    let is_ours = |entry: &&Json| matches!(entry["kind"].as_str(), Some("const" | "variable"));
    for entry in entries.iter().filter(is_ours) {
        let name = entry["name"].as_str().unwrap_or_default().trim_start_matches('$');
        // Written in MCL.
        if name.starts_with("provisioner.") || name.starts_with("example.") {
            continue;
        }
        let full = |variable: &variables::Variable| match variable.module {
            Some(module) => format!("{module}.{}", variable.name),
            None => variable.name.to_string(),
        };
        let found = variables::ALL.iter().find(|variable| full(variable) == name).unwrap_or_else(|| panic!("{name}"));
        match &entry["value"] {
            Json::String(text) => assert_eq!(found.value, variables::Builtin::Str(text.clone().leak()), "{name}"),
            Json::Number(number) => {
                assert_eq!(Some(found.value), number.as_i64().map(variables::Builtin::Int), "{name}")
            }
            _ => assert_eq!(found.value, variables::Builtin::Hostname, "{name}"),
        }
    }
}

#[test]
fn every_signature_can_be_read() {
    for def in all() {
        for sig in accepted(def) {
            assert!(sig.contains("...") || types::parse(&sig).is_some(), "{}: {sig}", def.path);
        }
        assert!(!def.doc.is_empty(), "{}", def.path);
    }
}
