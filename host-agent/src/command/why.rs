//! `why`: the causes of the last check and the last steps of a resource, from a log or from the running agent.
//! `replay`: replays a recorded run.

use super::{Done, GOOD, REFUSED, unusable};
use crate::cli;
use crate::embed::{Brain, Sandbox};
use crate::host::io_words;
use crate::output::{print, print_json, tell};
use crate::program::{self, Failure};
use crate::show::{History, json, told};
use mclive_base::protocol::Output;
use mclive_base::protocol::digest::{chain, line};
use mclive_base::protocol::trace::{MAGIC, Trace};
use mclive_base::unicode::visible;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The maximum number of bytes of a line of a log, far more than any has.
const LONGEST_LINE: u64 = 64 << 20;
/// The maximum number of bytes of a recording that are read; `run --record` writes less.
const LARGEST_TRACE: u64 = 2 << 30;

pub(super) fn why(args: &cli::Why) -> Done {
    let resource = &named(&args.resource);
    let (lines, near) = match &args.log {
        Some(path) => {
            let mut history = History::default();
            // A rotated log continues in the file with the original name.
            for path in crate::rotate::files(path) {
                read_log(&path, &mut history)?;
            }
            let near: Vec<String> = history.near(resource).into_iter().map(|id| format!("`{}`", visible(id))).collect();
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
        tell(&format!("mclive: no record of `{}`{hint}", visible(resource)));
        return Ok(REFUSED);
    }
    match args.json {
        true => print_json(&(lines.join("\n") + "\n")),
        false => print(&told(resource, &lines)),
    }
    Ok(GOOD)
}

/// Reads the lines of a log. Errors: it cannot be read, or is not a log: a device may never end.
fn read_log(path: &Path, history: &mut History) -> Result<(), Failure> {
    let shown = path.display();
    let fails = |error: std::io::Error| unusable(format!("cannot read {shown}: {}", io_words(&error)));
    let mut log = BufReader::new(File::open(path).map_err(fails)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = log.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(fails)? as u64;
        if length == LONGEST_LINE {
            return Err(unusable(format!("{shown} is not a log: a line is longer than {} MiB", LONGEST_LINE >> 20)));
        }
        if length == 0 {
            return Ok(());
        }
        history.take_line(String::from_utf8_lossy(&line).trim_end_matches('\n'));
    }
}

/// `File["/etc/motd"]`, as a program refers to a resource, is `file[/etc/motd]` in a log. A shell removes the quotes.
fn named(text: &str) -> String {
    let Some((kind, name)) = text.split_once('[') else { return text.to_owned() };
    let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix("\"]"));
    let name = quoted.map_or_else(|| name.to_owned(), |name| format!("{name}]"));
    format!("{}[{name}", kind.to_lowercase())
}

/// A recorded run, from a file or a link.
fn recorded(input: &str) -> Result<Vec<u8>, Failure> {
    // Links have limits that a file does not have.
    if !input.contains("://") && !input.starts_with('#') {
        return from_file(input).map_err(|error| unusable(format!("cannot read {input}: {}", io_words(&error))));
    }
    let found = program::recorded(input)?;
    let found = found.as_ref().and_then(|shared| shared.trace());
    let found = found.ok_or_else(|| {
        unusable("this link contains a program, not a recorded run; open it with `mclive plan`".into())
    })?;
    Ok(found.to_vec())
}

/// A recording; of anything else only the first bytes.
fn from_file(path: &str) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC {
        file.take(LARGEST_TRACE).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

pub(super) fn replay(args: &cli::Replay) -> Done {
    let path = &args.trace;
    let trace = Trace::read(&recorded(path)?).map_err(|why| unusable(format!("{path}: {why}")))?;
    if trace.n_lost > 0 {
        // It was cut off while it was written, or changed since: only what comes before is certain.
        let (n_whole, n_lost) = (trace.inputs.len(), trace.n_lost);
        if n_whole == 0 {
            return Err(unusable(format!("{path}: the recording is damaged: its first input cannot be read")));
        }
        tell(&format!(
            "mclive: warning: the last {n_lost} bytes of the recording are incomplete or damaged; replaying the {n_whole} \
             inputs before them"
        ));
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
            ("File[/etc/motd]", "file[/etc/motd]"),
            ("Http:Server[\":80\"]", "http:server[:80]"),
            ("File[/srv/A[1]]", "file[/srv/A[1]]"),
            ("/etc/Motd", "/etc/Motd"),
            ("file[/etc/motd]", "file[/etc/motd]"),
            ("exec[\"a]", "exec[\"a]"),
        ] {
            assert_eq!(super::named(text), name);
        }
    }
}
