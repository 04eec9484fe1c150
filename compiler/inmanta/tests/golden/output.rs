//! What a case comes to, in the format of the golden files.

use super::case::Case;
use mclive_base::source::MemoryWorld;
use mclive_base::vocab::{Datum, store};
use mclive_inmanta::export::export;
use mclive_inmanta::fault::{Class, Fault, Location, report, warning_report};
use mclive_inmanta::lex::escape::Reading;
use mclive_inmanta::model::{Member, Names, View, quoted};
use mclive_inmanta::value::Value;
use mclive_inmanta::{Compilation, Environment, Setup, compile};

pub(crate) fn run(case: &Case) -> String {
    let mut world = MemoryWorld::default();
    for (name, body) in &case.files {
        world.insert(name, body.as_bytes());
    }
    let mut environment = Environment::whole(case.environment.clone());
    for (key, value) in &case.facts {
        environment.tell(store::Fact::Value { key: key.clone() }.into(), Some(Datum::text(value.as_str())));
    }
    let setup = Setup {
        std: case.std,
        reading: Reading::Latin1,
        environment,
        precedence: case.precedence.clone(),
        root: "{dir}".into(),
        ..Setup::default()
    };
    let compilation = compile(&world, "/main.cf", &setup);
    let mut out: Vec<String> =
        compilation.printed.iter().map(|line| format!("Print: {}", escaped(line, false))).collect();
    let mut faults = compilation.faults.first().map(|fault| (**fault).clone());
    let mut lines = Vec::new();
    if faults.is_none() {
        model(&compilation, &mut lines);
        if case.exports {
            match export(&compilation) {
                Ok(exported) => {
                    let names = Names::new(View { compilation: &compilation });
                    for resource in &exported.resources {
                        let undefined = if resource.is_undefined { " undefined" } else { "" };
                        lines.push(format!("Resource: {}{undefined}", resource.id()));
                        for (field, value) in &resource.fields {
                            lines.push(format!("Field: {}.{field} = {}", resource.id(), field_text(value, &names)));
                        }
                    }
                    for (from, to) in &exported.requires {
                        lines.push(format!(
                            "Requires: {} -> {}",
                            exported.resources[*from].id(),
                            exported.resources[*to].id()
                        ));
                    }
                }
                Err(fault) => faults = Some(*fault),
            }
        }
    }
    if faults.is_none() {
        lines.sort();
        out.extend(lines);
    }
    let mut seen = std::collections::BTreeSet::new();
    for warning in &compilation.warnings {
        let text = warning_report(warning, compilation.texts());
        if !seen.contains(&text) {
            out.push(format!("# warn: {}: {}", warning.class, escaped(&text, false)));
            seen.insert(text);
        }
    }
    if let Some(fault) = faults {
        told(&fault, &compilation, 0, &mut out);
        let text = report(&fault, compilation.texts());
        out.extend(text.split('\n').map(|line| format!("# trace: {}", escaped_tabs(line)).trim_end().to_owned()));
    } else if out.is_empty() {
        out.push("# empty".into());
    }
    out.join("\n") + "\n"
}

fn field_text(value: &Value, names: &Names<'_>) -> String {
    match value {
        Value::Unknown(_) => quoted("<unknown>"),
        value => names.value(value),
    }
}

fn model(compilation: &Compilation, lines: &mut Vec<String>) {
    let view = View { compilation };
    let names = Names::new(view);
    for instance in view.instances().filter(|instance| !view.is_builtin(*instance)) {
        let name = names.of(instance);
        lines.push(format!("Instance: {name} at {}", view.places(instance).join(",")));
        for (member, _, value) in view.members(instance) {
            match value {
                Member::Attribute(value) => lines.push(format!("Attribute: {name}.{member} = {}", names.value(&value))),
                Member::End { values, .. } => {
                    lines.extend(
                        values.iter().map(|value| format!("Relation: {name}.{member} -> {}", names.value(value))),
                    );
                }
                Member::Unset => lines.push(format!("Attribute: {name}.{member} = <unset>")),
            }
        }
        for implementation in &view.store().instances[instance].implementations {
            let full = &compilation.program.implementations[*implementation].full_name;
            let short = full.strip_prefix("__config__::").unwrap_or(full);
            lines.push(format!("Implementation: {name} uses {short}"));
        }
    }
    for (ns, namespace) in compilation.program.namespaces.iter() {
        if namespace.is_builtin {
            continue;
        }
        for (slot, var) in namespace.vars.keys().enumerate() {
            let first = compilation.globals[ns.0 as usize];
            let value = view.value(mclive_inmanta::eval::VarId(first.0 + slot as u32));
            let value = value.map_or_else(|| "<unset>".to_owned(), |value| names.value(&value));
            let prefix = if &*namespace.name == "__config__" { String::new() } else { format!("{}::", namespace.name) };
            lines.push(format!("Variable: {prefix}{var} = {value}"));
        }
    }
}

fn told(fault: &Fault, compilation: &Compilation, depth: usize, out: &mut Vec<String>) {
    let head = if depth == 0 { "err".to_owned() } else { format!("cause {depth}") };
    if fault.class == Class::Internal {
        out.push(format!("# {head}: internal: {}", escaped(&fault.message, true)));
        return;
    }
    let place = fault.place.map_or_else(|| "-".to_owned(), |place| location(place, compilation));
    out.push(format!("# {head}: {}: {}: {place}", fault.class.name(), escaped(&fault.message, true)));
    fault.causes.iter().for_each(|cause| told(cause, compilation, depth + 1, out));
}

fn location(place: Location, compilation: &Compilation) -> String {
    let text = compilation.texts().place(place);
    text.strip_prefix("{dir}/").unwrap_or(&text).to_owned()
}

fn escaped(text: &str, newlines: bool) -> String {
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    if newlines { text.replace('\n', "\\n") } else { text }
}

fn escaped_tabs(text: &str) -> String {
    text.replace('\t', "\\t")
}
