//! Changed program files: a running agent takes them up, as whole versions that are valid.

use crate::case::{Agent, Case, ONE_FILE, until};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use std::fs::{self, File};
use std::io::Write;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

const REFUSED: &str = "the previous version keeps running";

fn saying(text: &str) -> String {
    ONE_FILE.replace("hello", text)
}

/// Sees who opens or reads the case's program.
struct Reads(OwnedFd);

impl Reads {
    fn of(case: &Case, what: WatchFlags) -> Reads {
        let inotify = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
        add_watch(&inotify, case.path("main.mcl"), what).unwrap();
        Reads(inotify)
    }

    fn forget(&self) {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.0, &mut buffer);
        while events.next().is_ok() {}
    }

    /// Waits until it has happened since the last ones were forgotten.
    fn one(&self) {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.0, &mut buffer);
        until("the agent looks at the program", || events.next().is_ok());
    }
}

/// Whether a thread of the agent follows the program's files.
fn follows(agent: &Agent) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", agent.pid())).unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default());
    names.into_iter().any(|name| name.trim() == "reload")
}

#[test]
fn a_changed_program_is_deployed_and_an_invalid_one_is_reported_once() {
    let case = Case::new("reloads-program", ONE_FILE);
    let agent = case.start();
    case.holds("out/a", "hello\n");
    until("it follows the program", || follows(&agent));
    case.program(&saying("changed"));
    case.holds("out/a", "changed\n");
    agent.says("deployed the changed program: ./main.mcl");

    case.program(&saying("${nothing}"));
    agent.says(REFUSED);
    agent.says("error[E03");
    // The same problem after another edit.
    let reads = Reads::of(&case, WatchFlags::ACCESS);
    case.program(&(saying("${nothing}") + "# more\n"));
    reads.one();
    case.write("out/a", "drifted");
    case.holds("out/a", "changed\n");
    agent.rests();
    let refused = agent.said().lines().filter(|line| line.contains(REFUSED)).count();
    assert_eq!(refused, 1, "{}", agent.said());

    case.program(&saying("changed"));
    agent.says("the program is valid again and unchanged");
    case.program(&saying("again"));
    case.holds("out/a", "again\n");
}

/// Imported modules and missing files count as well.
#[test]
fn the_files_of_modules_are_followed() {
    let case = Case::new("reloads-modules", "");
    fs::create_dir_all(case.path("lib")).unwrap();
    case.write("lib/main.mcl", "$text = \"one\"\n");
    case.program(&format!("import \"lib/\"\n{}", saying("${lib.text}")));
    let agent = case.start();
    case.holds("out/a", "one\n");
    case.write("lib/new", "$text = \"two\"\n");
    fs::rename(case.path("lib/new"), case.path("lib/main.mcl")).unwrap();
    case.holds("out/a", "two\n");
    fs::remove_dir_all(case.path("lib")).unwrap();
    agent.says(REFUSED);
    fs::create_dir_all(case.path("lib")).unwrap();
    case.write("lib/main.mcl", "$text = \"three\"\n");
    case.holds("out/a", "three\n");
}

/// Editors truncate and fill a file, or rename a new one into its place: half of a file is never read.
#[test]
fn half_written_files_are_waited_for() {
    // A file that stays half-written for five seconds is read anyway: a test without processor time tries again.
    assert!((0..5).any(|_| writes_in_time()), "the agent does not look in time");
}

/// `false`: the file was half-written for too long.
fn writes_in_time() -> bool {
    let case = Case::new("reloads-editors", ONE_FILE);
    let agent = case.start();
    case.holds("out/a", "hello\n");
    let text = saying("slow").replace("@OUT@", case.path("out").to_str().unwrap());
    let began = Instant::now();
    let mut file = File::create(case.path("main.mcl")).unwrap();
    let looks = Reads::of(&case, WatchFlags::OPEN);
    for part in text.as_bytes().chunks(text.len() / 2 + 1) {
        // It finds the file open for writing, and waits.
        looks.forget();
        looks.one();
        file.write_all(part).unwrap();
    }
    drop(file);
    if began.elapsed() > Duration::from_secs(3) {
        return false;
    }
    case.holds("out/a", "slow\n");
    for round in 0..20 {
        let text = saying(&round.to_string()).replace("@OUT@", case.path("out").to_str().unwrap());
        case.write("main.mcl~", &text);
        fs::rename(case.path("main.mcl~"), case.path("main.mcl")).unwrap();
    }
    case.holds("out/a", "19\n");
    assert!(!agent.said().contains(REFUSED), "{}", agent.said());
    fs::remove_file(case.path("main.mcl")).unwrap();
    agent.says("cannot read `main.mcl`");
    case.program(&saying("back"));
    case.holds("out/a", "back\n");
    true
}

#[test]
fn nothing_is_followed_with_no_watch() {
    let case = Case::new("reloads-no-watch", ONE_FILE);
    let mut agent = case.start_with(&["--no-watch"]);
    case.holds("out/a", "hello\n");
    assert!(!follows(&agent));
    case.program(&saying("changed"));
    case.write("out/a", "drifted");
    until("it is repaired", || case.read("out/a").as_deref() == Some("hello\n"));
    assert!(agent.stop().success());
    assert!(!agent.said().contains("changed program"), "{}", agent.said());
}
