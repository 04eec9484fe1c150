//! What `check` refuses neither runs nor is planned: the same text, the same exit code, and nothing is touched.

use crate::case::{Case, stderr};
use std::process::Output;

const REFUSED: [(&str, &str); 7] = [
    ("$x = \n", "E0201"),
    ("$x = nothing\n", "E0"),
    ("test \"a\" {\n\tint64 => 1,\n}\ntest \"a\" {\n\tint64 => 2,\n}\n", "E0706"),
    ("noop \"a\" {\n\tBefore => Noop[\"b\"],\n}\nnoop \"b\" {\n\tBefore => Noop[\"a\"],\n}\n", "E0711"),
    ("noop \"a\" {}\nNoop[\"a\"] -> Noop[\"b\"]\n", "E0708"),
    ("file \"@OUT@/a\" {\n\tstate => \"there\",\n}\n", "E0705"),
    ("$m = {\"a\" => 1,}\ntest \"a\" {\n\tint64 => $m[\"b\"],\n}\n", "E0601"),
];

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_check_refuses_neither_runs_nor_is_planned() {
    let case = Case::new("refused", "");
    for (program, code) in REFUSED {
        case.program(program);
        let check = case.run(&["check", "--allow", "all", "main.mcl"]);
        assert_eq!(check.status.code(), Some(1), "{program}");
        // The last line counts the errors.
        let told = stderr(&check);
        let told = &told[..told.trim_end().rfind('\n').expect("a line of its own")];
        assert!(told.contains(code), "{told}");
        let checked = stdout(&case.run(&["check", "--json", "--allow", "all", "main.mcl"]));
        for words in [&["run", "--once"][..], &["run"], &["run", "--noop"], &["plan"], &["plan", "--detailed-exitcode"]]
        {
            let does = |more: &[&str]| case.run(&[words, more, &["--prefix", "state", "main.mcl"]].concat());
            let shown = does(&[]);
            assert_eq!(shown.status.code(), Some(1), "{words:?} {program}");
            assert_eq!((stderr(&shown).trim_end(), stdout(&shown).as_str()), (told.trim_end(), ""), "{words:?}");
            let json = does(&["--json"]);
            assert_eq!(json.status.code(), Some(1), "{words:?}");
            let said = stdout(&json);
            let summary = said.strip_prefix(&checked).unwrap_or_else(|| panic!("{words:?} {said}"));
            let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
            assert_eq!((&summary["type"], &summary["refused"]), (&"summary".into(), &true.into()), "{words:?}");
            assert!(!case.path("state").exists(), "{words:?} touches nothing");
        }
    }
}

/// Only here it is known that a program cannot have a graph: a plan says so, and does not tell of a good end.
#[test]
fn a_plan_of_what_only_this_host_refuses_is_refused_too() {
    let case = Case::new("refused-here", "import \"os\"\ntest \"${os.readfile(\"@OUT@/name\")}\" {}\n");
    case.write("out/name", "");
    assert_eq!(case.run(&["check", "main.mcl"]).status.code(), Some(0));
    let plan = case.run(&["plan", "--json", "main.mcl"]);
    let said = stdout(&plan);
    assert_eq!(plan.status.code(), Some(1), "{said}");
    let summary: serde_json::Value = serde_json::from_str(said.lines().last().expect("a summary")).unwrap();
    assert_eq!((&summary["type"], &summary["refused"]), (&"summary".into(), &true.into()), "{said}");
    assert!(said.contains("empty name"), "{said}");
}
