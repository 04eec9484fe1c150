//! A golden case: its files and settings.

use mclive_inmanta::load::AutoStd;
use std::collections::BTreeMap;

#[derive(Default, Debug)]
pub(crate) struct Case {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) environment: BTreeMap<String, String>,
    /// Those of the shared store, by key.
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) precedence: Vec<(String, String)>,
    pub(crate) std: AutoStd,
    pub(crate) exports: bool,
    pub(crate) output: String,
}

impl Case {
    pub(crate) fn parse(text: &str) -> Case {
        let mut case = Case { exports: true, ..Case::default() };
        let mut name: Option<String> = None;
        let mut body = String::new();
        // Only `\n` ends a line: files may have other line ends in them.
        for line in text.split_inclusive('\n') {
            let header = line.trim_end_matches('\n').strip_prefix("-- ").and_then(|line| line.strip_suffix(" --"));
            match header {
                Some(next) => {
                    if let Some(name) = name.replace(next.to_owned()) {
                        case.add(&name, std::mem::take(&mut body));
                    }
                    body.clear();
                }
                None => body.push_str(line),
            }
        }
        if let Some(name) = name {
            case.add(&name, body);
        }
        case
    }

    fn add(&mut self, name: &str, body: String) {
        match name {
            "OUTPUT" => self.output = body,
            "settings.txt" => body.lines().for_each(|line| self.setting(line)),
            name => self.files.push((name.to_owned(), body)),
        }
    }

    fn setting(&mut self, line: &str) {
        let Some((key, value)) = line.split_once(": ") else { return };
        match key {
            "env" => self.environment.extend(value.split_once('=').map(|(name, value)| (name.into(), value.into()))),
            // A key may contain `=`.
            "fact" => self.facts.extend(value.rsplit_once('=').map(|(key, value)| (key.into(), value.into()))),
            "precedence" => {
                self.precedence
                    .extend(value.split_once(" before ").map(|(first, second)| (first.into(), second.into())));
            }
            "std" => {
                self.std = match value {
                    "none" => AutoStd::RootOnly,
                    "mini" => AutoStd::Mini,
                    _ => AutoStd::Whole,
                }
            }
            "export" => self.exports = value != "no",
            other => panic!("unknown setting {other}"),
        }
    }
}
