//! Functions of modules that are written in Python. They are not run: that is somebody's code in a
//! language that this compiler does not host. What is read of them is their names and signatures,
//! so that calls are checked; answers may be declared in a file beside the model.

use super::signature::Signature;
use super::{Definition, Function};
use crate::eval::{Call, Stop};
use crate::value::{Value, json};
use mclive_base::source::ProgramFiles;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The file beside the main file that declares answers.
pub const ANSWERS: &str = "functions.json";

/// Declared answers: by function, the arguments as JSON with the answer.
pub type Answers = BTreeMap<String, Vec<(Option<Vec<Value>>, Value)>>;

/// Reads the declared answers: `{"m::f": [{"args": [1], "result": 2}, {"result": 3}]}`; an entry
/// without arguments answers every call.
pub fn answers(world: &dyn ProgramFiles, folder: &str) -> Result<Answers, String> {
    let mut out = Answers::new();
    let Some(bytes) = world.read(&format!("{folder}{ANSWERS}")) else { return Ok(out) };
    let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
    let value = json(text)?;
    let Some(functions) = value.as_dict() else { return Err("it has to be an object of functions".into()) };
    for (name, entries) in &functions.entries {
        let Some(entries) = entries.as_list() else { return Err(format!("`{name}` has to be a list of answers")) };
        let mut list = Vec::new();
        for entry in entries {
            let result = entry.as_dict().and_then(|entry| entry.entries.get("result"));
            let Some(result) = result else { return Err(format!("an answer of `{name}` has no `result`")) };
            let args = entry.as_dict().and_then(|entry| entry.entries.get("args")).and_then(Value::as_list);
            list.push((args.map(<[Value]>::to_vec), result.clone()));
        }
        out.insert(name.to_string(), list);
    }
    Ok(out)
}

/// The functions that the Python files of a namespace declare.
pub fn functions(world: &dyn ProgramFiles, folder: &str, namespace: &str) -> Vec<Arc<Function>> {
    let mut words = namespace.split("::");
    let module = words.next().unwrap_or_default();
    let below: Vec<&str> = words.collect();
    let base = format!("{folder}libs/{module}/plugins");
    let files = if below.is_empty() {
        vec![format!("{base}/__init__.py")]
    } else {
        let path = below.join("/");
        vec![format!("{base}/{path}.py"), format!("{base}/{path}/__init__.py")]
    };
    let texts = files.iter().filter_map(|file| world.read(file));
    texts.flat_map(|bytes| declared(&String::from_utf8_lossy(&bytes), namespace)).collect()
}

/// `@plugin` with the `def` behind it.
fn declared(text: &str, namespace: &str) -> Vec<Arc<Function>> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (nr, line) in lines.iter().enumerate() {
        let Some(rest) = line.strip_prefix("@plugin") else { continue };
        let given = rest.split('"').nth(1);
        let Some(start) = lines[nr..].iter().position(|line| line.starts_with("def ")).map(|at| nr + at) else {
            continue;
        };
        let mut head = String::new();
        for line in &lines[start..] {
            head += line;
            if line.trim_end().ends_with(':') {
                break;
            }
        }
        let Some((own, rest)) = head.trim_start_matches("def ").split_once('(') else { continue };
        let Some((params, result)) = rest.rsplit_once(')') else { continue };
        let name = format!("{namespace}::{}", given.unwrap_or(own.trim()));
        let result = result.trim().trim_start_matches("->").trim_end_matches(':').trim();
        let signature = format!("{name}({}) -> {}", types(params), unquoted(result));
        found.push(Arc::new(build(name, signature)));
    }
    found
}

/// Parameters with their types as the language writes them.
fn types(params: &str) -> String {
    let parts = super::signature::split(params);
    let shown = parts.iter().map(|param| {
        let (param, default) = param.split_once('=').map_or((*param, None), |(param, default)| (param, Some(default)));
        let (name, ty) = param.split_once(':').map_or((param, ""), |(name, ty)| (name, ty));
        let default = default.map(|default| match default.trim() {
            "None" => "null".to_owned(),
            "True" => "true".to_owned(),
            "False" => "false".to_owned(),
            other => other.to_owned(),
        });
        let default = default.map(|default| format!(" = {default}")).unwrap_or_default();
        (!ty.contains("Context")).then(|| format!("{}: {}{default}", name.trim(), unquoted(ty.trim())))
    });
    shown.flatten().collect::<Vec<_>>().join(", ")
}

/// A type that is a text names one of the language; others are not checked.
fn unquoted(ty: &str) -> &str {
    let text = ty.strip_prefix(['"', '\'']).and_then(|ty| ty.strip_suffix(['"', '\'']));
    text.unwrap_or("any")
}

fn build(name: String, signature: String) -> Function {
    let definition = Definition::new("", "", "A function of a module that is written in Python.", run);
    Function {
        parsed: Signature::parse(&signature),
        name: name.into(),
        signature: signature.into(),
        ..definition.build()
    }
}

fn run(call: &mut Call<'_, '_>) -> Result<Value, Stop> {
    let name = call.function_name().to_owned();
    let mut given: Vec<Value> = call.args.clone();
    given.extend(call.rest.iter().cloned());
    let entries = call.answers().get(&name);
    let answer = entries.and_then(|entries| {
        entries.iter().find(|(args, _)| {
            args.as_ref().is_none_or(|args| {
                args.len() <= given.len() && args.iter().zip(&given).all(|(a, b)| crate::value::same(a, b))
            })
        })
    });
    match answer {
        Some((_, value)) => Ok(value.clone()),
        None => Err(Stop::Foreign),
    }
}
