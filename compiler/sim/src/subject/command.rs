//! Commands: scripted ones, and those of [`process`](crate::process).

use super::{Adds, Answer, Context, Play, Simulated, no_such, number};
use crate::command::{Command as Script, Scripted};
use crate::gather;
use crate::protocol::Ticket;
use crate::ran::{End, Ran};
use crate::vocab::command::{Fact, Finding, Probe, Step, Watch};
use crate::vocab::subjects::Command;
use crate::vocab::{CommandSpec, Datum, HostError, HostErrorKind, Outcome};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};

const SCRIPT: &str = "script an answer";
const UNSCRIPT: &str = "remove the answer";
const KILL: &str = "kill";
/// So much of an output is shown. Units: characters.
const SHOWN: usize = 200;

impl Simulated for Command {
    type State = ();
}

impl Play for Command {
    const TITLE: &'static str = "Commands";
    const ADDS: Adds = &[("scripted command", "", "fetch --all")];

    fn holds(world: &World) -> Vec<Thing> {
        let commands = &world.commands;
        let ran = commands.log.all().map(|(line, _)| line);
        let lines = gather::set(ran.chain(commands.scripted().map(|command| command.line.as_str())));
        lines.into_iter().map(|line| shown(line, commands.log.get(line), commands.get(line))).collect()
    }

    /// Adds a command that prints nothing and succeeds.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        if world.commands.get(thing).is_some() || world.commands.log.get(thing).is_some() {
            return Err(HostError::new(HostErrorKind::Exists, format!("`{thing}` is already listed")));
        }
        script(world, thing, Scripted::default())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if matches!(how, Alteration::Do { verb } if verb == KILL) {
            return if world.commands.log.kill(thing) { Ok(()) } else { Err(no_such(thing, how)) };
        }
        let scripted = world.commands.get(thing).map(answer_of);
        let is_scripted = scripted.is_some();
        let mut answer = scripted.unwrap_or_else(|| last_run(world, thing));
        match how {
            Alteration::Set { field, value } => match field.as_str() {
                "prints" => answer.stdout.clone_from(value),
                "exit status" => answer.status = status(value)?,
                "duration (ms)" => answer.duration_ms = number(field, value)?,
                _ => return Err(no_such(thing, how)),
            },
            Alteration::Do { verb } if verb == SCRIPT && !is_scripted => {}
            Alteration::Do { verb } if verb == UNSCRIPT && is_scripted => {
                world.commands.unset(thing);
                return Ok(());
            }
            Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        script(world, thing, answer)
    }

    fn probe(_: &mut Context, probe: &Probe) -> Answer<Finding> {
        Answer::Command(probe.clone())
    }

    fn step(_: &mut Context, step: &Step) -> Answer<Outcome> {
        Answer::Command(step.clone())
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.follow(ticket, watch)
    }

    fn fact(_: &mut World, _: u64, Fact::Lines { command }: &Fact) -> Result<Datum, HostError> {
        Err(HostError::unavailable(&format!("the output of `{command}`"), "the command is still running"))
    }

    fn stream(host: &mut SimHost, ticket: Ticket, Fact::Lines { command }: &Fact) {
        let argv = vec!["/bin/sh".into(), "-c".into(), command.into()];
        let env = host.world.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let spec = CommandSpec { argv, env, signal: "SIGTERM".into(), ..CommandSpec::default() };
        if let Err(error) = host.follow(ticket, &spec) {
            host.tell_value(ticket, Err(error));
        }
    }
}

/// A command: its runs, and the answer that is scripted for it.
fn shown(line: &str, ran: Option<&Ran>, command: Option<&Script>) -> Thing {
    let mut thing = Thing::new(line).fixed("runs", ran.map_or(0, |ran| ran.n_runs).to_string());
    if let Some(ran) = ran {
        thing = thing.fixed("last result", result(ran));
    }
    let running: &[&str] = if ran.is_some_and(|ran| ran.n_running > 0) { &[KILL] } else { &[] };
    if let Some(answer) = command.map(answer_of) {
        let thing = thing.text("prints", answer.stdout).field("exit status", answer.status.to_string());
        return thing.field("duration (ms)", answer.duration_ms.to_string()).verbs(&[UNSCRIPT]).verbs(running);
    }
    let printed: String = ran.into_iter().flat_map(|ran| ran.printed.chars()).take(SHOWN).collect();
    if !printed.is_empty() {
        thing = thing.fixed("printed", printed);
    }
    thing.verbs(&[SCRIPT]).verbs(running)
}

/// How the last run ended, in words.
fn result(ran: &Ran) -> String {
    match &ran.end {
        Some(End::Exited(status)) => format!("exit status {status}"),
        Some(End::Killed(signal)) => format!("killed by {signal}"),
        Some(End::NotStarted(why)) => format!("not started: {why}"),
        None => "none yet".to_owned(),
    }
}

/// The answer that repeats.
fn answer_of(command: &Script) -> Scripted {
    command.runs.last().cloned().unwrap_or_default()
}

/// The answer that is like the last run of a command.
fn last_run(world: &World, line: &str) -> Scripted {
    let Some(ran) = world.commands.log.get(line) else { return Scripted::default() };
    let status = if let Some(End::Exited(status)) = ran.end { status } else { 0 };
    Scripted { status, stdout: ran.printed.clone(), ..Scripted::default() }
}

/// Scripts every further run of a command. Errors: it is none.
fn script(world: &mut World, line: &str, answer: Scripted) -> Result<(), HostError> {
    if line.trim().is_empty() {
        return Err(HostError::new(HostErrorKind::Other, "the command line is empty"));
    }
    world.set_command(Script { line: line.to_owned(), runs: vec![answer] });
    Ok(())
}

/// Parses an exit status. Errors: it is none.
fn status(text: &str) -> Result<i32, HostError> {
    let error = || HostError::new(HostErrorKind::Other, format!("`{text}` is not an exit status: 0 to 255"));
    text.trim().parse::<u8>().map(i32::from).map_err(|_| error())
}
