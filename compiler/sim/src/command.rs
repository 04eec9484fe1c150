//! [`CommandTable`]: what commands do on this host, as told by whoever set it up.

use serde::{Deserialize, Serialize};

/// A command that does as told instead of what its name says.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Command {
    /// The whole command line (words joined by blanks; for a shell the text after `-c`, or a command
    /// in it), or the name of a program.
    pub line: String,
    /// What each run in turn comes to; the last one for all further runs.
    pub runs: Vec<Scripted>,
}

/// One run of a scripted command.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Scripted {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    /// How long it takes. Units: milliseconds.
    pub duration_ms: u64,
    /// It does not end when it is asked to, only when it is killed.
    pub ignores_signals: bool,
}

/// Scripted commands, and how often each has run.
#[derive(Clone, Debug, Default)]
pub struct CommandTable {
    commands: Vec<(Command, usize)>,
}

impl CommandTable {
    /// Adds a command, or replaces the one with the same line.
    pub fn set(&mut self, command: Command) {
        self.commands.retain(|(other, _)| other.line != command.line);
        self.commands.push((command, 0));
    }

    /// How often a scripted command has been started.
    pub fn n_runs(&self, line: &str) -> usize {
        self.commands.iter().find(|(command, _)| command.line == line).map_or(0, |(_, n_runs)| *n_runs)
    }

    /// The next run of a command, if it is scripted. The whole line counts before the program.
    pub(super) fn start(&mut self, argv: &[String]) -> Option<Scripted> {
        let line = match argv {
            [_, dash_c, text] if dash_c == "-c" => text.clone(),
            argv => argv.join(" "),
        };
        let program = argv.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
        let by_line = self.commands.iter().position(|(command, _)| command.line == line);
        let index = by_line.or_else(|| self.commands.iter().position(|(command, _)| command.line == program))?;
        let (command, n_runs) = &mut self.commands[index];
        let run = command.runs.get(*n_runs).or(command.runs.last()).cloned().unwrap_or_default();
        *n_runs += 1;
        Some(run)
    }
}
