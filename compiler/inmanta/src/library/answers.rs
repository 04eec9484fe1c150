//! Declared results of functions that are not run: `functions.json` beside the main file.
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

/// The file beside the main file that declares results.
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
    /// Reads the file of a model. Errors: what is wrong in it.
    pub fn read(world: &dyn ProgramFiles, folder: &str) -> Result<Answers, String> {
        let Some(bytes) = world.read(&format!("{folder}{ANSWERS}")) else { return Ok(Answers::default()) };
        let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
        let value = json(text)?;
        let Some(functions) = value.as_dict() else { return Err("expected an object with functions".into()) };
        let mut by_name = BTreeMap::new();
        for (name, entries) in &functions.entries {
            if name.strip_suffix('*').unwrap_or(name).contains('*') {
                return Err(format!("`*` is only allowed at the end of a name, found `{name}`"));
            }
            let Some(entries) = entries.as_list() else {
                return Err(format!("expected a list of results for `{name}`"));
            };
            let entries = entries.iter().map(|entry| Given::read(entry, name)).collect::<Result<_, _>>()?;
            by_name.insert(name.to_string(), entries);
        }
        Ok(Answers { by_name })
    }

    /// How many names there are.
    pub fn n_names(&self) -> usize {
        self.by_name.len()
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

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::source::MemoryWorld;

    fn read(text: &str) -> Result<Answers, String> {
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
