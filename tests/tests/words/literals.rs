//! The string literals of a Rust file that may reach a person: those outside of comments, attributes and test modules.

/// A literal, with the number of its line. Escapes stay, but for a line that continues below.
pub(crate) struct Literal {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// All literals of a file, in order.
pub(crate) fn literals(source: &str) -> Vec<Literal> {
    let mut scan = Scan { chars: source.chars().collect(), ..Scan::default() };
    while scan.at < scan.chars.len() {
        scan.step();
    }
    scan.found
}

#[derive(Default)]
struct Scan {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    /// A test module was announced, and its brace is not open yet.
    announced: bool,
    /// The depth of the test module around here.
    test_module: Option<usize>,
    found: Vec<Literal>,
}

impl Scan {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, char)| self.peek(n) == char)
    }

    fn step(&mut self) {
        match self.peek(0) {
            '/' if self.peek(1) == '/' => self.skip_to("\n"),
            '/' if self.peek(1) == '*' => self.block_comment(),
            '#' if self.peek(1) == '[' || self.starts_with("#![") => self.attribute(),
            'r' if self.is_raw() => self.raw(),
            '"' => self.string(),
            '\'' => self.character(),
            char => {
                match char {
                    '{' => {
                        self.depth += 1;
                        if self.announced && self.test_module.is_none() {
                            self.test_module = Some(self.depth);
                        }
                        self.announced = false;
                    }
                    '}' => {
                        self.test_module = self.test_module.filter(|depth| *depth != self.depth);
                        self.depth = self.depth.saturating_sub(1);
                    }
                    ';' => self.announced = false,
                    _ => {}
                }
                self.at += 1;
            }
        }
    }

    /// Goes behind the next occurrence of a text.
    fn skip_to(&mut self, end: &str) {
        while self.at < self.chars.len() && !self.starts_with(end) {
            self.at += 1;
        }
        self.at += end.chars().count();
    }

    fn block_comment(&mut self) {
        let mut open = 0;
        while self.at < self.chars.len() {
            if self.starts_with("/*") {
                open += 1;
                self.at += 2;
            } else if self.starts_with("*/") {
                open -= 1;
                self.at += 2;
                if open == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
    }

    fn attribute(&mut self) {
        self.announced |= self.starts_with("#[cfg(test)]");
        let mut open = 0;
        while self.at < self.chars.len() {
            match self.peek(0) {
                '[' => open += 1,
                ']' => open -= 1,
                '"' => {
                    self.quoted();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if open == 0 && self.chars[self.at - 1] == ']' {
                return;
            }
        }
    }

    /// A raw literal begins here, and not a name with an `r` at its end.
    fn is_raw(&self) -> bool {
        let before = self.at.checked_sub(1).map_or(' ', |at| self.chars[at]);
        let hashes = (1..).take_while(|n| self.peek(*n) == '#').count();
        !(before.is_alphanumeric() && before != 'b') && before != '_' && self.peek(1 + hashes) == '"'
    }

    fn raw(&mut self) {
        let hashes = (1..).take_while(|n| self.peek(*n) == '#').count();
        self.at += hashes + 2;
        let from = self.at;
        self.skip_to(&format!("\"{}", "#".repeat(hashes)));
        let text = self.chars[from..self.at - hashes - 1].iter().collect();
        self.add(from, text);
    }

    fn string(&mut self) {
        let from = self.at + 1;
        let text = self.quoted();
        self.add(from, text);
    }

    /// Goes over a literal in quotes: its text, with lines that go on joined.
    fn quoted(&mut self) -> String {
        let mut text = String::new();
        self.at += 1;
        while self.at < self.chars.len() && self.peek(0) != '"' {
            if self.starts_with("\\\n") {
                self.at += 2;
                while self.peek(0).is_whitespace() {
                    self.at += 1;
                }
                continue;
            }
            let n = if self.peek(0) == '\\' { 2 } else { 1 };
            text.extend(self.chars[self.at..].iter().take(n));
            self.at += n;
        }
        self.at += 1;
        text
    }

    /// A character, or the tick of a lifetime.
    fn character(&mut self) {
        if self.peek(1) == '\\' {
            self.at += 3;
            self.skip_to("'");
        } else {
            self.at += if self.peek(2) == '\'' { 3 } else { 1 };
        }
    }

    fn add(&mut self, from: usize, text: String) {
        if self.test_module.is_none() {
            let line = 1 + self.chars[..from].iter().filter(|char| **char == '\n').count();
            self.found.push(Literal { line, text });
        }
    }
}
