//! A run on a terminal: the table in place, and the printed lines in the scrollback above it.

use crate::case::{Case, until};
use std::io::Write;
use std::process::{Child, Command, Stdio};

const FOLLOWS: &str =
    "import \"os\"\n\nfile \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@OUT@/in\"),\n}\n";

/// Sixty lines, thirty failures, and thirty running commands.
const LOUD: &str = r#"import "fmt"
import "iter"

for $i, $n in iter.range(1, 61) {
	print [fmt.printf("p%d", $n)] {
		msg => fmt.printf("line %d", $n),
		Meta:autogroup => false,
	}
}
for $i, $n in iter.range(1, 31) {
	file [fmt.printf("@OUT@/none/f%d", $n)] {
		state => "exists",
	}
	exec [fmt.printf("e%d", $n)] {
		cmd => "touch @OUT@/started; sleep 600",
		shell => "/bin/sh",
	}
}
"#;

/// A run of the agent's program on a terminal of 80 columns and 24 lines; its output goes to the file `screen`.
fn on_a_terminal(case: &Case, term: &str, options: &str) -> Child {
    let agent = env!("CARGO_BIN_EXE_mclive");
    let script =
        format!("stty cols 80 rows 24; seq -f 'before %g' 30; exec {agent} run --prefix state {options} main.mcl");
    let mut command = Command::new("script");
    command.args(["-qec", &script, "/dev/null"]).current_dir(&case.root).env("TERM", term).env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(std::fs::File::create(case.path("screen")).unwrap());
    command.spawn().unwrap()
}

fn shown(case: &Case) -> String {
    case.read("screen").unwrap_or_default()
}

/// Ends it like a user: `^C`, and once more each time that it asks for it because commands still run.
fn interrupt(case: &Case, child: &mut Child) -> Option<i32> {
    // A program that has ended does not read it.
    let press = |child: &mut Child| drop(child.stdin.as_mut().unwrap().write_all(b"\x03"));
    let mut asks = ["press ^C again to stop them now", "press ^C again to kill them now"].into_iter().peekable();
    let mut ended = None;
    press(child);
    until("it ends", || {
        ended = child.try_wait().unwrap();
        if ended.is_none() && asks.next_if(|words| shown(case).contains(words)).is_some() {
            press(child);
        }
        ended.is_some()
    });
    ended.and_then(|status| status.code())
}

#[test]
fn a_terminal_shows_a_table_in_place_and_is_left_clean() {
    let case = Case::new("table", &(FOLLOWS.to_owned() + "print \"p\" {\n\tmsg => \"printed\",\n}\n"));
    case.write("out/in", "one");
    let mut child = on_a_terminal(&case, "xterm", "--color always");
    case.holds("out/a", "one");
    // Written at once: an empty file in between would be one more change, and one more diff in the table.
    case.write("out/new", "two");
    std::fs::rename(case.path("out/new"), case.path("out/in")).unwrap();
    case.holds("out/a", "two");
    until("the table shows it", || Terminal::of(&shown(&case)).text().contains("2 resources: 1 up to date, 1 changed"));
    assert_eq!(interrupt(&case, &mut child), Some(0));
    let terminal = Terminal::of(&shown(&case));
    let all = terminal.text();
    // The earlier output is still there, once, and the table as well.
    for n in 1..=30 {
        assert_eq!(all.lines().filter(|line| *line == format!("before {n}")).count(), 1, "{all}");
    }
    assert_eq!(all.lines().filter(|line| line.starts_with("2 resources")).count(), 1, "{all}");
    assert!(all.contains("print[p]: Msg: printed"), "{all}");
    assert!(terminal.cursor_shown && terminal.column == 0, "{all}");
    assert!(all.trim_end().ends_with("changed, 0 failed"), "{all}");
}

/// Sixty lines are printed, and more resources fail and run than fit.
#[test]
fn every_line_stays_in_the_scrollback_and_the_table_fits() {
    let case = Case::new("scrollback", LOUD);
    let mut child = on_a_terminal(&case, "xterm", "--color never");
    let all = || Terminal::of(&shown(&case)).text();
    let failed = |n: usize| format!("/none/f{n}] failed");
    until("all has happened", || {
        let all = all();
        let said = (1..=60).all(|n| all.contains(&format!("print[p{n}]: Msg: line {n}\n")));
        said && (1..=30).all(|n| all.contains(&failed(n))) && all.contains("\n  … exec[e")
    });
    assert_eq!(interrupt(&case, &mut child), Some(3), "resources stand as failed");
    let bytes = shown(&case);
    let terminal = Terminal::of(&bytes);
    let all = terminal.text();
    for n in 1..=60 {
        let line = format!("print[p{n}]: Msg: line {n}");
        assert_eq!(all.lines().filter(|shown| *shown == line).count(), 1, "{line}: {all}");
    }
    for n in 1..=30 {
        assert_eq!(all.matches(&failed(n)).count(), 1, "f{n}: {all}");
        assert_eq!(all.lines().filter(|line| *line == format!("before {n}")).count(), 1, "{all}");
    }
    let last_said = all.lines().position(|line| line.contains("line 60")).unwrap();
    let table = all.lines().position(|line| line.starts_with("120 resources: ")).unwrap();
    assert!(last_said < table, "the table is below what was said: {all}");
    assert!(terminal.tallest <= 12, "half of the terminal is for what is said: {}", terminal.tallest);
    assert!(!bytes.contains("\x1b[1;") && !bytes.contains("\x1b[3"), "no colours were wanted");
    assert!(terminal.cursor_shown && terminal.column == 0, "{all}");
}

#[test]
fn a_terminal_without_abilities_gets_lines_alone() {
    let case = Case::new("dumb", LOUD);
    let mut child = on_a_terminal(&case, "dumb", "");
    until("all has happened", || {
        shown(&case).contains("print[p60]: Msg: line 60") && shown(&case).contains("/none/f30] failed")
    });
    assert_eq!(interrupt(&case, &mut child), Some(3));
    let all = shown(&case);
    assert!(!all.contains('\x1b'), "{all:?}");
    assert!(!all.contains("120 resources: "), "no table: {all}");
    for n in 1..=60 {
        assert_eq!(all.matches(&format!("print[p{n}]: Msg: line {n}\r\n")).count(), 1, "{all}");
    }
}

/// `--color` decides about colours, whatever the terminal is.
#[test]
fn a_terminal_has_colours_unless_told_otherwise() {
    let case = Case::new("colours", "print \"p\" {}\n");
    for (term, options, is_coloured) in [
        ("xterm", "", true),
        ("xterm", "--color never", false),
        ("xterm", "--color always", true),
        ("dumb", "", false),
        ("dumb", "--color always", true),
    ] {
        let mut child = on_a_terminal(&case, term, &format!("--once {options}"));
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let all = shown(&case);
        let is_colour = |code: &str| {
            code.split_once('m').is_some_and(|(code, _)| code.chars().all(|c| c.is_ascii_digit() || c == ';'))
        };
        assert_eq!(all.split("\x1b[").skip(1).any(is_colour), is_coloured, "{term} {options}: {all:?}");
        assert_eq!(all.contains("\x1b[?25l"), term != "dumb", "{term}: {all:?}");
    }
}

/// The part of a terminal that a table needs: 24 lines of 80 columns, and the scrollback.
struct Terminal {
    lines: Vec<String>,
    /// Counted from the first line ever.
    line: usize,
    column: usize,
    cursor_shown: bool,
    /// The maximum number of lines that the cursor went up: those of the tallest table.
    tallest: usize,
}

impl Terminal {
    fn of(bytes: &str) -> Terminal {
        let mut terminal = Terminal { lines: vec![String::new()], line: 0, column: 0, cursor_shown: true, tallest: 0 };
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
            // Printed lines stay on the terminal and may wrap; the table is redrawn in place and may not.
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
                self.tallest = self.tallest.max(number());
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
