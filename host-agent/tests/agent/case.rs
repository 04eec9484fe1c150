//! [`Case`]: a fresh folder with a program, and the agents that run there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One file with one line. `@OUT@` stands for the case's output folder.
pub(crate) const ONE_FILE: &str = "file \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => \"hello\\n\",\n}\n";

/// Reports why a test cannot run, and returns if that is allowed.
pub(crate) use mclive_tests::left_out as cannot_look;

pub(crate) struct Case {
    pub(crate) root: PathBuf,
}

impl Case {
    pub(crate) fn new(name: &str, program: &str) -> Case {
        // The folder for temporary files belongs to this run.
        let root = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("out")).unwrap();
        let case = Case { root };
        case.program(program);
        case
    }

    /// Replaces the program.
    pub(crate) fn program(&self, program: &str) {
        let text = program.replace("@OUT@", self.path("out").to_str().unwrap());
        std::fs::write(self.path("main.mcl"), text).unwrap();
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mclive"));
        // The default place of the agent's state.
        command.args(args).current_dir(&self.root).stdin(Stdio::null()).env("STATE_DIRECTORY", self.path("home"));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn once(&self) -> Output {
        self.run(&["run", "--once", "--prefix", "state", "main.mcl"])
    }

    pub(crate) fn start(&self) -> Agent {
        self.start_with(&[])
    }

    pub(crate) fn start_with(&self, flags: &[&str]) -> Agent {
        let args: Vec<&str> = ["run", "--prefix", "state"].iter().chain(flags).copied().chain(["main.mcl"]).collect();
        Agent::spawn(self.command(&args))
    }

    /// Every path below the output folder with its content; directories are left out.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut ahead = vec![self.path("out")];
        while let Some(dir) = ahead.pop() {
            for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() && !path.is_symlink() {
                    ahead.push(path)
                } else {
                    drop(found.insert(path.clone(), std::fs::read(path).unwrap_or_default()))
                }
            }
        }
        found
    }

    pub(crate) fn read(&self, below: &str) -> Option<String> {
        std::fs::read_to_string(self.path(below)).ok()
    }

    pub(crate) fn write(&self, below: &str, content: &str) {
        std::fs::write(self.path(below), content).unwrap();
    }

    pub(crate) fn lines(&self, below: &str) -> usize {
        self.read(below).map_or(0, |text| text.lines().count())
    }

    pub(crate) fn holds(&self, below: &str, content: &str) {
        until(&format!("{below} holds {content:?}"), || self.read(below).is_some_and(|text| text == content));
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.root);
        }
    }
}

/// A running agent and its output; killed at the end.
pub(crate) struct Agent {
    pub(crate) child: Child,
    said: Arc<Mutex<Vec<String>>>,
    /// Of its two pipes.
    readers: [JoinHandle<()>; 2],
}

/// How long the last words of an agent are waited for: a process that outlives it may hold its pipes.
const LAST_WORDS: Duration = Duration::from_secs(10);

impl Agent {
    pub(crate) fn spawn(mut command: Command) -> Agent {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(Vec::new()));
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let readers = [listen(stdout, said.clone()), listen(stderr, said.clone())];
        Agent { child, said, readers }
    }

    pub(crate) fn said(&self) -> String {
        self.said.lock().unwrap().join("\n")
    }

    pub(crate) fn last_words(&self) -> String {
        let said = self.said.lock().unwrap();
        said[said.len().saturating_sub(12)..].join("\n")
    }

    /// Waits until a line contains the words.
    pub(crate) fn says(&self, words: &str) {
        until(&format!("the agent says {words:?}"), || self.said().contains(words));
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until it is idle: no signal is pending, and each of its threads sleeps. A thread that only waits for a
    /// processor is not idle.
    pub(crate) fn rests(&self) {
        until("the agent rests", || self.stands_still(&['S', 'D']));
    }

    /// Whether it has nothing to do: none of its threads runs, or waits for a processor or a disk. Whoever waits for an
    /// idle agent waits for nothing, however slow the machine is.
    pub(crate) fn is_idle(&self) -> bool {
        self.stands_still(&['S'])
    }

    /// Whether no signal is pending, and all threads stay in these states.
    fn stands_still(&self, states: &[char]) -> bool {
        let of = |thread: &std::path::Path| {
            let status = std::fs::read_to_string(thread.join("status")).unwrap_or_default();
            let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
            let has_signal = ["SigPnd:", "ShdPnd:"].iter().any(|name| value(name).contains(|digit| digit != '0'));
            (value("State:").starts_with(states) && !has_signal, status.clone())
        };
        let look = || {
            let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
            threads.map(|thread| of(&thread.unwrap().path())).collect::<Vec<_>>()
        };
        // During a handover both threads sleep for a moment: so no thread may have run between two checks.
        let before = look();
        std::thread::sleep(Duration::from_millis(20));
        before.iter().all(|(rests, _)| *rests) && look() == before
    }

    /// Interrupts it until it ends: each signal climbs one rung, and two at once count as one.
    pub(crate) fn stop_however_often(&mut self) {
        until("the agent ends", || {
            if self.runs() {
                self.signal(rustix::process::Signal::INT);
                std::thread::sleep(Duration::from_millis(100));
            }
            !self.runs()
        });
        self.ends();
    }

    /// Interrupts it and waits for its end.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(rustix::process::Signal::INT);
        self.ends()
    }

    /// Waits for its end, and until all that it said is read.
    pub(crate) fn ends(&mut self) -> ExitStatus {
        let Agent { child, said, readers } = self;
        let mut ended = || child.try_wait().unwrap();
        let said = || format!("it said {}", said.lock().unwrap().join("\n"));
        mclive_kit::until("the agent ends", || ended().is_some(), said);
        let status = ended().expect("it has ended");
        let began = Instant::now();
        while !readers.iter().all(JoinHandle::is_finished) && began.elapsed() < LAST_WORDS {
            std::thread::sleep(Duration::from_millis(2));
        }
        status
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the agent said:\n{}", self.last_words());
        }
    }
}

fn listen(pipe: impl std::io::Read + Send + 'static, said: Arc<Mutex<Vec<String>>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            said.lock().unwrap().push(line);
        }
    })
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn until(what: &str, met: impl FnMut() -> bool) {
    mclive_kit::until(what, met, String::new);
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The number of processes of this machine with a matching command line.
pub(crate) fn processes(is_one: impl Fn(&[&str]) -> bool) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let line = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
    });
    lines.filter(|line| is_one(&line.trim_end_matches('\0').split('\0').collect::<Vec<_>>())).count()
}
