//! `mclive test`: scenarios found, played, and told.

use crate::case::Case;
use std::path::Path;
use std::process::Output;

const PROGRAM: &str = "file \"/etc/motd\" {\n\tstate => \"exists\",\n\tcontent => \"welcome\\n\",\n}\nif $hostname == \"other\" {\n\tnoop \"empty\" {}\n}\n";

fn case(name: &str, scenarios: &[(&str, &str)]) -> Case {
    let case = Case::new(name, PROGRAM);
    for (name, text) in scenarios {
        std::fs::write(case.path(name), text).unwrap();
    }
    case
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn those_of_the_project_pass_in_the_sandbox() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/simulated");
    let output = Case::new("simulated", "").run(&["test", folder.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    let summary: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let summary = &summary["summary"];
    assert_eq!(summary["failed"], 0);
    assert!(summary["scenarios"].as_u64().unwrap() >= 14, "{summary}");
    assert_eq!(summary["unseen"], serde_json::json!([]));
}

#[test]
fn a_failure_says_what_was_so_and_what_no_scenario_saw() {
    let case = case(
        "test-failing",
        &[
            ("good.scenario", "run\nexpect file /etc/motd holds \"welcome\\n\"\n"),
            ("bad.scenario", "run\nexpect file /etc/motd holds \"hello\"\n"),
            ("worse.scenario", "runs\n"),
        ],
    );
    let output = case.run(&["test", "--coverage", "--junit", "report.xml"]);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("bad.scenario:2: expect file /etc/motd holds \"hello\"\n      /etc/motd holds \"welcome\\n\""),
        "{told}"
    );
    assert!(told.contains("worse.scenario:1: runs\n      `runs` is no step"), "{told}");
    assert!(told.contains("3 scenarios: 1 passed, 2 failed"), "{told}");
    assert!(
        told.contains("1 of 3 statements were seen at work; these were not:\n  main.mcl:5: branch\n  main.mcl:6: noop"),
        "{told}"
    );
    let report = case.read("report.xml").unwrap();
    assert!(report.contains("tests=\"3\" failures=\"2\""), "{report}");

    let one = case.run(&["test", "--filter", "good", "-v"]);
    assert_eq!(one.status.code(), Some(0), "{}", said(&one));
    assert!(said(&one).starts_with("ok  good"), "{}", said(&one));
}

#[test]
fn what_is_no_scenario_is_wrong_use() {
    let case = case("test-wrong", &[]);
    for (args, why) in [
        (&["test"][..], "there is no scenario"),
        (&["test", "nothing"], "there is nothing at `nothing`"),
        (&["test", "main.mcl"], "`main.mcl` is no scenario"),
    ] {
        let output = case.run(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
}

#[test]
fn a_round_follows_each_change() {
    let case = case("test-watch", &[("main.scenario", "run\nexpect file /etc/motd holds \"hello\\n\"\n")]);
    let mut rounds = crate::case::Agent::spawn(case.command(&["test", "--watch"]));
    rounds.says("1 failed");
    rounds.says("waiting for a change");
    case.write("main.mcl", &PROGRAM.replace("welcome", "hello"));
    rounds.says("all passed");
    // What cannot be played is told, and the next change is waited for.
    std::fs::remove_file(case.path("main.scenario")).unwrap();
    rounds.says("there is no scenario");
    assert!(rounds.runs());
    rounds.signal(rustix::process::Signal::INT);
}

#[test]
fn a_newcomer_tests_breaks_mends_and_tests_again() {
    let case = Case::new("test-init", "");
    let run = |args: &[&str]| {
        let output = case.run(args);
        (output.status.code(), said(&output))
    };
    let (code, told) = run(&["init", "motd"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(run(&["fmt", "--check", "motd"]).0 == Some(0));
    let (code, told) = run(&["test", "motd"]);
    assert!(code == Some(0) && told.contains("1 scenario: all passed"), "{told}");
    let program = case.read("motd/main.mcl").unwrap();
    case.write("motd/main.mcl", &program.replace("exists", "absent"));
    let (code, told) = run(&["test", "motd"]);
    assert!(code == Some(1) && told.contains("motd/main.scenario:3"), "{told}");
    case.write("motd/main.mcl", &program);
    assert_eq!(run(&["test", "motd"]).0, Some(0));
    let (code, told) = run(&["init", "motd"]);
    assert!(code == Some(2) && told.contains("is there already"), "{told}");
    assert_eq!(case.read("motd/main.mcl").unwrap(), program);
}
