//! Functions of modules that are written in Python. They are not run, since this compiler does not host Python. Only
//! their names and signatures are read, to check calls; answers may be declared in a file beside the model.

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

/// Reads the declared answers: `{"m::f": [{"args": [1], "result": 2}, {"result": 3}]}`; an entry without arguments
/// answers every call.
pub fn answers(world: &dyn ProgramFiles, folder: &str) -> Result<Answers, String> {
    let mut out = Answers::new();
    let Some(bytes) = world.read(&format!("{folder}{ANSWERS}")) else { return Ok(out) };
    let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
    let value = json(text)?;
    let Some(functions) = value.as_dict() else { return Err("expected an object with functions".into()) };
    for (name, entries) in &functions.entries {
        let Some(entries) = entries.as_list() else { return Err(format!("expected a list of results for `{name}`")) };
        let mut list = Vec::new();
        for entry in entries {
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
                Some(Value::List(args)) => Some(args.items.to_vec()),
                Some(_) => return Err(format!("expected a list as `args` in a result of `{name}`")),
                None => None,
            };
            list.push((args, result.clone()));
        }
        out.insert(name.to_string(), list);
    }
    Ok(out)
}

/// The functions declared by the Python files of a namespace.
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

/// The most lines of a parameter list.
const MAX_HEAD: usize = 200;

/// `@plugin` and the `def` after it. Each line is read once: a definition belongs to a single decorator.
fn declared(text: &str, namespace: &str) -> Vec<Arc<Function>> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    let mut decorator: Option<&str> = None;
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("@plugin") {
            decorator = Some(rest);
        }
        if !line.starts_with("def ") {
            continue;
        }
        let Some(rest) = decorator.take() else { continue };
        let given = rest.split('"').nth(1);
        let mut head = line.to_owned();
        let begins_another = |line: &str| ["@", "def ", "class "].iter().any(|word| line.starts_with(word));
        let is_whole = |head: &str| head.trim_end().ends_with(':');
        for _ in 0..MAX_HEAD {
            // The body or another definition ends it.
            let Some(next) = lines.next_if(|next| !is_whole(&head) && !begins_another(next)) else {
                break;
            };
            head += next;
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

/// Parameters with their types in the language's syntax.
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

/// A type given as a string names one of the language; others are not checked.
fn unquoted(ty: &str) -> &str {
    let text = ty.strip_prefix(['"', '\'']).and_then(|ty| ty.strip_suffix(['"', '\'']));
    text.unwrap_or("any")
}

fn build(name: String, signature: String) -> Function {
    let definition = Definition::new("", "", "A function implemented in Python.", run);
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
    let fits =
        |args: &[Value]| args.len() <= given.len() && args.iter().zip(&given).all(|(a, b)| crate::value::same(a, b));
    let entries = call.answers().get(&name).map_or(&[][..], Vec::as_slice);
    let mut n_looked_at = 0;
    let answer = entries.iter().find(|(args, _)| {
        n_looked_at += 1 + args.iter().flatten().map(Value::size).sum::<u64>() / 64;
        args.as_ref().is_none_or(|args| fits(args))
    });
    let answer = answer.map(|(_, value)| value.clone());
    call.work(n_looked_at)?;
    answer.ok_or(Stop::Foreign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::source::MemoryWorld;

    fn names(text: &str) -> Vec<String> {
        declared(text, "m").iter().map(|function| function.signature.to_string()).collect()
    }

    #[test]
    fn decorated_functions_are_found() {
        let text = "import x\n\n@plugin\ndef f(a: \"int\", b: str = None) -> \"string\":\n    pass\n\n@plugin(\"g\")\n# about it\ndef other(\n    a: \"int\",\n) -> \"int\":\n    return 1\n\ndef own():\n    pass\n";
        assert_eq!(names(text), ["m::f(a: int, b: any = null) -> string", "m::g(a: int) -> int"]);
        assert!(names("@plugin\nclass A:\n    pass\n").is_empty());
    }

    /// Each line is read once, so a function that never ends costs no more than other text.
    #[test]
    fn what_declares_nothing_costs_nothing() {
        assert!(names(&"@plugin\n".repeat(100_000)).is_empty());
        assert!(names(&"@plugin\ndef f(\n".repeat(100_000)).is_empty());
        assert!(names(&format!("@plugin\ndef f(\n{}", "    a,\n".repeat(100_000))).is_empty());
    }

    #[test]
    fn answers_are_read_strictly() {
        let read = |text: &str| {
            let world = MemoryWorld::of([("/functions.json", text.as_bytes())]);
            answers(&world, "/").map(|answers| answers.len())
        };
        assert_eq!(read("{\"m::f\": [{\"args\": [1], \"result\": 2}, {\"result\": 3}]}"), Ok(1));
        for text in [
            "[]",
            "{\"f\": 1}",
            "{\"f\": [1]}",
            "{\"f\": [{\"args\": {}, \"result\": 1}]}",
            "{\"f\": [{\"agrs\": [], \"result\": 1}]}",
            "{\"f\": [{}]}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
