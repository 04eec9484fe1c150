//! Options from a file: `--config FILE`. It is TOML, with a table for each command:
//!
//! ```toml
//! [run]
//! world = ["https://10.0.0.1:2379", "https://10.0.0.2:2379"]
//! world-ttl = 30
//! prometheus = true
//! ```
//!
//! The options become words of the command line, except those that it has already.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

const OPTION: &str = "--config";

/// The value of an option.
#[derive(Deserialize)]
#[serde(untagged)]
enum Setting {
    Switch(bool),
    Number(i64),
    Text(String),
    List(Vec<String>),
}

/// The words of a command line with the options of its file, if it names one. Errors: why it cannot be used.
pub(super) fn with_file(
    mut words: Vec<OsString>,
    read: impl FnOnce(&Path) -> Result<String, String>,
) -> Result<Vec<OsString>, String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let value = |word: &OsString| word.to_str()?.strip_prefix(OPTION)?.strip_prefix('=').map(OsString::from);
    let Some(at) = words[..end].iter().position(|word| word == OPTION || value(word).is_some()) else {
        return Ok(words);
    };
    let (path, path_at) = match value(&words[at]) {
        Some(path) => (Some(path), at),
        None => (words[..end].get(at + 1).cloned(), at + 1),
    };
    let is_command = |at: usize| at != path_at && !words[at].as_encoded_bytes().starts_with(b"-");
    // What is missing is said when the words are parsed.
    let (Some(path), Some(command_at)) = (path, (1..end).find(|at| is_command(*at))) else { return Ok(words) };
    let text = read(Path::new(&path)).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
    let mut tables: BTreeMap<String, BTreeMap<String, Setting>> =
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let settings = words[command_at].to_str().and_then(|command| tables.remove(command)).unwrap_or_default();
    let is_given = |option: &str| {
        let names_it =
            |word: &str| word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        words[..end].iter().any(|word| word.to_str().is_some_and(names_it))
    };
    let mut added: Vec<OsString> = Vec::new();
    for (name, setting) in settings {
        let option = format!("--{name}");
        if is_given(&option) {
            continue;
        }
        match setting {
            Setting::Switch(true) => added.push(option.into()),
            Setting::Switch(false) => {}
            Setting::Number(number) => added.push(format!("{option}={number}").into()),
            Setting::Text(text) => added.push(format!("{option}={text}").into()),
            Setting::List(items) => added.extend(items.iter().map(|item| OsString::from(format!("{option}={item}")))),
        }
    }
    let behind = command_at + 1;
    words.splice(behind..behind, added);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command};
    use super::*;
    use clap::Parser;

    const FILE: &str = "[run]\nworld = ['http://127.0.0.1:1', 'http://127.0.0.1:2']\nprometheus = true\nonce = false\n\
                        world-ttl = 20\n[deploy]\nnote = 'two words'\n";

    fn words(line: &str, file: &str) -> Result<Vec<OsString>, String> {
        with_file(line.split(' ').map(OsString::from).collect(), |path| match path.to_str() {
            Some("f") => Ok(file.to_owned()),
            _ => Err("not found".into()),
        })
    }

    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let words = words(line, FILE).unwrap();
        assert_eq!(words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn the_options_of_a_command_come_from_its_table() {
        let world = ["--world=http://127.0.0.1:1", "--world=http://127.0.0.1:2"];
        let run = ["mclive", "run", "--prometheus", world[0], world[1], "--world-ttl=20", "--config", "f", "m"];
        check("mclive run --config f m", &run);
        check("mclive --config=f deploy m", &["mclive", "--config=f", "deploy", "--note=two words", "m"]);
        check("mclive check --config f m", &["mclive", "check", "--config", "f", "m"]);
        let Ok(Cli { command: Command::Run(run), .. }) = Cli::try_parse_from(run) else { panic!("a run") };
        assert_eq!((run.work.fleet.world.len(), run.work.fleet.world_ttl, run.once), (2, 20, false));
    }

    #[test]
    fn the_command_line_counts_more() {
        let line = "mclive run --config f --world=http://127.0.0.1:3 --world-ttl 9 m";
        let mut expect: Vec<&str> = line.split(' ').collect();
        expect.insert(2, "--prometheus");
        check(line, &expect);
        for line in ["mclive run m", "mclive run m -- --config f", "mclive run --config", "mclive --config f"] {
            check(line, &line.split(' ').collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_an_error() {
        assert_eq!(words("mclive run --config other m", FILE).unwrap_err(), "cannot read other: not found");
        assert!(words("mclive run --config f m", "world = 1").unwrap_err().starts_with("f: "));
    }
}
