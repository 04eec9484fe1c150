//! Whole programs at work, with faults done behind the agent's back: `tests/scenarios/*.txtar`, each with a
//! program (`@ROOT@` is a fresh folder) and its steps, one a line. Sections beside `main.mcl` are files
//! beside the program.
//!
//! | step | |
//! |---|---|
//! | `run FLAG...` | starts the agent |
//! | `program FILE`, `env NAME=VALUE...` | for the next starts: another program, what is in the environment |
//! | `write FILE TEXT`, `replace FILE TEXT` | in place, or renamed into place |
//! | `remove PATH`, `rename PATH NAME`, `mkdir PATH`, `chmod PATH MODE`, `symlink PATH TARGET` | |
//! | `interrupt`, `terminate`, `kill`, `sleep MS` | |
//! | `content FILE TEXT`, `lines FILE N`, `atleast FILE N`, `absent PATH`, `isdir PATH`, `mode PATH BITS`, `link PATH TEXT` | is so soon; `lines` stays so |
//! | `still MS EXPECTATION` | is so soon, and stays so |
//! | `says WORDS`, `running`, `exit STATUS`, `exits` (with a failure) | |

use crate::case::{Agent, Case, until};
use rustix::process::Signal;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

struct Stage {
    /// Ended before its folder is removed.
    agent: Option<Agent>,
    case: Case,
    archive: String,
    /// What the next agent has in its environment.
    env: Vec<(String, String)>,
}

impl Stage {
    fn agent(&mut self) -> &mut Agent {
        self.agent.as_mut().expect("the agent was started")
    }

    fn step(&mut self, line: &str) {
        let out = self.case.path("out");
        let line = line.replace("@ROOT@", out.to_str().unwrap());
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let (below, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let path = out.join(below);
        let text = text.replace("\\n", "\n");
        match word {
            "run" => {
                let flags: Vec<&str> = rest.split_whitespace().collect();
                self.agent = None;
                let flags = ["run", "--prefix", "state"].into_iter().chain(flags).chain(["main.mcl"]);
                let mut command = self.case.command(&flags.collect::<Vec<_>>());
                command.envs(self.env.clone());
                self.agent = Some(Agent::spawn(command));
            }
            "program" => self.case.program(&section(&self.archive, rest).replace("@ROOT@", "@OUT@")),
            "env" => {
                let pairs = rest.split_whitespace().map(|pair| pair.split_once('=').expect("NAME=VALUE"));
                self.env = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            }
            "write" => fs::write(path, text).unwrap(),
            "replace" => {
                let beside = path.with_extension("new");
                fs::write(&beside, text).unwrap();
                fs::rename(beside, path).unwrap();
            }
            "remove" if path.is_dir() && !path.is_symlink() => {
                // The agent may be putting something back.
                until(&format!("{below} is removed"), || fs::remove_dir_all(&path).is_ok() || !path.exists());
            }
            "remove" => fs::remove_file(path).unwrap(),
            "rename" => fs::rename(path, out.join(text)).unwrap(),
            // What is to be absent may go in between.
            "mkdir" => until(&line, || fs::create_dir_all(&path).is_ok()),
            "chmod" => {
                fs::set_permissions(path, Permissions::from_mode(u32::from_str_radix(&text, 8).unwrap())).unwrap();
            }
            "symlink" => {
                // It may have been put back already.
                let _ = fs::remove_file(&path);
                symlink(text, path).unwrap();
            }
            "interrupt" => self.agent().signal(Signal::INT),
            "terminate" => self.agent().signal(Signal::TERM),
            "kill" => {
                self.agent().signal(Signal::KILL);
                self.agent().ends();
            }
            "sleep" => std::thread::sleep(Duration::from_millis(rest.parse().unwrap())),
            "exit" => assert_eq!(self.agent().ends().code(), Some(rest.parse().unwrap())),
            "exits" => assert_ne!(self.agent().ends().code(), Some(0)),
            "still" => {
                let (ms, expected) = rest.split_once(' ').expect("a time and what is expected");
                let long = Duration::from_millis(ms.parse().unwrap());
                until(expected, || self.holds(expected));
                let began = Instant::now();
                while began.elapsed() < long {
                    assert!(self.holds(expected), "it did not last");
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            _ => until(&line, || self.holds(&line)),
        }
        if word == "lines" {
            std::thread::sleep(Duration::from_millis(200));
            assert!(self.holds(&line), "there are more lines");
        }
    }

    /// Is it as this line expects?
    fn holds(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (below, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let path = self.case.path("out").join(below);
        let text = text.replace("\\n", "\n");
        let bits = || u32::from_str_radix(&text, 8).unwrap();
        let n_lines = || fs::read_to_string(&path).map_or(0, |held| held.lines().count());
        match word {
            "content" => fs::read_to_string(&path).is_ok_and(|held| held == text),
            "lines" => n_lines() == text.parse::<usize>().unwrap(),
            "atleast" => n_lines() >= text.parse::<usize>().unwrap(),
            "absent" => path.symlink_metadata().is_err(),
            "isdir" => path.is_dir() && !path.is_symlink(),
            "mode" => fs::symlink_metadata(&path).is_ok_and(|meta| meta.permissions().mode() & 0o7777 == bits()),
            "link" => fs::read_link(&path).is_ok_and(|target| target == Path::new(&text)),
            "says" => self.agent().said().contains(rest),
            "running" => self.agent().runs(),
            _ => panic!("`{word}` is no step"),
        }
    }
}

/// The sections of a text archive.
fn section<'a>(archive: &'a str, name: &str) -> &'a str {
    let begin = format!("-- {name} --\n");
    let at = archive.find(&begin).unwrap_or_else(|| panic!("a section {name}")) + begin.len();
    let rest = &archive[at..];
    rest.find("\n-- ").map_or(rest, |end| &rest[..=end])
}

fn play(path: &Path) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let archive = fs::read_to_string(path).unwrap();
    let program = section(&archive, "main.mcl").replace("@ROOT@", "@OUT@");
    let case = Case::new(&format!("scenario-{name}"), &program);
    let mut stage = Stage { case, agent: None, archive: archive.clone(), env: Vec::new() };
    for name in archive.lines().filter_map(|line| line.strip_prefix("-- ")?.strip_suffix(" --")) {
        if name.contains('/') {
            let path = stage.case.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, section(&archive, name)).unwrap();
        }
    }
    for (at, line) in section(&archive, "steps").lines().enumerate() {
        // What a step panics with does not say which step it was.
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stage.step(line)));
        if let Err(panic) = told {
            let words = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("{name}, step {} `{line}`: {words}\n{}", at + 1, stage.agent().last_words());
        }
    }
}

#[test]
fn every_scenario_comes_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    if let Ok(only) = std::env::var("MCLIVE_SCENARIO") {
        paths.retain(|path| path.to_string_lossy().contains(&only));
    }
    assert!(!paths.is_empty());
    let (ahead, failed) = (Mutex::new(paths), Mutex::new(Vec::new()));
    // Most of a scenario is waiting.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(path) = { ahead.lock().unwrap().pop() } {
                    if let Err(panic) = std::panic::catch_unwind(|| play(&path)) {
                        failed.lock().unwrap().push(panic.downcast_ref::<String>().cloned().unwrap_or_default());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n\n"));
}
