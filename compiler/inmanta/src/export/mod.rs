//! Exports instances as resources with their order. Spec, 17.1 to 17.3.
//!
//! In: a finished model. Out: [`Export`], the data that a server would receive. [`crate::lower`] turns the part of one
//! host into a resource graph.

mod directories;
mod fields;
mod kinds;
mod order;
mod sets;

pub(crate) use fields::sha1;
pub(crate) use kinds::registration_of;
pub use kinds::{Registration, registrations};
pub(crate) use order::cycle;
pub(crate) use sets::{Sets, unnamed_set};

use crate::compile::Compilation;
use crate::fault::{Class, Failure, Fault};
use crate::lower::UNSUPPORTED;
use crate::model::View;
use crate::value::{InstId, Value};
use fields::Found;
use std::collections::BTreeMap;

/// A resource.
#[derive(Debug)]
pub struct Resource {
    /// The instance.
    pub instance: InstId,
    /// The registration of its entity.
    pub registration: &'static Registration,
    /// The agent.
    pub agent: String,
    /// The value of the identifying attribute.
    pub id_value: String,
    /// Its fields.
    pub fields: Vec<(&'static str, Value)>,
    /// Whether a field is unknown, so that it cannot be deployed.
    pub is_undefined: bool,
}

impl Resource {
    /// `type[agent,attribute=value]`.
    pub fn id(&self) -> String {
        self.registration.id(&self.agent, &self.id_value)
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }
}

/// The longest name of a resource that is written out in the shared store. Units: bytes.
const LONGEST_NAME: usize = 512;

/// The name of a resource in keys of the shared store. All hosts can read them, and they have a limit: a command may be
/// long, and contain a password.
pub(crate) fn name_in_store(id: &str) -> String {
    let is_plain = id.len() <= LONGEST_NAME && !id.contains(char::is_control);
    if is_plain && !id.starts_with("exec::") { id.to_owned() } else { sha1(id.as_bytes()) }
}

/// The exported resources of a model.
#[derive(Debug, Default)]
pub struct Export {
    /// The resources.
    pub resources: Vec<Resource>,
    /// Requirements, as indices into `resources`.
    pub requires: Vec<(usize, usize)>,
    /// The resources that require only instances that are not resources.
    pub without_order: Vec<usize>,
    /// Resources that are left out because their agent or their identity is unknown.
    pub unnamed: Vec<Unnamed>,
}

/// An instance that is a resource with an unknown name.
#[derive(Debug)]
pub struct Unnamed {
    /// The instance.
    pub instance: InstId,
    /// The registration of its entity.
    pub registration: &'static Registration,
    /// The agent, if it is known.
    pub agent: Option<String>,
}

/// The receiver of the export.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taker {
    /// A server, which needs to know how each host is reached.
    Server,
    /// [`crate::lower`], which contacts no host.
    Lowering,
}

/// Exports a model as the original does.
pub fn export(compilation: &Compilation) -> Result<Export, Failure> {
    exported(compilation, Taker::Server)
}

/// The export for lowering: hosts need no address.
pub fn export_to_lower(compilation: &Compilation) -> Result<Export, Failure> {
    exported(compilation, Taker::Lowering)
}

fn exported(compilation: &Compilation, taker: Taker) -> Result<Export, Failure> {
    let view = View { compilation };
    let mut out = Export::default();
    let program = &compilation.program;
    let by_entity = kinds::registered(program);
    if by_entity.is_empty() {
        return Ok(out);
    }
    for instance in view.instances() {
        let lineage = &program.entities[view.entity(instance)].lineage;
        let Some(registration) = lineage.iter().find_map(|entity| by_entity.get(entity)) else { continue };
        match fields::found(view, instance, registration, taker)? {
            Found::Resource(resource) => out.resources.push(resource),
            Found::Unnamed(unnamed) => out.unnamed.push(unnamed),
            Found::Unmanaged => {}
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (nr, resource) in out.resources.iter().enumerate() {
        let id = resource.id();
        if let Some(first) = seen.insert(id.clone(), nr) {
            let message = format!("Resource {id} exists more than once in the configuration model");
            let mut fault = Fault::new(Class::Compiler, message);
            for nr in [first, nr] {
                fault = fault.also(view.place(out.resources[nr].instance), "it is constructed here");
            }
            return Err(fault);
        }
    }
    sets::are_apart(view, &out)?;
    let may_be_one = |instance: InstId| {
        program.entities[view.entity(instance)].lineage.iter().any(|entity| {
            let name = &*program.entities[*entity].full_name;
            by_entity.contains_key(entity)
                || UNSUPPORTED.contains(&name)
                || compilation.foreign_resources.contains(name)
        })
    };
    order::requirements(view, &mut out, &may_be_one);
    directories::requirements(view, &mut out)?;
    out.requires.sort_unstable();
    out.requires.dedup();
    order::no_cycle(view, &out)?;
    Ok(out)
}
