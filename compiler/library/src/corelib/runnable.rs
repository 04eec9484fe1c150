//! A documented call as a complete program: run as a test, and opened by readers of the docs.

use super::{Example, module_names};
use crate::sort;
use std::fmt::Write;

impl Example {
    /// A formatted program with the call as the value of a field. It imports the function's module (unless that is
    /// empty), and everything else the call uses.
    pub fn program(&self, module: &str) -> String {
        let mut imports: Vec<&str> = vec![module];
        for name in module_names().filter(|name| short(name) != short(module) && is_named(self.call, name)) {
            imports.push(name);
        }
        // If two modules share their last component, the shorter path is used.
        sort::by_key(&mut imports, |name| (*name != module, name.len()));
        let mut seen: Vec<&str> = Vec::new();
        let mut text = String::new();
        for name in imports.into_iter().filter(|name| !name.is_empty()) {
            if !seen.contains(&short(name)) {
                seen.push(short(name));
                let _ = writeln!(text, "import \"{name}\"");
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = write!(text, "# {}\nvalue \"v\" {{\n\tany => {},\n}}\n", comment(self.gives), self.call);
        text
    }
}

/// Whether the call uses a name of a module.
fn is_named(call: &str, module: &str) -> bool {
    let prefix = format!("{}.", short(module));
    let is_start = |at: usize| !call[..at].ends_with(|c: char| c.is_alphanumeric() || "_./$\"".contains(c));
    call.match_indices(&prefix).any(|(at, _)| is_start(at))
}

/// The last component of a module's name.
fn short(module: &str) -> &str {
    module.rsplit('/').next().unwrap_or(module)
}

/// The result of an example, as a one-line comment.
fn comment(gives: &str) -> String {
    let line = gives.replace('\n', " ");
    match line.strip_prefix("error: ") {
        Some(message) => format!("fails: {message}"),
        None => format!("gives {line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_program() {
        let example = Example { call: r#"strings.to_upper(os.readfile("/x"))"#, gives: r#""X""# };
        let expect = "import \"strings\"\nimport \"os\"\n\n# gives \"X\"\nvalue \"v\" {\n\
                      \tany => strings.to_upper(os.readfile(\"/x\")),\n}\n";
        assert_eq!(example.program("strings"), expect);
    }
}
