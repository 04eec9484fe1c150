//! The API of `mclive serve`: the page `host-agent/API.md`. The tests of the agent run its examples against a server.

use super::Reference;

const PAGE: &str = include_str!("../../../host-agent/API.md");

pub(super) fn write(made: &mut Reference) {
    made.page("api", "API", PAGE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_one_command_and_its_response() {
        let mut made = Reference { entries: String::new(), content: String::new() };
        write(&mut made);
        assert_eq!(made.content.matches("<h3>").count(), PAGE.matches("\n## ").count());
        for function in ["check", "graph", "format", "simulate"] {
            let ends = format!("http://127.0.0.1:8080/api/v1/{function}");
            let commands = PAGE.lines().filter(|line| line.starts_with("curl ") && line.ends_with(&ends));
            assert_eq!(commands.count(), 1, "{function}");
            assert!(made.content.contains(&ends), "{function}");
        }
        assert_eq!(made.content.matches("<pre").count(), 8, "a response for each");
    }
}
