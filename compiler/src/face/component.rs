//! The component: implements `wit/mclive.wit` by calling the crate root.
//!
//! Thin on purpose: decode, call, encode. Nothing here decides.

// Generated code is not linted.
#[allow(unsafe_op_in_unsafe_fn, unreachable_pub, missing_docs, unsafe_code)]
mod bindings {
    use super::Face;

    wit_bindgen::generate!({
        path: "wit",
        world: "brain-world",
    });
    export!(Face);
}

use super::editor;
use super::seeking::{Seeker, Wanted};
use crate::brain::Brain;
use crate::diag::Diags;
use crate::diag::render_text::{self, Style};
use crate::language::{self, ALL, ANY_HOST, Asked, Format, Picture, Said, Undrawn};
use crate::lint::{Level, Levels};
use crate::protocol::{Input, Moment, Output};
use crate::source::{MemoryWorld, Source, Sources};
use crate::span::Span;
use bindings::exports::mclive::brain::compiler::{
    Diagnostic, Edit, GraphFormat, GraphKind, Guest as Compiler, GuestSeeker, Lint, LintLevel, MissingFiles, Place,
    Program, Report, Severity, Shown, SourceFile, Undrawn as NoGraph,
};
use bindings::exports::mclive::brain::engine::{Guest as Engine, GuestBrain};
use mclive_base::discard::last_call;
use mclive_base::shapes;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

struct Face;

impl Compiler for Face {
    type Seeker = SeekerResource;

    fn check(program: Program, hostname: Option<String>, lints: Vec<Lint>, shown: Shown) -> Result<Report, String> {
        let mut levels = Levels::default();
        for lint in lints {
            let level = match lint.level {
                LintLevel::Allow => Level::Allow,
                LintLevel::Warn => Level::Warn,
                LintLevel::Deny => Level::Deny,
            };
            levels.set(&lint.name, level)?;
        }
        // The agent asks a sandbox only once.
        last_call();
        Ok(ask(program, hostname.as_deref(), |asked| report(&language::of(asked).check(asked, &levels), &shown)))
    }

    fn graph(
        program: Program,
        which: Option<GraphKind>,
        format: GraphFormat,
        hostname: Option<String>,
        facts: Option<Vec<u8>>,
        shown: Shown,
    ) -> Result<String, NoGraph> {
        let picture = which.map(|which| match which {
            GraphKind::Functions => Picture::Functions,
            GraphKind::Model => Picture::Model,
            GraphKind::Resources => Picture::Resources,
            GraphKind::Words => Picture::Words,
        });
        let format = match format {
            GraphFormat::Text => Format::Text,
            GraphFormat::Json => Format::Json,
            GraphFormat::Dot => Format::Dot,
        };
        let facts = facts.map(|bytes| postcard::from_bytes::<Vec<_>>(&bytes).expect("the agent writes what we read"));
        let facts = facts.map(|facts| facts.into_iter().collect());
        let drawn = ask(program, hostname.as_deref(), |asked| {
            language::of(asked).graph(asked, picture, format, facts, of_text(&shown))
        });
        drawn.map_err(|undrawn| match undrawn {
            Undrawn::Refused(said) => NoGraph::Refused(report(&said, &shown)),
            Undrawn::Missing(has) => NoGraph::Missing(has.to_owned()),
            Undrawn::Unknown(facts) => {
                NoGraph::Unknown(postcard::to_stdvec(&facts).expect("what is asked of a host is plain data"))
            }
        })
    }

    fn format(path: String, content: Vec<u8>, shown: Shown) -> Result<String, Report> {
        match language::of_file(&path).format(&content) {
            Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Err(diags) => {
                let mut sources = Sources::default();
                sources.add(Source::new(path, content.as_slice()));
                Err(report(&Said { sources, diags, printed: Vec::new() }, &shown))
            }
        }
    }

    fn explain(code: String) -> Option<String> {
        language::explain(&code).map(str::to_owned)
    }

    fn editor(program: Program, query: String) -> Result<String, String> {
        editor::answer_text(&ALL, MemoryWorld::of(files(&program)), &program.entry, ANY_HOST, &query)
    }

    fn origin(program: Program, hostname: String, id: String, shown: Shown) -> Vec<String> {
        ask(program, Some(&hostname), |asked| {
            let (sources, lines) = language::of(asked).origin(asked, &id);
            let told = |(text, span): (String, Span)| {
                let source = sources.get(span.file);
                let at = source.line_col(span.start);
                format!("{text} at {}:{}:{}", of_text(&shown).path(&source.path), at.line, at.col)
            };
            lines.into_iter().map(told).collect()
        })
    }

    fn replaced_parts(program: Program) -> Vec<u32> {
        let found = ask(program, None, |asked| language::of(asked).replaced_parts(asked));
        found.into_iter().filter_map(|nr| u32::try_from(nr).ok()).collect()
    }

    fn docs(name: String, json: bool) -> Result<String, String> {
        if json { super::manual::json(&name) } else { super::manual::page(&name) }
    }

    fn kinds() -> Vec<String> {
        let mut names: Vec<String> = crate::kinds::all().map(|kind| kind.decl().name.to_owned()).collect();
        names.sort();
        names
    }

    fn test(program: Program, name: String, scenario: String) -> Vec<u8> {
        let files = program.files.into_iter().map(|file| (file.path, file.content)).collect();
        let tested = mclive_scenario::test(
            &name,
            &mclive_scenario::Program { files, languages: &language::TESTABLE },
            &scenario,
        );
        postcard::to_stdvec(&tested).expect("the result of a scenario is plain data")
    }

    fn codes() -> Vec<(String, String)> {
        let codes = ALL.iter().flat_map(|language| language.codes());
        codes.map(|entry| (entry.code, entry.title.to_owned())).collect()
    }
}

/// The search for the files of a program.
pub(crate) struct SeekerResource(RefCell<Seeker>);

impl GuestSeeker for SeekerResource {
    fn new(program: Program) -> SeekerResource {
        let mut world = MemoryWorld::default();
        for file in program.files {
            world.insert(&file.path, file.content);
        }
        SeekerResource(RefCell::new(Seeker::new(world, &program.entry)))
    }

    fn missing(&self, found: Vec<SourceFile>) -> MissingFiles {
        let found = found.into_iter().map(|file| (file.path, file.content));
        let Wanted { paths, modules, trees } = self.0.borrow_mut().step(found);
        MissingFiles { paths, modules, trees }
    }
}

fn files(program: &Program) -> impl Iterator<Item = (&str, &[u8])> {
    program.files.iter().map(|file| (file.path.as_str(), file.content.as_slice()))
}

/// The program as it was passed is dropped before the answer: a large text would be held twice.
fn ask<T>(program: Program, host: Option<&str>, answer: impl FnOnce(&Asked<'_>) -> T) -> T {
    let Program { files, entry, environment } = program;
    let mut world = MemoryWorld::default();
    for file in files {
        world.insert(&file.path, file.content);
    }
    answer(&Asked { world: &Arc::new(world), entry: &entry, host, environment: &environment })
}

fn of_text(shown: &Shown) -> render_text::Shown<'_> {
    let style = if shown.colour { Style::Colour } else { Style::Plain };
    render_text::Shown { style, root: &shown.root, elsewhere: &shown.elsewhere }
}

/// All diagnostics, as data, as text and as JSON.
fn report(said: &Said, shown: &Shown) -> Report {
    rendered(&said.sources, &said.diags, &said.printed, shown)
}

fn rendered(sources: &Sources, diags: &Diags, printed: &[String], shown: &Shown) -> Report {
    let text = of_text(shown);
    let all = shapes::Diagnostics::of(sources, diags);
    let json = shapes::to_json(&all.clone().named(|path| text.path(path)));
    let said = all.diagnostics.into_iter().zip(diags.for_reader());
    Report {
        refused: diags.has_errors(),
        diagnostics: said.map(|(one, of)| diagnostic(one, render_text::render(of, sources, text))).collect(),
        rendered: render_text::render_all(diags, sources, text),
        json,
        printed: printed.to_vec(),
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

/// A brain with the outputs that were not collected yet.
pub(crate) struct BrainResource(RefCell<Conversation>);

struct Conversation {
    brain: Brain,
    /// Outputs, except the `Idle` of each but the last input, in pieces that are handed out one by one, so that neither
    /// side needs room for ten thousand answers at once.
    waiting: VecDeque<Vec<u8>>,
    last: Option<Output>,
}

/// The approximate number of bytes transferred at a time.
const PIECE: usize = 32 << 10;

impl GuestBrain for BrainResource {
    fn new() -> BrainResource {
        BrainResource(RefCell::new(Conversation { brain: language::brain(), waiting: VecDeque::new(), last: None }))
    }

    /// Undecodable input ends the instance: the caller is built from the same types, so it means that memory is
    /// corrupted.
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

    fn failure(&self, shown: Shown) -> Option<Report> {
        let state = self.0.borrow();
        let (sources, diags) = state.brain.failure()?;
        Some(rendered(sources, diags, &[], &shown))
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

impl Conversation {
    fn drain(&mut self) {
        loop {
            match self.brain.poll() {
                // An `Exit` stays the last output.
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
