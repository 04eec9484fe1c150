//! The core functions: calls per second of the ten most used ones, templates against the size of
//! their data, a list of ten thousand elements, and one change among a hundred thousand vertices
//! of which ten depend on it (the goal is less than 50 µs).
//!
//! `cargo bench -p mclive-compiler --bench library`.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use mclive_compiler::compile::{Setup, compile};
use mclive_compiler::corelib::{Args, CallContext, CallState, FnError, ROUND, Run, Work, lookup};
use mclive_compiler::react::{FactId, FactRequest, Outcome, React};
use mclive_compiler::source::MemoryWorld;
use mclive_compiler::types::{self, Type};
use mclive_compiler::value::Value;
use mclive_compiler::vocab::{Datum, FactSpec, HostError};
use std::fmt::Write as _;
use std::sync::Arc;

fn main() {
    divan::main();
}

/// A world in which there is nothing.
#[derive(Default)]
struct Nowhere(Option<CallState>);

impl CallContext for Nowhere {
    fn fact(&mut self, _: &FactSpec) -> Option<Result<Datum, HostError>> {
        None
    }

    fn file(&mut self, _: &str) -> Option<Arc<[u8]>> {
        None
    }

    fn dir(&mut self, _: &str) -> Option<Vec<String>> {
        None
    }

    fn nonce(&mut self) -> u64 {
        0
    }

    fn now_ns(&self) -> u64 {
        0
    }

    fn wake_at_ns(&mut self, _: u64) {}

    fn state(&mut self) -> &mut Option<CallState> {
        &mut self.0
    }
}

/// Calls a function with these arguments, of this type.
fn call(path: &str, ty: &str, values: &[Value]) -> Result<Value, FnError> {
    let Some(Type::Func(ty)) = types::parse(ty) else { panic!("{ty} is no type of a function") };
    let def = lookup(path).expect("a core function");
    let work = Work::new(ROUND);
    let args = Args { values, ty: &ty, module_dir: "/", work: &work };
    match def.run {
        Run::Pure(run) => run(&args),
        Run::World(run) => run(&mut Nowhere::default(), &args).map(|value| value.expect("at once")),
        Run::Long(long) => long.run(&mut Nowhere::default(), &args).map(|value| value.expect("at once")),
        Run::Iter(_) => panic!("{path} makes vertices"),
    }
}

fn text(text: &str) -> Value {
    Value::str(text)
}

/// Name, type and arguments, most used first. Functions spec, section 16.
fn most_used() -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let list = || Value::list((0..10).map(Value::Int));
    let map = || Value::map((0..10).map(|at| (text(&format!("k{at}")), Value::Int(at))));
    let fields = || Value::structure([("name", text("web1")), ("port", Value::Int(80))]);
    vec![
        ("concat", "func(a str, b str) str", vec![text("/etc/"), text("motd")]),
        ("_operator", "func(op str, a str, b str) str", vec![text("+"), text("a"), text("b")]),
        ("fmt.printf", "func(format str, a str, b int) str", vec![text("%s has %d"), text("web1"), Value::Int(4)]),
        ("_lookup", "func(map map{str: int}, key str) int", vec![map(), text("k7")]),
        (
            "golang.template",
            "func(template str, vars struct{name str; port int}) str",
            vec![text("{{ .Name }}:{{ .Port }}"), fields()],
        ),
        ("_struct_lookup", "func(struct struct{name str; port int}, field str) int", vec![fields(), text("port")]),
        ("len", "func(list []int) int", vec![list()]),
        ("math.mod", "func(a int, b int) int", vec![Value::Int(42), Value::Int(5)]),
        ("list_lookup", "func(list []int, index int) int", vec![list(), Value::Int(7)]),
        ("contains", "func(needle int, haystack []int) bool", vec![Value::Int(9), list()]),
    ]
}

#[divan::bench(args = most_used().iter().map(|(path, ..)| *path).collect::<Vec<_>>())]
fn calls(bencher: Bencher, path: &str) {
    let (_, ty, values) = most_used().into_iter().find(|(known, ..)| *known == path).expect("one of them");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| call(path, ty, &values).expect("a value"));
}

/// Time is in proportion to the size of the data.
#[divan::bench(args = [10, 100, 1_000, 10_000, 100_000])]
fn template(bencher: Bencher, n_elements: usize) {
    let list = Value::list((0..n_elements).map(|at| text(&format!("host{at}.example"))));
    let template = "{{ range $i, $host := .Hosts }}{{ if $i }}, {{ end }}{{ strings_to_upper $host }}{{ end }}";
    let values = [text(template), Value::structure([("hosts", list)])];
    let ty = "func(template str, vars struct{hosts []str}) str";
    let size = call("golang.template", ty, &values).expect("a text").as_bytes().map_or(0, |text| text.len());
    bencher.counter(BytesCount::new(size)).bench(|| call("golang.template", ty, &values).expect("a text"));
}

/// A program at work, whose facts are all the same text.
struct Running {
    react: React,
    facts: Vec<FactId>,
}

fn run(text: &str) -> Running {
    let world = MemoryWorld::single(text);
    let compilation = compile(&world, "/main.mcl", Setup { hostname: "" });
    let program = compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diags.first_error()));
    let mut running = Running { react: React::new(program.ir, Arc::new(world)), facts: Vec::new() };
    loop {
        let outcome = running.react.run(0);
        let requests = running.react.take_requests();
        if requests.is_empty() {
            assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
            return running;
        }
        for request in requests {
            if let FactRequest::Subscribe(id, _) = request {
                running.react.fact(id, Ok(Datum::text("x")));
                running.facts.push(id);
            }
        }
    }
}

/// A list of ten thousand elements, each through a function.
fn mapped() -> &'static str {
    "import \"iter\"\nimport \"sys\"\nimport \"golang/strings\"\n\
     $n = len(sys.getenv(\"V\"))\n$list = iter.map(iter.range(10000), func($i) { $i * 2 + $n })\n\
     test \"t\" {\n\tint64 => len($list),\n}\n"
}

#[divan::bench(sample_count = 10)]
fn map_of_10_000_elements_first_table(bencher: Bencher) {
    bencher.counter(ItemsCount::new(10_000_usize)).bench(|| run(mapped()));
}

#[divan::bench(sample_count = 20)]
fn map_of_10_000_elements_all_change(bencher: Bencher) {
    let mut running = run(mapped());
    let mut n = 0;
    bencher.counter(ItemsCount::new(10_000_usize)).bench_local(|| {
        n += 1;
        running.react.fact(running.facts[0], Ok(Datum::text("y".repeat(n % 50))));
        running.react.run(0)
    });
}

/// A hundred thousand vertices, of which ten depend on the one fact.
#[divan::bench(sample_count = 1000)]
fn one_change_among_100_000_vertices(bencher: Bencher) {
    let mut text = "import \"sys\"\n$v = len(sys.getenv(\"V\"))\n".to_owned();
    for i in 0..4 {
        let _ = writeln!(text, "test \"dependent{i}\" {{\n\tint64 => $v + {i} * 2,\n}}");
    }
    for i in 0..14_000 {
        let _ = writeln!(text, "test \"t{i}\" {{\n\tint64 => {i} + 1 * 2,\n}}");
    }
    let mut running = run(&text);
    assert!(running.react.graph().n_vertices() > 100_000, "{}", running.react.graph().n_vertices());
    let mut n = 0;
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        n += 1;
        running.react.fact(running.facts[0], Ok(Datum::text("y".repeat(n % 50))));
        running.react.run(0)
    });
}
