//! Read-only commands leave no trace: the system calls of `check`, `graph`, `fmt --check`, `plan`, `why` and `replay`.

use crate::case::{Case, stderr};
use std::process::Command;

/// Calls that change a file system whatever their arguments are.
const CHANGES: &[&str] = &[
    "creat",
    "mkdir",
    "rmdir",
    "unlink",
    "rename",
    "link",
    "symlink",
    "mknod",
    "chmod",
    "fchmod",
    "chown",
    "fchown",
    "lchown",
    "truncate",
    "ftruncate",
    "utime",
    "setxattr",
    "fsetxattr",
    "lsetxattr",
    "removexattr",
    "bind",
    "fallocate",
    "mount",
    "chroot",
    "copy_file_range",
    "sendfile",
];
/// Writing to them leaves nothing.
const NOWHERE: &[&str] = &["/dev/null", "/dev/tty"];

/// The system calls of a command that changed something.
fn changes(case: &Case, args: &[&str]) -> Vec<String> {
    let log = case.root.with_extension("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-s", "256", "-e", "trace=%file,%desc,%net", "-e", "signal=none", "-o"]).arg(&log);
    strace.arg(env!("CARGO_BIN_EXE_mclive")).args(args).current_dir(&case.root);
    let output = strace.env("STATE_DIRECTORY", case.path("home")).output().expect("strace is installed");
    assert!(output.status.code().is_some_and(|code| code < 64), "{args:?}: {}", stderr(&output));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    assert!(text.contains("execve(") && text.lines().count() > 20, "{args:?}: nothing was seen: {text}");
    text.lines().filter(|line| is_change(line)).map(str::to_owned).collect()
}

/// `PID call(arguments) = result`; the second half of an interrupted call contains nothing new.
fn is_change(line: &str) -> bool {
    let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
    let Some((name, arguments)) = call.split_once('(') else { return false };
    if NOWHERE.iter().any(|place| arguments.contains(&format!("\"{place}\""))) {
        return false;
    }
    match name {
        "open" | "openat" | "openat2" => {
            ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"].iter().any(|flag| arguments.contains(flag))
        }
        name => CHANGES
            .iter()
            .any(|change| name.strip_prefix(change).is_some_and(|rest| matches!(rest, "" | "at" | "at2" | "64"))),
    }
}

/// Everything by which a program could leave something: files, functions with effects, guards, watches, servers, keys.
const PROGRAM: &str = r#"import "deploy"
import "fmt"
import "golang/os"
import "local"
file "@OUT@/a" {
	state => "exists",
	content => local.vardir("mine/") + deploy.directory("/files/") + fmt.printf("%d", local.pool("n", "x")),
	Meta:reverse => true,
}
file "@OUT@/b" {
	state => "exists",
	content => os.mkdir_temp("@OUT@", "temp*"),
}
exec "guarded" {
	cmd => "touch @OUT@/ran",
	ifcmd => "touch @OUT@/looked",
	watchcmd => "touch @OUT@/watched",
	shell => "/bin/sh",
}
http:server "127.0.0.1:0" {}
kv "k" {
	value => "v",
	Meta:export => ["*"],
}
"#;

#[test]
fn what_only_looks_leaves_no_trace() {
    let case = Case::new("traces", "");
    std::fs::create_dir(case.path("files")).unwrap();
    case.write("files/x", "data");
    case.program("print \"a\" {}\n");
    let recorded = case.run(&["run", "--once", "--prefix", "state", "--record", "trace", "--json", "main.mcl"]);
    assert!(recorded.status.success(), "{}", stderr(&recorded));
    std::fs::write(case.path("log"), &recorded.stdout).unwrap();
    case.program(PROGRAM);
    for args in [
        &["check", "main.mcl"][..],
        &["graph", "main.mcl"],
        &["graph", "--of", "resources", "main.mcl"],
        &["graph", "--of", "resources", "--any-host", "main.mcl"],
        &["fmt", "--check", "main.mcl"],
        &["plan", "--prefix", "nowhere", "main.mcl"],
        &["plan", "--prefix", "state", "main.mcl"],
        &["plan", "--tmp-prefix", "main.mcl"],
        &["why", "--log", "log", "print[a]"],
        &["replay", "trace"],
    ] {
        let found = changes(&case, args);
        assert_eq!(found, [""; 0], "{args:?}");
    }
    assert!(!case.path("nowhere").exists() && case.tree().is_empty(), "{:?}", case.tree());
}

#[test]
fn the_watchman_sees_what_changes() {
    let case = Case::new("traced", "file \"@OUT@/a\" {\n\tstate => \"exists\",\n}\n");
    let found = changes(&case, &["run", "--once", "--prefix", "state", "main.mcl"]);
    assert!(found.iter().any(|line| line.contains("mkdir")) && found.iter().any(|line| line.contains("O_CREAT")));
}

#[test]
fn a_plan_says_what_only_a_command_could_tell_and_runs_it_when_asked_to() {
    let case = Case::new(
        "plan-guard",
        "exec \"guarded\" {\n\tcmd => \"touch @OUT@/ran\",\n\tifcmd => \"touch @OUT@/looked\",\n\tshell => \"/bin/sh\",\n}\n",
    );
    let output = case.run(&["plan", "--prefix", "state", "main.mcl"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(said.contains("which was not run") && said.contains("--run-checks"), "{said}");
    assert!(!case.path("out/looked").exists());
    case.run(&["plan", "--run-checks", "--prefix", "state", "main.mcl"]);
    assert!(case.path("out/looked").exists() && !case.path("out/ran").exists());
}

#[test]
fn what_a_function_makes_is_asked_of_the_policy_and_audited() {
    let case = Case::new("effects", "");
    case.program(
        "import \"local\"\nfile \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => local.vardir(\"mine/\"),\n}\n",
    );
    case.write("policy", "kinds = ['file']\n");
    let run = |flags: &[&str]| {
        let args = ["run", "--once", "--prefix", "state"];
        case.run(&[&args, flags, &["main.mcl"]].concat())
    };
    let made = || case.path("state/vardir/functions/mine").is_dir();
    let noop = run(&["--noop"]);
    assert!(!made(), "{}", stderr(&noop));
    let refused = run(&["--policy", "policy"]);
    let said = String::from_utf8_lossy(&refused.stdout).into_owned() + &stderr(&refused);
    assert!(!refused.status.success() && said.contains("local.vardir") && !made(), "{said}");
    case.write("policy", "kinds = ['file', 'local.*']\n");
    assert!(run(&["--policy", "policy"]).status.success() && made());
    let audit = case.read("state/audit.log").unwrap();
    let steps: Vec<&str> = audit.lines().filter(|line| line.contains("local.vardir")).collect();
    assert!(steps.len() == 2 && steps[0].contains("failed") && steps[1].contains("done"), "{audit}");
}
