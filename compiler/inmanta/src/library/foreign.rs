//! Functions of modules that are written in Python. They are not run, since this compiler does not host Python. Only
//! their names and signatures are read, to check calls; results may be declared in a file next to the model.

use super::python::{self, Declared};
use super::sample::sample;
use super::signature::Signature;
use super::{Definition, Function};
use crate::eval::{Call, Stop};
use crate::value::{Value, python_json};
use mclive_base::source::ProgramFiles;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use super::answers::{ANSWERS, Answers};

/// The functions declared by the Python files of a namespace. Of those that are built in, the built-in one is used.
pub fn functions(world: &dyn ProgramFiles, folder: &str, namespace: &str) -> Vec<Arc<Function>> {
    let mut words = namespace.split("::");
    let module = words.next().unwrap_or_default();
    let below: Vec<&str> = words.collect();
    let names = if below.is_empty() {
        vec!["__init__.py".to_owned()]
    } else {
        let path = below.join("/");
        vec![format!("{path}.py"), format!("{path}/__init__.py")]
    };
    // The layouts of both generations of modules.
    let bases = [format!("libs/{module}/plugins"), format!("libs/{module}/inmanta_plugins/{module}")];
    let files = bases.iter().flat_map(|base| names.iter().map(move |name| format!("{folder}{base}/{name}")));
    let texts = files.filter_map(|file| world.read(&file));
    let declared = texts.flat_map(|bytes| python::declared(&String::from_utf8_lossy(&bytes)));
    declared.map(|declared| build(namespace, declared)).collect()
}

/// The entities that the Python files of modules register as resources.
pub fn resources(world: &dyn ProgramFiles, folder: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let bases = modules
        .iter()
        .flat_map(|module| [format!("libs/{module}/plugins/"), format!("libs/{module}/inmanta_plugins/{module}/")]);
    let files = bases.flat_map(|base| world.list(&format!("{folder}{base}")));
    let texts = files.filter(|file| file.ends_with(".py")).filter_map(|file| world.read(&file));
    texts.flat_map(|bytes| python::registered(&String::from_utf8_lossy(&bytes))).collect()
}

fn build(namespace: &str, declared: Declared) -> Arc<Function> {
    let name = format!("{namespace}::{}", declared.name);
    if let Some(own) = super::functions(namespace).find(|own| own.name == name) {
        return own.clone();
    }
    let signature = format!("{name}{}", declared.signature);
    let definition = Definition::new("", "", "A function implemented in Python.", run);
    Arc::new(Function {
        parsed: Signature::parse(&signature),
        name: name.into(),
        signature: signature.into(),
        deprecated: declared.deprecated.map(Into::into),
        is_foreign: true,
        ..definition.build()
    })
}

fn run(call: &mut Call<'_, '_>) -> Result<Value, Stop> {
    let mut given: Vec<Value> = call.args.clone();
    given.extend(call.rest.iter().cloned());
    let (answer, work) = call.answers().find(call.function_name(), &given);
    let answer = answer.cloned();
    call.work(work)?;
    let Some(answer) = answer else {
        let n_entries = call.answers().n_entries(call.function_name());
        let result = sample(call.program(), &call.result_type());
        return Err(Stop::Foreign { entry: result.map(|result| example(&given, &result)), n_entries });
    };
    Ok(answer)
}

/// The longest arguments that an example repeats.
const MAX_SHOWN: usize = 60;

/// An entry for a call: its arguments if they are short, and a result.
fn example(args: &[Value], result: &str) -> String {
    let args: Option<Vec<String>> = args.iter().map(python_json).collect();
    let args = args.map(|args| args.join(", ")).filter(|args| !args.is_empty() && args.len() <= MAX_SHOWN);
    let args = args.map(|args| format!("\"args\": [{args}], ")).unwrap_or_default();
    format!("{{{args}\"result\": {result}}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;
    use crate::library::ParamKind;
    use crate::{Setup, compile};
    use mclive_base::source::MemoryWorld;

    #[test]
    fn functions_of_both_layouts_and_of_submodules_are_found() {
        let text = "@plugin\ndef f(a: int) -> str:\n    return a\n";
        let world = MemoryWorld::of([
            ("/libs/m/plugins/__init__.py", text.as_bytes()),
            ("/libs/m/plugins/sub.py", text.as_bytes()),
            ("/libs/n/inmanta_plugins/n/__init__.py", text.as_bytes()),
            ("/libs/n/inmanta_plugins/n/sub/__init__.py", text.as_bytes()),
        ]);
        for namespace in ["m", "m::sub", "n", "n::sub"] {
            let found = functions(&world, "/", namespace);
            let signatures: Vec<&str> = found.iter().map(|function| &*function.signature).collect();
            assert_eq!(signatures, [format!("{namespace}::f(a: int) -> string")]);
        }
        assert!(functions(&world, "/", "m::other").is_empty());
    }

    /// `f("x", 1, 2, flag=true)`
    #[test]
    fn parameters_behind_a_catch_all_have_names_only() {
        let text = "@plugin\ndef f(a, *more, flag: bool = False, **other) -> str:\n    return a\n";
        let world = MemoryWorld::of([("/libs/m/plugins/__init__.py", text.as_bytes())]);
        let found = functions(&world, "/", "m");
        let kinds: Vec<ParamKind> = found[0].params().iter().map(|param| param.kind).collect();
        assert_eq!(kinds, [ParamKind::Plain, ParamKind::Rest, ParamKind::KeywordOnly, ParamKind::Keywords]);
    }

    #[test]
    fn a_built_in_function_stands_for_the_one_in_python() {
        let world = MemoryWorld::of([("/libs/std/plugins/__init__.py", &b"@plugin\ndef upper(s): pass\n"[..])]);
        let found = functions(&world, "/", "std");
        assert!(found.iter().all(|function| function.signature.starts_with("upper(")), "{:?}", found[0].signature);
    }

    #[test]
    fn an_example_repeats_short_arguments() {
        assert_eq!(example(&[Value::str("web")], "1"), "{\"args\": [\"web\"], \"result\": 1}");
        assert_eq!(example(&[], "[]"), "{\"result\": []}");
        assert_eq!(example(&[Value::str(&"x".repeat(99))], "1"), "{\"result\": 1}");
    }

    fn fault(signature: &str, call: &str, answers: &str) -> Box<Fault> {
        let python = format!("@plugin\ndef f{signature}: pass\n");
        let world = MemoryWorld::of([
            ("/main.cf", format!("import m\nx = {call}\n").as_bytes()),
            ("/functions.json", answers.as_bytes()),
            ("/libs/m/model/_init.cf", &b"typedef port as int matching self > 0\nentity E:\nend\n"[..]),
            ("/libs/m/plugins/__init__.py", python.as_bytes()),
        ]);
        compile(&world, "/main.cf", &Setup::default()).faults.remove(0)
    }

    /// The entry that the help shows can be pasted: it is valid JSON, and the result has the right type.
    #[test]
    fn the_help_is_an_entry_that_works() {
        for (result, shown) in [
            ("int", "1"),
            ("\"string\"", "\"...\""),
            ("float", "1.0"),
            ("\"m::port\"", "1"),
            ("str | None", "\"...\""),
            ("\"m::E\" | None", "null"),
            ("dict[str, str]", "{}"),
            ("list[int]", "[]"),
            ("int | str", "1"),
            ("None", "null"),
            ("object", "\"...\""),
        ] {
            let fault = fault(&format!("(a: int) -> {result}"), "m::f(1)", "{}");
            let entry = format!("{{\"args\": [1], \"result\": {shown}}}");
            assert!(fault.help[0].ends_with(&format!("{{\"m::f\": [{entry}]}}")), "{result}: {:?}", fault.help);
            let pasted = MemoryWorld::of([("/functions.json", format!("{{\"m::f\": [{entry}]}}").as_bytes())]);
            assert_eq!(Answers::read(&pasted, "/").map(|answers| answers.n_names()), Ok(1), "{entry}");
        }
        let instance = fault("() -> \"m::E\"", "m::f()", "{}");
        assert!(instance.help[0].contains("cannot be an instance"), "{:?}", instance.help);
    }

    #[test]
    fn entries_that_do_not_match_are_mentioned() {
        let answers = "{\"m::f\": [{\"args\": [2], \"result\": 2}], \"m::*\": [{\"args\": [3], \"result\": 3}]}";
        let fault = fault("(a: int) -> int", "m::f(1)", answers);
        assert!(fault.notes.iter().any(|note| note.contains("none of the 2 entries")), "{:?}", fault.notes);
        assert!(fault.help[0].ends_with("add an entry to `functions.json`: {\"args\": [1], \"result\": 1}"));
    }

    #[test]
    fn a_declared_result_of_another_type_is_explained() {
        let fault = fault("(a: int) -> int", "m::f(1)", "{\"m::f\": [{\"result\": \"80\"}]}");
        assert!(fault.help.iter().any(|help| help.contains("declared in `functions.json`")), "{fault:?}");
    }
}
