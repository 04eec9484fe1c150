//! What can be seen of a run: the live table, why a step ran, the trace, the figures.

use crate::case::{Case, stderr, until};
use std::io::{Read, Write};
use std::process::Command;

const FOLLOWS: &str =
    "import \"os\"\n\nfile \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@OUT@/in\"),\n}\n";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_running_agent_and_its_log_tell_why() {
    let case = Case::new("why", FOLLOWS);
    case.write("out/in", "one");
    let mut agent = case.start_with(&["--json"]);
    case.holds("out/a", "one");
    case.write("out/in", "two");
    case.holds("out/a", "two");
    let resource = format!("file[{}/a]", case.path("out").display());
    let because = format!("because the content of {}/in changed", case.path("out").display());
    let ask = || case.run(&["why", "--prefix", "state", &resource]);
    // The step is told when it begins, its end a moment later.
    until("the agent knows of the end", || text(&ask().stdout).contains(&because));
    let said = text(&ask().stdout);
    assert!(said.contains("because the value of `os.readfile` changed"), "{said}");
    assert!(said.contains("last steps"), "{said}");
    assert_eq!(agent.stop().code(), Some(0));
    case.write("log", &agent.said());
    let log = case.run(&["why", "--log", "log", &resource]);
    assert_eq!(text(&log.stdout), said);
    let unknown = case.run(&["why", "--log", "log", "file[a]"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains(&format!("there is {resource}")), "{}", stderr(&unknown));
    assert!(!case.path("state/agent.sock").exists(), "the socket goes with the agent");
    assert_eq!(case.run(&["why", "--prefix", "state", &resource]).status.code(), Some(2));
}

/// The same decisions on the real host, in the component, and in the crate that the page runs.
#[test]
fn a_trace_of_the_real_host_replays_everywhere() {
    let program = FOLLOWS.to_owned()
        + "exec \"e\" {\n\tcmd => \"exit 1\",\n\tshell => \"/bin/sh\",\n\tMeta:retry => 2,\n\tMeta:delay => 20,\n}\n";
    let case = Case::new("replay", &program);
    case.write("out/in", "one");
    let mut agent = case.start_with(&["--json", "--record", "trace"]);
    case.holds("out/a", "one");
    case.write("out/in", "two");
    case.holds("out/a", "two");
    agent.says("\"phase\":\"failed\"");
    assert_eq!(agent.stop().code(), Some(3), "a resource stands as failed");
    let of_run = |text: &str| -> Vec<String> {
        // A trace has no wall clock, and what is added up at the end is no event of the brain.
        let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let of_brain = events.filter(|event| event["type"] != "print" && event["type"] != "summary");
        of_brain
            .map(|mut event| {
                event.as_object_mut().expect("an object").remove("time");
                event.to_string()
            })
            .collect()
    };
    let events = case.run(&["replay", "--show", "events", "trace"]);
    assert_eq!(of_run(&text(&events.stdout)), of_run(&agent.said()), "{}", stderr(&events));
    // The crate as it is linked natively.
    let bytes = std::fs::read(case.path("trace")).unwrap();
    let trace = mclive_compiler::protocol::trace::Trace::read(&bytes).unwrap();
    assert_eq!(trace.n_lost, 0);
    let mut replay = mclive_compiler::sim::Replay::new(mclive_compiler::brain::Brain::new(), trace);
    while replay.step().is_some() {}
    let digest = case.run(&["replay", "--show", "digest", "trace"]);
    assert_eq!(text(&digest.stdout).trim(), replay.digest());
    // Cut in the middle of a record, it is whole up to there.
    std::fs::write(case.path("cut"), &bytes[..bytes.len() - 3]).unwrap();
    let cut = case.run(&["replay", "cut"]);
    assert!(cut.status.success() && stderr(&cut).contains("middle of a record"), "{}", stderr(&cut));
    let none = case.run(&["replay", "main.mcl"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("this is no trace"), "{}", stderr(&none));
}

#[test]
fn a_killed_agent_leaves_its_trace() {
    let case = Case::new("killtrace", FOLLOWS);
    case.write("out/in", "one");
    let mut agent = case.start_with(&["--json", "--record", "trace"]);
    case.holds("out/a", "one");
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();
    let outputs = case.run(&["replay", "trace"]);
    assert!(outputs.status.success(), "{}", stderr(&outputs));
    assert!(text(&outputs.stdout).contains("{\"File\":{\"Write\":"), "{}", text(&outputs.stdout));
}

#[test]
fn figures_are_served_on_request() {
    let case = Case::new("figures", FOLLOWS);
    case.write("out/in", "one");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let _agent = case.start_with(&["--prometheus", "--prometheus-listen", &address]);
    case.holds("out/a", "one");
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    };
    let line = r#"mgmt_checkapply_total{apply="true",errorful="false",eventful="true",kind="file"} 1"#;
    until("the check is counted", || get("/metrics").contains(line));
    let said = get("/metrics");
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{said}");
    for line in
        [r#"mgmt_resources{kind="file"} 1"#, r#"mgmt_resources{kind="svc"} 0"#, "mgmt_graph_start_time_seconds 1"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(get("/other").starts_with("HTTP/1.1 404"));
}

#[test]
fn a_terminal_shows_a_table_in_place_and_is_left_clean() {
    let case = Case::new("table", &(FOLLOWS.to_owned() + "print \"p\" {\n\tmsg => \"printed\",\n}\n"));
    case.write("out/in", "one");
    let agent = env!("CARGO_BIN_EXE_mclive");
    let script =
        format!("stty cols 80 rows 24; seq -f 'before %g' 30; exec {agent} run --prefix state --color always main.mcl");
    let mut command = Command::new("script");
    command.args(["-qec", &script, "/dev/null"]).current_dir(&case.root).env("TERM", "xterm");
    command.stdin(std::process::Stdio::piped()).stdout(std::fs::File::create(case.path("screen")).unwrap());
    let mut child = command.spawn().unwrap();
    case.holds("out/a", "one");
    // Whole at once: an empty file in between is one more change, and one more diff in the table.
    case.write("out/new", "two");
    std::fs::rename(case.path("out/new"), case.path("out/in")).unwrap();
    case.holds("out/a", "two");
    until("the table shows it", || {
        Terminal::of(&case.read("screen").unwrap_or_default()).text().contains("2 resources: 1 in state, 1 changed")
    });
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let bytes = case.read("screen").unwrap();
    let terminal = Terminal::of(&bytes);
    let all = terminal.text();
    // What was there before is there still, once, and the table as well.
    for n in 1..=30 {
        assert_eq!(all.lines().filter(|line| *line == format!("before {n}")).count(), 1, "{all}");
    }
    assert_eq!(all.lines().filter(|line| line.starts_with("2 resources")).count(), 1, "{all}");
    assert!(all.contains("print[p]: Msg: printed"), "{all}");
    assert!(terminal.cursor_shown && terminal.column == 0, "{all}");
    assert!(all.trim_end().ends_with("changed, 0 failed"), "{all}");
}

/// As much of a terminal as a table needs: 24 lines of 80 columns, and what scrolled away.
struct Terminal {
    lines: Vec<String>,
    /// Counted from the first line that ever was.
    line: usize,
    column: usize,
    cursor_shown: bool,
}

impl Terminal {
    fn of(bytes: &str) -> Terminal {
        let mut terminal = Terminal { lines: vec![String::new()], line: 0, column: 0, cursor_shown: true };
        let mut chars = bytes.chars();
        while let Some(c) = chars.next() {
            match c {
                '\x1b' => {
                    let mut rest = String::new();
                    for c in chars.by_ref().skip(1) {
                        rest.push(c);
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                    terminal.escape(&rest);
                }
                '\r' => terminal.column = 0,
                '\n' => {
                    terminal.line += 1;
                    if terminal.line == terminal.lines.len() {
                        terminal.lines.push(String::new());
                    }
                }
                c => terminal.put(c),
            }
        }
        terminal
    }

    fn put(&mut self, c: char) {
        if self.column == 80 {
            // What is said stays on the terminal and may wrap; the table is drawn over itself and may not.
            let time = self.lines[self.line].split_whitespace().next().unwrap_or_default();
            let goes_on = self.line > 0 && self.lines[self.line - 1].chars().count() == 80;
            let is_said = goes_on || time.contains('.') && time.parse::<f64>().is_ok();
            assert!(is_said, "a line of the table wraps: {}", self.text());
            (self.line, self.column) = (self.line + 1, 0);
            self.lines.truncate(self.line);
            self.lines.push(String::new());
        }
        let line = &mut self.lines[self.line];
        let mut held: Vec<char> = line.chars().collect();
        held.resize(held.len().max(self.column + 1), ' ');
        held[self.column] = c;
        *line = held.into_iter().collect();
        self.column += 1;
    }

    fn escape(&mut self, code: &str) {
        let number = || code.trim_end_matches(|c: char| c.is_alphabetic()).parse::<usize>().unwrap_or(1);
        match code.chars().last() {
            Some('A') => {
                let top = self.lines.len().saturating_sub(24);
                self.line = self.line.saturating_sub(number());
                assert!(self.line >= top, "the cursor cannot reach what has scrolled away");
            }
            Some('K') => {
                let kept: String = self.lines[self.line].chars().take(self.column).collect();
                self.lines[self.line] = kept;
            }
            Some('J') => {
                let kept: String = self.lines[self.line].chars().take(self.column).collect();
                self.lines[self.line] = kept;
                self.lines.truncate(self.line + 1);
            }
            Some('h') if code == "?25h" => self.cursor_shown = true,
            Some('l') if code == "?25l" => self.cursor_shown = false,
            _ => {}
        }
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}
