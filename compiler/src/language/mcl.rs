//! MCL: a function graph, and the resource graphs that its values yield.

use super::facts::Facts;
use super::{
    ANY_HOST, Asked, Code, Contents, Editable, Format, FrontEnd, HostFacts, Opened, Picture, Said, Seek, Undrawn,
};
use crate::compile::{self, Checked, Compilation, Setup};
use crate::corelib::docs;
use crate::diag::{Diags, codes::REGISTER, render_text::Shown};
use crate::editor::{Analysis, Services};
use crate::engine_language::{self, Deployed, Language};
use crate::face::check::Findings;
use crate::face::graphs::{self, InWords};
use crate::face::seeking::SeekingWorld;
use crate::kinds::{self, Kind};
use crate::lint::Levels;
use crate::rgraph::{self, Passes, first_graph};
use crate::source::{MemoryWorld, Sources};
use crate::span::Span;
use mclive_base::discard::discard;
use mclive_base::layout::Layout;
use mclive_base::shapes::{self, Diagnostics, FunctionGraph, Reads, ResourceGraph};
use std::cell::OnceCell;
use std::sync::Arc;

/// The maximum number of bytes of a function graph as text. The sandbox hands over 128 MiB at most.
const MOST_TEXT: u64 = 64 << 20;

/// The first language.
pub struct Mcl;

impl Language for Mcl {
    fn layout(&self) -> &'static Layout {
        engine_language::Mcl.layout()
    }

    fn deploy(&self, world: &Arc<MemoryWorld>, entry: &str, hostname: &str) -> Deployed {
        engine_language::Mcl.deploy(world, entry, hostname)
    }
}

fn said(sources: Sources, diags: Diags) -> Said {
    Said { sources, diags, printed: Vec::new() }
}

impl Editable for Mcl {
    fn format(&self, text: &[u8]) -> Result<Vec<u8>, Diags> {
        crate::fmt::format(text)
    }

    fn codes(&self) -> Vec<Code> {
        let code = |entry: &crate::diag::codes::Registered| Code {
            code: entry.code.to_string(),
            title: entry.title,
            page: entry.page,
        };
        REGISTER.iter().map(code).collect()
    }

    fn open(&self, world: MemoryWorld, entry: &str, host: &str) -> Box<dyn Opened> {
        let analysis = Analysis::new(world, entry, host);
        Box::new(Program { analysis, host: host.to_owned(), findings: OnceCell::new() })
    }
}

/// An opened program.
struct Program {
    analysis: Analysis,
    host: String,
    findings: OnceCell<Findings>,
}

impl Program {
    fn findings(&self) -> &Findings {
        self.findings.get_or_init(|| Findings::of_analysis(&self.analysis, &self.host))
    }
}

impl Opened for Program {
    fn services(&self) -> &dyn Services {
        &self.analysis
    }

    fn diagnostics(&self) -> Diagnostics {
        self.findings().diagnostics()
    }

    fn picture(&self) -> Option<FunctionGraph> {
        self.findings().functions()
    }

    fn picture_in_words(&self) -> Option<InWords> {
        self.findings().functions_in_words(self.analysis.linked())
    }

    fn reads(&self) -> Vec<Reads> {
        self.findings().reads().unwrap_or_default()
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }

    fn resources(&self, _: &str) -> Option<ResourceGraph> {
        self.findings().resources()
    }

    fn picture_dot(&self) -> Option<String> {
        self.findings().functions_dot()
    }

    fn picture_json(&self) -> Option<String> {
        self.picture().as_ref().map(shapes::to_json)
    }

    fn resources_dot(&self, _: &str) -> Option<String> {
        self.findings().resources_dot()
    }
}

impl FrontEnd for Mcl {
    fn check(&self, asked: &Asked<'_>, levels: &Levels) -> Said {
        let Checked { sources, diags, ir } = compile::check_with(asked.world, asked.entry, setup(asked), levels);
        discard(ir);
        said(sources, diags)
    }

    fn graph(
        &self,
        asked: &Asked<'_>,
        picture: Option<Picture>,
        format: Format,
        facts: Option<HostFacts>,
        _: Shown<'_>,
    ) -> Result<String, Undrawn> {
        let Compilation { sources, diags, program, .. } = compile::compile(&**asked.world, asked.entry, setup(asked));
        let Some(sound) = program else { return Err(Undrawn::Refused(Box::new(said(sources, diags)))) };
        match picture {
            Some(Picture::Functions) | None => match sound.graph() {
                Err(diags) => Err(Undrawn::Refused(Box::new(said(sources, diags)))),
                Ok(graph) => match format {
                    Format::Text => crate::fgraph::text_within(&graph, MOST_TEXT).ok_or_else(|| {
                        let mut diags = Diags::default();
                        diags.push(crate::fgraph::too_long(MOST_TEXT));
                        Undrawn::Refused(Box::new(said(sources, diags)))
                    }),
                    Format::Json => Ok(shapes::to_json(&graphs::functions(&graph, &sources))),
                    Format::Dot => Ok(crate::fgraph::dot(&graph)),
                },
            },
            Some(Picture::Words) => match sound.graph() {
                Err(diags) => Err(Undrawn::Refused(Box::new(said(sources, diags)))),
                Ok(graph) => {
                    let words = graphs::functions_in_words(&graph, &sound.linked, &sources).graph;
                    Ok(match format {
                        Format::Text => graphs::words_text(&words),
                        Format::Json => shapes::to_json(&words),
                        Format::Dot => graphs::words_dot(&words),
                    })
                }
            },
            Some(Picture::Resources) => {
                let mut facts = Facts::new(facts, asked.host);
                let passes = facts.passes();
                let graph =
                    first_graph(sound.ir, asked.world.clone(), &mut |spec, now| facts.answer(spec, now), passes);
                let missing = facts.missing();
                match graph {
                    _ if !missing.is_empty() => Err(Undrawn::Unknown(missing)),
                    Err(diags) => Err(Undrawn::Refused(Box::new(said(sources, diags)))),
                    Ok(graph) => Ok(match format {
                        Format::Text => rgraph::text_for_people(&graph),
                        Format::Json => shapes::to_json(&graphs::resources(&graph, &sources)),
                        Format::Dot => rgraph::dot(&graph),
                    }),
                }
            }
            Some(Picture::Model) => Err(Undrawn::Missing("functions, words or resources")),
        }
    }

    fn origin(&self, asked: &Asked<'_>, resource: &str) -> (Sources, Vec<(String, Span)>) {
        let Compilation { sources, program, .. } = compile::compile(&**asked.world, asked.entry, setup(asked));
        let Some(sound) = program else { return (sources, Vec::new()) };
        let mut facts = Facts::new(None, asked.host);
        let passes = Passes { autoedge: false, autogroup: false, ask_host: false };
        let graph = first_graph(sound.ir, asked.world.clone(), &mut |spec, now| facts.answer(spec, now), passes);
        let graph = graph.unwrap_or_default();
        let found = graph.resources.values().find(|one| one.id.to_string() == resource);
        let lines = found.and_then(|one| one.span).map(|span| ("declared".to_owned(), span));
        (sources, lines.into_iter().collect())
    }

    fn replaced_parts(&self, _: &Asked<'_>) -> Vec<usize> {
        Vec::new()
    }

    fn seek(&self, entry: &str) -> Box<dyn Seek> {
        Box::new(Sought { entry: entry.to_owned() })
    }

    fn contents(&self) -> Vec<Contents> {
        let pages = kinds::all().map(|kind| kind.decl().name.to_owned()).collect();
        let mut functions: Vec<String> = docs::entries().map(|entry| entry.name).collect();
        functions.dedup();
        vec![
            Contents { title: "Resources", name: "resources", pages },
            Contents { title: "Meta parameters", name: "meta", pages: vec!["meta".to_owned()] },
            Contents { title: "Functions", name: "functions", pages: functions },
        ]
    }

    fn page(&self, name: &str) -> Option<String> {
        Some(match subject(name)? {
            Subject::Functions(entries) => docs::markdown(entries),
            Subject::Kinds(kinds) => kinds::docs::markdown(kinds),
            Subject::Kind(kind) => kinds::docs::page(kind),
            Subject::Meta => kinds::docs::meta(),
        })
    }

    fn page_json(&self, name: &str) -> Option<serde_json::Value> {
        Some(match subject(name)? {
            Subject::Functions(entries) => docs::json(entries),
            Subject::Kinds(kinds) => kinds::docs::json(kinds),
            Subject::Kind(kind) => kinds::docs::json([kind]),
            Subject::Meta => kinds::docs::meta_json(),
        })
    }
}

/// A program whose files are sought.
struct Sought {
    entry: String,
}

impl Seek for Sought {
    fn step(&mut self, world: &SeekingWorld) {
        compile::look_up(world, &self.entry, Setup { hostname: ANY_HOST });
    }
}

fn setup<'a>(asked: &Asked<'a>) -> Setup<'a> {
    Setup { hostname: asked.host.unwrap_or(ANY_HOST) }
}

/// The subject of a manual page.
enum Subject {
    Functions(Vec<docs::Doc>),
    Kinds(Vec<&'static dyn Kind>),
    Kind(&'static dyn Kind),
    Meta,
}

fn subject(name: &str) -> Option<Subject> {
    Some(match name {
        "functions" => Subject::Functions(docs::entries().collect()),
        "resources" => Subject::Kinds(kinds::all().collect()),
        "meta" => Subject::Meta,
        _ => {
            if let Some(kind) = kinds::lookup(name) {
                return Some(Subject::Kind(kind));
            }
            let mut found: Vec<docs::Doc> = docs::entries().filter(|entry| entry.name == name).collect();
            if found.is_empty() {
                found = docs::entries().filter(|entry| !entry.module.is_empty() && entry.module == name).collect();
            }
            return (!found.is_empty()).then_some(Subject::Functions(found));
        }
    })
}
