//! [`Process`]: one running command, as steps that stop where it waits.
//!
//! A process is a stack of tasks. It runs until the stack is empty, or until a `sleep` returns a delay; nothing else
//! takes time.

mod about;
mod builtins;
mod condition;
mod curl;
mod files;
mod filters;
mod printf;
mod simple;

use super::command::{CommandTable, Scripted, line_of};
use super::path;
use super::shell::{self, List, Node, Part, Simple, Word};
use super::tree::Tree;
use super::web::Web;
use crate::gather;
use crate::vocab::{CommandOutcome, CommandSpec, FileKind};
use builtins::is_builtin;
use simple::Outputs;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The maximum number of steps of one wake-up; more count as an endless loop.
const MOST_STEPS: usize = 100_000;

/// A command that was started and has not ended.
#[derive(Clone)]
pub(super) struct Process {
    pub(super) line: String,
    /// The line by which it is listed, and may be scripted.
    pub(super) listed_as: String,
    stack: Vec<Task>,
    variables: BTreeMap<String, String>,
    cwd: String,
    hostname: String,
    user: String,
    traps: BTreeMap<String, String>,
    status: i32,
    out: Outputs,
    ignores_signals: bool,
    /// Its scripted end after the next wait.
    scripted: Option<Scripted>,
    n_steps: usize,
    stop_signal: String,
}

#[derive(Clone)]
enum Task {
    Run(Rc<Node>),
    /// Runs the node depending on the last status.
    If {
        success: bool,
        node: Rc<Node>,
    },
    Negate,
    Next {
        name: String,
        rest: Vec<String>,
        body: List,
    },
    Branch {
        then: List,
        otherwise: List,
    },
    While {
        condition: List,
        body: List,
    },
    WhileTest {
        condition: List,
        body: List,
    },
    Scripted,
}

/// The progress of a process.
pub(super) enum Progress {
    /// It waits. Units: milliseconds.
    Sleeping(u64),
    Ended(CommandOutcome),
}

enum Ran {
    Status(i32),
    Sleep(u64),
    Exit(i32),
}

impl Process {
    /// Starts a command. Errors: it cannot be started.
    pub(super) fn start(
        spec: &CommandSpec,
        scripted: Option<Scripted>,
        tree: &Tree,
        hostname: &str,
    ) -> Result<Process, String> {
        let mut process = Process {
            line: spec.argv.join(" "),
            listed_as: line_of(&spec.argv),
            stack: Vec::new(),
            variables: gather::map(spec.env.iter().cloned()),
            cwd: if spec.cwd.is_empty() { "/".to_string() } else { path::clean(&spec.cwd) },
            hostname: hostname.to_owned(),
            user: if spec.user.is_empty() { "root".to_owned() } else { spec.user.clone() },
            traps: BTreeMap::new(),
            status: 0,
            out: Outputs::default(),
            ignores_signals: false,
            scripted: None,
            n_steps: 0,
            stop_signal: if spec.signal.is_empty() { "SIGTERM".into() } else { spec.signal.clone() },
        };
        if let Some(scripted) = scripted {
            process.ignores_signals = scripted.ignores_signals;
            process.scripted = Some(scripted);
            process.stack.push(Task::Scripted);
            return Ok(process);
        }
        let program = spec.argv.first().ok_or("the command is empty")?;
        if !tree.stat(&process.cwd, true).ok().flatten().is_some_and(|stat| stat.kind == FileKind::Dir) {
            return Err(format!("chdir {}: no such file or directory", process.cwd));
        }
        match (path::name(program), spec.argv.as_slice()) {
            ("sh" | "bash" | "dash", [_, dash_c, script, ..]) if dash_c == "-c" => match shell::parse(script) {
                Ok(list) => process.push_list(&list),
                Err(error) => {
                    process.write(2, format!("sh: {error}\n").as_bytes());
                    process.status = 2;
                }
            },
            (name, argv) if is_builtin(name) && !matches!(name, "exit" | "trap") => {
                let quoted = argv.iter().map(|word| Word { parts: vec![Part::Text(word.clone())], quoted: true });
                let simple = Simple { assignments: Vec::new(), words: quoted.collect(), redirections: Vec::new() };
                process.stack.push(Task::Run(Rc::new(Node::Simple(simple))));
            }
            _ => {
                let script = process.script(&spec.argv, tree)?;
                process.push_list(&script);
            }
        }
        Ok(process)
    }

    /// A file of the host that begins with `#!/bin/sh`, with its arguments.
    fn script(&mut self, argv: &[String], tree: &Tree) -> Result<List, String> {
        let program = argv.first().map_or("", |program| program);
        let missing = || format!("exec: \"{program}\": executable file not found in $PATH");
        let file = if program.contains('/') { path::absolute(&self.cwd, program) } else { return Err(missing()) };
        let stat = tree.stat(&file, true).ok().flatten().ok_or_else(missing)?;
        if stat.kind != FileKind::File || stat.mode & 0o111 == 0 {
            return Err(format!("fork/exec {program}: permission denied"));
        }
        let content = String::from_utf8_lossy(tree.read(&file).map_err(|error| error.message)?).into_owned();
        let is_shell = ["#!/bin/sh\n", "#!/bin/bash\n", "#!/bin/dash\n"].iter().any(|begin| content.starts_with(begin));
        if !is_shell {
            return Err(format!("fork/exec {program}: exec format error"));
        }
        for (at, argument) in argv.iter().enumerate() {
            self.variables.insert(at.to_string(), argument.clone());
        }
        let (_, script) = content.split_once('\n').unwrap_or_default();
        shell::parse(script).map_err(|error| format!("{program}: {error}"))
    }

    fn push_list(&mut self, list: &List) {
        self.stack.extend(list.iter().rev().cloned().map(Task::Run));
    }

    /// Continues until it waits or ends.
    pub(super) fn resume(&mut self, tree: &mut Tree, web: &mut Web, commands: &mut CommandTable) -> Progress {
        self.n_steps = 0;
        while let Some(task) = self.stack.pop() {
            self.n_steps += 1;
            if self.n_steps > MOST_STEPS {
                self.write(2, b"sh: time limit reached\n");
                return self.end(Some(255), None);
            }
            match task {
                Task::Run(node) => match self.run(&node, tree, web, commands) {
                    Ran::Status(status) => self.status = status,
                    Ran::Sleep(ms) => return Progress::Sleeping(ms),
                    Ran::Exit(status) => return self.end(Some(status), None),
                },
                Task::If { success, node } if (self.status == 0) == success => self.stack.push(Task::Run(node)),
                Task::If { .. } => {}
                Task::Negate => self.status = i32::from(self.status == 0),
                Task::Next { name, mut rest, body } => {
                    if !rest.is_empty() {
                        self.variables.insert(name.clone(), rest.remove(0));
                        self.stack.push(Task::Next { name, rest, body: body.clone() });
                        self.push_list(&body);
                    }
                }
                Task::Branch { then, otherwise } => {
                    let taken = if self.status == 0 { then } else { otherwise };
                    self.status = 0;
                    self.push_list(&taken);
                }
                Task::While { condition, body } => {
                    self.stack.push(Task::WhileTest { condition: condition.clone(), body });
                    self.push_list(&condition);
                }
                Task::WhileTest { condition, body } => {
                    if self.status == 0 {
                        self.stack.push(Task::While { condition, body: body.clone() });
                        self.push_list(&body);
                    }
                    self.status = 0;
                }
                Task::Scripted => {
                    let Some(scripted) = self.scripted.take() else { continue };
                    if scripted.duration_ms > 0 {
                        let ms = scripted.duration_ms;
                        self.scripted = Some(Scripted { duration_ms: 0, ..scripted });
                        self.stack.push(Task::Scripted);
                        return Progress::Sleeping(ms);
                    }
                    if !scripted.stdout.is_empty() {
                        self.write(1, scripted.stdout.as_bytes());
                    }
                    if !scripted.stderr.is_empty() {
                        self.write(2, scripted.stderr.as_bytes());
                    }
                    self.status = scripted.status;
                }
            }
        }
        self.end(Some(self.status), None)
    }

    /// Sends a signal to the whole process group. `None`: it continues, and is no longer waiting.
    pub(super) fn signal(&mut self, signal: &str) -> Option<Progress> {
        if signal == "SIGKILL" {
            return Some(self.end(None, Some(signal.to_string())));
        }
        let short = signal.trim_start_matches("SIG");
        if let Some(script) = self.traps.get(short).cloned() {
            // The command it waited for got the signal as well, so the trap's script runs immediately.
            self.status = 143;
            if let Ok(list) = shell::parse(&script) {
                self.push_list(&list);
            }
            return None;
        }
        if self.ignores_signals {
            return Some(Progress::Sleeping(u64::MAX));
        }
        Some(self.end(None, Some(signal.to_string())))
    }

    /// All output so far.
    pub(super) fn written(&self) -> &[u8] {
        self.out.both.as_deref().unwrap_or_default()
    }

    /// The signal that stops it.
    pub(super) fn stop_signal(&self) -> &str {
        &self.stop_signal
    }

    fn end(&mut self, status: Option<i32>, signal: Option<String>) -> Progress {
        let out = std::mem::take(&mut self.out);
        Progress::Ended(CommandOutcome { status, signal, output: out.both, stdout: out.stdout, stderr: out.stderr })
    }

    fn run(&mut self, node: &Rc<Node>, tree: &mut Tree, web: &mut Web, commands: &mut CommandTable) -> Ran {
        match &**node {
            Node::Simple(simple) => return self.simple(simple, tree, web, commands),
            Node::AndOr { left, and, right } => {
                self.stack.push(Task::If { success: *and, node: right.clone() });
                self.stack.push(Task::Run(left.clone()));
            }
            Node::Not(inner) => {
                self.stack.push(Task::Negate);
                self.stack.push(Task::Run(inner.clone()));
            }
            Node::For { name, words, body } => {
                let rest = self.expand_all(words);
                self.stack.push(Task::Next { name: name.clone(), rest, body: body.clone() });
            }
            Node::If { condition, then, otherwise } => {
                self.stack.push(Task::Branch { then: then.clone(), otherwise: otherwise.clone() });
                self.push_list(condition);
            }
            Node::While { condition, body } => {
                self.stack.push(Task::While { condition: condition.clone(), body: body.clone() });
            }
            Node::Group(list) => self.push_list(list),
        }
        Ran::Status(self.status)
    }
}

#[cfg(test)]
mod tests;
