//! Changed program files: a running agent takes them up, as whole versions that are valid.

use crate::case::{Case, ONE_FILE, until};
use std::fs::{self, File};
use std::io::Write;
use std::time::Duration;

const REFUSED: &str = "the previous version keeps running";

fn saying(text: &str) -> String {
    ONE_FILE.replace("hello", text)
}

/// Longer than the pause after a change.
fn a_while() {
    std::thread::sleep(Duration::from_millis(600));
}

#[test]
fn a_changed_program_is_deployed_and_an_invalid_one_is_reported_once() {
    let case = Case::new("reloads-program", ONE_FILE);
    let agent = case.start();
    case.holds("out/a", "hello\n");
    case.program(&saying("changed"));
    case.holds("out/a", "changed\n");
    agent.says("deployed the changed program: ./main.mcl");

    case.program(&saying("${nothing}"));
    agent.says(REFUSED);
    agent.says("error[E03");
    // The same problem after another edit.
    case.program(&(saying("${nothing}") + "# more\n"));
    case.write("out/a", "drifted");
    case.holds("out/a", "changed\n");
    a_while();
    let refused = agent.said().lines().filter(|line| line.contains(REFUSED)).count();
    assert_eq!(refused, 1, "{}", agent.said());

    case.program(&saying("changed"));
    agent.says("the program is valid again and unchanged");
    case.program(&saying("again"));
    case.holds("out/a", "again\n");
}

/// Imported modules and missing files count as well.
#[test]
fn the_files_of_modules_are_followed() {
    let case = Case::new("reloads-modules", "");
    fs::create_dir_all(case.path("lib")).unwrap();
    case.write("lib/main.mcl", "$text = \"one\"\n");
    case.program(&format!("import \"lib/\"\n{}", saying("${lib.text}")));
    let agent = case.start();
    case.holds("out/a", "one\n");
    case.write("lib/new", "$text = \"two\"\n");
    fs::rename(case.path("lib/new"), case.path("lib/main.mcl")).unwrap();
    case.holds("out/a", "two\n");
    fs::remove_dir_all(case.path("lib")).unwrap();
    agent.says(REFUSED);
    fs::create_dir_all(case.path("lib")).unwrap();
    case.write("lib/main.mcl", "$text = \"three\"\n");
    case.holds("out/a", "three\n");
}

/// Editors truncate and fill a file, or rename a new one into its place: nobody sees a half of it.
#[test]
fn half_written_files_are_waited_for() {
    let case = Case::new("reloads-editors", ONE_FILE);
    let agent = case.start();
    case.holds("out/a", "hello\n");
    let text = saying("slow").replace("@OUT@", case.path("out").to_str().unwrap());
    let mut file = File::create(case.path("main.mcl")).unwrap();
    for part in text.as_bytes().chunks(text.len() / 4 + 1) {
        a_while();
        file.write_all(part).unwrap();
    }
    drop(file);
    case.holds("out/a", "slow\n");
    for round in 0..20 {
        let text = saying(&round.to_string()).replace("@OUT@", case.path("out").to_str().unwrap());
        case.write("main.mcl~", &text);
        fs::rename(case.path("main.mcl~"), case.path("main.mcl")).unwrap();
    }
    case.holds("out/a", "19\n");
    assert!(!agent.said().contains(REFUSED), "{}", agent.said());
    fs::remove_file(case.path("main.mcl")).unwrap();
    agent.says("cannot read `main.mcl`");
    case.program(&saying("back"));
    case.holds("out/a", "back\n");
}

#[test]
fn nothing_is_followed_with_no_watch() {
    let case = Case::new("reloads-no-watch", ONE_FILE);
    let mut agent = case.start_with(&["--no-watch"]);
    case.holds("out/a", "hello\n");
    case.program(&saying("changed"));
    a_while();
    case.write("out/a", "drifted");
    until("it is repaired", || case.read("out/a").as_deref() == Some("hello\n"));
    assert!(agent.stop().success());
    assert!(!agent.said().contains("changed program"), "{}", agent.said());
}
