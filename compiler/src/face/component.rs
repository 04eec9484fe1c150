//! The component: what `wit/mclive.wit` promises, by calling the crate root.
//!
//! Thin on purpose: decode, call, encode. Nothing here decides.

// The macro's output is not ours to lint.
#[allow(unsafe_op_in_unsafe_fn, unreachable_pub, missing_docs)]
mod bindings {
    use super::Face;

    wit_bindgen::generate!({
        path: "wit",
        world: "brain-world",
    });
    export!(Face);
}

use super::editor;
use super::graphs;
use super::seeking::SeekingWorld;
use crate::brain::Brain;
use crate::compile::{Compilation, Setup, check, compile};
use crate::diag::render_text::{self, Style};
use crate::diag::{Diags, codes::REGISTER};
use crate::protocol::{Input, Moment, Output};
use crate::rgraph::{self, Passes, first_graph};
use crate::sim::SimHost;
use crate::source::{MemoryWorld, Source, Sources};
use bindings::exports::mclive::brain::compiler::{
    Diagnostic, Edit, GraphFormat, GraphKind, Guest as Compiler, MissingFiles, Place, Program, Report, Severity, Shown,
};
use bindings::exports::mclive::brain::engine::{Guest as Engine, GuestBrain};
use mclive_base::shapes;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

struct Face;

/// The host name that a check is made for: nothing but values depends on it.
const ANY_HOST: &str = "host1";

impl Compiler for Face {
    fn compile(program: Program, shown: Shown) -> Report {
        let compiled = compile(&MemoryWorld::of(files(&program)), &program.entry, Setup { hostname: ANY_HOST });
        report(&compiled.sources, &compiled.diags, &shown)
    }

    fn check(program: Program, shown: Shown) -> Report {
        let compiled = check(&MemoryWorld::of(files(&program)), &program.entry, Setup { hostname: ANY_HOST });
        report(&compiled.sources, &compiled.diags, &shown)
    }

    fn graph(
        program: Program,
        which: GraphKind,
        format: GraphFormat,
        hostname: String,
        shown: Shown,
    ) -> Result<String, Report> {
        let world = MemoryWorld::of(files(&program));
        let compiled = compile_program(&world, &program.entry, &hostname);
        let sources = compiled.sources;
        let Some(sound) = compiled.program else { return Err(report(&sources, &compiled.diags, &shown)) };
        match which {
            GraphKind::Functions => {
                let graph = sound.graph().map_err(|diags| report(&sources, &diags, &shown))?;
                Ok(match format {
                    GraphFormat::Text => crate::fgraph::text(&graph),
                    GraphFormat::Json => shapes::to_json(&graphs::functions(&graph, &sources)),
                    GraphFormat::Dot => crate::fgraph::dot(&graph),
                })
            }
            GraphKind::Resources => {
                let mut host = SimHost::new(&hostname);
                let mut answer = |spec: &_, now: u64| Some(host.read_fact(Moment(now), spec));
                let passes = Passes { autoedge: true, autogroup: true, ask_host: false };
                let graph = first_graph(sound.plan, Arc::new(world), &mut answer, passes)
                    .map_err(|diags| report(&sources, &diags, &shown))?;
                Ok(match format {
                    GraphFormat::Text => rgraph::text_with_fields(&graph),
                    GraphFormat::Json => shapes::to_json(&graphs::resources(&graph, &sources)),
                    GraphFormat::Dot => rgraph::dot(&graph),
                })
            }
        }
    }

    fn format(path: String, content: Vec<u8>, shown: Shown) -> Result<String, Report> {
        let refused = |diags: &Diags| {
            let mut sources = Sources::default();
            sources.add(Source::new(path, content.as_slice()));
            report(&sources, diags, &shown)
        };
        match crate::fmt::format(&content) {
            Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Err(diags) => Err(refused(&diags)),
        }
    }

    fn missing(program: Program) -> MissingFiles {
        let world = SeekingWorld::new(MemoryWorld::of(files(&program)));
        compile(&world, &program.entry, Setup { hostname: ANY_HOST });
        MissingFiles { paths: world.missing(), modules: world.modules() }
    }

    fn explain(code: String) -> Option<String> {
        REGISTER.iter().find(|entry| entry.code.to_string() == code).map(|entry| entry.page.to_owned())
    }

    fn editor(program: Program, query: String) -> Result<String, String> {
        editor::answer_text(MemoryWorld::of(files(&program)), &program.entry, ANY_HOST, &query)
    }

    fn docs(name: String, json: bool) -> Option<String> {
        if json { super::manual::json(&name) } else { super::manual::page(&name) }
    }

    fn kinds() -> Vec<String> {
        let mut names: Vec<String> = crate::kinds::all().map(|kind| kind.decl().name.to_owned()).collect();
        names.sort();
        names
    }

    fn test(program: Program, name: String, scenario: String) -> Vec<u8> {
        let files = program.files.into_iter().map(|file| (file.path, file.content)).collect();
        let tested = mclive_scenario::test(&name, &mclive_scenario::Program { files }, &scenario);
        postcard::to_stdvec(&tested).expect("what came of a scenario is plain data")
    }

    fn codes() -> Vec<(String, String)> {
        REGISTER.iter().map(|entry| (entry.code.to_string(), entry.title.to_owned())).collect()
    }
}

fn files(program: &Program) -> impl Iterator<Item = (&str, &[u8])> {
    program.files.iter().map(|file| (file.path.as_str(), file.content.as_slice()))
}

fn compile_program(world: &MemoryWorld, entry: &str, hostname: &str) -> Compilation {
    compile(world, entry, Setup { hostname })
}

/// All that was said, as data, as text and as JSON.
fn report(sources: &Sources, diags: &Diags, shown: &Shown) -> Report {
    let style = if shown.colour { Style::Colour } else { Style::Plain };
    let text = render_text::Shown { style, root: &shown.root };
    let all = shapes::Diagnostics::of(sources, diags);
    let json = shapes::to_json(&all);
    let said = all.diagnostics.into_iter().zip(diags.iter());
    Report {
        refused: diags.has_errors(),
        diagnostics: said.map(|(one, of)| diagnostic(one, render_text::render(of, sources, text))).collect(),
        rendered: render_text::render_all(diags, sources, text),
        json,
    }
}

fn diagnostic(one: shapes::Diagnostic, rendered: String) -> Diagnostic {
    let label = |label: shapes::Label| place(label.place, label.text);
    Diagnostic {
        code: one.code,
        severity: match one.severity {
            shapes::Severity::Error => Severity::Error,
            shapes::Severity::Warning => Severity::Warning,
            shapes::Severity::Note => Severity::Note,
            shapes::Severity::Bug => Severity::Bug,
        },
        stage: one.stage,
        message: one.message,
        primary: one.primary.map(label),
        secondary: one.secondary.into_iter().map(label).collect(),
        help: one.help,
        edits: one
            .edits
            .into_iter()
            .map(|edit| Edit { place: place(edit.place, edit.title), replacement: edit.replacement })
            .collect(),
        rendered,
    }
}

fn place(place: shapes::Place, text: String) -> Place {
    Place {
        file: place.file,
        start: place.start,
        end: place.end,
        start_line: place.start_line,
        start_col: place.start_col,
        end_line: place.end_line,
        end_col: place.end_col,
        text,
    }
}

impl Engine for Face {
    type Brain = BrainResource;
}

/// A brain with what it has said and not yet been asked for.
#[derive(Default)]
pub(crate) struct BrainResource(RefCell<State>);

#[derive(Default)]
struct State {
    brain: Brain,
    /// Outputs, but for the `Idle` of each but the last input, in pieces that are handed out one by one:
    /// ten thousand answers need no room for all of them at once on either side.
    waiting: VecDeque<Vec<u8>>,
    last: Option<Output>,
}

/// How many bytes cross at a time, about.
const PIECE: usize = 32 << 10;

impl GuestBrain for BrainResource {
    fn new() -> BrainResource {
        BrainResource::default()
    }

    /// Bytes that are no input end the instance: the caller is built from the same types, so they
    /// mean that memory is broken.
    fn handle(&self, now_ns: u64, inputs: Vec<u8>) {
        let mut state = self.0.borrow_mut();
        let mut rest = inputs.as_slice();
        while !rest.is_empty() {
            let (input, after) = postcard::take_from_bytes::<Input>(rest).expect("an encoded input");
            rest = after;
            state.brain.handle(Moment(now_ns), input);
            state.drain();
        }
    }

    fn poll(&self) -> Vec<u8> {
        let mut state = self.0.borrow_mut();
        if let Some(piece) = state.waiting.pop_front().filter(|piece| !piece.is_empty()) {
            return piece;
        }
        let last = state.last.take().unwrap_or(Output::Idle { wake: None });
        postcard::to_extend(&last, Vec::new()).expect("an output can be encoded")
    }
}

impl State {
    fn drain(&mut self) {
        loop {
            match self.brain.poll() {
                // An end stays the last word.
                output @ (Output::Idle { .. } | Output::Exit { .. }) => {
                    if !matches!(self.last, Some(Output::Exit { .. })) {
                        self.last = Some(output);
                    }
                    return;
                }
                output => {
                    let piece = self.waiting.pop_back().unwrap_or_default();
                    let piece = postcard::to_extend(&output, piece).expect("an output can be encoded");
                    let is_full = piece.len() >= PIECE;
                    self.waiting.push_back(piece);
                    if is_full {
                        self.waiting.push_back(Vec::new());
                    }
                }
            }
        }
    }
}
