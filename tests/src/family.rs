//! The families of golden cases: how each case is run and judged.

use crate::expect::{self, Actual, Problem};
use crate::txtar::Archive;
use crate::{host, models};
use mclive_compiler::brain::Brain;
use mclive_compiler::compile::{Compilation, Setup, compile};
use mclive_compiler::diag::Diags;
use mclive_compiler::protocol::{Deploy, Input, Moment, Options};
use mclive_compiler::rgraph::{self, Passes, ResGraph};
use mclive_compiler::sim::{Sim, SimHost};
use mclive_compiler::source::{MemoryWorld, Source, Sources};
use mclive_compiler::{fgraph, fmt};
use std::path::Path;
use std::sync::Arc;

/// Whether a case passed, with the expected and the actual result.
pub struct Verdict {
    /// Whether it passed.
    pub pass: bool,
    /// The expected result.
    pub expected: String,
    /// The actual result.
    pub actual: String,
}

impl Verdict {
    fn of(expected: String, actual: &Actual) -> Verdict {
        Verdict { pass: expect::passes(&expected, actual), expected, actual: actual.to_text() }
    }
}

/// How the cases of a folder are judged, determined by the folder's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// The function graph before it runs.
    FunctionGraph,
    /// The resource graph of the first complete result, with automatic edges.
    ResourceGraph,
    /// The same with every set field, without automatic edges and groups.
    Functions,
    /// The same after validation, automatic edges and automatic grouping.
    Validate,
    /// Fields, groups, vertices and edges after running for five simulated seconds.
    Engine,
    /// `X.badmcl` formats to `X.mcl`; an `X.mcl` is canonical.
    Format,
    /// Whole programs: no error, and canonical.
    Programs,
    /// The instances, resources or error of an Inmanta model.
    Models,
}

impl Family {
    /// The family of a folder.
    pub fn of_folder(name: &str) -> Option<Family> {
        match name {
            "function-graph" => Some(Family::FunctionGraph),
            "resource-graph" => Some(Family::ResourceGraph),
            "functions" => Some(Family::Functions),
            "validate" => Some(Family::Validate),
            "engine" => Some(Family::Engine),
            "format" => Some(Family::Format),
            "programs" => Some(Family::Programs),
            "inmanta" => Some(Family::Models),
            _ => None,
        }
    }

    /// Whether a file is a case of this family.
    pub fn takes(self, file: &str) -> bool {
        match self {
            Family::FunctionGraph
            | Family::ResourceGraph
            | Family::Functions
            | Family::Validate
            | Family::Engine
            | Family::Models => file.ends_with(".txtar"),
            Family::Format => file.ends_with(".mcl") || file.ends_with(".badmcl"),
            Family::Programs => file.ends_with(".mcl"),
        }
    }

    /// Runs a case.
    pub fn run(self, path: &Path, bytes: &[u8]) -> Verdict {
        let passes = match self {
            Family::FunctionGraph => None,
            Family::ResourceGraph => Some(Passes { autoedge: true, autogroup: false, ask_host: false }),
            Family::Functions => Some(Passes { autoedge: true, autogroup: false, ask_host: false }),
            Family::Validate => Some(Passes { autoedge: true, autogroup: true, ask_host: true }),
            Family::Engine => Some(Passes { autoedge: true, autogroup: true, ask_host: true }),
            Family::Format => return format(path, bytes),
            Family::Programs => return program(bytes),
            Family::Models => return models::run(bytes),
        };
        let archive = Archive::parse(bytes);
        let expected = String::from_utf8_lossy(archive.get("OUTPUT").unwrap_or_default()).into_owned();
        let mut world = MemoryWorld::default();
        for (name, content) in archive.files {
            if name != "OUTPUT" && name != "CONFIG" {
                world.insert(&name, content);
            }
        }
        let compilation = compile(&world, "/", Setup { hostname: "" });
        let actual = match (&compilation.program, passes) {
            (None, _) => first_problem(&compilation.sources, &compilation.diags),
            (Some(program), None) => match program.graph() {
                Ok(graph) => Actual::Lines(lines(&fgraph::text(&graph))),
                Err(diags) => first_problem(&compilation.sources, &diags),
            },
            (Some(program), Some(passes)) => {
                let ir = program.ir.clone();
                let result = rgraph::first_graph(ir, Arc::new(world.clone()), &mut host::answer, passes);
                match result {
                    Ok(_) if self == Family::Engine => at_work(&world),
                    result => self.printed(&compilation, result),
                }
            }
        };
        Verdict::of(expected, &actual)
    }

    fn printed(self, compilation: &Compilation, result: Result<ResGraph, Diags>) -> Actual {
        match result {
            Ok(graph) if self == Family::ResourceGraph => Actual::Lines(lines(&rgraph::text(&graph))),
            Ok(graph) => Actual::Lines(lines(&rgraph::text_with_fields(&graph))),
            Err(diags) => first_problem(&compilation.sources, &diags),
        }
    }
}

/// Runs the program on a simulated host for five seconds.
fn at_work(world: &MemoryWorld) -> Actual {
    let files = world.files().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
    let mut sim = Sim::new(Brain::new(), SimHost::new(""));
    // The cases show the first graph, whatever its resources then do to its values.
    let options = Options { no_stream_watch: true, ..Options::default() };
    sim.tell(Input::Deploy(Deploy { files, entry: "/".into(), options }));
    sim.advance(Moment::default().plus_ms(5000), MAX_STEPS);
    Actual::Lines(lines(&rgraph::text_with_fields(&sim.machine.graph())))
}

/// The maximum number of events in the simulated seconds.
const MAX_STEPS: usize = 1_000_000;

fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_owned).collect()
}

fn first_problem(sources: &Sources, diags: &Diags) -> Actual {
    match diags.first_error() {
        Some(error) => Actual::Error(Problem::of(error, sources)),
        None => Actual::Lines(vec!["refused without an error".into()]),
    }
}

fn format(path: &Path, bytes: &[u8]) -> Verdict {
    let expected = match path.extension().is_some_and(|extension| extension == "badmcl") {
        true => std::fs::read(path.with_extension("mcl")).unwrap_or_default(),
        false => bytes.to_vec(),
    };
    same_text(&expected, bytes)
}

fn same_text(expected: &[u8], bytes: &[u8]) -> Verdict {
    let actual = match fmt::format(bytes) {
        Ok(text) => text,
        Err(diags) => {
            let source = Source::new("/main.mcl", bytes.to_vec());
            let mut sources = Sources::default();
            sources.add(source);
            first_problem(&sources, &diags).to_text().into_bytes()
        }
    };
    Verdict {
        pass: actual == expected,
        expected: String::from_utf8_lossy(expected).into_owned(),
        actual: String::from_utf8_lossy(&actual).into_owned(),
    }
}

/// A whole program: `check` finds no error, and `fmt` leaves it as it is.
fn program(bytes: &[u8]) -> Verdict {
    let mut world = MemoryWorld::default();
    world.insert("/main.mcl", bytes.to_vec());
    let compilation = compile(&world, "/main.mcl", Setup { hostname: "" });
    if compilation.diags.has_errors() {
        let actual = first_problem(&compilation.sources, &compilation.diags).to_text();
        return Verdict { pass: false, expected: "no error".into(), actual };
    }
    same_text(bytes, bytes)
}

/// Lines of only one side; errors are shown whole.
pub fn difference(expected: &str, actual: &str) -> String {
    let wanted: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let got: Vec<&str> = actual.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut text = String::new();
    for (sign, lines, others) in [('-', &wanted, &got), ('+', &got, &wanted)] {
        let mut others: Vec<&str> = others.clone();
        for line in lines {
            match others.iter().position(|other| other == line) {
                Some(at) => {
                    others.swap_remove(at);
                }
                None => text.push_str(&format!("{sign} {line}\n")),
            }
        }
    }
    text
}
