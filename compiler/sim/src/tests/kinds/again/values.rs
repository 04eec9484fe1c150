//! The values that a field is tried with: those in `values.txt`, otherwise the words in its declaration.

use mclive_library::kinds::{Field, HostType};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// By kind, or variant of a kind, and field.
pub(super) type Listed = BTreeMap<(&'static str, &'static str), Vec<&'static str>>;

/// The content of `values.txt`.
pub(super) fn listed() -> Listed {
    let mut listed = Listed::new();
    let mut kind = "";
    let lines = include_str!("values.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.trim_start().starts_with('#')) {
        let Some(field) = line.strip_prefix('\t') else {
            kind = line;
            continue;
        };
        let (name, values) = field.split_once(':').expect("a colon follows the name of a field");
        let values = values.split(" | ").map(str::trim).filter(|value| !value.is_empty()).collect();
        assert_eq!(listed.insert((kind, name), values), None, "{kind} {name} is listed twice");
    }
    listed
}

/// The values of a field.
pub(super) fn of(listed: &Listed, variant: &'static str, kind: &'static str, field: &Field) -> Vec<Cow<'static, str>> {
    match listed.get(&(variant, field.name)).or_else(|| listed.get(&(kind, field.name))) {
        Some(values) => values.iter().map(|value| Cow::Borrowed(*value)).collect(),
        None if field.host == HostType::Bool => vec!["true".into(), "false".into()],
        None if field.host == HostType::Str => words(field.doc),
        None => Vec::new(),
    }
}

/// `exists` or `absent`, and the empty text where it means something; each once.
fn words(doc: &str) -> Vec<Cow<'static, str>> {
    let quoted = doc.split('`').skip(1).step_by(2);
    let plain = quoted.filter(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let empty = doc.contains("empty").then_some("");
    let all: BTreeSet<&str> = plain.chain(empty).collect();
    all.into_iter().map(|word| format!("\"{word}\"").into()).collect()
}
