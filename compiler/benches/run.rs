//! How long a running program takes: the first table, one change, the resource graph, and a
//! function graph of a hundred thousand vertices in which ten change.
//!
//! `cargo bench -p mclive-compiler --bench run`. Prints the median of several runs per line.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a bench measures time and prints it"
)]

use mclive_compiler::compile::{Compiled, Setup, compile};
use mclive_compiler::react::{FactId, FactRequest, Outcome, React};
use mclive_compiler::rgraph::{Interpreter, autoedge, autogroup};
use mclive_compiler::source::MemoryWorld;
use mclive_compiler::vocab::{Datum, FactSpec};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

const N_STATEMENTS: usize = 10_000;

/// One statement per fact, with an edge to the next.
fn statements() -> String {
    let mut text = "import \"sys\"\n".to_owned();
    for i in 0..N_STATEMENTS {
        let next = (i + 1) % N_STATEMENTS;
        let order = if next > i && i % 7 == 0 { format!("\tBefore => Test[\"t{next}\"],\n") } else { String::new() };
        let _ = writeln!(text, "test \"t{i}\" {{\n\tstringptr => sys.getenv(\"V{i}\") + \"!\",\n{order}}}");
    }
    text
}

/// A hundred thousand vertices, of which ten depend on the one fact.
fn wide() -> String {
    let mut text = "import \"sys\"\n$v = len(sys.getenv(\"V\"))\n".to_owned();
    for i in 0..4 {
        let _ = writeln!(text, "test \"dependent{i}\" {{\n\tint64 => $v + {i},\n}}");
    }
    for i in 0..14_000 {
        let _ = writeln!(text, "test \"t{i}\" {{\n\tint64 => {i} + 1 * 2,\n}}");
    }
    text
}

fn files(text: String) -> (Arc<MemoryWorld>, Compiled) {
    let world = MemoryWorld::single(&text);
    let compilation = compile(&world, "/main.mcl", Setup { hostname: "" });
    let program = compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diags.first_error()));
    (Arc::new(world), program)
}

struct Running {
    react: React,
    facts: Vec<(FactSpec, FactId)>,
}

impl Running {
    fn new(world: &Arc<MemoryWorld>, program: &Compiled) -> Running {
        Running { react: React::new(program.ir.clone(), world.clone()), facts: Vec::new() }
    }

    fn run(&mut self) {
        loop {
            let outcome = self.react.run(0);
            let requests = self.react.take_requests();
            for request in &requests {
                if let FactRequest::Subscribe(id, spec) = request {
                    self.react.fact(*id, Ok(Datum::text("x")));
                    self.facts.push((spec.clone(), *id));
                }
            }
            if requests.is_empty() {
                assert!(matches!(outcome, Outcome::Complete { .. }), "{outcome:?}");
                return;
            }
        }
    }
}

/// The median of several runs of what `prepare` gives.
fn measure<T>(name: &str, n_runs: usize, mut run: impl FnMut() -> (Duration, T)) -> T {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..n_runs {
        let (time, result) = run();
        times.push(time);
        last = Some(result);
    }
    times.sort();
    println!("{name:<52} {:>12.3?}", times[times.len() / 2]);
    last.expect("at least one run")
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

fn main() {
    let text = statements();
    let (world, program) = measure("10,000 statements: compile", 5, || timed(|| files(text.clone())));
    measure("10,000 statements: build the function graph", 5, || timed(|| program.graph().unwrap()));
    let mut running = measure("10,000 statements: first table", 5, || {
        timed(|| {
            let mut running = Running::new(&world, &program);
            running.run();
            running
        })
    });
    let mut interpreter = Interpreter::default();
    let mut graph = measure("10,000 statements: first resource graph", 1, || {
        timed(|| interpreter.interpret(running.react.table()).expect("a graph"))
    });
    let id = running.facts[5_000].1;
    let mut n = 0;
    measure("10,000 statements: one fact changes, round", 101, || {
        n += 1;
        running.react.fact(id, Ok(Datum::text(format!("{n}"))));
        timed(|| running.run())
    });
    measure("10,000 statements: one fact changes, resource graph", 21, || {
        n += 1;
        running.react.fact(id, Ok(Datum::text(format!("{n}"))));
        running.run();
        timed(|| interpreter.interpret(running.react.table()).expect("a graph"))
    });
    measure("10,000 resources: automatic edges", 1, || timed(|| autoedge(&mut graph, &|_| None)));
    measure("10,000 resources: automatic groups", 1, || timed(|| autogroup(&mut graph).expect("no cycle")));

    let (world, program) = files(wide());
    let mut running = Running::new(&world, &program);
    running.run();
    let n_vertices = running.react.graph().n_vertices();
    let before = running.react.n_evaluated();
    let id = running.facts[0].1;
    measure(&format!("{n_vertices} vertices: one change"), 1001, || {
        n += 1;
        running.react.fact(id, Ok(Datum::text("y".repeat(n % 50))));
        timed(|| running.react.run(0))
    });
    println!("    vertices evaluated per change: {:.1}", (running.react.n_evaluated() - before) as f64 / 1001.0);
}
