//! Functions of modules that are written in Python. They are not run, since this compiler does not host Python. Only
//! their names and signatures are read, to check calls; results may be declared in a file beside the model.

use super::python::{self, Declared};
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
        ..definition.build()
    })
}

fn run(call: &mut Call<'_, '_>) -> Result<Value, Stop> {
    let mut given: Vec<Value> = call.args.clone();
    given.extend(call.rest.iter().cloned());
    let (answer, work) = call.answers().find(call.function_name(), &given);
    let answer = answer.cloned();
    call.work(work)?;
    answer.ok_or_else(|| Stop::Foreign(example(&given, call.result_name())))
}

/// The longest arguments that an example repeats.
const MAX_SHOWN: usize = 60;

/// An entry for a call: its arguments if they are short, and a result of the right type.
fn example(args: &[Value], result: &str) -> String {
    let args: Option<Vec<String>> = args.iter().map(python_json).collect();
    let args = args.map(|args| args.join(", ")).filter(|args| !args.is_empty() && args.len() <= MAX_SHOWN);
    let args = args.map(|args| format!("\"args\": [{args}], ")).unwrap_or_default();
    let result = match result {
        "string" => "\"...\"",
        "int" => "1",
        "float" => "1.0",
        "bool" => "true",
        "dict" => "{}",
        list if list == "list" || list.ends_with("[]") => "[]",
        _ => "...",
    };
    format!("{{{args}\"result\": {result}}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::ParamKind;
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
        assert_eq!(example(&[Value::str("web")], "int"), "{\"args\": [\"web\"], \"result\": 1}");
        assert_eq!(example(&[], "m::T[]"), "{\"result\": []}");
        assert_eq!(example(&[Value::str(&"x".repeat(99))], "any"), "{\"result\": ...}");
    }
}
