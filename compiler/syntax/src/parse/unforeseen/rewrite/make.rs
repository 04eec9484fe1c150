//! A target of a makefile as a resource that runs its commands.

use super::super::shape::Match;
use super::write;
use crate::parse::written;

const HELP: &str = "to run a command, write `exec \"name\" { cmd => \"…\", shell => \"/bin/sh\", }`";

/// `all: build`, followed by lines that begin with a tab.
pub(in super::super) fn target(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let mut lines = text[found.whole.0..].lines();
    let (name, needs) = lines.next()?.split_once(':')?;
    let commands: Vec<&str> = lines.map_while(|line| line.strip_prefix('\t')).map(str::trim).collect();
    let is_command = |line: &&str| !line.is_empty() && !line.contains(": ") && !line.ends_with([':', '{']);
    if commands.is_empty() || !commands.iter().all(is_command) {
        return None;
    }
    let commands: Vec<&str> = commands.iter().map(|line| line.trim_start_matches(['@', '-'])).collect();
    let mut fields = vec![
        ("cmd".to_owned(), written::quoted(&commands.join(" && "))),
        ("shell".to_owned(), written::quoted("/bin/sh")),
    ];
    let needs = needs.split_whitespace().filter(|need| !need.contains(['$', '"', '|', '=']));
    fields.extend(needs.map(|need| ("Depend".to_owned(), format!("Exec[\"{need}\"]"))));
    let text = written::resource("exec", &written::quoted(name.trim()), &fields);
    Some(vec![write(&text).unwrap_or_else(|| HELP.to_owned())])
}
