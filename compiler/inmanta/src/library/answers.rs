//! Declared results of functions that are not run: `functions.json` next to the main file.
//!
//! ```json
//! {
//!   "m::f": [{"args": ["web"], "result": 80}, {"args": [{"matching": "db-.*"}], "result": 5432}],
//!   "m::is_*": [{"result": true}]
//! }
//! ```

use crate::pattern::Pattern;
use crate::value::{Value, json};
use mclive_base::source::ProgramFiles;
use std::collections::BTreeMap;

/// The file next to the main file that declares results.
pub const ANSWERS: &str = "functions.json";

/// The declared results, by the name of a function, or by the start of names before a `*`.
#[derive(Debug, Default)]
pub struct Answers {
    by_name: BTreeMap<String, Vec<Given>>,
}

#[derive(Debug)]
struct Given {
    /// Of the first arguments; `None` matches every call.
    args: Option<Vec<Wanted>>,
    result: Value,
}

#[derive(Debug)]
enum Wanted {
    Equal(Value),
    Matching(Pattern),
    Any,
}

impl Answers {
    /// Reads the file of a model. Errors: all that is wrong in it.
    pub fn read(world: &dyn ProgramFiles, folder: &str) -> Result<Answers, Vec<String>> {
        let Some(bytes) = world.read(&format!("{folder}{ANSWERS}")) else { return Ok(Answers::default()) };
        let text = std::str::from_utf8(&bytes).map_err(|_| vec!["it is not UTF-8 text".to_owned()])?;
        let value = json(text).map_err(|error| vec![reworded(&error)])?;
        let Some(functions) = value.as_dict() else { return Err(vec!["expected an object with functions".to_owned()]) };
        let (mut by_name, mut wrong) = (BTreeMap::new(), Vec::new());
        for (name, entries) in &functions.entries {
            if name.strip_suffix('*').unwrap_or(name).contains('*') {
                wrong.push(format!("`*` is only allowed at the end of a name, found `{name}`"));
            }
            let Some(entries) = entries.as_list() else {
                wrong.push(format!("expected a list of results for `{name}`: `[{{\"result\": ...}}]`"));
                continue;
            };
            let mut given = Vec::with_capacity(entries.len());
            for entry in entries {
                match Given::read(entry, name) {
                    Ok(entry) => given.push(entry),
                    Err(error) => wrong.push(error),
                }
            }
            by_name.insert(name.to_string(), given);
        }
        if wrong.is_empty() { Ok(Answers { by_name }) } else { Err(wrong) }
    }

    /// The names that have results.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The number of entries for a function, with any arguments.
    pub(super) fn n_entries(&self, function: &str) -> usize {
        let is_for = |name: &str| match name.strip_suffix('*') {
            Some(start) => function.starts_with(start),
            None => name == function,
        };
        self.by_name.iter().filter(|(name, _)| is_for(name)).map(|(_, entries)| entries.len()).sum()
    }

    /// How many names there are.
    pub fn n_names(&self) -> usize {
        self.by_name.len()
    }

    /// The result for a call of a built-in function, and the work of finding it. Starts of names are for those in Python.
    pub(super) fn of_builtin(&self, function: &str, args: &[Value]) -> (Option<&Value>, u64) {
        let mut work = 0;
        for entry in self.by_name.get(function).into_iter().flatten() {
            work += 1;
            if entry.fits(args, &mut work) {
                return (Some(&entry.result), work);
            }
        }
        (None, work)
    }

    /// The result for a call, and the work of finding it: the first entry that fits, of the function itself or
    /// else of the longest start of its name.
    pub(super) fn find(&self, function: &str, args: &[Value]) -> (Option<&Value>, u64) {
        let mut work = 0;
        let starts = (0..=function.len()).rev().filter(|at| function.is_char_boundary(*at));
        let names = std::iter::once(function.to_owned()).chain(starts.map(|at| format!("{}*", &function[..at])));
        for entry in names.filter_map(|name| self.by_name.get(&name)).flatten() {
            work += 1;
            if entry.fits(args, &mut work) {
                return (Some(&entry.result), work);
            }
        }
        (None, work)
    }
}

impl Given {
    fn read(entry: &Value, name: &str) -> Result<Given, String> {
        let Some(entry) = entry.as_dict() else {
            return Err(format!("expected an object in the results of `{name}`"));
        };
        if let Some(unknown) = entry.entries.keys().find(|key| !matches!(&***key, "args" | "result")) {
            return Err(format!("unknown key `{unknown}` in a result of `{name}`: expected `args` or `result`"));
        }
        let Some(result) = entry.entries.get("result") else {
            return Err(format!("missing `result` in a result of `{name}`"));
        };
        let args = match entry.entries.get("args") {
            Some(Value::List(args)) => {
                Some(args.items.iter().map(|arg| Wanted::read(arg, name)).collect::<Result<_, _>>()?)
            }
            Some(_) => return Err(format!("expected a list as `args` in a result of `{name}`")),
            None => None,
        };
        Ok(Given { args, result: result.clone() })
    }

    fn fits(&self, given: &[Value], work: &mut u64) -> bool {
        let Some(args) = &self.args else { return true };
        args.len() <= given.len() && args.iter().zip(given).all(|(wanted, given)| wanted.fits(given, work))
    }
}

impl Wanted {
    /// `{"matching": "db-.*"}` and `{"any": true}` describe an argument; other values are compared.
    fn read(value: &Value, name: &str) -> Result<Wanted, String> {
        let only = value.as_dict().filter(|dict| dict.entries.len() == 1).and_then(|dict| dict.entries.first());
        match only {
            Some((key, Value::Str(source))) if **key == *"matching" => match Pattern::new(source) {
                Ok(pattern) => Ok(Wanted::Matching(pattern)),
                Err(bad) => Err(format!("invalid regular expression `{source}` in a result of `{name}`: {bad}")),
            },
            Some((key, Value::Bool(true))) if **key == *"any" => Ok(Wanted::Any),
            _ => Ok(Wanted::Equal(value.clone())),
        }
    }

    fn fits(&self, given: &Value, work: &mut u64) -> bool {
        match (self, given) {
            (Wanted::Any, _) => true,
            (Wanted::Matching(pattern), Value::Str(text)) => {
                let (matches, steps) = pattern.matches_start(text);
                *work = work.saturating_add(steps);
                matches.unwrap_or(false)
            }
            (Wanted::Matching(_), _) => false,
            (Wanted::Equal(wanted), given) => {
                *work += wanted.size() / 64;
                crate::value::same(wanted, given)
            }
        }
    }
}

/// An error of the JSON reader, which uses Python's words: `Expecting value: line 1 column 2 (char 1)`.
fn reworded(error: &str) -> String {
    let Some((what, place)) = error.split_once(": line ") else { return error.to_owned() };
    let Some((line, rest)) = place.split_once(" column ") else { return error.to_owned() };
    let (column, _) = rest.split_once(" (char ").unwrap_or((rest, ""));
    let what = match what {
        "Illegal trailing comma before end of array" | "Illegal trailing comma before end of object" => {
            "remove the trailing comma"
        }
        "Expecting value" => "expected a value",
        "Expecting ',' delimiter" => "expected `,`",
        "Expecting ':' delimiter" => "expected `:`",
        "Expecting property name enclosed in double quotes" => "expected a name in double quotes",
        "Extra data" => "unexpected text after the end",
        other => other,
    };
    format!("line {line}, column {column}: {what}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::source::MemoryWorld;

    fn read(text: &str) -> Result<Answers, Vec<String>> {
        Answers::read(&MemoryWorld::of([("/functions.json", text.as_bytes())]), "/")
    }

    #[test]
    fn results_are_read_strictly() {
        let sound = read("{\"m::f\": [{\"args\": [1], \"result\": 2}, {\"result\": 3}]}");
        assert_eq!(sound.map(|answers| answers.n_names()), Ok(1));
        for text in [
            "[]",
            "{\"f\": 1}",
            "{\"f\": [1]}",
            "{\"f\": [{\"args\": {}, \"result\": 1}]}",
            "{\"f\": [{\"agrs\": [], \"result\": 1}]}",
            "{\"f\": [{}]}",
            "{\"f*g\": []}",
            "{\"f\": [{\"args\": [{\"matching\": \"(\"}], \"result\": 1}]}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_mistake_is_reported() {
        let found = read("{\"f\": 1, \"g*h\": [], \"i\": [{\"agrs\": []}, {\"result\": 1}, {}]}").unwrap_err();
        assert_eq!(found.len(), 4, "{found:?}");
    }

    #[test]
    fn mistakes_in_json_have_our_words() {
        for (text, words) in [
            ("{\"f\": [1, ]}", "line 1, column 9: remove the trailing comma"),
            ("{\n  \"f\": [],\n}", "line 2, column 10: remove the trailing comma"),
            ("{\"f\": []\n\"g\": []}", "line 2, column 1: expected `,`"),
            ("{f: []}", "line 1, column 2: expected a name in double quotes"),
            ("{\"f\" []}", "line 1, column 6: expected `:`"),
            ("{\"f\": True}", "line 1, column 7: expected a value"),
            ("{} x", "line 1, column 4: unexpected text after the end"),
        ] {
            assert_eq!(read(text).unwrap_err(), [words], "{text}");
        }
    }

    #[test]
    fn the_first_entry_that_fits_is_used() {
        let answers = read(
            r#"{
            "*": [{"result": "any"}],
            "m::*": [{"args": [1], "result": "one"}],
            "m::is_*": [{"result": "is"}],
            "m::f": [
                {"args": ["web"], "result": "fixed"},
                {"args": [{"matching": "db-[0-9]+$"}], "result": "pattern"},
                {"args": [{"any": true}, {"any": false}], "result": "second"}
            ]
        }"#,
        )
        .unwrap();
        let found = |name: &str, args: &[Value]| {
            answers.find(name, args).0.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let no = Value::dict([("any".into(), Value::Bool(false))].into_iter().collect()).unwrap_or(Value::Null);
        assert_eq!(found("m::f", &[Value::str("web")]), "fixed");
        assert_eq!(found("m::f", &[Value::str("db-12")]), "pattern");
        assert_eq!(found("m::f", &[Value::str("db-x")]), "any");
        assert_eq!(found("m::f", &[Value::int(2), no]), "second");
        assert_eq!(found("m::f", &[Value::int(1)]), "one");
        assert_eq!(found("m::is_it", &[]), "is");
        assert_eq!(found("n::f", &[]), "any");
        assert_eq!(read("{}").unwrap().find("m::f", &[]).0.map(Value::kind), None);
    }
}
