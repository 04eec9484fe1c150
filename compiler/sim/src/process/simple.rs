//! A simple command of the simulated host's shell: words, redirections and output.

use super::{Process, Ran};
use crate::command::{CommandTable, Scripted};
use crate::path;
use crate::shell::{Part, Redirection, Simple, Word};
use crate::tree::Tree;
use crate::web::Web;

/// The maximum number of bytes kept of one output.
const MOST_OUTPUT: usize = 1 << 20;

#[derive(Clone, Default)]
pub(super) struct Outputs {
    pub(super) both: Option<Vec<u8>>,
    pub(super) stdout: Option<Vec<u8>>,
    pub(super) stderr: Option<Vec<u8>>,
}

#[derive(Clone)]
enum Sink {
    Stdout,
    Stderr,
    File(String),
    /// `/dev/null`, which every host has.
    Nothing,
}

const NOTHING: &str = "/dev/null";

impl Process {
    pub(super) fn expand(&self, word: &Word) -> String {
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Variable(name) if name == "?" => text.push_str(&self.status.to_string()),
                Part::Variable(name) => text.push_str(self.variables.get(name).map_or("", |value| value)),
            }
        }
        text
    }

    /// Unquoted words are split at spaces, and dropped if empty.
    pub(super) fn expand_all(&self, words: &[Word]) -> Vec<String> {
        let mut expanded = Vec::new();
        for word in words {
            let text = self.expand(word);
            if word.quoted {
                expanded.push(text);
            } else {
                expanded.extend(text.split_whitespace().map(String::from));
            }
        }
        expanded
    }

    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        tree: &mut Tree,
        web: &mut Web,
        commands: &mut CommandTable,
    ) -> Ran {
        for (name, value) in &simple.assignments {
            let value = self.expand(value);
            self.variables.insert(name.clone(), value);
        }
        let words = self.expand_all(&simple.words);
        let mut sinks = [Sink::Stdout, Sink::Stdout, Sink::Stderr];
        let mut stdin = Vec::new();
        for redirection in &simple.redirections {
            let done = match redirection {
                Redirection::Write { from, to, append } => {
                    let file = path::absolute(&self.cwd, &self.expand(to));
                    let opened = match (append, tree.read(&file)) {
                        _ if file == NOTHING => Ok(()),
                        (true, Ok(_)) => Ok(()),
                        _ => tree.write(&file, Vec::new(), None),
                    };
                    if let Some(sink) = sinks.get_mut(usize::from(*from)) {
                        *sink = if file == NOTHING { Sink::Nothing } else { Sink::File(file) };
                    }
                    opened
                }
                Redirection::Read(from) => {
                    let file = path::absolute(&self.cwd, &self.expand(from));
                    if file == NOTHING {
                        stdin.clear();
                        Ok(())
                    } else {
                        tree.read(&file).map(|bytes| stdin = bytes.to_vec())
                    }
                }
                Redirection::Same { from, to } => {
                    if let Some(sink) = sinks.get(usize::from(*to)).cloned()
                        && let Some(place) = sinks.get_mut(usize::from(*from))
                    {
                        *place = sink;
                    }
                    Ok(())
                }
            };
            if let Err(error) = done {
                self.write(2, format!("sh: {}\n", error.message).as_bytes());
                return Ran::Status(2);
            }
        }
        let Some((name, args)) = words.split_first() else { return Ran::Status(0) };
        let (ran, out, err) = match commands.start(&words) {
            Some(Scripted { status, stdout, stderr, duration_ms, .. }) => {
                self.status = status;
                let ran = if duration_ms > 0 { Ran::Sleep(duration_ms) } else { Ran::Status(status) };
                (ran, stdout.into_bytes(), stderr.into_bytes())
            }
            None => self.builtin(path::name(name), args, &stdin, tree, web),
        };
        self.put(&sinks[1], &out, tree);
        self.put(&sinks[2], &err, tree);
        ran
    }

    fn put(&mut self, sink: &Sink, bytes: &[u8], tree: &mut Tree) {
        if bytes.is_empty() {
            return;
        }
        match sink {
            Sink::Stdout => self.write(1, bytes),
            Sink::Stderr => self.write(2, bytes),
            Sink::Nothing => {}
            Sink::File(file) => {
                let mut content = tree.read(file).map(<[u8]>::to_vec).unwrap_or_default();
                content.extend_from_slice(bytes);
                if let Err(error) = tree.write(file, content, None) {
                    self.write(2, format!("sh: {}\n", error.message).as_bytes());
                }
            }
        }
    }

    pub(super) fn write(&mut self, descriptor: u8, bytes: &[u8]) {
        let one = if descriptor == 2 { &mut self.out.stderr } else { &mut self.out.stdout };
        for output in [one, &mut self.out.both] {
            let output = output.get_or_insert_default();
            let room = MOST_OUTPUT.saturating_sub(output.len());
            output.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}
