//! Facts about resources: `std::getfact`. They are declared in `functions.json`, known to the host of the resource, or
//! set in the shared store while the model runs.

use super::Definition;
use crate::environment::text;
use crate::eval::{Call, Stop};
use crate::export::{name_in_store, sha1};
use crate::lower::INTERNAL;
use crate::value::{NoInstances, Value, message};
use mclive_base::vocab::account::{self, PLANNED_FROM};
use mclive_base::vocab::{Datum, FactSpec, store};

type Answer = Result<Value, Stop>;

pub(super) static DEFS: &[Definition] = &[Definition::new(
    "std::getfact",
    "getfact(resource: any, fact_name: string, default_value: any = null) -> any",
    "Returns a fact about a resource as text, or the default while it is unknown. Without a default, resources that \
     need it are left out until it is known. A change is applied immediately.\n\n- `uid`, `gid` and `home` of a \
     `posix::User` are known once the user exists: to its host, and to others if the hosts share a store \
     (`--world`).\n- Other facts are set in the shared store: `mclive world set \
     'facts/size/fs::File[web1,path=/srv/data]' 5` sets `size` of the file `/srv/data` on `web1`. `mclive check` \
     prints the command for each fact that a model needs. Simulated hosts have such a value below `strings/`: a \
     scenario sets it with `set Store \"strings/facts/size/fs::File[web1,path=/srv/data]\" value 5`, and the \
     playground lists it under \"Stored values\".\n- Facts in `functions.json` take precedence: \
     `{\"std::getfact\": [{\"args\": [\"fs::File[web1,path=/srv/data]\", \"size\"], \"result\": \"5\"}]}`.",
    getfact,
)
.asking_a_server()];

/// The longest name of a fact that is written out in the shared store. Units: bytes.
const LONGEST_NAME: usize = 128;

/// A fact about a resource.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fact {
    /// The resource, `type[agent,attribute=value]`.
    pub resource: String,
    /// The name.
    pub name: String,
    /// The host that knows it; `None`: operators set it.
    pub host: Option<String>,
}

impl Fact {
    /// The name of its value in the shared store: the resource comes last, so that no part of it is taken for the host
    /// that has set it.
    pub fn name_in_store(&self) -> String {
        let name = &self.name;
        let is_plain = !name.is_empty()
            && name.len() <= LONGEST_NAME
            && !name.contains(|char: char| char == '/' || char.is_control());
        let name = if is_plain { name.clone() } else { sha1(name.as_bytes()) };
        format!("facts/{name}/{}", name_in_store(&self.resource))
    }

    /// The key of its value, below `strings/`.
    fn key(&self) -> String {
        match &self.host {
            Some(host) => format!("{}/{host}", self.name_in_store()),
            None => self.name_in_store(),
        }
    }
}

/// What a fact is about.
enum Subject {
    Resource(Named),
    /// A resource whose name is not known yet.
    Unnamed,
    /// Anything else: its facts can only be declared in `functions.json`.
    Other,
}

/// A resource.
struct Named {
    kind: &'static str,
    agent: String,
    id_value: String,
    id: String,
}

impl Named {
    /// The request to its host for a fact, whose value is the field with this name.
    fn of_host(&self, fact: &str) -> Option<FactSpec> {
        match (self.kind, fact) {
            ("user", "uid" | "gid" | "home") if !self.id_value.is_empty() => {
                Some(account::Fact::User { name: self.id_value.clone() }.into())
            }
            _ => None,
        }
    }
}

fn getfact(call: &mut Call<'_, '_>) -> Answer {
    let subject = subject(call)?;
    if let Some(declared) = declared(call, &subject)? {
        return Ok(declared);
    }
    let default = Some(call.arg(2).clone()).filter(|default| !matches!(default, Value::Null));
    if let Subject::Resource(resource) = subject {
        // The names are kept until the model is compiled.
        call.spend(resource.id.len() + call.text(1).len())?;
        if let Some(value) = value(call, &resource, default.is_some()) {
            return Ok(Value::str(&value));
        }
    } else if default.is_none() && matches!(subject, Subject::Other) {
        call.unanswered();
    }
    Ok(default.unwrap_or_else(|| call.unknown()))
}

/// The value of a fact, from the host or from the shared store.
fn value(call: &mut Call<'_, '_>, resource: &Named, has_default: bool) -> Option<String> {
    let name = call.text(1).to_owned();
    let of_host = resource.of_host(&name);
    let host = of_host.is_some().then(|| resource.agent.clone());
    let is_here = resource.agent == INTERNAL || call.host() == Some(resource.agent.as_str());
    let fact = Fact { resource: resource.id.clone(), name, host };
    let told = match of_host.filter(|_| is_here && call.host().is_some()) {
        Some(spec) => {
            let told = call.ask(&spec).map(|told| told.and_then(|told| field(told, &fact.name)));
            if let Some(Some(value)) = &told {
                call.known_fact(fact.clone(), value.clone());
            }
            told
        }
        None => call.ask(&store::Fact::Value { key: fact.key() }.into()).map(|told| told.and_then(text)),
    };
    if told == Some(None) && !has_default {
        call.awaited_fact(fact);
    }
    told.flatten()
}

/// A field of what a host knows about a user, as text.
fn field(told: &Datum, name: &str) -> Option<String> {
    let Datum::Struct(fields) = told else { return None };
    let (_, value) = fields.iter().find(|(field, _)| field == name)?;
    match value {
        // In a plan, the system has not chosen it yet.
        Datum::Int(id) => Some(id).filter(|id| **id < i64::from(PLANNED_FROM)).map(i64::to_string),
        value => text(value),
    }
}

/// The subject of the first argument; waits until its name is known.
fn subject(call: &Call<'_, '_>) -> Result<Subject, Stop> {
    let Value::Instance(instance) = call.arg(0) else { return Ok(Subject::Other) };
    let Some(registration) = call.registration(*instance) else { return Ok(Subject::Other) };
    let mut agent = Value::Instance(*instance);
    for step in registration.agent {
        if let Value::List(list) = &agent
            && let Some(first) = list.items.first()
        {
            agent = first.clone();
        }
        let Value::Instance(here) = agent else { return Ok(Subject::Unnamed) };
        agent = known(call.attribute(here, step))?;
    }
    let id_value = known(call.attribute(*instance, registration.id_attribute))?;
    let (Value::Str(agent), false) = (agent, matches!(id_value, Value::Unknown(_) | Value::Null)) else {
        return Ok(Subject::Unnamed);
    };
    let id_value = message(&id_value, &NoInstances);
    let id = registration.id(&agent, &id_value);
    Ok(Subject::Resource(Named { kind: registration.kind, agent: agent.to_string(), id_value, id }))
}

/// An attribute; null if the model leaves it empty.
fn known(read: Answer) -> Answer {
    match read {
        Err(Stop::Fault(_) | Stop::Failed(_)) => Ok(Value::Null),
        read => read,
    }
}

/// The declared result of the call. The resource is identified by its name.
fn declared(call: &mut Call<'_, '_>, subject: &Subject) -> Result<Option<Value>, Stop> {
    let mut args = call.args.clone();
    if let (Subject::Resource(resource), Some(first)) = (subject, args.first_mut()) {
        *first = Value::str(&resource.id);
    }
    let (answer, work) = call.answers().of_builtin(call.function_name(), &args);
    let answer = answer.cloned();
    call.work(work)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_its_own_short_key() {
        let key = |resource: &str, name: &str| {
            let fact = Fact { resource: resource.into(), name: name.into(), host: None };
            assert_eq!(Fact { host: Some("h".into()), ..fact.clone() }.key(), format!("{}/h", fact.key()));
            fact.key()
        };
        assert_eq!(key("fs::File[h,path=/a]", "uid"), "facts/uid/fs::File[h,path=/a]");
        let long = "x".repeat(600);
        let resources =
            ["fs::File[h,path=/a]", "fs::File[h,path=/a\n]", "exec::Run[h,command=/tool --key hush]", long.as_str()];
        let mut keys: Vec<String> = resources
            .iter()
            .flat_map(|resource| ["a", "a/b", "", "\n", long.as_str()].map(|name| key(resource, name)))
            .collect();
        for key in &keys {
            assert!(key.len() < 600 && !key.contains(char::is_control) && !key.contains("hush"), "{key}");
        }
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 20);
    }
}
