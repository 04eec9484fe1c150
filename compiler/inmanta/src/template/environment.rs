//! The environment in which a template runs: everything offered to it, with each call charged.

use super::budget::Budget;
use super::offered::{self, Offer};
use super::scope;
use super::snapshot::Shared;
use super::{arity, methods, missing, operators, order, params, percent, refused, shown, texts};
use crate::library::Function;
use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value};
use std::sync::{Arc, OnceLock};

/// Maximum nesting of running blocks, loops and macros; a macro counts four times. Each is a call of minijinja's
/// interpreter on the stack.
const MAX_NESTING: usize = 240;

/// The filters, tests and functions.
fn lists() -> &'static [Vec<Offer>; 3] {
    static LISTS: OnceLock<[Vec<Offer>; 3]> = OnceLock::new();
    LISTS.get_or_init(|| {
        let mut lists = [offered::filters(), offered::tests(), offered::functions()];
        for (offers, signatures) in lists.iter_mut().zip(arity::signatures()) {
            for offer in offers {
                offer.signature = signatures.iter().find(|signature| signature.is_of(offer.name));
            }
        }
        lists
    })
}

/// Whether Jinja2 has a filter, or else a test, of this name.
pub(super) fn has(is_filter: bool, name: &str) -> bool {
    let [filters, tests, _] = lists();
    let offers = if is_filter { filters } else { tests };
    offers.iter().any(|offer| offer.name == name) || is_filter && name == "random"
}

pub(super) fn new<'s>(shared: &Arc<Shared>, budget: &Arc<Budget>, functions: &[Arc<Function>]) -> Environment<'s> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_recursion_limit(MAX_NESTING);
    // Its messages depend on how the compiler was built.
    environment.set_debug(false);
    let [filters, tests, globals] = lists();
    for offer in filters {
        let n_needed = usize::from(!offered::LENIENT.contains(&offer.name));
        environment.add_filter(offer.name, counted(offer, budget, shared, n_needed));
    }
    for offer in tests {
        let n_needed = if offered::STRICT.contains(&offer.name) { 2 } else { 0 };
        environment.add_test(offer.name, counted(offer, budget, shared, n_needed));
    }
    for offer in globals {
        environment.add_function(offer.name, counted(offer, budget, shared, 0));
    }
    operators::add(&mut environment, budget, shared);
    let of_methods = (budget.clone(), shared.clone());
    environment.set_unknown_method_callback(move |state, value, method, args| {
        methods::call(&of_methods.0, &of_methods.1, state, value, method, args)
    });
    let of_texts = budget.clone();
    environment.set_formatter(move |out, state, value| {
        let is_markup = !matches!(state.auto_escape(), AutoEscape::None);
        shown::write(out, value, is_markup, &of_texts)
    });
    for function in functions {
        scope::add_function(&mut environment, &function.name, shared, budget);
    }
    environment
}

/// A function with its cost charged before the call, and its result limited. Its first `n_needed` arguments must exist.
fn counted(
    offer: &'static Offer,
    budget: &Arc<Budget>,
    shared: &Arc<Shared>,
    n_needed: usize,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static + use<> {
    let (budget, shared) = (budget.clone(), shared.clone());
    move |state, args| {
        let args = args.into_values();
        offer.signature.map_or(Ok(()), |signature| signature.check(&args))?;
        let args = params::brought(offer.name, args)?;
        // What the template asks for may exist in its next run.
        if args.iter().take(n_needed).any(|value| is_missing(state, value)) && !shared.is_asking() {
            return Err(Error::new(ErrorKind::UndefinedError, missing::GIVEN));
        }
        if let Some(value) = args.first() {
            refused::check(offer.name, value)?;
            if refused::is_skipped(offer.name, value) {
                return Ok(Value::from(Vec::<Value>::new()));
            }
            if offered::ITERATING.contains(&offer.name) {
                texts::check_iterable(value)?;
            }
        }
        let args = if offer.name == "format" { percent::texted(&budget, args)? } else { args };
        (offer.cost)(&budget, state, &args)?;
        if let Some(list) = args.first()
            && ["join", "sum"].contains(&offer.name)
            && list.kind() == ValueKind::Seq
            && list.try_iter()?.any(|item| is_missing(state, &item))
            && !shared.is_asking()
        {
            return Err(Error::new(ErrorKind::UndefinedError, missing::GIVEN));
        }
        order::check_attribute(offer.name, &args)?;
        if offer.name == "map"
            && let Some((kind, key)) = order::unmapped(&args)
        {
            shared.miss(kind, &key);
        }
        let args = if offer.name == "format" { percent::prepared(&budget, args)? } else { args };
        let value = match offer.run.call(state, &args) {
            Ok(value) => value,
            Err(error) => without_name(error, offer.name, &args)?,
        };
        if offer.name == "attr"
            && value.is_undefined()
            && let [object, key, ..] = &args[..]
        {
            shared.miss(shown::python_kind(object), key);
        }
        if offer.gives_part { Ok(value) } else { budget.settle(value) }
    }
}

/// Whether a value does not exist. A conditional expression without `else` gives an empty value instead.
pub(super) fn is_missing(state: &mut State<'_, '_>, value: &Value) -> bool {
    // Both are undefined, but minijinja takes only the latter for a text.
    value.is_undefined()
        && Value::from_function(minijinja::filters::upper).call(state, std::slice::from_ref(value)).is_err()
}

/// What `map`, `select` and similar filters return for the name of a filter or test that does not exist: an error at the
/// first element. minijinja does not say which name it is.
fn without_name(error: Error, filter: &str, args: &[Value]) -> Result<Value, Error> {
    let kind = match error.kind() {
        ErrorKind::UnknownFilter => "filter",
        ErrorKind::UnknownTest => "test",
        _ => return Err(error),
    };
    let place = if filter.ends_with("attr") { 2 } else { 1 };
    let Some(name) = args.get(place).and_then(Value::as_str) else { return Err(error) };
    if args.first().and_then(Value::len) == Some(0) {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    let text = format!("jinja2.exceptions.TemplateRuntimeError: No {kind} named '{name}'.");
    Err(Error::new(ErrorKind::InvalidOperation, text))
}
