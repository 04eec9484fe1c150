//! Options from a file: `--config FILE`. It is TOML, with a table for each command:
//!
//! ```toml
//! [run]
//! world = ["https://10.0.0.1:2379", "https://10.0.0.2:2379"]
//! world-ttl = 30
//! prometheus = true
//! ```
//!
//! The options are added to the command line, except those that it already has, under any name, and those that conflict
//! with it. So they take precedence over environment variables, and the command line over them. With `false`, an option
//! is unset, and its variable is ignored.

use clap::{Arg, Command};
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

/// The parser and the words of a command line with the options of its file, if it names one. Errors: why it cannot be used.
pub(super) fn with_file(
    parser: Command,
    mut words: Vec<OsString>,
    read: impl FnOnce(&Path) -> Result<String, String>,
) -> Result<(Command, Vec<OsString>), String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let value = |word: &OsString| word.to_str()?.strip_prefix(OPTION)?.strip_prefix('=').map(OsString::from);
    let Some(at) = words[..end].iter().position(|word| word == OPTION || value(word).is_some()) else {
        return Ok((parser, words));
    };
    let (path, path_at) = match value(&words[at]) {
        Some(path) => (Some(path), at),
        None => (words[..end].get(at + 1).cloned(), at + 1),
    };
    let is_command = |at: usize| at != path_at && !words[at].as_encoded_bytes().starts_with(b"-");
    // What is missing is said when the words are parsed.
    let (Some(path), Some(command_at)) = (path, (1..end).find(|at| is_command(*at))) else {
        return Ok((parser, words));
    };
    let text = read(Path::new(&path)).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
    let mut tables: BTreeMap<String, BTreeMap<String, Setting>> =
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let command = words[command_at].to_str().unwrap_or_default().to_owned();
    let is_given = |option: &String| {
        let names_it =
            |word: &str| word.strip_prefix(&**option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        words[..end].iter().any(|word| word.to_str().is_some_and(names_it))
    };
    let mut added: Vec<OsString> = Vec::new();
    let (mut set, mut unset): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (name, setting) in tables.remove(&command).unwrap_or_default() {
        let option = format!("--{name}");
        let known = parser.find_subcommand(&command).and_then(|command| spellings_with(command, &option));
        let spellings = known.clone().unwrap_or_else(|| vec![option.clone()]);
        if let Some(other) = set.iter().find(|other| spellings.contains(other)) {
            return Err(format!("{}: {other} and {option} are the same option", path.display()));
        }
        set.push(option.clone());
        if spellings.iter().any(is_given) {
            continue;
        }
        match setting {
            Setting::Switch(false) if known.is_some() => unset.extend(spellings),
            _ if parser.find_subcommand(&command).is_some_and(|command| is_excluded(command, &option, is_given)) => {}
            // That there is no such option is said when the words are parsed.
            Setting::Switch(_) => added.push(option.into()),
            Setting::Number(number) => added.push(format!("{option}={number}").into()),
            Setting::Text(text) => added.push(format!("{option}={text}").into()),
            Setting::List(items) => added.extend(items.iter().map(|item| OsString::from(format!("{option}={item}")))),
        }
    }
    let behind = command_at + 1;
    words.splice(behind..behind, added);
    Ok((without_variables(parser, &command, &unset), words))
}

/// Whether the command line has an option that cannot be combined with this one, such as `--unlock` with `--wait`.
fn is_excluded(command: &Command, option: &str, is_given: impl Fn(&String) -> bool) -> bool {
    let has = |arg: &Arg, is_one: &dyn Fn(&String) -> bool| spellings(arg).iter().any(is_one);
    let Some(arg) = command.get_arguments().find(|arg| has(arg, &|spelling: &String| spelling == option)) else {
        return false;
    };
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    let mut given = command.get_arguments().filter(|arg| has(arg, &is_given));
    given.any(|given| excludes(given, arg) || excludes(arg, given))
}

/// All spellings of the option of a command that has this one; `None`: there is no such option.
fn spellings_with(command: &Command, option: &str) -> Option<Vec<String>> {
    command.get_arguments().map(spellings).find(|all| all.iter().any(|spelling| spelling == option))
}

/// `--world` and `--seeds`, `--verbose` and `-v`; nothing for an argument that is not an option.
fn spellings(arg: &Arg) -> Vec<String> {
    let long = arg.get_long().into_iter().chain(arg.get_all_aliases().into_iter().flatten());
    let short = arg.get_short().map(|letter| format!("-{letter}"));
    long.map(|name| format!("--{name}")).chain(short).collect()
}

/// The parser of this command ignores the environment variables of these options.
fn without_variables(parser: Command, command: &str, options: &[String]) -> Command {
    let is_one = |arg: &Arg| spellings(arg).iter().any(|spelling| options.contains(spelling));
    let ignoring = |arg: Arg| if is_one(&arg) { arg.env(None::<&'static str>) } else { arg };
    parser.mut_subcommands(|of| if of.get_name() == command { of.mut_args(ignoring) } else { of })
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command};
    use super::*;
    use clap::{CommandFactory, Parser};

    const FILE: &str = "[run]\nworld = ['http://127.0.0.1:1', 'http://127.0.0.1:2']\nprometheus = true\nonce = false\n\
                        world-ttl = 20\n[deploy]\nnote = 'two words'\n";

    fn read(line: &str, file: &str) -> Result<(clap::Command, Vec<OsString>), String> {
        with_file(Cli::command(), line.split(' ').map(OsString::from).collect(), |path| match path.to_str() {
            Some("f") => Ok(file.to_owned()),
            _ => Err("not found".into()),
        })
    }

    fn words(line: &str, file: &str) -> Result<Vec<OsString>, String> {
        read(line, file).map(|(_, words)| words)
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
        expect[5] = "--seeds=http://127.0.0.1:3";
        check(&line.replace("--world", "--seeds").replace("--seeds-ttl", "--world-ttl"), &expect);
        let verbose = words("mclive test -v --config f m", "[test]\nverbose = true\n").unwrap();
        assert_eq!(verbose, ["mclive", "test", "-v", "--config", "f", "m"]);
        for line in ["mclive run m", "mclive run m -- --config f", "mclive run --config", "mclive --config f"] {
            check(line, &line.split(' ').collect::<Vec<_>>());
        }
    }

    #[test]
    fn false_ignores_the_variable_of_an_option() {
        let file = "[run]\nseeds = false\nprefix = false\n[world]\nworld-plain = false\n";
        let has_variable = |line: &str, command: &str, option: &str| {
            let (parser, _) = read(line, file).unwrap();
            let of = parser.find_subcommand(command).unwrap();
            of.get_arguments().find(|arg| arg.get_long() == Some(option)).unwrap().get_env().is_some()
        };
        let run = "mclive run --config f m";
        assert!(!has_variable(run, "run", "world") && !has_variable(run, "run", "prefix"));
        assert!(has_variable(run, "run", "max-runtime") && has_variable(run, "plan", "prefix"));
        assert!(has_variable("mclive run --config f --prefix /p m", "run", "prefix"), "the command line counts more");
        assert!(!has_variable("mclive world --config f status", "world", "world-plain"));
        assert_eq!(words(run, file).unwrap(), ["mclive", "run", "--config", "f", "m"]);
        let unknown = words(run, "[run]\nonec = false\n").unwrap();
        assert_eq!(unknown[2], "--onec", "it is refused with the other words");
    }

    /// A file is for every call of a command, also for one that is about something else.
    #[test]
    fn what_cannot_be_combined_with_the_command_line_is_left_out() {
        let file = "[run]\nprefix = '/var/a'\nonce = true\n[deploy]\nwait = 60\nnote = 'n'\n";
        let run = words("mclive run --config f --tmp-prefix m", file).unwrap();
        assert_eq!(run, ["mclive", "run", "--once", "--config", "f", "--tmp-prefix", "m"]);
        let deploy = words("mclive deploy --config f --unlock", file).unwrap();
        assert_eq!(deploy, ["mclive", "deploy", "--config", "f", "--unlock"]);
    }

    #[test]
    fn one_option_by_two_names_is_an_error() {
        let both = "[run]\nseeds = ['http://127.0.0.1:1']\nworld = ['http://127.0.0.1:2']\n";
        assert_eq!(words("mclive run --config f m", both).unwrap_err(), "f: --seeds and --world are the same option");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_an_error() {
        assert_eq!(words("mclive run --config other m", FILE).unwrap_err(), "cannot read other: not found");
        assert!(words("mclive run --config f m", "world = 1").unwrap_err().starts_with("f: "));
    }
}
