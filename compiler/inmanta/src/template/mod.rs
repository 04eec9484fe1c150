//! Templates of modules, rendered with minijinja. Spec, 13.
//!
//! A template runs over a snapshot of values. Requests for anything missing in the snapshot are recorded
//! ([`snapshot::Shared`]) and looked up in the model, possibly after waiting, and the template runs again. So a template
//! sees values only when they are ready, without access to the evaluation.

mod arithmetic;
mod arity;
mod budget;
mod colons;
mod costs;
mod environment;
mod given;
mod json;
mod links;
mod literals;
mod markup;
mod methods;
mod missing;
mod numbers;
mod objects;
mod offered;
mod operators;
mod order;
mod params;
mod percent;
mod power;
mod refused;
mod rows;
mod scope;
mod shown;
mod snapshot;
mod source;
mod sums;
mod tags;
mod texts;
mod tree;
mod whole;
mod wording;
mod wrap;

use crate::eval::{Call, Stop};
use crate::fault::{Class, Failure, Fault};
use crate::library::world::module_file;
use crate::value::{InstId, Value};
use budget::{Budget, Exceeded, MAX_DEPTH, MAX_MADE};
use literals::Literals;
use scope::to_template;
use snapshot::{Asked, Shared};
use source::Prepared;
use std::sync::Arc;

/// Everything that templates may call, as `filter upper`, `test odd`, `function range`, `method strip`; and
/// `operator <times` for the operators that are charged.
pub fn offered() -> Vec<String> {
    let named = |kind: &'static str, offers: Vec<offered::Offer>| offers.into_iter().map(move |it| (kind, it.name));
    let methods = offered::METHODS.iter().map(|(name, _)| ("method", *name));
    let all = named("filter", offered::filters())
        .chain(named("test", offered::tests()))
        .chain(named("function", offered::functions()))
        .chain(methods)
        .chain(operators::names().map(|name| ("operator", name)));
    all.map(|(kind, name)| format!("{kind} {name}")).collect()
}

/// The maximum number of characters of an instance's name within a list: there may be many.
const MAX_NAME: usize = 500;

/// How many bytes the copy of a value takes for each byte of its size.
const COPIED: u64 = 4;

/// The maximum number of runs of a template.
const MAX_RUNS: usize = 10_000;

/// `std::template`.
pub(crate) fn render(call: &mut Call<'_, '_>) -> Result<Value, Stop> {
    let path = call.text(0).to_owned();
    let not_found = || Stop::Failed(format!("jinja2.exceptions.TemplateNotFound: {path}"));
    let file = module_file(call, "templates", &path).ok_or_else(not_found)?;
    let bytes = call.world().read(&file).ok_or_else(not_found)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Stop::Failed(format!("UnicodeDecodeError: {path} is not UTF-8 text")))?;
    // Jinja2 uses one kind of line ending only.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let shared = Arc::new(Shared::default());
    let own_names = !call.keywords.is_empty();
    for (name, value) in call.keywords.clone() {
        let value = taken(call, &value, &shared)?;
        shared.know_name(&name, Some(value));
    }
    let functions = call.functions();
    let mut budget = Arc::new(new_budget(call));
    let mut literals = Literals::of(&text);
    if let Some(plain) = colons::dropped(&literals.text) {
        literals.text = plain.into();
    }
    let with_rows = rows::parenthesized(&literals.text);
    let prepared = with_rows.as_deref().and_then(|text| Some((text, Prepared::new(text, &budget).ok()?)));
    // Errors refer to the original template.
    let (text, prepared) = match prepared {
        Some(both) => both,
        None => {
            let prepared = Prepared::new(&literals.text, &budget);
            (&*literals.text, prepared.map_err(|error| syntax_error(call, &error, &literals, &budget, &path))?)
        }
    };
    for _ in 0..MAX_RUNS {
        let environment = environment::new(&shared, &budget, &functions);
        let result = prepared.render(&environment, &budget, scope::context(&shared));
        call.look(budget.looked())?;
        let asked = shared.take_asked();
        if let (Some(exceeded), Err(error)) = (budget.exceeded(), &result) {
            return Err(Stop::Fault(too_much(call, exceeded, &path, error)));
        }
        if asked.is_empty() {
            if shared.has_unknown() {
                return Err(Stop::Unknown);
            }
            return Ok(Value::str(&result.map_err(|error| failed(&error, text, &shared, &path))?));
        }
        for question in asked {
            answer(call, &shared, &functions, question, own_names)?;
        }
        // The output of the previous run is freed.
        budget = Arc::new(new_budget(call));
    }
    Err(Stop::Failed(format!("the template exceeds {MAX_RUNS} operations")))
}

/// The rest of the model's limits.
fn new_budget(call: &Call<'_, '_>) -> Budget {
    let (work, made) = call.left();
    Budget::new(work, made)
}

fn too_much(call: &Call<'_, '_>, exceeded: Exceeded, path: &str, error: &minijinja::Error) -> Failure {
    let place = error.line().map_or_else(String::new, |line| format!(" in line {line}"));
    let (message, help) = match exceeded {
        Exceeded::Work => (
            format!("the template `{path}` exceeds the work limit{place}"),
            "look for nested loops, and for long strings or lists that are searched or sorted repeatedly",
        ),
        Exceeded::Memory => (
            format!("the template `{path}` creates more than {} MiB of strings and lists{place}", MAX_MADE >> 20),
            "look for strings and lists that keep doubling in a loop, and for a width or count that is too large",
        ),
        Exceeded::Model => return call.out_of_memory().note(format!("the template `{path}` exceeds the limit{place}")),
        Exceeded::Depth => (
            format!("a value of the template `{path}` nests more than {MAX_DEPTH} levels deep{place}"),
            "look for a list or dict that is nested into itself in a loop",
        ),
    };
    Fault::new(Class::Limit, message).help(help)
}

/// A value in the form for templates, in which shared parts are copied each time they occur.
fn taken(call: &mut Call<'_, '_>, value: &Value, shared: &Arc<Shared>) -> Result<minijinja::Value, Stop> {
    let size = value.size();
    call.look(size)?;
    call.room(shared.take_over(size).saturating_mul(COPIED))?;
    Ok(to_template(value, shared))
}

/// Looks up the requests of a template.
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
            let value = value.map(|value| taken(call, &value, shared)).transpose()?;
            shared.know_name(&name, value);
        }
        Asked::Attribute(instance, name) => {
            if shared.knows_attribute(instance, &name) {
                return Ok(());
            }
            // A template that requests one of its kind usually requests the others next.
            let mut wanted: Vec<InstId> = vec![instance];
            let kind = call.entity_name(instance);
            let is_wanted = |other: &InstId| {
                *other != instance && call.entity_name(*other) == kind && !shared.knows_attribute(*other, &name)
            };
            wanted.extend(shared.seen_instances().into_iter().filter(is_wanted));
            for (nr, instance) in wanted.into_iter().enumerate() {
                if !call.has_attribute(instance, &name) {
                    shared.know_attribute(instance, &name, None);
                    continue;
                }
                match call.attribute(instance, &name) {
                    Ok(value) => {
                        let value = taken(call, &value, shared)?;
                        shared.know_attribute(instance, &name, Some(value));
                    }
                    Err(Stop::Fault(_)) => shared.know_attribute(instance, &name, None),
                    Err(_) if nr > 0 => {}
                    Err(stop) => return Err(stop),
                }
            }
        }
        Asked::Texts(instance) => {
            let names = call.names();
            let inside = names.instance_inside(instance).chars().take(MAX_NAME).collect();
            shared.know_texts(instance, [names.instance(instance), inside]);
        }
        Asked::Call { name, key, args } => {
            if let Some(function) = functions.iter().find(|function| function.name == name) {
                let value = call.call_function(function, args)?;
                let value = taken(call, &value, shared)?;
                shared.know_answer(key, value);
            }
        }
    }
    Ok(())
}

fn syntax_error(
    call: &Call<'_, '_>,
    error: &minijinja::Error,
    literals: &Literals<'_>,
    budget: &Budget,
    path: &str,
) -> Stop {
    if let Some(exceeded) = budget.exceeded() {
        return Stop::Fault(too_much(call, exceeded, path, error));
    }
    match literals.wrong.filter(|_| error.kind() == minijinja::ErrorKind::BadEscape) {
        Some((wrong, nr)) => Stop::FailedIn { cause: wording::escape(wrong), place: in_line(nr, path) },
        None => Stop::FailedIn { cause: wording::syntax(error, &literals.text), place: line(error, path) },
    }
}

/// The original does not report where in a template an error is.
fn line(error: &minijinja::Error, path: &str) -> String {
    // What is found before minijinja reads it says so itself.
    let told = || error.detail()?.rsplit_once(" (line ")?.1.strip_suffix(')')?.parse().ok();
    in_line(error.line().or_else(told).unwrap_or(1), path)
}

fn in_line(nr: usize, path: &str) -> String {
    format!("it is in line {nr} of the template `{path}`")
}

fn failed(error: &minijinja::Error, text: &str, shared: &Shared, path: &str) -> Stop {
    match missing::message(error, text, shared) {
        Some(message) => Stop::Fault(Fault::new(Class::NotFound, message).note(line(error, path))),
        None => Stop::FailedIn { cause: wording::running(error), place: line(error, path) },
    }
}
