//! Facts that do not come: nobody is deaf over them.

use crate::case::{Agent, Case};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// A program that asks for a user whom only `getent` could know, and a `getent` that never answers.
fn hanging(name: &str) -> (Case, Agent) {
    let case = Case::new(name, "");
    case.program(
        "import \"fmt\"\nimport \"os\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\
         \tcontent => fmt.printf(\"%t\", os.user_exists(\"nobody-here\")),\n}\n",
    );
    std::fs::create_dir(case.path("bin")).unwrap();
    case.write("bin/getent", "#!/bin/sh\ntouch $MARK\nexec sleep 1000\n");
    std::fs::set_permissions(case.path("bin/getent"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", case.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = case.command(&["run", "--prefix", "state", "main.mcl"]);
    command.env("PATH", path).env("MARK", case.path("asked"));
    let agent = Agent::spawn(command);
    (case, agent)
}

#[test]
fn an_interrupt_is_heard_while_a_fact_hangs() {
    let (case, mut agent) = hanging("fact-hangs");
    crate::case::until("getent was asked", || case.path("asked").exists());
    let began = Instant::now();
    agent.stop();
    // What hangs is given up after five seconds at the earliest.
    let took = began.elapsed();
    eprintln!("an interrupt took {took:?}");
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_fact_that_does_not_come_is_an_error_that_says_so() {
    let (_case, agent) = hanging("fact-late");
    agent.says("no answer within");
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
    // Two files of the same size are read to their ends, even where that is only holes.
    for file in ["out/a", "out/b"] {
        std::fs::File::create(case.path(file)).unwrap().set_len(1 << 42).unwrap();
    }
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let mut agent = case.start();
        agent.says("checking");
        // What is soon over would be waited for.
        std::thread::sleep(Duration::from_millis(700));
        agent.signal(signal);
        assert_eq!(agent.ends().code(), Some(0), "{}", agent.said());
        agent.says("process interrupted");
    }
}
