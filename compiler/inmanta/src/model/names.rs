//! Readable names of instances: by their index, otherwise by their construction.

use super::{Member, View};
use crate::value::{InstId, Value, python_float};
use mclive_base::index::Id;
use std::collections::BTreeMap;

/// The name of each instance.
pub struct Names<'c> {
    view: View<'c>,
    names: Vec<String>,
}

impl<'c> Names<'c> {
    /// Names all instances.
    pub fn new(view: View<'c>) -> Names<'c> {
        let n_instances = view.store().instances.len();
        let mut names = Names { view, names: vec![String::new(); n_instances] };
        for instance in view.instances() {
            names.base(instance, 0);
        }
        names.number();
        names
    }

    /// The name of an instance.
    pub fn of(&self, instance: InstId) -> &str {
        &self.names[instance.index()]
    }

    /// The name without a number; index attributes may be instances with names too.
    fn base(&mut self, instance: InstId, depth: u32) -> String {
        const MAX_DEPTH: u32 = 20;
        let known = &self.names[instance.index()];
        if !known.is_empty() || depth > MAX_DEPTH {
            return known.clone();
        }
        let view = self.view;
        let program = &view.compilation.program;
        let entity = &program.entities[view.entity(instance)];
        let short = entity.full_name.strip_prefix("__config__::").unwrap_or(&entity.full_name);
        let name = if let Some(index) = entity.indexes.first() {
            let parts: Vec<String> = program.indexes[*index]
                .attrs
                .iter()
                .map(|attr| {
                    let value = match view.attribute(instance, attr) {
                        Some(Value::Instance(other)) => self.base(other, depth + 1),
                        Some(value) => self.value(&value),
                        None => "<unset>".into(),
                    };
                    format!("{attr}={value}")
                })
                .collect();
            format!("{short}[{}]", parts.join(", "))
        } else if view.is_builtin(instance) {
            let of = match (view.attribute(instance, "host"), view.attribute(instance, "name")) {
                (Some(Value::Instance(host)), _) => self.base(host, depth + 1),
                (_, Some(Value::Str(name))) => name.to_string(),
                _ => String::new(),
            };
            format!("{short}@std({of})")
        } else {
            format!("{short}@{}", view.places(instance).join(","))
        };
        self.names[instance.index()].clone_from(&name);
        name
    }

    /// Numbers several instances with the same name, in the order of the text of their content.
    fn number(&mut self) {
        let mut groups: BTreeMap<&str, Vec<InstId>> = BTreeMap::new();
        for instance in self.view.instances() {
            groups.entry(&self.names[instance.index()]).or_default().push(instance);
        }
        let mut renamed: Vec<(InstId, String)> = Vec::new();
        for (name, instances) in groups {
            if instances.len() < 2 {
                continue;
            }
            let mut keyed: Vec<(String, InstId)> = instances.iter().map(|id| (self.key(*id), *id)).collect();
            keyed.sort();
            renamed.extend(keyed.iter().enumerate().map(|(nr, (_, id))| (*id, format!("{name}#{}", nr + 1))));
        }
        for (id, name) in renamed {
            self.names[id.index()] = name;
        }
    }

    fn key(&self, instance: InstId) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (name, _, member) in self.view.members(instance) {
            match member {
                Member::Attribute(value) => parts.push(format!("{name}={}", self.value(&value))),
                Member::End { values, is_single: true } => {
                    parts.push(format!("{name}={}", values.first().map(|value| self.value(value)).unwrap_or_default()));
                }
                Member::End { is_single: false, .. } | Member::Unset => {}
            }
        }
        parts.sort();
        parts.join("\n")
    }

    /// A member of a relation's end: an instance by its name.
    pub(crate) fn end(&self, value: &Value) -> String {
        match value {
            Value::Instance(instance) => self.of(*instance).to_owned(),
            other => self.value(other),
        }
    }

    /// A value's text: strings as in JSON, lists of instances sorted, dicts by key.
    pub fn value(&self, value: &Value) -> String {
        match value {
            Value::Null => "null".into(),
            Value::Bool(value) => value.to_string(),
            Value::Int(int) => int.to_string(),
            Value::Float(float) => python_float(*float),
            Value::Str(text) => quoted(text),
            Value::Instance(instance) => self.of(*instance).to_owned(),
            Value::Unknown(_) => "<unknown>".into(),
            Value::List(list) => {
                let mut items: Vec<String> = list.items.iter().map(|item| self.value(item)).collect();
                if list.items.iter().all(|item| matches!(item, Value::Instance(_))) {
                    items.sort();
                }
                format!("[{}]", items.join(", "))
            }
            Value::Dict(dict) => {
                let mut entries: Vec<(&str, &Value)> =
                    dict.entries.iter().map(|(key, value)| (&**key, value)).collect();
                entries.sort_by_key(|(key, _)| *key);
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{}: {}", quoted(key), self.value(value))).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }
}

/// As in JSON, with non-ASCII characters unescaped.
pub fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
