//! Each core function draws on the budget for what it is given and for what it makes, so a program that calls it often ends by the
//! budget.
//!
//! The functions are those of the library, and their arguments are made from their signatures. A function that this leaves out has
//! its call in a table, or the test fails.

use crate::corelib::{self, FnDef, Run, Sig};
use crate::react::check::ir;
use crate::react::{FactRequest, Outcome, React};
use crate::rgraph::Interpreter;
use crate::source::MemoryWorld;
use crate::types::{self, Type};
use crate::vocab::{Datum, FactSpec, HostError, HostErrorKind, program};
use std::sync::Arc;

/// Calls that do not follow from a signature. `m` is the module of the function, `$t` a long text.
const CALLS: &[(&str, &str)] = &[
    ("_operator", "$t + $t"),
    ("_struct_lookup_optional", "struct{a => $t}->a <|> $t"),
    ("encoding.decode_json", "m.decode_json($t, \"[]str\")"),
    ("encoding.decode_json_flexible", "m.decode_json_flexible($t, \"[]str\")"),
    ("fmt.printf", "m.printf(\"%s\", $t)"),
    ("math.fortytwo", "m.fortytwo() + 1"),
];

/// Those that are statements.
const STATEMENTS: &[(&str, &str)] = &[
    ("_collect", "collect test \"${t}\" {}"),
    ("_lookup", "test \"a\" { int64 => {$t => 1}[$t], }"),
    ("_struct_lookup", "test \"a\" { anotherstr => struct{a => $t}->a, }"),
    ("panic", "panic($t)"),
];

/// Names that cannot be written in a program, or only to be refused.
const UNCALLED: &[&str] = &["golang/math/rand.int", "value.get"];

const BUDGET: u64 = 1_000_000_000;

/// Longer than what is charged by an estimate.
fn text() -> String {
    "aé(%*{{/1.".repeat(400)
}

/// An expression of this type; `None`: only a program has such values.
fn large(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Bool => "true".to_owned(),
        Type::Str | Type::Var(_) | Type::Variant => "$t".to_owned(),
        Type::Int => "1000".to_owned(),
        Type::Float => "0.5".to_owned(),
        Type::List(item) => {
            let item = large(item)?;
            format!("[{item}, {item}]")
        }
        Type::Map(parts) => format!("{{{} => {}}}", large(&parts.0)?, large(&parts.1)?),
        Type::Struct(_) | Type::Func(_) => return None,
    })
}

/// The statements that call a function, one for each form of its signature.
fn statements(def: &FnDef) -> Vec<String> {
    let field = |call: &str| format!("value \"v\" {{ any => {call}, }}");
    let named = |table: &[(&str, &'static str)]| {
        let found = table.iter().find(|(path, _)| *path == def.path);
        found.map(|(_, call)| *call)
    };
    if let Some(call) = named(CALLS) {
        return vec![field(call)];
    }
    if let Some(statement) = named(STATEMENTS) {
        return vec![statement.to_owned()];
    }
    let forms = match &def.sig {
        Sig::Fixed(form) => vec![*form],
        Sig::OneOf { accepts, .. } => accepts.to_vec(),
        Sig::Inferred { shown, .. } => shown.to_vec(),
    };
    let call = |form: &str| {
        let Some(Type::Func(func)) = types::parse(form) else { return None };
        let args: Vec<String> = func.params.iter().map(|(_, ty)| large(ty)).collect::<Option<_>>()?;
        let module = if def.module().is_some() { "m." } else { "" };
        Some(field(&format!("{module}{}({})", def.name(), args.join(", "))))
    };
    forms.into_iter().filter_map(call).collect()
}

/// The text in the environment; there is nothing else on this host.
fn answer(spec: &FactSpec) -> Result<Datum, HostError> {
    match spec {
        FactSpec::Program(program::Fact::Env { name }) if name == "TEXT" => Ok(Datum::text(text())),
        _ => Err(HostError::new(HostErrorKind::NotFound, "there is nothing")),
    }
}

/// The most work of a round, and the size of what was made. `None`: it is not a program.
fn cost(def: &FnDef, statement: &str) -> Option<(u64, u64)> {
    // A module is imported once.
    let import = match def.module().filter(|module| *module != "sys") {
        Some(module) => format!("import \"sys\"\nimport \"{module}\" as m\n$t = sys"),
        None => "import \"sys\" as m\n$t = m".to_owned(),
    };
    let ir = ir(&format!("{import}.getenv(\"TEXT\")\n{statement}\n")).ok()?;
    let mut react = React::within(ir, Arc::new(MemoryWorld::default()), 100_000);
    react.limit_work(BUDGET);
    let (mut most, mut is_complete) = (0, false);
    // Some ask for something else after each answer.
    for _ in 0..20 {
        react.begin_slice();
        is_complete = matches!(react.run(0), Outcome::Complete { .. });
        most = most.max(BUDGET - react.effort.work.left());
        let requests = react.take_requests();
        if requests.is_empty() && !react.is_under_way() {
            break;
        }
        for request in requests {
            if let FactRequest::Subscribe(id, spec) = request {
                react.fact(id, answer(&spec));
            }
        }
    }
    let graph = if is_complete { Interpreter::default().interpret(react.table()).ok() } else { None };
    let made = graph.iter().flat_map(|graph| graph.resources.values());
    let made = made.flat_map(|resource| resource.params.iter()).map(|(_, value)| value.written_size());
    Some((most, made.sum()))
}

#[test]
fn each_function_draws_on_the_budget_for_what_it_is_given_and_makes() {
    let (mut uncalled, mut cheap) = (Vec::new(), Vec::new());
    // The elements of these are vertices, each of which is charged.
    for def in corelib::all().filter(|def| !matches!(def.run, Run::Iter(_))) {
        let mut is_called = false;
        for statement in statements(def) {
            let Some((work, made)) = cost(def, &statement) else { continue };
            is_called = true;
            let given = text().len() * statement.matches("$t").count();
            // A lookup returns a part of what it is given, and costs the same whatever the size of the whole.
            if !def.is_lookup() && work < (given as u64 + made) / 2 {
                cheap.push(format!("`{statement}` reads {given} bytes and makes {made} for {work}"));
            }
        }
        if !is_called {
            uncalled.push(def.path);
        }
    }
    assert!(cheap.is_empty(), "{}", cheap.join("\n"));
    uncalled.sort_unstable();
    assert_eq!(uncalled, UNCALLED, "each has its call");
}
