//! Failures of a host: each is reported clearly, tears nothing, leaves nothing over, and when it is over the host
//! converges.

use crate::case::{Agent, Case, cannot_look, stderr, until};
use crate::chance::{Chance, times};
use crate::foresight::ends;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const KEEPS_TRYING: &str = "\tMeta:retry => -1,\n\tMeta:delay => 100,\n";

pub(crate) fn file(name: &str, content: &str, meta: &str) -> String {
    format!("file \"@OUT@/{name}\" {{\n\tstate => \"exists\",\n\tcontent => \"{content}\",\n{meta}}}\n")
}

/// An agent started by a shell that sets limits.
pub(crate) fn start_after(case: &Case, words: &str) -> Agent {
    let mclive = env!("CARGO_BIN_EXE_mclive");
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{words}; exec {mclive} run --json --prefix state --no-raise-limits main.mcl"));
    command.current_dir(&case.root);
    Agent::spawn(command)
}

/// A file system in memory at a folder; unmounted at the end. `None` where the system does not let us.
pub(crate) struct Mounted(PathBuf);

impl Mounted {
    pub(crate) fn new(at: &Path, options: &str) -> Option<Mounted> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Mounted(at.to_owned()))
    }

    fn again(&self, options: &str) {
        let done = Command::new("mount").args(["-o", options]).arg(&self.0).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_killed_agent_leaves_old_or_new_and_no_litter() {
    let text = |letter: &str| letter.repeat(300_000);
    let case = Case::new("kill", &file("a", &text("a"), ""));
    let mut chance = Chance::new(3);
    assert!(case.once().status.success());
    for round in 0..times("MCLIVE_KILLS", 20) {
        case.program(&file("a", &text(if round % 2 == 0 { "b" } else { "a" }), ""));
        let agent = case.start();
        std::thread::sleep(Duration::from_micros(2000 + chance.below(60_000)));
        drop(agent);
        let found = case.read("out/a").unwrap();
        assert!(found == text("a") || found == text("b"), "torn in round {round}: {} bytes", found.len());
    }
    assert!(case.once().status.success());
    assert_eq!(case.tree().len(), 1, "litter: {:?}", case.tree().keys());
}

#[test]
fn a_full_disk_tears_nothing_and_is_made_up_for() {
    let big = "n".repeat(300_000);
    let case = Case::new("full", &(file("big", &big, KEEPS_TRYING) + &file("small", "small", KEEPS_TRYING)));
    let Some(_mounted) = Mounted::new(&case.path("out"), "size=500k") else {
        return cannot_look("mounting is not possible here; covered by `a_write_that_is_cut_off`");
    };
    case.write("out/big", "old");
    case.write("out/filler", &"x".repeat(300_000));
    let mut agent = case.start_with(&["--json"]);
    agent.says("no space left on device");
    case.holds("out/small", "small");
    assert_eq!(case.read("out/big").unwrap(), "old");
    assert_eq!(case.tree().len(), 3, "{:?}", case.tree().keys());
    fs::remove_file(case.path("out/filler")).unwrap();
    case.holds("out/big", &big);
    assert!(agent.stop().success());
    assert_eq!(case.tree().len(), 2, "{:?}", case.tree().keys());
}

#[test]
fn a_plan_tells_that_a_copy_does_not_fit() {
    let case = Case::new("full-plan", "");
    let Some(_mounted) = Mounted::new(&case.path("out"), "size=1m") else {
        return cannot_look("mounting is not possible here; covered by `a_copy_needs_the_blocks_of_its_source`");
    };
    case.write("big", &"x".repeat(700 << 10));
    case.write("out/old", &"x".repeat(600 << 10));
    let copy = |fields: &str| {
        let source = case.path("big").display().to_string();
        format!("file \"@OUT@/new/copy\" {{\n\tstate => \"exists\",\n\tsource => \"{source}\",\n{fields}}}\n")
    };
    let dir = "file \"@OUT@/new/\" {\n\tstate => \"exists\",\n}\n";
    let outcome = |command: &str| {
        let once: &[&str] = if command == "run" { &["--once"] } else { &[] };
        let args = [&[command][..], once, &["--json", "--prefix", command, "main.mcl"][..]].concat();
        ends(&case.run(&args)).into_iter().find(|(id, _)| id.contains("/copy")).unwrap().1
    };
    case.program(&(copy("") + dir));
    for command in ["plan", "run"] {
        let (end, said) = outcome(command);
        assert!(end == "fails" && said.contains("not enough space"), "{command}: {end}, {said}");
    }
    // What is removed before makes room.
    let old = "file \"@OUT@/old\" {\n\tstate => \"absent\",\n}\n";
    case.program(&(copy("\tDepend => File[\"@OUT@/old\"],\n") + dir + old));
    assert_eq!(["plan", "run"].map(|command| outcome(command).0), ["changes", "changes"]);
}

#[test]
fn a_write_that_is_cut_off_leaves_the_old_file() {
    let case = Case::new("cut", &(file("big", &"n".repeat(6_000_000), "") + &file("small", "small", "")));
    case.write("out/big", "old");
    // Blocks of 512 or 1024 bytes, depending on the shell; the compiler's memory, which counts, must be below.
    let mut agent = start_after(&case, "trap '' XFSZ; ulimit -f 5000");
    agent.says("file too large");
    case.holds("out/small", "small");
    assert_eq!(case.read("out/big").unwrap(), "old");
    assert!(agent.stop().success());
    assert_eq!(case.tree().len(), 2, "{:?}", case.tree().keys());
}

#[test]
fn a_read_only_file_system_is_reported_and_made_up_for() {
    let case = Case::new("readonly", &file("a", "new", KEEPS_TRYING));
    let Some(mounted) = Mounted::new(&case.path("out"), "size=500k") else {
        return cannot_look("mounting is not possible here; covered by `without_permission`");
    };
    case.write("out/a", "old");
    mounted.again("remount,ro");
    let mut agent = case.start_with(&["--json"]);
    agent.says("read-only file system");
    assert_eq!(case.read("out/a").unwrap(), "old");
    mounted.again("remount,rw");
    case.holds("out/a", "new");
    assert!(agent.stop().success());
}

/// There is no event when a file system becomes writable or has room again, or when an attribute is removed.
#[test]
fn what_has_failed_is_looked_at_again_when_its_cause_may_be_gone() {
    let is_failed = |agent: &Agent| agent.says("\"phase\":\"failed\"");
    let case = Case::new("again", &file("a", "new", ""));
    case.write("out/a", "old");
    let target = case.path("out/a");
    let chattr = |flag: &str| Command::new("chattr").arg(flag).arg(&target).status().is_ok_and(|done| done.success());
    if chattr("+i") {
        let mut agent = case.start_with(&["--json"]);
        is_failed(&agent);
        assert!(chattr("-i"));
        case.holds("out/a", "new");
        assert!(agent.stop().success());
    }
    let case = Case::new("again-mounted", &file("a", "new", ""));
    let Some(mounted) = Mounted::new(&case.path("out"), "size=500k") else {
        return cannot_look("mounting is not possible here");
    };
    case.write("out/a", "old");
    mounted.again("remount,ro");
    let mut agent = case.start_with(&["--json"]);
    is_failed(&agent);
    mounted.again("remount,rw");
    case.holds("out/a", "new");
    assert!(agent.stop().success());
    let big = "n".repeat(300_000);
    let case = Case::new("again-full", &file("watched/big", &big, ""));
    let Some(_mounted) = Mounted::new(&case.path("out"), "size=500k") else {
        return cannot_look("mounting is not possible here");
    };
    fs::create_dir(case.path("out/watched")).unwrap();
    fs::create_dir(case.path("out/beside")).unwrap();
    case.write("out/beside/filler", &"x".repeat(300_000));
    let mut agent = case.start_with(&["--json"]);
    is_failed(&agent);
    agent.says("no space left on device");
    fs::remove_file(case.path("out/beside/filler")).unwrap();
    case.holds("out/watched/big", &big);
    assert!(agent.stop().success());
}

#[test]
fn without_permission_it_is_reported_and_made_up_for() {
    let case = Case::new("nobody", &(file("closed/a", "new", KEEPS_TRYING) + &file("b", "b", "")));
    fs::create_dir(case.path("out/closed")).unwrap();
    fs::set_permissions(case.path("out/closed"), Permissions::from_mode(0o555)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    let binary = case.path("mclive");
    fs::copy(env!("CARGO_BIN_EXE_mclive"), &binary).unwrap();
    fs::set_permissions(case.path("out"), Permissions::from_mode(0o777)).unwrap();
    // A prefix that others can write to is refused.
    fs::create_dir(case.path("state")).unwrap();
    if is_root {
        std::os::unix::fs::chown(case.path("state"), Some(65534), Some(65534)).unwrap();
    }
    let mut command = Command::new(&binary);
    command.args(["run", "--json", "--prefix", "state", "main.mcl"]).current_dir(&case.root);
    if is_root {
        command.uid(65534).gid(65534);
    }
    let mut agent = Agent::spawn(command);
    agent.says("permission denied");
    case.holds("out/b", "b");
    fs::set_permissions(case.path("out/closed"), Permissions::from_mode(0o777)).unwrap();
    case.holds("out/closed/a", "new");
    assert!(agent.stop().success());
}

#[test]
fn lost_events_lead_to_another_look() {
    let case = Case::new("overflow", &file("a", "hello", ""));
    let agent = case.start();
    case.holds("out/a", "hello");
    let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let most: usize = most.unwrap_or_default().trim().parse().unwrap_or(16384);
    if most > 100_000 {
        return cannot_look("this machine's event queue is too long to fill");
    }
    agent.signal(rustix::process::Signal::STOP);
    // Different events are not merged.
    for n in 0..most {
        fs::write(case.path(if n % 2 == 0 { "out/x" } else { "out/y" }), "x").unwrap();
    }
    case.write("out/a", "broken while not watched");
    agent.signal(rustix::process::Signal::CONT);
    case.holds("out/a", "hello");
    // And it receives events again.
    case.write("out/a", "broken again");
    case.holds("out/a", "hello");
}

#[test]
fn without_watches_it_looks_every_second_and_says_so_once() {
    let dirs: String = (0..6).map(|n| file(&format!("d{n}/a"), "hello", "")).collect();
    let case = Case::new("watches", &dirs);
    (0..6).for_each(|n| fs::create_dir(case.path(&format!("out/d{n}"))).unwrap());
    // In a separate user namespace the limit can be lowered for it alone.
    let mclive = env!("CARGO_BIN_EXE_mclive");
    let words = format!(
        "echo 5 > /proc/sys/user/max_inotify_watches && exec {mclive} run --json --prefix state --no-raise-limits main.mcl"
    );
    let mut command = Command::new("unshare");
    command.args(["-U", "-r", "/bin/sh", "-c", &words]).current_dir(&case.root);
    let mut agent = Agent::spawn(command);
    until("it runs, or may not", || case.read("out/d5/a").is_some() || !agent.runs());
    if !agent.runs() {
        return cannot_look("user namespaces are not available; covered by the watcher's own test");
    }
    agent.says("checking them every second");
    for n in 0..6 {
        let path = format!("out/d{n}/a");
        case.holds(&path, "hello");
        case.write(&path, "broken");
        case.holds(&path, "hello");
    }
    assert_eq!(agent.said().matches("checking them every second").count(), 1);
}

/// The agent's wall clock is shifted by the seconds in a file.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (clock == CLOCK_REALTIME && result == 0) {
        FILE *file = fopen(getenv("CLOCK_SHIFT"), "r");
        long shift = 0;
        if (file) { if (fscanf(file, "%ld", &shift) != 1) shift = 0; fclose(file); }
        now->tv_sec += shift;
    }
    return result;
}
"#;

/// Gives a command a wall clock that [`set_clock`] sets.
pub(crate) fn with_own_clock(case: &Case, command: &mut Command) {
    case.write("clock.c", CLOCK);
    case.write("shift", "0");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o", "clock.so", "clock.c", "-ldl"])
        .current_dir(&case.root)
        .status();
    assert!(made.unwrap().success(), "the linker that Rust needs is there");
    command.env("LD_PRELOAD", case.path("clock.so")).env("CLOCK_SHIFT", case.path("shift"));
}

/// Sets the wall clock of such a command to so many seconds after the actual time.
pub(crate) fn set_clock(case: &Case, seconds: i64) {
    fs::write(case.path("shift.new"), seconds.to_string()).unwrap();
    fs::rename(case.path("shift.new"), case.path("shift")).unwrap();
}

#[test]
fn a_clock_that_is_set_back_stops_nothing() {
    let program = "import \"datetime\"\nimport \"fmt\"\nfile \"@OUT@/now\" {\n\tstate => \"exists\",\n\
        \tcontent => fmt.printf(\"%d\", datetime.now()),\n}\n\
        exec \"tick\" {\n\tcmd => \"echo x >> @OUT@/ticks\",\n\tshell => \"/bin/sh\",\n\tMeta:poll => 1,\n}\n";
    let case = Case::new("clock", program);
    let mut command = case.command(&["run", "--json", "--prefix", "state", "main.mcl"]);
    with_own_clock(&case, &mut command);
    let mut agent = Agent::spawn(command);
    let now = || case.read("out/now").and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    until("it has the time", || now() > 0);
    let before = now();
    set_clock(&case, -3600);
    until("the hour is taken over", || now() < before - 3000);
    let (set_back, ticks) = (now(), case.lines("out/ticks"));
    until("time goes on", || now() > set_back + 1);
    until("polls go on", || case.lines("out/ticks") > ticks + 1);
    case.write("out/now", "broken");
    until("repairs go on", || now() > 0);
    assert!(agent.stop().success());
}

#[test]
fn a_damaged_state_is_reported_and_does_not_stop_it() {
    let program = "file \"@OUT@/a\" {\n\tcontent => \"new\",\n\tMeta:reverse => true,\n}\n";
    let case = Case::new("damaged", program);
    case.write("out/a", "old");
    assert!(case.once().status.success());
    let states: Vec<PathBuf> = fs::read_dir(case.path("state/engine/state"))
        .unwrap()
        .flat_map(|dir| fs::read_dir(dir.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    assert!(!states.is_empty());
    states.iter().for_each(|file| fs::write(file, "mclive 1 nonsense").unwrap());
    let output = case.once();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("is damaged"));
}

/// The value is too large for the compiler's memory; that ends neither the agent nor its repairs.
#[test]
fn after_a_trap_repairs_go_on() {
    let program = "import \"os\"\n\
        file \"@OUT@/copy\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@OUT@/in\"),\n}\n\
        file \"@OUT@/kept\" {\n\tstate => \"exists\",\n\tcontent => \"kept\\n\",\n}\n";
    let case = Case::new("trap", program);
    case.write("out/in", "good");
    let mut command = case.command(&["run", "--prefix", "state", "main.mcl"]);
    command.env("MCLIVE_MEMORY_MIB", "64");
    let mut agent = Agent::spawn(command);
    case.holds("out/copy", "good");
    case.holds("out/kept", "kept\n");
    // Written at once, otherwise a part of it would be the last good value.
    std::fs::write(case.path("large"), vec![b'x'; 60 << 20]).unwrap();
    std::fs::rename(case.path("large"), case.path("out/in")).unwrap();
    agent.says("the compiler crashed");
    case.write("out/kept", "broken");
    case.holds("out/kept", "kept\n");
    case.holds("out/copy", "good");
    // Once it is small again, it is used.
    case.write("out/in", "new");
    case.holds("out/copy", "new");
    case.write("out/copy", "broken");
    case.holds("out/copy", "new");
    assert!(agent.stop().success());
}
