//! Scenarios on a real host: the agent itself, real files and processes, in an isolated room.
//!
//! ```text
//! scenario > unshare(1): namespaces > this program once more, as their first process
//!          > room (a separate root) > stage (the agent, and its output) <> act, judge > Tested
//! ```
//!
//! Time is real as well, and packages or units cannot be simulated: a scenario that needs what a room does not have is
//! left out, with the reason.

mod act;
mod effort;
mod judge;
mod left_out;
mod play;
mod room;
mod stage;

use super::Suite;
use super::find::Found;
use crate::embed::contract::{Program, SourceFile};
use crate::process::{Fault, Input, Patience, Purpose, Start};
use mclive_base::shapes::scenario::{Failure, Tested};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// The subcommand that plays a scenario within a room.
pub(crate) const NAME: &str = "play-in-room";

/// The maximum size of a room's answer about a scenario, including the log.
const MAX_TESTED: usize = 16 << 20;

/// The input of a room.
#[derive(Serialize, Deserialize)]
struct Play {
    files: Vec<(String, Vec<u8>)>,
    name: String,
    text: String,
}

/// Plays a scenario in a new room.
pub(super) fn test(suite: &Suite, found: &Found) -> Tested {
    outside(suite, found).unwrap_or_else(|why| Tested {
        name: found.name.clone(),
        failure: Some(Failure { line: 1, why, ..Failure::default() }),
        ..Tested::default()
    })
}

fn outside(suite: &Suite, found: &Found) -> Result<Tested, String> {
    let files = suite.program.files.iter().map(|file| (file.path.clone(), file.content.clone())).collect();
    let play = Play { files, name: found.name.clone(), text: found.text.clone() };
    let play = postcard::to_stdvec(&play).map_err(|error| error.to_string())?;
    let user: &[&str] = if rustix::process::geteuid().is_root() { &[] } else { &["--user", "--map-root-user"] };
    let exe = std::env::current_exe().map_err(|error| error.to_string())?;
    let room = Start::new("unshare", Purpose::Look)
        .inherits()
        .args(["--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--kill-child"])
        .args(user)
        .args(["--".as_ref(), exe.as_os_str(), NAME.as_ref()])
        .input(Input::Bytes(play))
        .map_err(|error| error.to_string())?;
    // Its steps have their own limits.
    let answer = room.ask(Patience::UNTIL_STOPPED, MAX_TESTED).map_err(|fault| match fault {
        Fault::Program(error) => {
            format!("cannot create namespaces: `unshare` (package util-linux) does not start: {error}")
        }
        fault => format!("its namespaces: {fault}"),
    })?;
    // A room that cannot be set up says why on its stderr.
    postcard::from_bytes(&answer.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&answer.stderr).trim_end().to_owned();
        match said.is_empty() {
            true => format!("its first process ended with {}", answer.status),
            false => format!("cannot create namespaces for it: {said}"),
        }
    })
}

/// The first process of a room: plays the scenario from stdin. Errors: why there is no room.
pub(crate) fn inside() -> Result<(), String> {
    // Outside namespaces it would change the host itself.
    if std::process::id() != 1 {
        return Err("this command is for internal use by `mclive test --real`".into());
    }
    let mut play = Vec::new();
    std::io::stdin().read_to_end(&mut play).map_err(|error| error.to_string())?;
    let play: Play = postcard::from_bytes(&play).map_err(|error| format!("cannot read the scenario: {error}"))?;
    let files = play.files.into_iter().map(|(path, content)| SourceFile { path, content }).collect();
    let program = Program { files, entry: "/main.mcl".into(), environment: Vec::new() };
    let mut tested = match mclive_base::scenario::read(&play.text) {
        Ok(scenario) => match left_out::by_steps(&scenario) {
            Some(why) => Tested { left_out: why, title: scenario.title, ..Tested::default() },
            None => {
                room::enter(&program)?;
                play::play(&program, &scenario)
            }
        },
        Err(faults) => Tested { faults, ..Tested::default() },
    };
    tested.name = play.name;
    let tested = postcard::to_stdvec(&tested).map_err(|error| error.to_string())?;
    std::io::stdout().write_all(&tested).map_err(|error| error.to_string())
}
