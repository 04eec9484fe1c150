//! Facts without an answer: they block nothing else.

use crate::case::{Agent, Case, until};
use crate::commands::{seconds, sleepers};
use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// A program that reads a user only `getent` could know, and a `getent` that never answers: it sleeps.
fn hanging(name: &str, seconds: &str) -> (Case, Agent) {
    let case = Case::new(name, "");
    case.program(
        "import \"fmt\"\nimport \"os\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\
         \tcontent => fmt.printf(\"%t\", os.user_exists(\"nobody-here\")),\n}\n",
    );
    std::fs::create_dir(case.path("bin")).unwrap();
    case.write("bin/getent", &format!("#!/bin/sh\ntouch $MARK\nexec sleep {seconds}\n"));
    std::fs::set_permissions(case.path("bin/getent"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", case.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = case.command(&["run", "--prefix", "state", "main.mcl"]);
    command.env("PATH", path).env("MARK", case.path("asked"));
    let agent = Agent::spawn(command);
    (case, agent)
}

#[test]
fn an_interrupt_is_heard_while_a_fact_hangs() {
    let (case, mut agent) = hanging("fact-hangs", &seconds(10));
    until("getent was asked", || case.path("asked").exists());
    agent.stop();
    assert!(!agent.said().contains("timed out after"), "it waited until the fact was given up: {}", agent.said());
}

/// A hanging fact is on a separate thread, which the end of the agent does not reach.
#[test]
fn what_hangs_does_not_outlive_the_agent_whichever_way_that_ends() {
    for (nth, signal) in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL].into_iter().enumerate() {
        let seconds = seconds(12 + nth as u32);
        let (_case, mut agent) = hanging(&format!("outlives-{nth}"), &seconds);
        until("getent hangs", || sleepers(&seconds) == 1);
        agent.signal(signal);
        agent.ends();
        until(&format!("getent has ended after {signal:?}"), || sleepers(&seconds) == 0);
    }
}

#[test]
fn a_fact_that_does_not_come_is_an_error_that_says_so() {
    let (_case, agent) = hanging("fact-late", &seconds(11));
    agent.says("timed out after");
}

#[test]
fn a_pipe_is_no_file_to_wait_for() {
    let case = Case::new("fact-fifo", "");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        case.path("out/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    case.program(
        "import \"os\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@OUT@/pipe\"),\n}\n",
    );
    let agent = case.start();
    agent.says("not a regular file");
}

#[test]
fn a_second_agent_is_told_who_works_there() {
    let case = Case::new("locked", crate::case::ONE_FILE);
    let agent = case.start();
    case.holds("out/a", "hello\n");
    let second = case.once();
    let said = crate::case::stderr(&second);
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.contains(&format!("pid {}, since", agent.pid())), "{said}");
    // A plan does not disturb it.
    let plan = case.run(&["plan", "--prefix", "state", "main.mcl"]);
    assert_eq!(plan.status.code(), Some(0), "{}", crate::case::stderr(&plan));
}

#[test]
fn the_first_interrupt_leaves_off_what_takes_for_ever() {
    let program = "file \"@OUT@/b\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/a\",\n}\n";
    let case = Case::new("leave-off", program);
    // Two files of the same size are read to their ends, even if they contain only holes.
    for file in ["out/a", "out/b"] {
        std::fs::File::create(case.path(file)).unwrap().set_len(1 << 42).unwrap();
    }
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut agent = case.start();
        agent.says("checking");
        // Short work would be awaited.
        std::thread::sleep(Duration::from_millis(700));
        agent.signal(signal);
        assert_eq!(agent.ends().code(), Some(0), "{}", agent.said());
        agent.says("process interrupted");
    }
}

/// A file system whose server never answers: every access blocks in the kernel, where only a kill ends it.
struct Dead(std::path::PathBuf);

impl Dead {
    fn mount(at: std::path::PathBuf) -> (Dead, std::fs::File) {
        use rustix::mount::{MountFlags, mount};
        use std::os::fd::AsRawFd;
        std::fs::create_dir_all(&at).unwrap();
        let server = std::fs::File::options().read(true).write(true).open("/dev/fuse").unwrap();
        let data = format!("fd={},rootmode=40000,user_id=0,group_id=0", server.as_raw_fd());
        let data = std::ffi::CString::new(data).unwrap();
        mount("dead", &at, "fuse", MountFlags::NOSUID | MountFlags::NODEV, Some(data.as_c_str())).unwrap();
        (Dead(at), server)
    }
}

impl Drop for Dead {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(&self.0, rustix::mount::UnmountFlags::DETACH);
    }
}

/// Without FUSE in the kernel the test is left out; root has everything else, or the test fails.
fn can_mount() -> bool {
    if !rustix::process::geteuid().is_root() {
        crate::case::cannot_look("only root can mount a file system");
        return false;
    }
    let has_fuse = std::path::Path::new("/dev/fuse").exists();
    if !has_fuse {
        eprintln!("skipped: this kernel has no FUSE, so no file system can be dead");
    }
    has_fuse
}

/// A source on a hung file system blocks neither other resources nor the end, and is named in a message.
#[test]
fn a_source_on_a_dead_file_system_holds_up_nobody_else() {
    if !can_mount() {
        return;
    }
    let case = Case::new("dead-source", "");
    case.program(
        "file \"@OUT@/stuck\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/link/source\",\n}\n\
         file \"@OUT@/well\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n",
    );
    let (dead, server) = Dead::mount(case.path("out/dead"));
    std::os::unix::fs::symlink("dead", case.path("out/link")).unwrap();
    let mut agent = Agent::spawn(case.command(&["run", "--prefix", "state", "main.mcl"]));
    case.holds("out/well", "x");
    agent.says("/source` does not respond: the server of its file system may be down");
    std::fs::write(case.path("out/well"), "y").unwrap();
    case.holds("out/well", "x");
    agent.stop_however_often();
    drop((server, dead));
}

/// A check that cannot be interrupted is abandoned after the last rung.
#[test]
fn the_ladder_of_stops_ends_an_agent_whose_file_system_died() {
    if !can_mount() {
        return;
    }
    let case = Case::new("dead-later", "");
    case.program(
        "file \"@OUT@/dead/\" {\n\tstate => \"exists\",\n}\n\
         file \"@OUT@/dead/x\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n\tMeta:poll => 1,\n}\n",
    );
    let mut agent = Agent::spawn(case.command(&["run", "--prefix", "state", "main.mcl"]));
    let polls = |agent: &Agent, phase: &str| {
        let said = agent.said();
        said.lines().filter(|line| line.contains("\"timer polling\"") && line.contains(phase)).count()
    };
    // By then the folder is no longer read, which would delay the read of the file.
    crate::case::until("it has looked", || polls(&agent, "\"in state\"") > 0);
    let (dead, server) = Dead::mount(case.path("out/dead"));
    let n_polls = polls(&agent, "\"checking\"");
    crate::case::until("it looks again", || polls(&agent, "\"checking\"") > n_polls);
    agent.stop_however_often();
    assert!(agent.said().contains("it does not stop: it is waiting for a file system or device"), "{}", agent.said());
    drop((server, dead));
}
