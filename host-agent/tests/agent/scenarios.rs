//! `mclive test`: finds scenarios, plays them on simulated hosts and on a real one, and reports them. `tests/scenarios`
//! plays the project's own scenarios.

use crate::case::{Case, stderr};
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

/// A scenario or a model of a stranger cannot colour its lines like the agent's own verdicts.
#[test]
fn what_strangers_write_has_no_colours() {
    let scenario = "# title \u{1b}[32mok\u{1b}[0m\nhint \u{1b}[32mok\nrun\nexpect file \"/a\u{1b}[32m\"\n";
    let faulty = "# \u{1b}[32mtitle\nfrobnicate \u{1b}[32mok\n";
    let case = case("test-colours", &[("one.scenario", scenario), ("two.scenario", faulty)]);
    for colour in ["never", "always"] {
        let output = case.run(&["test", "--verbose", "--coverage", "--color", colour]);
        let told = said(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("expect file \"/a\\u{1b}[32m\"") && told.contains("hint: \\u{1b}[32mok"), "{told}");
        assert!(told.contains("frobnicate \\u{1b}[32mok") && !told.contains("\u{1b}[32m"), "{told}");
    }
    case.write("said.cf", "std::print(\"\\x1b[32mok\")\n");
    let output = case.run(&["check", "said.cf"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "\\u{1b}[32mok\n", "{}", stderr(&output));
}

/// All solutions of a lesson are tested, and a failing one is named.
#[test]
fn a_program_of_a_lesson_that_fails_is_named() {
    let case = Case::new("test-lessons", "");
    let program = |mode: &str| format!("file \"/srv/a\" {{\n\tstate => \"exists\",\n\tmode => \"{mode}\",\n}}\n");
    let archive = format!(
        "-- main.mcl --\n# begin here\n-- check.scenario --\nrun\nexpect file /srv/a has mode 0600\n-- good/one.mcl --\n{}\
         -- good/two.mcl --\n{}-- miss/three.mcl --\n# hint: none\n",
        program("0600"),
        program("0644")
    );
    case.write("lesson.txtar", &archive);
    let output = case.run(&["test", "lesson.txtar"]);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("lesson/check with good/two.mcl") && told.contains("1 passed, 1 failed"), "{told}");
}

/// Scenarios next to a model, and in an archive with one, about several hosts; coverage lists constructors.
#[test]
fn models_and_several_hosts_are_tested() {
    let case = Case::new("test-models", PROGRAM);
    std::fs::remove_file(case.path("main.mcl")).unwrap();
    let model = "import fs\nhosts = [\"web1\", \"web2\"]\nfor name in hosts:\n    host = std::Host(name=name, os=std::linux, ip=\"10.0.0.1\")\n    \
                 fs::File(host=host, path=\"/srv/name\", content=name, mode=644)\nend\n";
    let steps = "host web1\nhost web2\nrun\non web1 expect file /srv/name holds web1\non web2 expect file /srv/name holds web2\n\
                 on web2 remove /srv/name\non web2 expect file /srv/name within 1s\non web1 expect no steps\n";
    std::fs::write(case.path("main.cf"), model).unwrap();
    std::fs::write(case.path("two.scenario"), steps).unwrap();
    let archive =
        format!("-- main.cf --\n{model}-- bad.scenario --\nhost web1\nrun\nexpect file /srv/name holds web2\n");
    std::fs::write(case.path("one.txtar"), archive).unwrap();
    let output = case.run(&["test", "two.scenario", "--coverage"]);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("1 scenario: all passed"), "{told}");
    let output = case.run(&["test"]);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("/srv/name holds \"web1\"") && told.contains("1 passed, 1 failed"), "{told}");
}

/// The changes of a scenario to its real host do not reach the surrounding one.
#[test]
fn a_room_keeps_what_happens_in_it() {
    let name = || rustix::system::uname().nodename().to_owned();
    let hostname = name();
    let program = "exec \"rude\" {\n\tcmd => \"touch /usr/rude; hostname rude; echo x > /rude; mkdir /tmp/rude; \
                   echo 1 > /proc/sys/vm/drop_caches; mknod /tmp/disk b 8 0; kill -9 -1\",\n\t\
                   shell => \"/bin/sh\",\n}\n";
    let case = Case::new("test-room", program);
    let steps = "run\nexpect no path /usr/rude within 1s\nexpect file /rude within 5s\nexpect folder /tmp/rude\n\
                 expect no path /tmp/disk\nexpect hostname rude\n";
    std::fs::write(case.path("main.scenario"), steps).unwrap();
    let output = case.run(&["test", "--real"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for path in ["/usr/rude", "/rude", "/tmp/rude", "/tmp/disk"] {
        assert!(!Path::new(path).exists(), "{path}");
    }
    assert_eq!(name(), hostname);
    let alone = case.run(&["play-in-room"]);
    assert_eq!(alone.status.code(), Some(2), "it plays nowhere else: {}", said(&alone));
}

/// A scenario that needs something missing in a room, or in a simulation, is left out with the reason.
#[test]
fn what_a_host_cannot_play_is_left_out() {
    let case = case(
        "test-left-out",
        &[
            ("clock.scenario", "run\nclock 08:30\nexpect running\n"),
            ("patient.scenario", "run\nwait 1h\n"),
            ("shell.scenario", "real \"it runs awk\"\nrun\nexpect file /etc/motd\n"),
        ],
    );
    let real = said(&case.run(&["test", "--real", "--junit", "report.xml"]));
    assert!(
        real.contains("skipped  clock: line 2, `clock 08:30`, changes something shared by the whole machine"),
        "{real}"
    );
    assert!(real.contains("skipped  patient: line 2, `wait 1h`, takes too long in real time"), "{real}");
    assert!(real.contains("3 scenarios: 1 passed, 2 skipped"), "{real}");
    assert!(case.read("report.xml").unwrap().contains("<skipped message=\"line 2, `wait 1h`"), "{real}");
    let simulated = said(&case.run(&["test"]));
    assert!(simulated.contains("skipped  shell: only on a real host: it runs awk"), "{simulated}");
    assert!(simulated.contains("3 scenarios: 2 passed, 1 skipped"), "{simulated}");
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
    assert!(told.contains("worse.scenario:1: runs\n      unknown step `runs`"), "{told}");
    assert!(told.contains("3 scenarios: 1 passed, 2 failed"), "{told}");
    assert!(
        told.contains("1 of 3 statements were covered; not covered:\n  main.mcl:5: branch\n  main.mcl:6: noop"),
        "{told}"
    );
    let report = case.read("report.xml").unwrap();
    assert!(report.contains("tests=\"3\" failures=\"2\""), "{report}");

    let one = case.run(&["test", "--filter", "good", "-v"]);
    assert_eq!(one.status.code(), Some(0), "{}", said(&one));
    assert!(said(&one).starts_with("ok  good"), "{}", said(&one));
}

/// A missing edge that the usual order hides fails with other seeds, each of which can be repeated.
#[test]
fn a_failure_says_its_seed_and_how_to_repeat_it() {
    let exec =
        |name: &str| format!("exec \"{name}\" {{\n\tcmd => \"echo {name} >> /order\",\n\tshell => \"/bin/sh\",\n}}\n");
    let free = exec("a") + &exec("b");
    let case = Case::new("test-seeds", &free);
    let scenario = "run\nexpect file /order holds \"a\\nb\\n\"\n";
    std::fs::write(case.path("main.scenario"), scenario).unwrap();
    let run = |args: &[&str]| {
        let output = case.run(args);
        (output.status.code(), said(&output))
    };
    for args in [&["test"][..], &["test", "--seed", "0"]] {
        let (code, told) = run(args);
        assert!(code == Some(0) && told.contains("1 scenario: all passed"), "{told}");
    }
    let (code, told) = run(&["test", "--seeds", "40", "--junit", "report.xml", "main.scenario"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("/order holds \"b\\na\\n\"") && told.contains(" with seeds 1 to 40, in "), "{told}");
    let head = told.lines().next().unwrap().to_owned();
    let seed = head.strip_prefix("FAILED  main with seed ").unwrap_or_else(|| panic!("{told}"));
    let command = told.lines().find_map(|line| line.trim().strip_prefix("repeat with: mclive ")).unwrap();
    assert_eq!(command, format!("test --seed {seed} --exact --filter=main main.scenario"));
    assert!(case.read("report.xml").unwrap().contains(&format!("line 2 with seed {seed}: expect file")), "{told}");
    let (code, again) = run(&command.split(' ').collect::<Vec<_>>());
    assert!(code == Some(1) && again.starts_with(&head), "{again}");
    // Another one whose name contains that of the first.
    std::fs::write(case.path("main-again.scenario"), scenario).unwrap();
    let exact = command.strip_suffix(" main.scenario").unwrap();
    let (code, again) = run(&exact.split(' ').collect::<Vec<_>>());
    assert!(code == Some(1) && again.starts_with(&head) && again.contains("1 scenario: "), "{again}");
    assert!(run(&["test", "--exact", "--filter=mai"]).1.contains("no scenario is named `mai`"));
    assert_eq!(run(&["test", "--exact"]).0, Some(2));
    std::fs::remove_file(case.path("main-again.scenario")).unwrap();

    // An edge sets the order with every seed.
    case.write("main.mcl", &format!("{free}Exec[\"a\"] -> Exec[\"b\"]\n"));
    let (code, told) = run(&["test", "--seeds", "40", "--json"]);
    assert_eq!(code, Some(0), "{told}");
    let summary: serde_json::Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!(summary["summary"]["seeds"], serde_json::json!({ "first": 1, "count": 40 }), "{told}");
    let (code, told) = run(&["test", "--seed", "random"]);
    assert!(code == Some(0) && told.contains(" on simulated hosts with seed "), "{told}");
    for wrong in [&["test", "--seed", "some"][..], &["test", "--seeds", "0"], &["test", "--seeds", "2", "--real"]] {
        assert_eq!(run(wrong).0, Some(2), "{wrong:?}");
    }
}

#[test]
fn what_is_no_scenario_is_wrong_use() {
    let case = case("test-wrong", &[]);
    for (args, why) in [
        (&["test"][..], "no scenarios found"),
        (&["test", "nothing"], "`nothing` does not exist"),
        (&["test", "main.mcl"], "`main.mcl` is not a scenario"),
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
    rounds.says("waiting for changes");
    case.write("main.mcl", &PROGRAM.replace("welcome", "hello"));
    rounds.says("all passed");
    // A scenario that cannot be played is reported, and the next change is awaited.
    std::fs::remove_file(case.path("main.scenario")).unwrap();
    rounds.says("no scenarios found");
    assert!(rounds.runs());
    rounds.signal(rustix::process::Signal::INT);
}

#[test]
fn a_new_model_passes_its_scenario() {
    let case = Case::new("test-init-model", "");
    let run = |args: &[&str]| {
        let output = case.run(args);
        (output.status.code(), said(&output))
    };
    let (code, told) = run(&["init", "--model", "motd"]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(run(&["fmt", "--check", "motd/main.cf"]).0, Some(0));
    let (code, told) = run(&["test", "motd"]);
    assert!(code == Some(0) && told.contains("1 scenario: all passed"), "{told}");
    let model = case.read("motd/main.cf").unwrap();
    case.write("motd/main.cf", &model.replace("/etc/motd", "/etc/other"));
    let (code, told) = run(&["test", "motd"]);
    assert!(code == Some(1) && told.contains("motd/main.scenario:4"), "{told}");
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
    assert!(code == Some(2) && told.contains("already exists"), "{told}");
    assert_eq!(case.read("motd/main.mcl").unwrap(), program);
}

/// What could not be written is not in the way of another try.
#[test]
fn a_full_disk_leaves_no_half_of_a_new_program() {
    let case = Case::new("test-init-full", "");
    let line = "ulimit -f 0; exec \"$0\" init motd";
    let mut full = std::process::Command::new("sh");
    let output = full.args(["-c", line, env!("CARGO_BIN_EXE_mclive")]).current_dir(case.path("")).output().unwrap();
    let told = stderr(&output);
    assert!(output.status.code() == Some(2) && told.contains("file too large"), "{told}");
    assert!(!case.path("motd/main.mcl").exists());
    let output = case.run(&["init", "motd"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// Not everything with the name of a program is one.
#[test]
fn odd_files_next_to_a_scenario_do_not_matter() {
    use std::os::unix::{ffi::OsStrExt, fs::symlink};
    let case = case("test-odd-files", &[("main.scenario", "run\nexpect file /etc/motd holds \"welcome\\n\"\n")]);
    // How an editor marks a file that is open, and names that are not text.
    symlink("someone@host.1:2", case.path(".#main.mcl")).unwrap();
    symlink("nowhere", case.path("dangling.mcl")).unwrap();
    std::fs::create_dir(case.path("folder.mcl")).unwrap();
    std::fs::write(case.path("").join(std::ffi::OsStr::from_bytes(b"\xff.mcl")), PROGRAM).unwrap();
    let output = case.run(&["test", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// A slip of the keyboard costs no program.
#[test]
fn a_report_replaces_reports_only() {
    let case = case("test-report", &[("main.scenario", "run\n")]);
    let report = |name: &str| {
        let output = case.run(&["test", "--junit", name]);
        (output.status.code(), said(&output))
    };
    let (code, told) = report("main.mcl");
    assert!(code == Some(2) && told.contains("it exists, and is not a test report"), "{told}");
    assert_eq!(case.read("main.mcl").as_deref(), Some(PROGRAM));
    assert_eq!((report("new.xml").0, report("new.xml").0), (Some(0), Some(0)));
}
