//! Commands on a real host: stopped as asked, whole groups, no zombies, bounded outputs, nothing secret in
//! the audit log.

use crate::case::{Agent, Case, cannot_look, until};
use rustix::process::Signal;
use std::time::Duration;

fn exec(name: &str, cmd: &str, rest: &str) -> String {
    format!("exec \"{name}\" {{\n\tcmd => \"{cmd}\",\n\tshell => \"/bin/sh\",\n{rest}}}\n")
}

/// What is written here by `echo $$`.
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
        std::thread::sleep(Duration::from_millis(400));
        assert!(agent.runs() && is_alive(parent) && is_alive(child));
    }
    agent.signal(Signal::INT);
    assert_eq!(agent.ends().code(), Some(0));
    until("the whole group is gone", || !is_alive(parent) && !is_alive(child));
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let slow =
        "(trap '' TERM; while :; do /bin/sleep 0.1; done) & echo $! > @OUT@/child; while :; do /bin/sleep 0.1; done";
    let case = Case::new("timeout", &exec("e", slow, "\tMeta:timeout => 1000,\n"));
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
    // What a function would run is not run either, and that is told.
    case.program("import \"os\"\nprint \"x\" {\n\tmsg => os.system(\"/usr/bin/touch @OUT@/system\"),\n}\n");
    let dry = run(&[]);
    assert!(said(&dry).contains("this cannot be known without running"), "{}", said(&dry));
    assert!(!case.path("out/system").exists());
}
