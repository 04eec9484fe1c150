//! Commands on a real host: stopped as configured, whole groups, no zombies, bounded output, no secrets in the audit
//! log.

use crate::case::{Agent, Case, cannot_look, processes, until};
use crate::chance::{Chance, times};
use rustix::process::Signal;
use std::process::Command;
use std::time::Duration;

fn exec(name: &str, cmd: &str, rest: &str) -> String {
    format!("exec \"{name}\" {{\n\tcmd => \"{cmd}\",\n\tshell => \"/bin/sh\",\n{rest}}}\n")
}

/// The process number that `echo $$` wrote here.
fn pid(case: &Case, below: &str) -> u32 {
    until(&format!("{below} is there"), || case.read(below).is_some_and(|text| text.ends_with('\n')));
    case.read(below).unwrap().trim().parse().unwrap()
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ") && !stat.contains(") X ")
}

fn zombies_of(agent: &Agent) -> Vec<String> {
    let children = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit(')').next()?.split_whitespace().nth(1)?;
        (parent == agent.pid().to_string() && stat.contains(") Z ")).then_some(stat)
    });
    children.collect()
}

#[test]
fn one_that_ignores_its_signal_is_killed_with_its_group_by_the_third_interrupt() {
    let stubborn = "trap '' TERM INT; (while :; do /bin/sleep 0.1; done) & echo $! > @OUT@/child; \
        echo $$ > @OUT@/pid; while :; do /bin/sleep 0.1; done";
    let case = Case::new("stubborn", &exec("e", stubborn, ""));
    let mut agent = case.start();
    let (parent, child) = (pid(&case, "out/pid"), pid(&case, "out/child"));
    for _ in 0..2 {
        agent.signal(Signal::INT);
        agent.rests();
        assert!(agent.runs() && is_alive(parent) && is_alive(child));
    }
    agent.signal(Signal::INT);
    assert_eq!(agent.ends().code(), Some(0));
    until("the whole group is gone", || !is_alive(parent) && !is_alive(child));
}

/// The kernel, the shell and the end of the session may each send one.
#[test]
fn a_terminal_that_closes_stops_it_like_any_other_request_however_often_it_says_so() {
    let waits = "touch @OUT@/began; while [ ! -e @OUT@/go ]; do /bin/sleep 0.1; done; touch @OUT@/ended";
    let case = Case::new("hangup", &exec("e", waits, ""));
    let mut agent = case.start();
    until("the command runs", || case.path("out/began").exists());
    for _ in 0..3 {
        agent.signal(Signal::HUP);
        agent.rests();
    }
    case.write("out/go", "");
    assert_eq!(agent.ends().code(), Some(0), "{}", agent.said());
    assert!(case.path("out/ended").exists(), "the command was stopped: {}", agent.said());
}

#[test]
fn a_run_that_is_to_outlive_its_terminal_does() {
    let case = Case::new("nohup", crate::case::ONE_FILE);
    let run = case.command(&["run", "--prefix", "state", "main.mcl"]);
    let mut nohup = Command::new("/bin/sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    nohup.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(&case.root);
    let mut agent = Agent::spawn(nohup);
    case.holds("out/a", "hello\n");
    agent.signal(Signal::HUP);
    agent.rests();
    case.write("out/a", "broken");
    case.holds("out/a", "hello\n");
    assert_eq!(agent.stop().code(), Some(0), "{}", agent.said());
}

#[test]
fn the_first_interrupt_says_what_it_waits_for_and_tells_it_to_stop_after_a_while() {
    let case = Case::new("waits", &exec("e", "echo $$ > @OUT@/pid; exec /bin/sleep 1000", ""));
    let mut agent = case.start();
    let pid = pid(&case, "out/pid");
    agent.signal(Signal::INT);
    agent.says("waiting for exec[e] to end");
    // The 15 s of the ladder, or what a busy machine has left of them.
    agent.says("still running: stopping commands in 1");
    agent.says(" s; press ^C again to stop them now");
    assert!(agent.runs() && is_alive(pid));
    assert_eq!(agent.ends().code(), Some(0), "{}", agent.said());
    until("the command is gone", || !is_alive(pid));
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let slow =
        "(trap '' TERM; while :; do /bin/sleep 0.1; done) & echo $! > @OUT@/child; while :; do /bin/sleep 0.1; done";
    let case = Case::new("timeout", &exec("e", slow, "\tMeta:timeout => 5000,\n"));
    let agent = case.start_with(&["--json"]);
    let child = pid(&case, "out/child");
    agent.says("\"failed\"");
    until("its child is gone", || !is_alive(child));
    assert!(zombies_of(&agent).is_empty());
}

#[test]
fn many_commands_leave_no_zombie_and_no_descriptor() {
    let program: String =
        (0..40).map(|n| exec(&format!("e{n}"), &format!("echo {n} >> @OUT@/n; exit 0"), "")).collect();
    let case = Case::new("zombies", &program);
    let agent = case.start();
    until("all ran", || case.lines("out/n") == 40);
    until("nothing of them is left", || {
        let n_files = std::fs::read_dir(format!("/proc/{}/fd", agent.pid())).unwrap().count();
        zombies_of(&agent).is_empty() && n_files < 24
    });
}

#[test]
fn a_flood_of_output_is_bounded_and_sent() {
    let program = exec("e", "/bin/dd if=/dev/zero bs=1000000 count=30 2>/dev/null; echo end >&2", "")
        + "file \"@OUT@/err\" {\n\tstate => \"exists\",\n}\nExec[\"e\"].stderr -> File[\"@OUT@/err\"].content\n";
    let case = Case::new("flood", &program);
    let agent = case.start();
    case.holds("out/err", "end\n");
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let peak: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(peak < 250_000, "30 MB of output took {peak} kB");
}

#[test]
fn the_environment_the_directory_and_the_words_are_as_told() {
    let program = "exec \"e\" {\n\tcmd => \"/usr/bin/env\",\n\tenv => {\"B\" => \"2\", \"A\" => \"one two\",},\n}\n\
        exec \"d\" {\n\tcmd => \"/bin/pwd\",\n\tcwd => \"/usr\",\n}\n\
        exec \"w\" {\n\tcmd => \"/bin/echo\",\n\targs => [\"a  b\", \"c\"],\n}\n\
        file [\"@OUT@/e\", \"@OUT@/d\", \"@OUT@/w\"] {\n\tstate => \"exists\",\n}\n\
        Exec[\"e\"].output -> File[\"@OUT@/e\"].content\nExec[\"d\"].output -> File[\"@OUT@/d\"].content\n\
        Exec[\"w\"].output -> File[\"@OUT@/w\"].content\n";
    let program = program.replace(",},", "},");
    let case = Case::new("words", &program);
    let _agent = case.start();
    case.holds("out/e", "A=one two\nB=2\n");
    case.holds("out/d", "/usr\n");
    case.holds("out/w", "a  b c\n");
}

#[test]
fn the_audit_log_holds_no_secret() {
    let program = exec("e", "PASSWORD=secret-word; exit 0", "\tenv => {\"TOKEN\" => \"secret-word\"},\n")
        + "file \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => \"secret-word\",\n}\n";
    let case = Case::new("audit", &program);
    assert!(case.once().status.success());
    let log = case.read("state/audit.log").unwrap();
    assert!(log.contains("run /bin/sh with 2 arguments") && log.contains("write "), "{log}");
    assert!(!log.contains("secret-word"), "{log}");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(case.path("state/audit.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_user_is_taken_on_with_its_group_alone() {
    if !rustix::process::geteuid().is_root() {
        return cannot_look("only root can become another user");
    }
    let case = Case::new("user", &exec("e", "id -u > @OUT@/id; id -G >> @OUT@/id", "\tuser => \"nobody\",\n"));
    std::os::unix::fs::chown(case.path("out"), Some(65534), None).unwrap();
    std::fs::set_permissions(&case.root, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let _agent = case.start();
    until("it ran", || case.lines("out/id") == 2);
    assert!(case.read("out/id").unwrap().starts_with("65534\n"), "{:?}", case.read("out/id"));
    assert_eq!(case.read("out/id").unwrap().lines().nth(1).unwrap().split(' ').count(), 1);
}

#[test]
fn any_bytes_reach_a_command_and_come_back() {
    let program = "import \"os\"\n$bytes = os.readfile(\"@OUT@/bytes\")\n\
        exec \"env\" {\n\tcmd => \"/usr/bin/env\",\n\tenv => {\"V\" => $bytes},\n}\n\
        exec \"args\" {\n\tcmd => \"/bin/echo\",\n\targs => [$bytes],\n}\n\
        file [\"@OUT@/env\", \"@OUT@/args\"] {\n\tstate => \"exists\",\n}\n\
        Exec[\"env\"].stdout -> File[\"@OUT@/env\"].content\n\
        Exec[\"args\"].stdout -> File[\"@OUT@/args\"].content\n";
    let case = Case::new("bytes", program);
    std::fs::write(case.path("out/bytes"), b"a\xffb\xc3").unwrap();
    assert!(case.once().status.success());
    assert_eq!(std::fs::read(case.path("out/env")).unwrap(), b"V=a\xffb\xc3\n");
    assert_eq!(std::fs::read(case.path("out/args")).unwrap(), b"a\xffb\xc3\n");
}

#[test]
fn a_dry_run_runs_no_command_unless_it_is_asked_to() {
    let program = "import \"os\"\n\
        exec \"a\" {\n\tcmd => \"/usr/bin/touch @OUT@/cmd\",\n\tifcmd => \"/usr/bin/touch @OUT@/ifcmd\",\n}\n\
        exec \"b\" {\n\tcmd => \"/usr/bin/touch @OUT@/cmd\",\n\tnifcmd => \"/usr/bin/touch @OUT@/nifcmd\",\n\
        \twatchcmd => \"/usr/bin/touch @OUT@/watchcmd\",\n}\n\
        exec \"c\" {\n\tcmd => \"/usr/bin/touch @OUT@/cmd\",\n}\n";
    let case = Case::new("dry", program);
    let run = |more: &[&str]| case.run(&[&["run", "--noop", "--once", "--prefix", "state", "main.mcl"], more].concat());
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let dry = run(&[]);
    assert!(case.tree().is_empty(), "{:?}", case.tree());
    assert!(said(&dry).contains("--run-checks") && said(&dry).contains("would change"), "{}", said(&dry));
    run(&["--run-checks"]);
    let names: Vec<_> = case.tree().into_keys().filter_map(|path| Some(path.file_name()?.to_owned())).collect();
    assert!(names.iter().any(|name| name == "ifcmd") && names.iter().any(|name| name == "nifcmd"), "{names:?}");
    assert!(!names.iter().any(|name| name == "cmd"), "{names:?}");
    // Commands of functions are not run either, and the plan says so.
    case.program("import \"os\"\nprint \"x\" {\n\tmsg => os.system(\"/usr/bin/touch @OUT@/system\"),\n}\n");
    let dry = run(&[]);
    assert!(said(&dry).contains("which was not run"), "{}", said(&dry));
    assert!(!case.path("out/system").exists());
}

/// A number of seconds that no other process of this machine sleeps for.
pub(crate) fn seconds(nth: u32) -> String {
    format!("{}.{nth}", 1_000_000 + std::process::id())
}

pub(crate) fn sleepers(seconds: &str) -> usize {
    processes(|words| words == ["sleep", seconds])
}

fn watching(name: &str, command: &str) -> String {
    let rest = format!("\twatchcmd => \"{command}\",\n\twatchshell => \"/bin/sh\",\n");
    exec(name, "true", &rest)
}

#[test]
fn what_only_tells_the_agent_something_ends_with_it_however_it_ends() {
    let all: Vec<String> = (0..4).map(seconds).collect();
    // Each has started further processes, and writes nothing, so it never notices a closed pipe.
    let pipe = |nth: usize| format!("trap '' HUP TERM; sleep {} | sleep {}; true", all[nth], all[nth + 1]);
    let value = format!("print \"p\" {{\n\tmsg => os.system(\"echo a; {}\"),\n}}\n", pipe(2));
    let case = Case::new("reaped", &format!("import \"os\"\n{}{value}", watching("e", &pipe(0))));
    let agent = case.start();
    until("all sleep", || all.iter().all(|one| sleepers(one) == 1));
    agent.signal(Signal::KILL);
    until("none sleeps", || all.iter().all(|one| sleepers(one) == 0));
}

#[test]
fn a_step_finishes_what_it_began() {
    let step = exec("step", "echo a > @OUT@/began; sleep 1; echo b > @OUT@/done", "");
    let case = Case::new("finishes", &(step + &watching("e", &format!("sleep {}", seconds(4)))));
    let agent = case.start();
    until("both began", || case.read("out/began").is_some() && sleepers(&seconds(4)) == 1);
    agent.signal(Signal::KILL);
    until("the watch has ended", || sleepers(&seconds(4)) == 0);
    case.holds("out/done", "b\n");
}

#[test]
fn who_minds_commands_is_replaced_when_it_is_lost() {
    let (one, two) = (seconds(5), seconds(6));
    let second = format!("if $wants == \"two\" {{\n{}}}\n", watching("two", &format!("sleep {two}")));
    let program = format!(
        "import \"os\"\n$wants = os.readfile(\"@OUT@/wants\")\n{}{second}",
        watching("one", &format!("sleep {one}"))
    );
    let case = Case::new("reaper-lost", &program);
    case.write("out/wants", "one");
    let agent = case.start();
    until("the first sleeps", || sleepers(&one) == 1);
    let reapers = || {
        let is_ours = |pid: &str| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1).map(str::to_owned));
            parent == Some(agent.pid().to_string()) && line.contains("reap-groups")
        };
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let names = all.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|pid| is_ours(pid)).filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
    };
    let [reaper] = reapers()[..] else { panic!("it has reapers {:?}", reapers()) };
    until("it is deaf to TERM", || {
        let status = std::fs::read_to_string(format!("/proc/{reaper}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(caught, 16).unwrap() >> (Signal::TERM.as_raw() - 1) & 1 == 1
    });
    let reaper = rustix::process::Pid::from_raw(reaper).unwrap();
    rustix::process::kill_process(reaper, Signal::TERM).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(reapers().len(), 1, "it ends when the agent has");
    let is_replaced = |lost: i32| until("another has its place", || matches!(reapers()[..], [other] if other != lost));
    rustix::process::kill_process(reaper, Signal::KILL).unwrap();
    is_replaced(reaper.as_raw_nonzero().get());
    case.write("out/wants", "two");
    until("both sleep", || sleepers(&one) == 1 && sleepers(&two) == 1);
    // No further command starts.
    let [second] = reapers()[..] else { panic!("it has reapers {:?}", reapers()) };
    rustix::process::kill_process(rustix::process::Pid::from_raw(second).unwrap(), Signal::KILL).unwrap();
    is_replaced(second);
    agent.signal(Signal::KILL);
    until("none sleeps", || sleepers(&one) + sleepers(&two) == 0);
}

/// Dozens of guards, watches and functions start while the agent is killed: none survives, even if the agent did not
/// know yet that it had started.
#[test]
fn an_agent_that_is_killed_at_any_moment_leaves_nothing_that_only_tells_it_something() {
    let (seconds, mut chance) = (seconds(7), Chance::new(7));
    let sleeps = format!("echo a >> @OUT@/began; sleep {seconds} | sleep {seconds}; true");
    let looks = |nth: u32| {
        let guarded =
            exec(&format!("g{nth}"), "true", &format!("\tifcmd => \"{sleeps}\",\n\tifshell => \"/bin/sh\",\n"));
        let told = format!("print \"p{nth}\" {{\n\tmsg => os.system(\"{sleeps} {nth}\"),\n}}\n");
        guarded + &watching(&format!("w{nth}"), &sleeps) + &told
    };
    let case = Case::new("any-moment", &("import \"os\"\n".to_owned() + &(0..20).map(looks).collect::<String>()));
    let is_of_it = |words: &[&str]| words.iter().any(|word| word.contains(&seconds));
    for round in 0..times("MCLIVE_KILLS", 20) {
        let _ = std::fs::remove_file(case.path("out/began"));
        // Its own command line, which a child also has before `exec`.
        let mut agent = case.start_with(&["--hostname", &format!("h{seconds}")]);
        until("the first began", || case.path("out/began").exists());
        std::thread::sleep(Duration::from_micros(chance.below(30_000)));
        agent.signal(Signal::KILL);
        agent.ends();
        until(&format!("nothing is left in round {round}"), || processes(is_of_it) == 0);
    }
}
