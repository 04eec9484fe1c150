//! Programs that `check` refuses are neither run nor planned: the same text, the same exit code, and nothing is
//! touched. A refusal by this host alone has the same outcome, unless later values may be right.

use crate::case::{Case, stderr, until};
use serde_json::Value;
use std::process::Output;

const REFUSED: [(&str, &str); 7] = [
    ("$x = \n", "E0201"),
    ("$x = nothing\n", "E0"),
    ("test \"a\" {\n\tint64 => 1,\n}\ntest \"a\" {\n\tint64 => 2,\n}\n", "E0706"),
    ("noop \"a\" {\n\tBefore => Noop[\"b\"],\n}\nnoop \"b\" {\n\tBefore => Noop[\"a\"],\n}\n", "E0711"),
    ("noop \"a\" {}\nNoop[\"a\"] -> Noop[\"b\"]\n", "E0708"),
    ("file \"@OUT@/a\" {\n\tstate => \"there\",\n}\n", "E0705"),
    ("$m = {\"a\" => 1}\ntest \"a\" {\n\tint64 => $m[\"b\"],\n}\n", "E0601"),
];

/// A file contains its name.
const NAMED: &str = "import \"os\"\n$name = os.readfile(\"@OUT@/name\")\nfile \"@OUT@/${name}\" {\n\tstate => \"exists\",\n\tmode => $name,\n}\n";

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn lines(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// It reports the refusal, as text and as JSON, and that nothing was done.
fn is_refused(output: &Output, text: &str, diagnostics: &Value) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(stderr(output), text);
    let lines = lines(output);
    let [.., refused, summary] = lines.as_slice() else { panic!("two lines: {output:?}") };
    assert_eq!(refused["type"], "refused");
    let told = refused["text"].as_str().expect("a text");
    assert!(!told.is_empty() && text.starts_with(told), "{told}");
    assert_eq!(&refused["diagnostics"], diagnostics);
    assert_eq!((&summary["type"], &summary["refused"]), (&"summary".into(), &true.into()));
    let counts = ["changed", "would_change", "failed"].map(|count| &summary[count]);
    assert!(counts.iter().all(|count| **count == 0), "{summary}");
}

#[test]
fn what_check_refuses_neither_runs_nor_is_planned() {
    let case = Case::new("refused", "");
    for (program, code) in REFUSED {
        case.program(program);
        let check = case.run(&["check", "main.mcl"]);
        assert_eq!(check.status.code(), Some(1), "{program}");
        assert!(stderr(&check).contains(code), "{program}: {check:?}");
        let checked = lines(&case.run(&["check", "--json", "main.mcl"]));
        for words in [&["run", "--once"][..], &["run"], &["run", "--noop"], &["plan"], &["plan", "--detailed-exitcode"]]
        {
            for more in [&[][..], &["--json"]] {
                let output = case.run(&[words, more, &["--prefix", "state", "main.mcl"]].concat());
                is_refused(&output, &stderr(&check), &checked[0]["diagnostics"]);
                assert!(!case.path("state").exists(), "{words:?} touches nothing");
            }
        }
        assert!(case.tree().is_empty());
    }
}

#[test]
fn what_only_this_host_refuses_ends_a_run_that_waits_for_nothing_else() {
    let case = Case::new("refused-here", NAMED);
    case.write("out/name", "not-a-mode");
    assert_eq!(case.run(&["check", "main.mcl"]).status.code(), Some(0));
    for words in [&["plan"][..], &["run", "--once"], &["run", "--once", "--noop"]] {
        let output = case.run(&[words, &["--prefix", "state", "main.mcl"]].concat());
        let text = stderr(&output);
        for part in ["error[E0", "main.mcl:5:2", "not-a-mode", "^^^", "1 error"] {
            assert!(text.contains(part), "{words:?}: {part:?} is not in {text}");
        }
        let told = lines(&output);
        let refused = told.iter().find(|line| line["type"] == "refused").expect("a line that says so");
        assert_eq!(refused["diagnostics"].as_array().map(Vec::len), Some(1), "{refused}");
        is_refused(&output, &text, &refused["diagnostics"]);
    }
    assert_eq!(case.tree().len(), 1);
}

/// A temporarily wrong file does not stop the agent.
#[test]
fn a_run_that_goes_on_waits_for_values_that_are_right() {
    let case = Case::new("refused-yet", NAMED);
    case.write("out/name", "not-a-mode");
    let mut agent = case.start();
    agent.says("\"type\":\"stream\"");
    agent.says("\"diagnostics\":[{");
    case.write("out/name", "0600");
    until("the graph is applied", || case.path("out/0600").exists());
    assert!(agent.stop().success());
    assert!(agent.said().contains("\"refused\":false"), "{}", agent.said());
    case.write("out/name", "not-a-mode");
    let mut agent = case.start();
    agent.says("\"type\":\"stream\"");
    assert_eq!(agent.stop().code(), Some(1), "no graph was ever in force");
    assert!(agent.said().contains("\"refused\":true"), "{}", agent.said());
}
