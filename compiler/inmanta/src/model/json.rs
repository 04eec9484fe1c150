//! The model as JSON.

use super::{Member, Names, View};
use crate::compile::Compilation;
use crate::value::Value;
use serde::Serialize;

#[derive(Serialize)]
struct Model {
    instances: Vec<Instance>,
}

#[derive(Serialize)]
struct Instance {
    name: String,
    entity: String,
    places: Vec<String>,
    attributes: serde_json::Map<String, serde_json::Value>,
    relations: serde_json::Map<String, serde_json::Value>,
    implementations: Vec<String>,
}

/// Every instance that the model itself made.
pub fn json(compilation: &Compilation) -> serde_json::Value {
    let view = View { compilation };
    let names = Names::new(view);
    let instances = view.instances().filter(|instance| !view.is_builtin(*instance)).map(|instance| {
        let mut attributes = serde_json::Map::new();
        let mut relations = serde_json::Map::new();
        for (name, _, member) in view.members(instance) {
            match member {
                Member::Attribute(value) => {
                    attributes.insert(name.to_owned(), plain(&value, &names));
                }
                Member::End { values, .. } => {
                    relations.insert(name.to_owned(), values.iter().map(|value| plain(value, &names)).collect());
                }
                Member::Unset => {}
            }
        }
        let implementations = view.store().instances[instance]
            .implementations
            .iter()
            .map(|id| compilation.program.implementations[*id].full_name.to_string())
            .collect();
        Instance {
            name: names.of(instance).to_owned(),
            entity: view.entity_name(instance).to_owned(),
            places: view.places(instance),
            attributes,
            relations,
            implementations,
        }
    });
    serde_json::to_value(Model { instances: instances.collect() }).unwrap_or_default()
}

/// A value as JSON; instances by their names, unknown values as `<unknown>`.
pub(crate) fn plain(value: &Value, names: &Names<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(int) => match int.to_i64() {
            Some(int) => int.into(),
            None => int.to_string().into(),
        },
        Value::Float(float) => (*float).into(),
        Value::Str(text) => (**text).into(),
        Value::List(list) => list.items.iter().map(|item| plain(item, names)).collect(),
        Value::Dict(dict) => dict
            .entries
            .iter()
            .map(|(key, item)| (key.to_string(), plain(item, names)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Instance(instance) => names.of(*instance).into(),
        Value::Unknown(_) => "<unknown>".into(),
    }
}
