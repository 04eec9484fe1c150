//! The model as plain data ([`ModelGraph`]).

use super::{Member, Model, Names};
use crate::value::{Value, python_float};
use mclive_base::shapes::{Instance, ModelGraph, Place, VERSION};
use std::collections::BTreeMap;

/// Every instance made by the models themselves: the first one is the whole model, the others are partial exports.
pub fn graph(models: &[Model<'_>]) -> ModelGraph {
    let instances = models.iter().enumerate().flat_map(|(nr, model)| instances(*model, nr > 0));
    ModelGraph { version: VERSION, instances: instances.collect() }
}

fn instances(model: Model<'_>, is_part: bool) -> Vec<Instance> {
    let (view, compilation) = (model.view(), model.compilation);
    let names = Names::new(view);
    let partial_export = is_part.then(|| model.main().to_owned());
    let instances = model.instances().map(|instance| {
        let mut attributes = BTreeMap::new();
        let mut relations = BTreeMap::new();
        for (name, _, member) in view.members(instance) {
            match member {
                Member::Attribute(value) => {
                    attributes.insert(name.to_owned(), plain(&value, &names));
                }
                Member::End { values, .. } => {
                    let ends = model.members(values).map(|value| names.end(&value));
                    relations.insert(name.to_owned(), ends.collect());
                }
                Member::Unset => {}
            }
        }
        let held = &view.store().instances[instance];
        let spans = held.constructs.iter().map(|construct| compilation.program.tree.exprs[*construct].span);
        let mut places: Vec<Place> = spans.map(|span| Place::of(&compilation.sources, span)).collect();
        places.sort_by(|a, b| (&a.file, a.start).cmp(&(&b.file, b.start)));
        places.dedup();
        let implementations = held.implementations.iter();
        Instance {
            name: names.of(instance).to_owned(),
            entity: view.entity_name(instance).to_owned(),
            places,
            attributes,
            relations,
            implementations: implementations
                .map(|id| compilation.program.implementations[*id].full_name.to_string())
                .collect(),
            partial_export: partial_export.clone(),
        }
    });
    instances.collect()
}

/// A value as JSON; instances by name, unknown values as `<unknown>`.
pub(crate) fn plain(value: &Value, names: &Names<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(int) => match int.to_i64() {
            Some(int) => int.into(),
            None => int.to_string().into(),
        },
        // JSON has no number for infinity.
        Value::Float(float) if float.is_infinite() => python_float(*float).into(),
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
