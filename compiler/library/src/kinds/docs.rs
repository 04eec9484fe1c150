//! Documentation of the kinds, from their declarations: as JSON for tools, as Markdown for the site and for a terminal.
//! `mclive docs resources`.

use super::decl::{Constant, Field, FieldDefault, KindDecl, Secrecy};
use super::host_type::HostType;
use super::kind::Kind;
use super::meta::Meta;
use super::required::sentence;
use super::{MetaProperty, examples};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// All kinds as one JSON list: `kind`, `doc`, `fields` with `name`, `type`, `optional`, `default`,
/// `nullable`, `doc`, then `traits`, `constants`, `backend`.
pub fn json<'a>(kinds: impl IntoIterator<Item = &'a dyn Kind>) -> Json {
    kinds.into_iter().map(kind_json).collect()
}

/// One page with every kind, without examples.
pub fn markdown<'a>(kinds: impl IntoIterator<Item = &'a dyn Kind>) -> String {
    let mut out = String::from("# Resource kinds\n");
    for kind in kinds {
        let _ = write!(out, "\n## {}\n\n{}\n", kind.decl().name, kind.decl().doc);
        reference(&mut out, kind);
    }
    out + "\n" + &meta()
}

/// The page of one kind: its purpose, an example, then its fields.
pub fn page(kind: &dyn Kind) -> String {
    let decl = kind.decl();
    let mut out = format!("# {}\n\n{}\n", decl.name, decl.doc);
    if let Some(example) = examples::of(decl.name) {
        let _ = write!(out, "\n```mcl\n{example}```\n");
    }
    reference(&mut out, kind);
    out + "\nAll kinds support the meta parameters: `mclive docs meta`.\n"
}

/// The page of the meta parameters, which all kinds support.
pub fn meta() -> String {
    let mut out = format!(
        "# Meta parameters\n\nControl how a resource is applied; all kinds support them. Write them among the \
        fields of a resource.\n\n```mcl\n{}```\n\n| name | type | default | meaning |\n|---|---|---|---|\n",
        examples::META
    );
    for property in MetaProperty::ALL {
        let (name, ty, default) = (property.name(), property.ty(), meta_default(property));
        let _ = writeln!(out, "| `Meta:{name}` | {ty} | {default} | {} |", cell(property.doc()));
    }
    out
}

/// The value of a meta parameter that is not set, as a program would write it.
fn meta_default(property: MetaProperty) -> String {
    let meta = Meta::default();
    let bool = |value: bool| value.to_string();
    let list = |value: &[String]| format!("{value:?}");
    match property {
        MetaProperty::Noop => bool(meta.noop),
        MetaProperty::Retry => meta.retry.to_string(),
        MetaProperty::RetryReset => bool(meta.retryreset),
        MetaProperty::Delay => meta.delay.to_string(),
        MetaProperty::Timeout => meta.timeout.to_string(),
        MetaProperty::Poll => meta.poll.to_string(),
        MetaProperty::Limit if meta.limit.is_infinite() => "no limit".to_owned(),
        MetaProperty::Limit => meta.limit.to_string(),
        MetaProperty::Burst => meta.burst.to_string(),
        MetaProperty::Reset => bool(meta.reset),
        MetaProperty::Sema => list(&meta.sema),
        MetaProperty::Rewatch => bool(meta.rewatch),
        MetaProperty::Realize => bool(meta.realize),
        MetaProperty::Dollar => bool(meta.dollar),
        MetaProperty::Hidden => bool(meta.hidden),
        MetaProperty::Export => list(&meta.export),
        MetaProperty::Reverse => bool(meta.reverse),
        MetaProperty::AutoEdge => bool(meta.autoedge),
        MetaProperty::AutoGroup => bool(meta.autogroup),
    }
}

/// The meta parameters as JSON: a list of `name`, `type` and `doc`.
pub fn meta_json() -> Json {
    let property = |it: MetaProperty| json!({"name": it.name(), "type": it.ty().to_string(), "doc": it.doc()});
    MetaProperty::ALL.into_iter().map(property).collect()
}

/// How a kind works on a Linux host, and what a policy must list for it.
pub fn on_linux(kind: &dyn Kind) -> String {
    let required = sentence(kind.decl().policy);
    if required.is_empty() { kind.backend().to_owned() } else { format!("{} {required}", kind.backend()) }
}

/// The backend of a kind, its fields, and the rest of its declaration.
fn reference(out: &mut String, kind: &dyn Kind) {
    let decl = kind.decl();
    let _ = write!(out, "\nOn Linux: {}\n", on_linux(kind));
    if !decl.fields.is_empty() {
        out.push_str("\n| field | type | default | meaning |\n|---|---|---|---|\n");
    }
    for field in decl.fields {
        let (name, ty, doc) = (field.name, type_text(field), format!("{}{}", cell(field.doc), secrecy_text(field)));
        let _ = writeln!(out, "| `{name}` | {} | {} | {doc} |", cell(&ty), cell(&default_text(field)));
    }
    let words = supported(decl);
    if !words.is_empty() {
        let _ = write!(out, "\nSupports: {}.\n", words.join(", "));
    }
    if !decl.traits.sends.is_empty() {
        let sends: Vec<String> =
            decl.traits.sends.iter().map(|sent| format!("`{}` {}", sent.name, sent.ty())).collect();
        let _ = write!(out, "\nSends: {}.\n", sends.join(", "));
    }
    if !decl.constants.is_empty() {
        let constant =
            |(name, value): &(&str, Constant)| format!("`$const.res.{}.{name}` = {}", decl.name, value.value());
        let constants: Vec<String> = decl.constants.iter().map(constant).collect();
        let _ = write!(out, "\nConstants: {}.\n", constants.join(", "));
    }
}

/// The secrecy of a field, in words.
fn secrecy_text(field: &Field) -> &'static str {
    match field.secrecy {
        Secrecy::Open => "",
        Secrecy::Secret => " Never shown in output.",
        Secrecy::Url => " A password or token in it is never shown in output.",
        Secrecy::Options => " A password among them is never shown in output.",
    }
}

fn kind_json(kind: &dyn Kind) -> Json {
    let decl = kind.decl();
    let constants = decl.constants.iter().map(|(name, value)| {
        let value = match value {
            Constant::Str(text) => json!(text),
            Constant::Int(number) => json!(number),
        };
        (format!("const.res.{}.{name}", decl.name), value)
    });
    json!({
        "kind": decl.name,
        "doc": decl.doc,
        "fields": decl.fields.iter().map(field_json).collect::<Vec<_>>(),
        "traits": traits_json(decl),
        "constants": constants.collect::<Map<_, _>>(),
        "backend": on_linux(kind),
    })
}

fn field_json(field: &Field) -> Json {
    let default = match field.default {
        FieldDefault::Bool(value) => json!(value),
        FieldDefault::Int(value) => json!(value),
        FieldDefault::Str(text) => json!(text),
        FieldDefault::StrMap(entries) => entries.iter().map(|(key, value)| (key.to_string(), json!(value))).collect(),
        FieldDefault::Zero if field.nullable => Json::Null,
        FieldDefault::Zero => zero_json(field.host),
    };
    json!({
        "name": field.name,
        "type": field.host.language().map(|ty| ty.to_string()),
        "optional": !field.required,
        "nullable": field.nullable,
        "default": default,
        "doc": field.doc,
    })
}

fn zero_json(host: HostType) -> Json {
    match host {
        HostType::Bool => json!(false),
        HostType::Str => json!(""),
        HostType::Float32 | HostType::Float64 => json!(0.0),
        HostType::Struct(fields) => {
            let known = fields.iter().filter(|field| !field.name.is_empty());
            known.map(|field| (field.name.to_string(), zero_json(field.host))).collect()
        }
        HostType::List(_) | HostType::Map(..) | HostType::Any | HostType::IntToStr | HostType::Complex(_) => Json::Null,
        HostType::Int
        | HostType::Int8
        | HostType::Int16
        | HostType::Int32
        | HostType::Int64
        | HostType::Uint
        | HostType::Uint8
        | HostType::Uint16
        | HostType::Uint32
        | HostType::Uint64
        | HostType::NamedInt(_) => json!(0),
    }
}

fn traits_json(decl: &KindDecl) -> Json {
    let mut traits: Map<String, Json> = flags(decl).into_iter().map(|(name, has)| (name.into(), has.into())).collect();
    let sends = decl.traits.sends;
    let sendable = json!({
        "fields": sends.iter().map(|sent| (sent.name.to_string(), json!(sent.ty().to_string()))).collect::<Map<_, _>>(),
        "nullable": sends.iter().map(|sent| (sent.name.to_string(), json!(sent.nullable))).collect::<Map<_, _>>(),
    });
    traits.insert("sendable".into(), if sends.is_empty() { Json::Null } else { sendable });
    traits.into()
}

fn flags(decl: &KindDecl) -> [(&'static str, bool); 13] {
    let traits = &decl.traits;
    [
        ("edgeable", traits.edgeable),
        ("edgeable_inert", traits.edgeable_inert),
        ("groupable", traits.groupable),
        ("groups_others", traits.groups_others),
        ("recvable", traits.recvable),
        ("refreshable", traits.refreshable),
        ("reversible", traits.reversible),
        ("exportable", traits.exportable),
        ("graphqueryable", traits.graph_queryable),
        ("interruptable", traits.interruptable),
        ("background", traits.background),
        ("compatible", traits.compatible),
        ("uses_vardir", traits.uses_vardir),
    ]
}

/// What a program can use of the kind's traits, in words. Those of every kind, and those for the engine, are left out.
fn supported(decl: &KindDecl) -> Vec<&'static str> {
    let traits = &decl.traits;
    [
        ("automatic edges", traits.edgeable),
        ("automatic grouping", traits.groupable || traits.groups_others),
        ("notifications", traits.refreshable),
        ("values from other resources", traits.recvable),
        ("`Meta:reverse`", traits.reversible),
    ]
    .into_iter()
    .filter_map(|(words, has)| has.then_some(words))
    .collect()
}

/// The type in the docs, including null.
pub fn type_text(field: &Field) -> String {
    let ty = field.host.language().map_or("(not in the language)".to_string(), |ty| ty.to_string());
    let unsigned = if field.host.int_range().is_some_and(|(low, _)| low == 0) { " ≥ 0" } else { "" };
    let bits = match field.host {
        HostType::Int8 | HostType::Uint8 => " 8-bit",
        HostType::Int16 | HostType::Uint16 => " 16-bit",
        HostType::Int32 | HostType::Uint32 | HostType::Float32 => " 32-bit",
        HostType::Bool
        | HostType::Str
        | HostType::Int
        | HostType::Int64
        | HostType::Uint
        | HostType::Uint64
        | HostType::NamedInt(_)
        | HostType::Float64
        | HostType::List(_)
        | HostType::Map(..)
        | HostType::Struct(_)
        | HostType::Any
        | HostType::IntToStr
        | HostType::Complex(_) => "",
    };
    let nullable = if field.nullable { ", nullable" } else { "" };
    format!("{ty}{unsigned}{bits}{nullable}")
}

/// The value of a field that is not set; one that must be set has none.
fn default_text(field: &Field) -> String {
    match field.required {
        true => "required".to_string(),
        false => field.unset_value().map_or("unset".to_string(), |value| value.to_string()),
    }
}

/// A text escaped for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{all, lookup};

    #[test]
    fn every_kind_is_in_each_form() {
        let (page, json) = (markdown(all()), json(all()));
        assert_eq!(json.as_array().map(Vec::len), Some(61));
        for kind in all() {
            let name = kind.decl().name;
            assert!(page.contains(&format!("\n## {name}\n")), "{name}");
            let own = super::page(kind);
            assert!(own.starts_with(&format!("# {name}\n")) && !own.contains("# Meta parameters"), "{name}");
            assert!(kind.backend().ends_with('.') && own.contains("\nOn Linux: "), "{name}");
        }
    }

    #[test]
    fn a_required_field_has_no_default() {
        let page = markdown(lookup("sysctl"));
        assert!(page.contains("| `value` | str | required | Value as a string. |\n"), "{page}");
        assert!(page.contains("| `path` | str | \"\" | "), "{page}");
        for field in all().flat_map(|kind| kind.decl().fields) {
            assert!(!field.doc.contains("(required)"), "the table says so: {}", field.name);
        }
    }

    #[test]
    fn traits_are_in_words() {
        let page = markdown(lookup("file"));
        let words = "\nSupports: automatic edges, values from other resources, `Meta:reverse`.\n";
        assert!(page.contains(words), "{page}");
        let page = markdown(lookup("schedule"));
        assert!(!page.contains("\nSupports: "), "{page}");
    }

    #[test]
    fn meta_parameters_have_an_example_and_their_defaults() {
        let page = meta();
        assert!(page.starts_with("# Meta parameters\n\n") && page.contains(examples::META), "{page}");
        for line in [
            "| `Meta:retry` | int | 0 | Maximum number of retries",
            "| `Meta:limit` | float | no limit | ",
            "| `Meta:sema` | []str | [] | ",
            "| `Meta:autoedge` | bool | true | ",
        ] {
            assert!(page.contains(line), "{line}: {page}");
        }
    }

    #[test]
    fn types_are_those_of_the_language() {
        let test = json(lookup("test"));
        let ty = |name: &str| {
            let fields = test[0]["fields"].as_array().unwrap();
            fields.iter().find(|field| field["name"] == name).unwrap()["type"].clone()
        };
        assert_eq!(ty("uint8ptr"), "int");
        assert_eq!(ty("mapintfloat"), "map{int: float}");
        assert_eq!(ty("complex64"), Json::Null);
    }
}
