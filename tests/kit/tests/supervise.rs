//! However a test binary ends, nothing that it started continues, and nothing that it made stays.
//!
//! Each test starts this binary once more: as a harness that starts things which do their best to outlive it.

use mclive_kit::processes::{self, Process};
use mclive_kit::run::Run;
use mclive_kit::{cgroup, until};
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

mclive_kit::supervised!();

/// Says how the harness ends: it is set for the harness alone.
const ENDS: &str = "MCLIVE_KIT_ENDS";

/// One who left its family, one who is deaf, and a mount, where that is allowed. The number of seconds is nobody else's.
const STARTS: &str = r#"setsid sh -c 'setsid sleep "$0" & exit' "$SECONDS_ASLEEP" >/dev/null 2>&1 </dev/null
setsid sh -c 'trap "" TERM INT HUP; sleep "$0"; sleep "$0"' "$SECONDS_ASLEEP" >/dev/null 2>&1 </dev/null &
mkdir "$TMPDIR/mounted" && mount -t tmpfs tmpfs "$TMPDIR/mounted" 2>/dev/null
echo kept >"$TMPDIR/kept""#;

#[test]
fn harness() {
    let Ok(ends) = std::env::var(ENDS) else { return };
    let status = Command::new("sh").args(["-c", STARTS]).status().unwrap();
    assert!(status.success());
    let group = cgroup::Cgroup::new("test");
    let mut sleeps = Command::new("sleep");
    sleeps.arg(std::env::var("SECONDS_ASLEEP").unwrap()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(group) = &group {
        group.enter(&mut sleeps).unwrap();
    }
    let child = sleeps.spawn().unwrap();
    println!("\nstarted {}", std::env::temp_dir().display());
    match ends.as_str() {
        "well" => {}
        "panics" => panic!("as it was told"),
        "exits" => std::process::exit(3),
        _ => loop {
            std::thread::park();
        },
    }
    std::mem::forget((group, child));
}

/// Set for the harness whose caller ignores signals.
const HEARS: &str = "MCLIVE_KIT_HEARS";
const SIGNALS: [(&str, i32); 4] =
    [("HUP", libc::SIGHUP), ("INT", libc::SIGINT), ("QUIT", libc::SIGQUIT), ("TERM", libc::SIGTERM)];

#[test]
fn deaf() {
    if std::env::var_os(HEARS).is_none() {
        return;
    }
    for (name, number) in SIGNALS {
        let status = Command::new("sh").args(["-c", &format!("kill -{name} $$; exit 7")]).status().unwrap();
        assert_eq!(status.signal(), Some(number), "{name}");
        let status = Command::new("sh").args(["-c", &format!("kill -{name} $PPID")]).status().unwrap();
        assert!(status.success());
    }
    println!("heard");
}

/// As under `nohup`, or in the background of a script.
#[test]
fn what_is_started_hears_the_signals_that_the_harness_was_told_to_ignore() {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP INT QUIT TERM; exec \"$0\" --exact deaf --nocapture"]);
    command.arg(std::env::current_exe().unwrap()).env_remove(Run::VARIABLE).env(HEARS, "1");
    let said = command.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && text.contains("heard"), "{said:?}");
}

/// A harness at work.
struct Harness {
    first: Child,
    /// Someone listens to the end.
    _said: Lines<BufReader<ChildStdout>>,
    seconds: String,
    folder: PathBuf,
}

impl Harness {
    /// `is_apart`: with its own namespaces, if root may have them.
    /// `base` is a folder of the test's own: who starts there clears what others left there.
    fn start(base: &Path, ends: &str, is_apart: bool) -> Harness {
        static N: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let n = N.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let seconds = format!("{}.{}", 1_000_000 + n, Process::of(std::process::id()).unwrap().start);
        let mut command = match is_apart {
            true => Command::new(std::env::current_exe().unwrap()),
            false => {
                let mut command = Command::new("setpriv");
                command.args(["--bounding-set", "-sys_admin"]).arg(std::env::current_exe().unwrap());
                command
            }
        };
        command.args(["--exact", "harness", "--nocapture"]).process_group(0);
        command.env_remove(Run::VARIABLE).env("TMPDIR", base).env(ENDS, ends).env("SECONDS_ASLEEP", &seconds);
        let mut first = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(first.stdout.take().unwrap()).lines();
        let mut words = said.by_ref().map_while(Result::ok);
        let folder = words.find_map(|line| line.strip_prefix("started ").map(PathBuf::from));
        Harness { first, _said: said, seconds, folder: folder.expect("it says where it works") }
    }

    fn sleepers(&self) -> Vec<Process> {
        processes::all().into_iter().filter(|process| process.argv.contains(&self.seconds)).collect()
    }

    fn run(&self) -> Run {
        Run::parse(self.folder.file_name().unwrap().to_str().unwrap()).unwrap()
    }

    fn groups(&self) -> Vec<PathBuf> {
        cgroup::of_runs(|run| run == self.run())
    }

    /// First, supervisor, keeper and harness, as far as they are there.
    fn chain(&self) -> Vec<u32> {
        let ours = processes::below(self.first.id());
        let ours = ours.iter().filter(|one| one.argv.iter().any(|word| word == "harness")).map(|one| one.pid);
        [self.first.id()].into_iter().chain(ours).collect()
    }

    /// A process, or below 0 a group. It may have ended with another one.
    fn signal(&self, pid: i32, signal: libc::c_int) {
        // SAFETY: a call that touches processes which this test started.
        #[allow(unsafe_code)]
        unsafe {
            libc::kill(pid, signal)
        };
    }

    /// Nothing of it is left. `is_kept`: but its folder, which someone may want to look at.
    #[track_caller]
    fn has_left_nothing(&mut self, is_kept: bool) -> ExitStatus {
        let status = self.first.wait().unwrap();
        let state = || format!("{:?} {:?} {:?}", self.sleepers(), self.groups(), self.folder);
        until(
            "nothing of it is left",
            || self.sleepers().is_empty() && self.groups().is_empty() && self.folder.exists() == is_kept,
            state,
        );
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(self.folder.to_str().unwrap()), "{mounts}");
        status
    }
}

fn base(name: &str) -> PathBuf {
    let base = std::env::temp_dir().join(name);
    fs::create_dir(&base).unwrap();
    base
}

/// The rooms that there are for a test run here: without root one alone.
fn rooms() -> Vec<bool> {
    if rustix::process::geteuid().is_root() { vec![true, false] } else { vec![true] }
}

#[test]
fn a_run_that_ends_by_itself_leaves_nothing_and_ends_as_its_harness() {
    let base = base("ends");
    for is_apart in rooms() {
        let mut harness = Harness::start(&base, "well", is_apart);
        assert_eq!(harness.has_left_nothing(false).code(), Some(0));
        // What failed may be looked at, until someone starts again.
        let mut failed = Harness::start(&base, "panics", is_apart);
        assert_eq!(failed.has_left_nothing(true).code(), Some(101));
        assert!(failed.folder.join("kept").exists());
        let mut exits = Harness::start(&base, "exits", is_apart);
        assert_eq!(exits.has_left_nothing(true).code(), Some(3));
        assert!(!failed.folder.exists(), "the next start removes it");
    }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_whoever_of_it_is_killed() {
    let base = base("killed");
    for is_apart in rooms() {
        for signal in [libc::SIGTERM, libc::SIGKILL] {
            let mut harness = Harness::start(&base, "never", is_apart);
            // One of them is still becoming what it is to be when the harness says that it has begun.
            let state = || format!("{:?}", harness.sleepers());
            until("all sleep", || harness.sleepers().len() >= 3 && !harness.chain().is_empty(), state);
            harness.signal(harness.first.id().cast_signed(), signal);
            assert_eq!(harness.has_left_nothing(false).signal(), Some(signal));
        }
        // ^C, and what a limit of time does to a whole group.
        for signal in [libc::SIGINT, libc::SIGKILL] {
            let mut harness = Harness::start(&base, "never", is_apart);
            harness.signal(-harness.first.id().cast_signed(), signal);
            assert_eq!(harness.has_left_nothing(false).signal(), Some(signal));
        }
        let n_below = Harness::start(&base, "never", is_apart).ends_all().len();
        for nth in 1..n_below {
            let mut harness = Harness::start(&base, "never", is_apart);
            harness.signal(harness.chain()[nth].cast_signed(), libc::SIGKILL);
            let is_last = nth + 1 == n_below;
            let status = harness.has_left_nothing(false);
            assert_eq!((status.signal(), status.code()), if is_last { (Some(9), None) } else { (None, Some(70)) });
        }
    }
}

impl Harness {
    /// Kills all of them in one moment.
    fn ends_all(&mut self) -> Vec<u32> {
        let chain = self.chain();
        chain.iter().for_each(|pid| self.signal(pid.cast_signed(), libc::SIGSTOP));
        chain.iter().for_each(|pid| self.signal(pid.cast_signed(), libc::SIGKILL));
        self.first.wait().unwrap();
        chain
    }
}

#[test]
fn what_is_left_when_all_are_killed_is_cleared_by_the_next_start() {
    let base = base("all");
    for is_apart in rooms() {
        let mut killed = Harness::start(&base, "never", is_apart);
        killed.ends_all();
        let is_root = rustix::process::geteuid().is_root();
        if is_apart && is_root {
            until("the kernel has ended what they started", || killed.sleepers().is_empty(), String::new);
        }
        assert!(killed.folder.exists());
        let mut next = Harness::start(&base, "well", is_apart);
        assert!(!killed.folder.exists() && killed.groups().is_empty() && killed.sleepers().is_empty());
        next.has_left_nothing(false);
    }
}
