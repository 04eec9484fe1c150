//! [`CommandTable`]: scripted commands of this host.

use super::ran::RunLog;
use serde::{Deserialize, Serialize};

/// A command with scripted results.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Command {
    /// The whole command line (words joined by spaces; for a shell the text after `-c`, or a command in it), or the
    /// name of a program.
    pub line: String,
    /// The result of each run in turn; the last one repeats.
    pub runs: Vec<Scripted>,
}

/// One run of a scripted command.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Scripted {
    /// The exit status.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How long it runs. Units: milliseconds.
    pub duration_ms: u64,
    /// Whether it ignores stop signals and ends only when it is killed.
    pub ignores_signals: bool,
}

/// Scripted commands, with their number of runs.
#[derive(Clone, Debug, Default)]
pub struct CommandTable {
    commands: Vec<(Command, usize)>,
    /// What ran, scripted or not.
    pub(super) log: RunLog,
}

impl CommandTable {
    /// Adds a command, or replaces the one with the same line.
    pub fn set(&mut self, command: Command) {
        self.commands.retain(|(other, _)| other.line != command.line);
        self.commands.push((command, 0));
    }

    /// The scripted commands.
    pub(super) fn scripted(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().map(|(command, _)| command)
    }

    /// The scripted command with this line.
    pub(super) fn get(&self, line: &str) -> Option<&Command> {
        self.scripted().find(|command| command.line == line)
    }

    /// The command with this line is no longer scripted.
    pub(super) fn unset(&mut self, line: &str) {
        self.commands.retain(|(command, _)| command.line != line);
    }

    /// The number of commands that are scripted or have run.
    pub(super) fn n_entries(&self) -> usize {
        self.commands.len() + self.log.all().count()
    }

    /// The bytes of all texts.
    pub(super) fn size(&self) -> usize {
        let runs = self.scripted().flat_map(|command| &command.runs);
        let lines = self.scripted().map(|command| command.line.len());
        self.log.size() + lines.chain(runs.map(|run| run.stdout.len() + run.stderr.len())).sum::<usize>()
    }

    /// How often a scripted command was started.
    pub fn n_runs(&self, line: &str) -> usize {
        self.commands.iter().find(|(command, _)| command.line == line).map_or(0, |(_, n_runs)| *n_runs)
    }

    /// The next run of a command, if it is scripted. The whole line takes precedence over the program.
    pub(super) fn start(&mut self, argv: &[String]) -> Option<Scripted> {
        let line = line_of(argv);
        let program = argv.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
        let by_line = self.commands.iter().position(|(command, _)| command.line == line);
        let index = by_line.or_else(|| self.commands.iter().position(|(command, _)| command.line == program))?;
        let (command, n_runs) = &mut self.commands[index];
        let run = command.runs.get(*n_runs).or(command.runs.last()).cloned().unwrap_or_default();
        *n_runs += 1;
        Some(run)
    }
}

/// The line of a command: its words, or for a shell the text after `-c`.
pub(super) fn line_of(argv: &[String]) -> String {
    match argv {
        [_, dash_c, text] if dash_c == "-c" => text.clone(),
        argv => argv.join(" "),
    }
}
