//! `why`: the causes of the last check and the last steps of a resource, from a log or from the running agent.
//! `replay`: replays a recorded run.

use super::{Done, GOOD, REFUSED, unusable};
use crate::cli;
use crate::embed::{Brain, Sandbox};
use crate::output::{print, print_json, tell};
use crate::program::{self, Failure};
use crate::show::{History, json, told};
use mclive_base::protocol::Output;
use mclive_base::protocol::digest::{chain, line};
use mclive_base::protocol::trace::Trace;
use std::io::{BufRead, BufReader};

pub(super) fn why(args: &cli::Why) -> Done {
    let resource = &named(&args.resource);
    let (lines, near) = match &args.log {
        Some(path) => {
            let mut history = History::default();
            // A rotated log continues in the file with the original name.
            for path in crate::rotate::files(path) {
                let file = std::fs::File::open(&path).map_err(|error| {
                    unusable(format!("cannot read {}: {}", path.display(), crate::host::io_words(&error)))
                })?;
                for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
                    history.take_line(&String::from_utf8_lossy(&line));
                }
            }
            let near: Vec<String> = history.near(resource).into_iter().map(|id| format!("`{id}`")).collect();
            (history.of(resource), near)
        }
        None => {
            let prefix = super::prefix::known(args.prefix.as_deref()).map_err(unusable)?;
            let lines = crate::ask::ask(&prefix, resource).map_err(|error| {
                let prefix = prefix.display();
                unusable(format!(
                    "no agent is running with the prefix {prefix} ({error}); use --prefix DIR or --log FILE"
                ))
            })?;
            (lines, Vec::new())
        }
    };
    if lines.is_empty() {
        let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
        tell(&format!("mclive: no record of `{resource}`{hint}"));
        return Ok(REFUSED);
    }
    match args.json {
        true => print_json(&(lines.join("\n") + "\n")),
        false => print(&told(resource, &lines)),
    }
    Ok(GOOD)
}

/// `File["/etc/motd"]`, as a program refers to a resource, is `file[/etc/motd]` in a log.
fn named(text: &str) -> String {
    let reference = text.split_once("[\"").and_then(|(kind, rest)| Some((kind, rest.strip_suffix("\"]")?)));
    match reference {
        Some((kind, name)) => format!("{}[{name}]", kind.to_lowercase()),
        None => text.to_owned(),
    }
}

/// A recorded run, from a file or a link.
fn recorded(input: &str) -> Result<Vec<u8>, Failure> {
    // Links have limits that a file does not have.
    if !input.contains("://") && !input.starts_with('#') {
        return std::fs::read(input)
            .map_err(|error| unusable(format!("cannot read {input}: {}", crate::host::io_words(&error))));
    }
    let found = program::recorded(input)?;
    let found = found.as_ref().and_then(|shared| shared.trace());
    let found = found.ok_or_else(|| {
        unusable("this link contains a program, not a recorded run; open it with `mclive plan`".into())
    })?;
    Ok(found.to_vec())
}

pub(super) fn replay(args: &cli::Replay) -> Done {
    let path = &args.trace;
    let trace = Trace::read(&recorded(path)?).map_err(|why| unusable(format!("{path}: {why}")))?;
    if trace.n_lost > 0 {
        tell("mclive: warning: the trace ends in the middle of a record; replaying the complete records");
    }
    let mut brain = Brain::new(Sandbox::start()?)?;
    let mut digest = [0; 32];
    for (at, input) in trace.inputs {
        brain.step(at, &[input], |output| {
            let line = line(at, &output);
            digest = chain(digest, &line);
            match (args.show, &output) {
                (cli::Replayed::Outputs, _) => print_json(&format!("{line}\n")),
                (cli::Replayed::Events, Output::Report(event)) => print_json(&format!("{}\n", json::line(event))),
                (cli::Replayed::Events | cli::Replayed::Digest, _) => {}
            }
        })?;
        if crate::output::is_unread() {
            return Ok(GOOD);
        }
    }
    if args.show == cli::Replayed::Digest {
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        print(&format!("{hex}\n"));
    }
    Ok(GOOD)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_reference_of_a_program_names_a_resource() {
        for (text, name) in [
            ("File[\"/etc/motd\"]", "file[/etc/motd]"),
            ("Http:Server[\":80\"]", "http:server[:80]"),
            ("file[/etc/motd]", "file[/etc/motd]"),
            ("exec[\"a]", "exec[\"a]"),
        ] {
            assert_eq!(super::named(text), name);
        }
    }
}
