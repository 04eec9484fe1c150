//! The agent's process. Commands of the host see its environment, so it is part of the world.

use super::{Adds, Answer, Context, Play, Simulated, SubjectState, absent, exists, mix, no_such, texts};
use crate::World;
use crate::vocab::program::Fact;
use crate::vocab::subjects::Program;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeMap;

/// How the agent was started.
#[derive(Clone)]
pub struct Started {
    /// Its arguments.
    pub args: Vec<String>,
    /// Command line settings by name.
    pub settings: BTreeMap<String, Datum>,
}

impl SubjectState for Started {
    fn of_new_host(_: &str) -> Started {
        Started { args: vec!["mclive".to_string(), "run".to_string()], settings: BTreeMap::new() }
    }

    fn n_entries(&self) -> usize {
        self.args.len()
    }

    fn n_bytes(&self) -> usize {
        self.args.iter().map(String::len).sum()
    }
}

/// The thing for the agent's arguments; no variable has a space in its name.
const COMMAND_LINE: &str = "command line";
/// A program reads them when it is deployed, and not again.
const ARGUMENTS: &str = "arguments (from the next deploy)";

impl Simulated for Program {
    type State = Started;
}

impl Play for Program {
    const TITLE: &'static str = "The agent and its environment";
    const ADDS: Adds = &[("variable", "", "STAGE")];

    fn holds(world: &World) -> Vec<Thing> {
        let variable = |(name, value): (&String, &String)| Thing::new(name).field("value", value).verbs(&["unset"]);
        let line = Thing::new(COMMAND_LINE).field(ARGUMENTS, world.subjects.program.args.join(" "));
        std::iter::once(line).chain(world.env.iter().map(variable)).collect()
    }

    /// Adds an empty variable.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        if world.env.contains_key(thing) {
            return Err(exists(&format!("variable {thing}")));
        }
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if thing.is_empty() || thing.starts_with(|first: char| first.is_ascii_digit()) || !thing.bytes().all(is_valid) {
            let rule = "letters, digits and `_`, not beginning with a digit";
            let message = format!("`{thing}` is not a valid variable name: {rule}");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        world.env.insert(thing.to_owned(), String::new());
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if thing == COMMAND_LINE {
            let Alteration::Set { value, .. } = how else { return Err(no_such(thing, how)) };
            world.subjects.program.args = value.split_whitespace().map(str::to_owned).collect();
            return Ok(());
        }
        match how {
            Alteration::Set { value, .. } => drop(world.env.insert(thing.to_owned(), value.clone())),
            Alteration::Do { verb } if verb == "unset" => drop(world.env.remove(thing)),
            Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { probe step }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        let missing = |message: String| HostError::new(HostErrorKind::NotFound, message);
        Ok(match fact {
            Fact::Env { name } => match world.env.get(name) {
                Some(value) => Datum::text(value.as_str()),
                None => return Err(missing(format!("environment variable {name} is not set"))),
            },
            Fact::Environment => {
                let text = |text: &String| Datum::text(text.as_str());
                Datum::Map(world.env.iter().map(|(name, value)| (text(name), text(value))).collect())
            }
            Fact::Args => texts(world.subjects.program.args.iter()),
            Fact::Executable { .. } => Datum::text("/usr/bin/mclive"),
            Fact::Process => process(),
            Fact::Setting { name } => {
                let found = world.subjects.program.settings.get(name).cloned();
                found.ok_or_else(|| missing(format!("setting {name} is not set")))?
            }
            Fact::Random { n_bytes, nonce } => {
                let mut state = mix(world.seed.wrapping_mul(31) ^ nonce.wrapping_add(1));
                let bytes = (0..*n_bytes).map(|_| {
                    state = mix(state);
                    (state >> 32) as u8
                });
                Datum::Bytes(bytes.collect())
            }
        })
    }
}

fn process() -> Datum {
    let numbers = [("pid", 100), ("ppid", 1), ("uid", 0), ("gid", 0), ("euid", 0), ("egid", 0)];
    let number = |(name, number): (&str, i64)| (name.to_owned(), Datum::Int(number));
    let mut fields: Vec<_> = numbers.into_iter().map(number).collect();
    fields.push(("cwd".into(), Datum::text("/")));
    fields.extend([("page_size", 4096), ("n_cpus", 4)].map(number));
    Datum::Struct(fields)
}
