//! Inmanta: a model of instances, and the resource graph of each of its hosts.

use super::asking::Asking;
use super::ordered;
use super::{
    ANY_HOST, Asked, Code, Contents, Editable, Format, FrontEnd, HostFacts, LOOKED_AT, Opened, Picture, Said, Seek,
    Undrawn,
};
use crate::diag::{Diags, render_text::Shown};
use crate::editor::Services;
use crate::engine_language::{Deployed, Language};
use crate::face::graphs;
use crate::face::seeking::SeekingWorld;
use crate::lint::Levels;
use crate::protocol::Moment;
use crate::rgraph::{self, ResGraph};
use crate::sim::SimHost;
use crate::source::{MemoryWorld, Sources};
use crate::span::Span;
use crate::unicode::visible;
use mclive_base::layout::{self, Layout};
use mclive_base::shapes::{self, Diagnostics, FunctionGraph, HostGraph, HostGraphs, ResourceGraph, VERSION};
use mclive_inmanta::editor::Analysis;
use mclive_inmanta::origin::origin_in;
use mclive_inmanta::seek::Seeker;
use mclive_inmanta::{Compilation, Environment, Hosts, Understood, understand_in};
use mclive_inmanta::{fault::codes::REGISTER, main_file, manual, model};
use std::sync::Arc;

/// The second language.
pub struct Inmanta;

impl Language for Inmanta {
    fn layout(&self) -> &'static Layout {
        &layout::INMANTA
    }

    fn deploy(&self, world: &Arc<MemoryWorld>, entry: &str, hostname: &str) -> Deployed {
        let Understood { compilation, diags, graphs, mut between, .. } =
            understand_in(&**world, entry, Hosts::One(hostname), Environment::asked().on(hostname));
        let Compilation { sources, printed, wanted, .. } = compilation;
        if !wanted.is_empty() && !diags.has_errors() {
            let live = Asking::new(world.clone(), entry, hostname, wanted);
            return Deployed { sources, diags, printed: Vec::new(), live: Some(Box::new(live)) };
        }
        let graph = graphs.into_iter().next().filter(|_| !diags.has_errors());
        let live = graph.map(|(host, graph)| ordered::made(graph, between.remove(&host), 0));
        Deployed { sources, diags, printed, live }
    }
}

fn hosts<'a>(asked: &Asked<'a>) -> Hosts<'a> {
    asked.host.map_or(Hosts::All, Hosts::One)
}

/// The environment of the host whose facts were read; the given one without a host.
fn environment(asked: &Asked<'_>, facts: Option<HostFacts>) -> Environment {
    let Some(facts) = facts else { return Environment::whole(asked.environment.iter().cloned()) };
    let mut environment = Environment::asked();
    if let Some(host) = asked.host {
        environment = environment.on(host);
    }
    for (spec, told) in facts {
        environment.tell(spec, told.ok());
    }
    environment
}

fn said(understood: Understood) -> Said {
    let Understood { compilation, diags, .. } = understood;
    Said { sources: compilation.sources, diags, printed: compilation.printed }
}

/// A host's graph with automatic edges and groups.
fn finished(host: &str, graph: ResGraph) -> Result<ResGraph, Diags> {
    let mut sim = SimHost::new(host);
    rgraph::finished(graph, &mut |spec, now| Some(sim.read_fact(Moment(now), spec)), LOOKED_AT)
}

/// The same for every host; errors are added to the diagnostics.
fn finish(understood: &mut Understood) -> Vec<(String, ResGraph)> {
    let mut graphs = Vec::new();
    for (host, graph) in std::mem::take(&mut understood.graphs) {
        match finished(&host, graph) {
            Ok(graph) => graphs.push((host, graph)),
            Err(diags) => understood.diags.extend(diags),
        }
    }
    graphs
}

impl Editable for Inmanta {
    fn format(&self, text: &[u8]) -> Result<Vec<u8>, Diags> {
        mclive_inmanta::fmt::format(text)
    }

    fn codes(&self) -> Vec<Code> {
        let code = |entry: &mclive_inmanta::fault::codes::Registered| Code {
            code: entry.code.to_string(),
            title: entry.title,
            page: entry.page,
        };
        REGISTER.iter().map(code).collect()
    }

    fn open(&self, world: MemoryWorld, entry: &str, _: &str) -> Box<dyn Opened> {
        let analysis = Analysis::new(world, entry);
        let mut diags = analysis.understood.diags.clone();
        let mut graphs = Vec::new();
        for (host, graph) in &analysis.understood.graphs {
            match finished(host, graph.clone()) {
                Ok(graph) => graphs.push((host.clone(), graph)),
                Err(said) => diags.extend(said),
            }
        }
        Box::new(Model { analysis, diags, graphs })
    }
}

/// An opened model.
struct Model {
    analysis: Analysis,
    diags: Diags,
    graphs: Vec<(String, ResGraph)>,
}

impl Model {
    /// The resources of this host, or of the first one.
    fn graph_of(&self, host: &str) -> Option<&ResGraph> {
        let chosen = self.graphs.iter().find(|(name, _)| name == host);
        let (_, graph) = chosen.or(self.graphs.first()).filter(|_| !self.diags.has_errors())?;
        Some(graph)
    }
}

impl Opened for Model {
    fn services(&self) -> &dyn Services {
        &self.analysis
    }

    fn diagnostics(&self) -> Diagnostics {
        Diagnostics::of(&self.analysis.understood.compilation.sources, &self.diags)
    }

    fn picture(&self) -> Option<FunctionGraph> {
        (!self.diags.has_errors()).then(|| model::picture(&self.analysis.understood.models()))
    }

    fn hosts(&self) -> Vec<String> {
        self.graphs.iter().map(|(host, _)| host.clone()).collect()
    }

    fn resources(&self, host: &str) -> Option<ResourceGraph> {
        Some(graphs::resources(self.graph_of(host)?, &self.analysis.understood.compilation.sources))
    }

    fn picture_dot(&self) -> Option<String> {
        (!self.diags.has_errors()).then(|| model::dot(&self.analysis.understood.models()))
    }

    fn picture_json(&self) -> Option<String> {
        (!self.diags.has_errors()).then(|| shapes::to_json(&model::graph(&self.analysis.understood.models())))
    }

    fn resources_dot(&self, host: &str) -> Option<String> {
        self.graph_of(host).map(rgraph::dot)
    }
}

impl FrontEnd for Inmanta {
    fn check(&self, asked: &Asked<'_>, _levels: &Levels) -> Said {
        let mut understood = understand_in(&**asked.world, asked.entry, hosts(asked), environment(asked, None));
        finish(&mut understood);
        said(understood)
    }

    fn graph(
        &self,
        asked: &Asked<'_>,
        picture: Option<Picture>,
        format: Format,
        facts: Option<HostFacts>,
        shown: Shown<'_>,
    ) -> Result<String, Undrawn> {
        let wanted = match picture {
            Some(Picture::Model) | None => Hosts::None,
            Some(Picture::Resources) => hosts(asked),
            Some(Picture::Functions | Picture::Words) => return Err(Undrawn::Missing("model or resources")),
        };
        let is_of_a_host = facts.is_some();
        let environment = environment(asked, facts);
        let mut understood = understand_in(&**asked.world, asked.entry, wanted, environment);
        if is_of_a_host && !understood.compilation.wanted.is_empty() {
            return Err(Undrawn::Unknown(understood.compilation.wanted.into_iter().collect()));
        }
        let graphs = finish(&mut understood);
        if understood.diags.has_errors() {
            return Err(Undrawn::Refused(Box::new(said(understood))));
        }
        if !shown.elsewhere.is_empty() {
            understood.rename_files(&|path| shown.path(path));
        }
        let compilation = &understood.compilation;
        Ok(match (wanted, format) {
            (Hosts::None, Format::Text) => model::text(&understood.models()),
            (Hosts::None, Format::Json) => shapes::to_json(&model::graph(&understood.models())),
            (Hosts::None, Format::Dot) => model::dot(&understood.models()),
            (Hosts::One(_), _) => graphs.iter().map(|(_, graph)| drawn(graph, compilation, format)).collect(),
            (Hosts::All, Format::Json) => {
                let host = |(host, graph): &(String, ResGraph)| HostGraph {
                    host: host.clone(),
                    graph: graphs::resources(graph, &compilation.sources),
                };
                shapes::to_json(&HostGraphs { version: VERSION, hosts: graphs.iter().map(host).collect() })
            }
            (Hosts::All, Format::Text) => {
                let text = |(host, graph): &(String, ResGraph)| {
                    format!("Host: {}\n{}\n", visible(host), drawn(graph, compilation, format).trim_end())
                };
                graphs.iter().map(text).collect::<Vec<_>>().join("\n")
            }
            (Hosts::All, Format::Dot) => graphs.iter().map(|(_, graph)| drawn(graph, compilation, format)).collect(),
        })
    }

    fn origin(&self, asked: &Asked<'_>, resource: &str) -> (Sources, Vec<(String, Span)>) {
        let (environment, host) = (environment(asked, None), asked.host.unwrap_or(ANY_HOST));
        let (sources, lines) = origin_in(&**asked.world, asked.entry, &environment, host, resource);
        (sources, lines.into_iter().map(|line| (line.text, line.span)).collect())
    }

    fn replaced_parts(&self, asked: &Asked<'_>) -> Vec<usize> {
        mclive_inmanta::partial::replaced(&**asked.world, asked.entry)
    }

    fn seek(&self, entry: &str) -> Box<dyn Seek> {
        Box::new(Seeker::new(&main_file(entry)))
    }

    fn contents(&self) -> Vec<Contents> {
        let pages = [manual::modules(), manual::functions()].concat();
        vec![Contents { title: "Modules and functions of models", name: "models", pages }]
    }

    fn page(&self, name: &str) -> Option<String> {
        manual::page(name)
    }

    fn page_json(&self, name: &str) -> Option<serde_json::Value> {
        manual::page_json(name)
    }
}

impl Seek for Seeker {
    fn step(&mut self, world: &SeekingWorld) {
        self.wanted(world.files()).into_iter().for_each(|dir| world.wants_tree(dir));
    }
}

fn drawn(graph: &ResGraph, compilation: &mclive_inmanta::Compilation, format: Format) -> String {
    match format {
        Format::Text => rgraph::text_for_people(graph),
        Format::Json => shapes::to_json(&graphs::resources(graph, &compilation.sources)),
        Format::Dot => rgraph::dot(graph),
    }
}
