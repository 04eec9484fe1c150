//! Readers of the agent's output may be slow, gone or out of room, and texts of programs may be hostile: the host is
//! kept anyway, and the terminal is not affected.

use crate::case::{Agent, Case, ONE_FILE, stderr, until};
use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};

/// Runs with a shell's redirections and limits; `@` stands for the agent.
fn shell(case: &Case, words: &str) -> Output {
    let words = words.replace('@', env!("CARGO_BIN_EXE_mclive"));
    Command::new("/bin/bash").args(["-c", &words]).current_dir(&case.root).stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(output)
}

/// Prints more than a pipe holds, repeatedly.
const TALKATIVE: &str =
    "import \"os\"\nprint \"p\" {\n\tmsg => os.system(\"while :; do seq -s, 2000; echo x; done\"),\n}\n";

#[test]
fn a_reader_who_does_not_read_stops_neither_repairs_nor_the_end() {
    let case = Case::new("output-blocked", &(TALKATIVE.to_owned() + ONE_FILE));
    let mut command = case.command(&["run", "--json", "--prefix", "state", "main.mcl"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    case.holds("out/a", "hello\n");
    let waiting = || rustix::io::ioctl_fionread(&stdout).unwrap();
    until("the pipe is full", || {
        let before = waiting();
        std::thread::sleep(std::time::Duration::from_millis(200));
        before > 50_000 && waiting() == before
    });
    for _ in 0..3 {
        case.write("out/a", "broken");
        case.holds("out/a", "hello\n");
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    until("it has ended", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("the reader of standard output was too slow"), "{told}");
}

#[test]
fn readers_that_have_gone_are_no_failure() {
    let case = Case::new("output-gone", ONE_FILE);
    case.write("bad.mcl", "$a = 1 +\n");
    // The reader ends before anything is written.
    let gone = "exec 3> >(:); sleep 0.3;";
    for (words, code) in [
        ("@ check bad.mcl 2>&3", "1"),
        ("@ check --json bad.mcl >&3", "1"),
        ("@ check missing.mcl 2>&3", "2"),
        ("@ --no-such-flag 2>&3", "2"),
        ("@ docs >&3", "0"),
        ("@ --help >&3", "0"),
        ("@ check bad.mcl 2>&-", "1"),
        ("@ docs >&-", "0"),
        ("@ run --once --prefix state main.mcl >&3 2>&3", "0"),
    ] {
        let output = shell(&case, &format!("{gone} {words}; echo code $?"));
        assert!(said(&output).contains(&format!("code {code}\n")), "{words}: {}", said(&output));
    }
    case.holds("out/a", "hello\n");
}

#[test]
fn a_full_device_is_a_sentence_and_an_exit_code() {
    let case = Case::new("output-full", ONE_FILE);
    for words in ["@ docs", "@ check --json main.mcl", "@ --help", "@ run --once --prefix state main.mcl"] {
        let output = shell(&case, &format!("{words} > /dev/full"));
        assert_eq!(output.status.code(), Some(1), "{words}: {}", stderr(&output));
        let told = stderr(&output);
        assert_eq!(
            told.matches("cannot write to standard output: no space left on device").count(),
            1,
            "{words}: {told}"
        );
    }
    case.holds("out/a", "hello\n");
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_not_the_end() {
    let case = Case::new("output-limit", &(TALKATIVE.to_owned() + ONE_FILE));
    let mclive = env!("CARGO_BIN_EXE_mclive");
    let words = format!("exec {mclive} run --json --prefix state --log log --record trace main.mcl > said");
    let mut command = Command::new("/bin/bash");
    command.args(["-c", &words]).current_dir(&case.root);
    let mut agent = Agent::spawn(command);
    case.holds("out/a", "hello\n");
    // The brain's image is a file in memory: the limit is set after it exists.
    let limit = rustix::process::Rlimit { current: Some(20_000), maximum: Some(20_000) };
    let pid = rustix::process::Pid::from_child(&agent.child);
    rustix::process::prlimit(Some(pid), rustix::process::Resource::Fsize, limit).unwrap();
    agent.says("cannot write to standard output: file too large; the run continues");
    agent.says("cannot write log: file too large; the run continues");
    agent.says("cannot record to trace: file too large; the trace ends here");
    case.write("out/a", "broken");
    case.holds("out/a", "hello\n");
    assert_eq!(agent.stop().code(), Some(1));
    // No record and no line is torn.
    let replayed = case.run(&["replay", "--show", "digest", "trace"]);
    assert!(replayed.status.success() && stderr(&replayed).is_empty(), "{}", stderr(&replayed));
    let log = case.read("log").unwrap();
    assert!(log.ends_with('\n') && log.lines().all(|line| line.starts_with('{') && line.ends_with('}')));
}

#[test]
fn logs_rotate_within_their_bound_and_still_tell_why() {
    let program = "import \"iter\"\nimport \"fmt\"\n$names = iter.map(iter.range(3000), func($n) { fmt.printf(\"%d\", $n) })\nnoop $names {}\n";
    let case = Case::new("output-rotate", program);
    let flags = [
        "run",
        "--once",
        "--prefix",
        "state",
        "--log",
        "log",
        "--log-size",
        "1",
        "--log-files",
        "2",
        "--no-autogroup",
        "main.mcl",
    ];
    (0..6).for_each(|_| assert!(case.run(&flags).status.success()));
    let sizes: Vec<u64> = ["log.2", "log.1", "log"].map(|name| fs::metadata(case.path(name)).unwrap().len()).to_vec();
    assert!(sizes.iter().all(|size| *size <= 1 << 20), "{sizes:?}");
    assert!(!case.path("log.3").exists());
    let why = case.run(&["why", "--log", "log", "noop[17]"]);
    assert!(said(&why).contains("noop[17]: up to date"), "{}", said(&why));
}

/// A title, a link, a cleared screen, hidden text, reversed text, a zero-width character, tags.
const HOSTILE: &str =
    "\u{1b}]0;title\u{7}\u{1b}]8;;x:y\u{1b}\\\\\u{1b}[2J\u{1b}[8m\u{9b}2J\u{202e}gnp\u{200b}\u{2066}\u{e0041}\u{e0042}";

fn is_clean(text: &str, what: &str) {
    let is_colour = |rest: &str| {
        let codes = rest.strip_prefix('[').and_then(|rest| rest.split_once('m')).map(|(codes, _)| codes);
        codes.is_some_and(|codes| {
            codes.split(';').all(|code| ["0", "1", "2", "31", "32", "33", "34", "36"].contains(&code))
        })
    };
    for (at, c) in text.char_indices() {
        let is_fine = match c {
            '\n' => true,
            '\u{1b}' => is_colour(&text[at + 1..]),
            c => !mclive_base::unicode::is_deceptive(c),
        };
        assert!(is_fine, "{what}: {c:?} in {:?}", &text[at.saturating_sub(20)..]);
    }
}

#[test]
fn nothing_that_a_program_says_steers_the_terminal() {
    let program = format!(
        "import \"fmt\"\nprint \"{HOSTILE}\" {{\n\tmsg => \"{HOSTILE}\",\n}}\nfile \"@OUT@/{HOSTILE}\" {{\n\tstate => \"exists\",\n\tcontent => \"{HOSTILE}\",\n}}\n"
    );
    let case = Case::new("output-hostile", &program);
    case.write("panic.mcl", &format!("panic(\"{HOSTILE}\")\n"));
    case.write("name.mcl", &format!("$a = \"{HOSTILE}\" + 1\n"));
    for args in [
        &["check", "main.mcl"][..],
        &["check", "--color", "always", "name.mcl"],
        &["check", "--json", "name.mcl"],
        &["plan", "--prefix", "state", "panic.mcl"],
        &["plan", "--prefix", "state", "--json", "panic.mcl"],
        &["plan", "--prefix", "state", "--color", "always", "main.mcl"],
        &["graph", "--of", "resources", "main.mcl"],
        &["graph", "--of", "resources", "--format", "json", "main.mcl"],
        &["check", HOSTILE],
        &[HOSTILE],
        &["docs", HOSTILE],
        &["why", "--log", "main.mcl", HOSTILE],
        &["run", "--once", "--prefix", "state", "--log", "log", "main.mcl"],
        &["why", "--log", "log", &format!("print[{HOSTILE}]")],
        &["why", "--json", "--log", "log", &format!("print[{HOSTILE}]")],
    ] {
        let output = case.run(args);
        let said = said(&output);
        assert!(!said.contains("unexpected control") && !said.is_empty(), "{args:?}");
        is_clean(&said, &format!("{args:?}"));
    }
    is_clean(&case.read("log").unwrap(), "log");
    is_clean(&case.read("state/audit.log").unwrap(), "audit.log");
    assert_eq!(case.tree().into_values().next().unwrap(), HOSTILE.replace("\\\\", "\\").as_bytes());
}

/// A name with a line end does not look like another line.
#[test]
fn a_name_stays_on_its_line() {
    let case = Case::new("output-lines", "noop \"a\\nVertex: noop[b]\" {}\nprint \"p\\nq\" {\n\tmsg => \"m\",\n}\n");
    let printed = |args: &[&str]| String::from_utf8(case.run(args).stdout).unwrap();
    let graph = printed(&["graph", "--of", "resources", "main.mcl"]);
    assert!(graph.lines().any(|line| line == r"Vertex: noop[a\nVertex: noop[b]]"), "{graph}");
    assert!(graph.lines().any(|line| line == r"Vertex: print[p\nq]"), "{graph}");
    let plan = printed(&["plan", "--prefix", "state", "main.mcl"]);
    assert!(!plan.lines().any(|line| line.starts_with("Vertex") || line.starts_with('q')), "{plan}");
    printed(&["run", "--once", "--prefix", "state", "--log", "log", "main.mcl"]);
    let why = printed(&["why", "--log", "log", "print[p\nq]"]);
    assert!(why.starts_with(r"print[p\nq]: "), "{why}");
}

/// The live table on a terminal.
#[test]
fn the_table_shows_names_as_they_are_not_as_they_act() {
    let program = format!(
        "print \"{HOSTILE}\" {{\n\tmsg => \"{HOSTILE}\",\n}}\nexec \"e{HOSTILE}\" {{\n\tcmd => \"sleep 1000\",\n\tshell => \"/bin/sh\",\n}}\n"
    );
    let case = Case::new("output-table", &program);
    let agent = env!("CARGO_BIN_EXE_mclive");
    let script = format!("stty cols 200 rows 24; exec {agent} run --prefix state --color always main.mcl");
    let mut command = Command::new("script");
    command.args(["-qec", &script, "/dev/null"]).current_dir(&case.root).env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(fs::File::create(case.path("screen")).unwrap());
    let mut child = command.spawn().unwrap();
    let shown = || case.read("screen").unwrap_or_default();
    until("both are shown", || shown().contains("exec[e\\u{1b}") && shown().contains("print[\\u{1b}"));
    let mut keys = child.stdin.take().unwrap();
    // Each rung of the ladder: the command does not end by itself.
    until("it has ended", || {
        let _ = std::io::Write::write_all(&mut keys, b"\x03");
        std::thread::sleep(std::time::Duration::from_millis(300));
        child.try_wait().unwrap().is_some()
    });
    let mut screen = shown().replace('\r', "");
    for ours in ["\u{1b}[?2026h", "\u{1b}[?2026l", "\u{1b}[?25l", "\u{1b}[?25h", "\u{1b}[K", "\u{1b}[J"] {
        screen = screen.replace(ours, "");
    }
    let lines = (1..24).map(|n| format!("\u{1b}[{n}A"));
    is_clean(&lines.fold(screen, |screen, up| screen.replace(&up, "")), "the table");
}
