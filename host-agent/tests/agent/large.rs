//! Programs as large and as odd as possible: their cost is proportional to their text.

use crate::case::{Case, stderr};

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

#[test]
fn a_program_that_is_refused_for_its_size_takes_ten_times_its_text_at_most() {
    let programs = [
        ("resources", lines(500_000, |n| format!("noop \"n{n}\" {{}}\n"))),
        ("variables", lines(500_000, |n| format!("$v{n} = {n}\n"))),
        ("comments", lines(5_000_000, |_| "#\n".into())),
        ("signs", "@".repeat(9_000_000)),
    ];
    for (name, program) in programs {
        let case = Case::new(&format!("large-{name}"), &program);
        let most = 10 * program.len() / (1 << 20);
        let output = case.command(&["check", "main.mcl"]).env("MCLIVE_MEMORY_MIB", most.to_string()).output().unwrap();
        let said = stderr(&output);
        assert!(said.contains("E0316") && said.contains("2 million tokens"), "{name}: {said}");
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
    }
}

/// Each exceeded the time limit of a call when something was searched again at each place.
#[test]
fn odd_programs_are_read_in_one_go() {
    let params: String = lines(100_000, |n| format!("$a{n},"));
    let programs = [
        ("signs", "@".repeat(300_000), 1),
        ("open quotes", "\u{2018}".repeat(100_000), 1),
        ("quotes", "`".repeat(300_001), 1),
        ("underscores", format!("a{}", "_".repeat(300_000)), 1),
        ("a chain of edges", format!("{}Noop[\"a\"]\n", "Noop[\"a\"] -> ".repeat(200_000)), 1),
        ("parameters", format!("func f({}) {{ 1 }}\n", params.trim_end_matches(',')), 0),
        ("functions", lines(100_000, |n| format!("func f{n}() {{ 1 }}\n")), 0),
    ];
    for (name, program, code) in programs {
        let case = Case::new("large-odd", &program);
        let output = case.run(&["check", "main.mcl"]);
        assert_eq!(output.status.code(), Some(code), "{name}: {:.1000}", stderr(&output));
    }
}

#[test]
fn standard_input_without_an_end_is_refused() {
    let case = Case::new("large-stdin", "");
    let endless = std::fs::File::open("/dev/zero").unwrap();
    let output = case.command(&["check", "-"]).stdin(endless).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).contains("larger than 16 MiB")), (Some(2), true));
}

#[test]
fn files_without_an_end_are_refused() {
    let case = Case::new("large-endless", "");
    std::os::unix::fs::symlink("/dev/zero", case.path("zero.mcl")).unwrap();
    for (args, words) in [
        (&["fmt", "zero.mcl"][..], "not a regular file"),
        (&["fmt", "-"][..], "larger than 16 MiB"),
        (&["why", "--log", "/dev/zero", "file[/a]"][..], "longer than 64 MiB"),
        (&["why", "--log", ".", "file[/a]"][..], "is a directory"),
        (&["replay", "/dev/zero"][..], "not an mclive recording"),
    ] {
        let endless = std::fs::File::open("/dev/zero").unwrap();
        let output = case.command(args).stdin(endless).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{args:?}: {}", stderr(&output));
    }
}
