//! Whole programs at work, with faults done behind the agent's back: `tests/scenarios/*.txtar`, each with a
//! program (`@ROOT@` is a fresh folder) and its steps, one a line.
//!
//! | step | |
//! |---|---|
//! | `run FLAG...` | starts the agent |
//! | `write FILE TEXT`, `replace FILE TEXT` | in place, or renamed into place |
//! | `remove PATH`, `mkdir PATH`, `chmod PATH MODE`, `symlink PATH TARGET` | |
//! | `interrupt`, `terminate`, `sleep MS` | |
//! | `content FILE TEXT`, `lines FILE N`, `atleast FILE N`, `absent PATH`, `isdir PATH`, `mode PATH BITS`, `link PATH TEXT` | is so soon; `lines` stays so |
//! | `says WORDS`, `running`, `exit STATUS`, `exits` (with a failure) | |

use crate::case::{Agent, Case, until};
use rustix::process::Signal;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

struct Stage {
    case: Case,
    agent: Option<Agent>,
}

impl Stage {
    fn agent(&mut self) -> &mut Agent {
        self.agent.as_mut().expect("the agent was started")
    }

    fn step(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (below, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let below = format!("out/{below}");
        let path = self.case.path(&below);
        let text = text.replace("\\n", "\n");
        match word {
            "run" => {
                let flags = rest.replace("@ROOT@", self.case.path("out").to_str().unwrap());
                let flags: Vec<&str> = flags.split_whitespace().collect();
                self.agent = Some(self.case.start_with(&flags));
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
            "mkdir" => fs::create_dir_all(path).unwrap(),
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
            "sleep" => std::thread::sleep(Duration::from_millis(rest.parse().unwrap())),
            "content" => self.case.holds(&below, &text),
            "lines" => {
                let n = text.parse().unwrap();
                self.case.has_lines(&below, n);
                std::thread::sleep(Duration::from_millis(200));
                assert_eq!(self.case.lines(&below), n, "{below} has more lines");
            }
            "atleast" => {
                let n: usize = text.parse().unwrap();
                until(line, || self.case.lines(&below) >= n);
            }
            "absent" => until(line, || path.symlink_metadata().is_err()),
            "isdir" => assert!(path.is_dir() && !path.is_symlink(), "{line}"),
            "mode" => {
                let bits = u32::from_str_radix(&text, 8).unwrap();
                until(line, || fs::metadata(&path).is_ok_and(|meta| meta.permissions().mode() & 0o7777 == bits));
            }
            "link" => until(line, || fs::read_link(&path).is_ok_and(|target| target == Path::new(&text))),
            "says" => self.agent().says(rest),
            "running" => assert!(self.agent().runs(), "the agent has ended"),
            "exit" => assert_eq!(self.agent().ends().code(), Some(rest.parse().unwrap())),
            "exits" => assert_ne!(self.agent().ends().code(), Some(0)),
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
    let mut stage = Stage { case: Case::new(&format!("scenario-{name}"), &program), agent: None };
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
        for _ in 0..6 {
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
