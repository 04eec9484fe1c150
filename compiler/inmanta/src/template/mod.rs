//! Templates of modules, rendered with minijinja. Spec, 13.
//!
//! A template runs over a snapshot of values. What it asks for that is not in the snapshot is noted
//! ([`scope::Shared`]); it is then looked up in the model, which may mean to wait for it, and the
//! template runs again. So a template sees values only when they are there, without a hold on the
//! evaluation.

mod bounds;
mod filters;
mod methods;
mod scope;
mod shown;

use crate::eval::{Call, Stop};
use crate::fault::{Class, Fault};
use crate::library::world::module_file;
use crate::value::{InstId, Value};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use scope::{Asked, Shared, to_template};
use std::sync::Arc;

/// So many instructions may one rendering take.
const FUEL: u64 = 2_000_000;
/// So often may a template ask for more.
const MAX_RUNS: usize = 10_000;

/// `std::template`.
pub(crate) fn render(call: &mut Call<'_, '_>) -> Result<Value, Stop> {
    let path = call.text(0).to_owned();
    let not_found = || Stop::Failed(format!("jinja2.exceptions.TemplateNotFound: {path}"));
    let file = module_file(call, "templates", &path).ok_or_else(not_found)?;
    let bytes = call.world().read(&file).ok_or_else(not_found)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Stop::Failed(format!("UnicodeDecodeError: {path} is not UTF-8 text")))?
        .to_owned();
    let shared = Arc::new(Shared::default());
    let own_names = !call.keywords.is_empty();
    for (name, value) in call.keywords.clone() {
        shared.know_name(&name, Some(to_template(&value, &shared)));
    }
    let functions = call.functions();
    let mut environment = environment(&shared);
    for function in &functions {
        scope::add_function(&mut environment, &function.name, &shared);
    }
    environment.add_template("template", &text).map_err(|error| syntax_error(&error))?;
    for _ in 0..MAX_RUNS {
        let template = environment.get_template("template").map_err(|error| syntax_error(&error))?;
        let result = template.render(scope::context(&shared));
        let asked = shared.take_asked();
        if asked.is_empty() {
            if shared.has_unknown() {
                return Err(Stop::Unknown);
            }
            let text = result.map_err(|error| failed(&error, &text, &shared))?;
            call.spend(text.len())?;
            return Ok(Value::str(&text));
        }
        for question in asked {
            answer(call, &shared, &functions, question, own_names)?;
        }
    }
    Err(Stop::Failed(format!("the template asks for more than {MAX_RUNS} things")))
}

fn environment<'s>(shared: &Arc<Shared>) -> Environment<'s> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    filters::add(&mut environment);
    bounds::add(&mut environment);
    let shared = shared.clone();
    environment.set_formatter(move |out, _state, value| shown::write(out, value, &shared));
    environment
}

/// Looks up what a template asked for.
fn answer(
    call: &mut Call<'_, '_>,
    shared: &Arc<Shared>,
    functions: &[Arc<crate::library::Function>],
    asked: Asked,
    own_names: bool,
) -> Result<(), Stop> {
    match asked {
        Asked::Name(name) => {
            let value = if own_names || name == "self" { None } else { call.look_up(&name)? };
            shared.know_name(&name, value.map(|value| to_template(&value, shared)));
        }
        Asked::Attribute(instance, name) => {
            // Whoever asks one of its kind asks the others next.
            let mut wanted: Vec<InstId> = vec![instance];
            let kind = call.entity_name(instance);
            wanted.extend(shared.seen_instances().into_iter().filter(|other| call.entity_name(*other) == kind));
            for (nr, instance) in wanted.into_iter().enumerate() {
                if !call.has_attribute(instance, &name) {
                    shared.know_attribute(instance, &name, None);
                    continue;
                }
                match call.attribute(instance, &name) {
                    Ok(value) => shared.know_attribute(instance, &name, Some(to_template(&value, shared))),
                    Err(Stop::Fault(_)) => shared.know_attribute(instance, &name, None),
                    Err(_) if nr > 0 => {}
                    Err(stop) => return Err(stop),
                }
            }
        }
        Asked::Call { name, key, args } => {
            if let Some(function) = functions.iter().find(|function| function.name == name) {
                let value = call.call_function(function, args)?;
                shared.know_answer(key, to_template(&value, shared));
            }
        }
    }
    Ok(())
}

fn syntax_error(error: &minijinja::Error) -> Stop {
    let detail = error.detail().unwrap_or("syntax error");
    Stop::Failed(format!("jinja2.exceptions.TemplateSyntaxError: {detail} (line {})", error.line().unwrap_or(0)))
}

fn failed(error: &minijinja::Error, text: &str, shared: &Shared) -> Stop {
    if error.kind() != ErrorKind::UndefinedError {
        let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        return Stop::Failed(format!(
            "jinja2.exceptions.TemplateRuntimeError: {detail} (line {})",
            error.line().unwrap_or(0)
        ));
    }
    let source = error.range().and_then(|range| text.get(range)).unwrap_or_default();
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
    };
    let root = name(source);
    let message = match source.split_once('.') {
        Some((_, attribute)) if root == "self" => {
            format!("'jinja2.runtime.TemplateReference object' has no attribute '{}'", name(attribute))
        }
        Some((path, _)) if !shared.is_known(&root) => {
            let _ = path;
            format!("'{root}' is undefined")
        }
        Some((_, attribute)) => {
            format!("'inmanta.execute.proxy.DynamicProxy object' has no attribute '{}'", name(attribute))
        }
        None => format!("'{root}' is undefined"),
    };
    Stop::Fault(Fault::new(Class::NotFound, message))
}
