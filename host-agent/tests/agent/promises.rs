//! The agent's promises, seen from outside: a file is created and kept, a plan changes nothing, a second run does
//! nothing, bad input is one error.

use crate::case::{Case, ONE_FILE, cannot_look, stderr, until};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

#[test]
fn a_file_is_made_and_repaired_however_it_was_spoilt() {
    let case = Case::new("repair", &ONE_FILE.replace("content", "force => true,\n\tcontent"));
    let _agent = case.start();
    case.holds("out/a", "hello\n");
    std::fs::write(case.path("out/a"), "broken").unwrap();
    case.holds("out/a", "hello\n");
    std::fs::remove_file(case.path("out/a")).unwrap();
    case.holds("out/a", "hello\n");
    // The agent may act between the two calls.
    until("a directory is in its place", || {
        let _ = std::fs::remove_file(case.path("out/a"));
        std::fs::create_dir(case.path("out/a")).is_ok()
    });
    let _ = std::fs::write(case.path("out/a/x"), "x");
    case.holds("out/a", "hello\n");
}

#[test]
fn a_plan_shows_and_changes_nothing() {
    let case = Case::new("plan", ONE_FILE);
    std::fs::write(case.path("out/a"), "before\n").unwrap();
    let before = case.tree();
    let output = case.run(&["plan", "--prefix", "state", "main.mcl"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(case.tree(), before);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("would change"), "{said}");
}

/// Events come when they come: ten runs, each on fresh files.
#[test]
fn once_ends_when_what_it_changed_has_been_read_again() {
    let program = "import \"os\"
import \"value\"
value \"v\" { any => \"new\", }
file \"@OUT@/value\" { state => \"exists\", content => value.get_str(\"v\")->value, }
file \"@OUT@/source\" { state => \"exists\", content => \"new\", }
file \"@OUT@/copy\" { state => \"exists\", content => os.readfile(\"@OUT@/source\"), }
";
    for nth in 0..10 {
        let case = Case::new(&format!("once-again-{nth}"), program);
        case.write("out/source", "old");
        let output = case.once();
        assert!(output.status.success(), "{output:?}");
        for file in ["out/value", "out/copy"] {
            assert_eq!(case.read(file).as_deref(), Some("new"), "{file}: {output:?}");
        }
    }
}

#[test]
fn a_second_run_takes_no_step() {
    let case = Case::new("second", ONE_FILE);
    assert!(case.once().status.success());
    case.holds("out/a", "hello\n");
    let second = case.once();
    let said = String::from_utf8_lossy(&second.stdout).into_owned();
    assert!(second.status.success() && !said.contains("\"steps\""), "{said}");
    let audit = std::fs::read_to_string(case.path("state/audit.log")).unwrap();
    assert_eq!(audit.lines().count(), 1, "{audit}");
}

#[test]
fn bad_input_is_one_clear_error_and_touches_nothing() {
    let case = Case::new("bad", "$a = 1 +\n");
    std::fs::write(case.path("latin.cf"), b"a = \"\xe9\"\n").unwrap();
    std::fs::create_dir(case.path("empty")).unwrap();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["run", "missing.mcl"], 2, "no such file or directory"),
        (&["run", "empty"], 2, "no main.mcl, main.cf or metadata.yaml"),
        (&["check", "latin.cf"], 2, "not UTF-8"),
        (&["run", "--no-such-flag", "main.mcl"], 2, "--no-such-flag"),
        (&["plan", "https://example.com/#c=AUtM"], 2, "damaged"),
        (&["run", "--tmp-prefix", "main.mcl"], 1, ""),
        (&["run", "--hostname", "-x-", "main.mcl"], 2, ""),
    ];
    for (args, code, words) in cases {
        let output = case.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    }
    assert!(case.tree().is_empty());
}

/// A byte that is not UTF-8 is a character, as the language has it.
#[test]
fn a_program_that_is_not_utf8_is_read_with_a_warning() {
    let case = Case::new("latin", ONE_FILE);
    std::fs::write(case.path("latin.mcl"), b"print \"a\" {\n\tmsg => \"caf\xe9\",\n}\n").unwrap();
    let output = case.run(&["check", "latin.mcl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("latin.mcl:2:13"), "{}", stderr(&output));
}

#[test]
fn a_policy_is_kept() {
    let case = Case::new("policy", ONE_FILE);
    std::fs::write(case.path("policy.toml"), "paths = ['/nowhere/**']\n").unwrap();
    let output = case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(case.tree().is_empty());
    std::fs::write(case.path("policy.toml"), "path = []\n").unwrap();
    let output = case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_foreign_link_on_the_way_is_not_followed() {
    if !rustix::process::geteuid().is_root() {
        return cannot_look("only root can create links owned by other users");
    }
    let case = Case::new("link", "file \"@OUT@/way/a\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n");
    std::fs::create_dir(case.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(case.path("elsewhere"), case.path("out/way")).unwrap();
    std::os::unix::fs::lchown(case.path("out/way"), Some(12345), None).unwrap();
    assert_eq!(case.once().status.code(), Some(3));
    assert_eq!(std::fs::read_dir(case.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn every_code_is_explained() {
    let case = Case::new("explain", "");
    let list = case.run(&["explain"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let code = list.split_whitespace().next().expect("codes are listed").to_owned();
    assert!(case.run(&["explain", &code]).status.success());
    assert_eq!(case.run(&["explain", "E9999"]).status.code(), Some(2));
}

/// Runs a program once. The agent is killed if it takes twenty seconds of a processor: on a busy machine the clock
/// tells nothing. It takes a second or two.
fn soon(case: &Case) -> Output {
    let run = case.command(&["run", "--json", "--once", "--prefix", "state", "main.mcl"]);
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", "ulimit -t 20; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
    limited.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.current_dir(&case.root).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn programs_that_are_too_much_are_refused_at_once() {
    let deep = format!("$x = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let endless = "func f($n) {\n\tf($n)\n}\nprint \"a\" {\n\tmsg => f(\"x\"),\n}\n";
    let huge = "import \"iter\"\nimport \"fmt\"\nprint \"a\" {\n\tmsg => fmt.printf(\"%d\", len(iter.range(1000000000000))),\n}\n";
    for (name, program, code) in
        [("deep", deep.as_str(), "E0203"), ("endless", endless, "E0306"), ("huge", huge, "E0602")]
    {
        let case = Case::new(&format!("limit-{name}"), program);
        let output = soon(&case);
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        assert!(said.contains(code), "{name}, {}: {said}", output.status);
    }
}

/// The sandbox has less memory than these would take, so the limit of values ends them, not a trap.
#[test]
fn values_that_grow_without_end_are_refused_by_the_sandbox_itself() {
    let doubled = |first: &str, next: &dyn Fn(usize) -> String| -> String {
        let lines = (1..64).map(|at| format!("$v{at} = {}\n", next(at - 1)));
        format!("$v0 = {first}\n") + &lines.collect::<String>()
    };
    let texts = doubled("\"12345678\"", &|at| format!("\"${{v{at}}}${{v{at}}}\""));
    let lists = doubled("[1]", &|at| format!("[$v{at}, $v{at}]"));
    let many = "import \"golang/strings\"\nimport \"iter\"\n$big = strings.repeat(\"x\", 30000000)\n\
                $v63 = iter.map(iter.range(100), func($n) { strings.replace($big, \"x\", \"y\", $n) })\n";
    // Many large values exceed the work limit before the memory limit.
    let bombs = [("texts", texts.as_str(), "E0605"), ("lists", &lists, "E0605"), ("many", many, "E0606")];
    for (name, values, code) in bombs {
        let program = format!("{values}test \"x\" {{\n\tint64 => len($v63),\n}}\n");
        let case = Case::new(&format!("bomb-{name}"), &program);
        let began = Instant::now();
        let output = soon(&case);
        println!("a bomb of {name} ends after {:?}", began.elapsed());
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
        assert!(said.contains(code), "{name}: {said}");
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
    }
}

#[test]
fn it_starts_at_once_and_tells_when_what_happened() {
    let case = Case::new("start", ONE_FILE);
    let began = Instant::now();
    let mut agent = case.start_with(&["--json"]);
    agent.says("\"checking\"");
    println!("start to the first check: {:?}", began.elapsed());
    case.holds("out/a", "hello\n");
    case.write("out/a", "broken");
    agent.says("\"changed ");
    case.holds("out/a", "hello\n");
    // Event, decision, step and end: each line has its time and causes.
    for words in ["\"type\":\"steps\"", "\"phase\":\"changed\"", "\"at_ns\"", "\"because\""] {
        agent.says(words);
    }
    assert!(agent.stop().success());
}
