//! All stages in one call: from files to the resource graph of each requested host.
//!
//! Errors are diagnostics, in the order of the stages; a model with errors has no graphs.

use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::export::export_to_lower;
use crate::fault::{Failure, Warning, diagnose, warning_diagnostic};
use crate::lower::{self, Between, Lowering};
use crate::model::Model;
use crate::partial;
use crate::value::InstId;
use mclive_base::diag::{Diagnostic, Diags};
use mclive_base::source::ProgramFiles;
use mclive_engine::rgraph::ResGraph;
use std::collections::{BTreeMap, BTreeSet};

/// The requested hosts.
#[derive(Clone, Copy, Debug)]
pub enum Hosts<'a> {
    /// This one; the model may have no resources for it.
    One(&'a str),
    /// All hosts with resources.
    All,
    /// None: only the model is of interest.
    None,
}

/// The result for a model.
pub struct Understood {
    /// The compilation.
    pub compilation: Compilation,
    /// All diagnostics.
    pub diags: Diags,
    /// By host; empty for a model with errors.
    pub graphs: Vec<(String, ResGraph)>,
    /// The order with other hosts, by host; hosts without are left out.
    pub between: BTreeMap<String, Between>,
    /// The models of the partial exports, in order. Empty while the whole model has errors.
    pub parts: Vec<Compilation>,
    /// By export, the whole model first: the instances that later exports replace or delete. Empty without partial exports,
    /// or if they cannot be merged.
    pub gone: Vec<BTreeSet<InstId>>,
}

impl Understood {
    /// The whole model and those of its partial exports, each without what later exports replace or delete.
    pub fn models(&self) -> Vec<Model<'_>> {
        let compilations = std::iter::once(&self.compilation).chain(&self.parts).enumerate();
        compilations.map(|(nr, compilation)| Model { compilation, gone: self.gone.get(nr) }).collect()
    }

    /// Shows the paths of files as the user gave them in all later messages about the models.
    pub fn rename_files(&mut self, path: &dyn Fn(&str) -> String) {
        let compilations = std::iter::once(&mut self.compilation).chain(&mut self.parts);
        compilations.for_each(|compilation| compilation.sources.rename(path));
    }
}

/// The main file of a program's entry, which may be a folder.
pub fn main_file(entry: &str) -> String {
    match entry.ends_with('/') {
        true => format!("{entry}{}", mclive_base::layout::INMANTA.main),
        false => entry.to_owned(),
    }
}

/// Compiles a model without environment variables, exports it, and lowers the resources of the hosts.
pub fn understand(world: &dyn ProgramFiles, entry: &str, hosts: Hosts<'_>) -> Understood {
    understand_in(world, entry, hosts, Environment::default())
}

/// The same in this environment.
pub fn understand_in(world: &dyn ProgramFiles, entry: &str, hosts: Hosts<'_>, environment: Environment) -> Understood {
    let main = main_file(entry);
    let mut compilation = compile(world, &main, &Setup { environment: environment.clone(), ..Setup::default() });
    let mut said = Said::default();
    said.warnings(&compilation.warnings);
    compilation.faults.iter().for_each(|fault| said.fault(fault));
    let (mut graphs, mut between) = (Vec::new(), BTreeMap::new());
    let (mut parts, mut gone) = (Vec::new(), Vec::new());
    if compilation.faults.is_empty() {
        match partial::parts(world, &main) {
            Ok(listed) if listed.is_empty() => {
                if !matches!(hosts, Hosts::None) {
                    graphs = lowered(&compilation, hosts, &mut between, &mut said).unwrap_or_default();
                }
            }
            Ok(listed) => {
                parts = partial::compiled(world, &listed, &compilation, &environment);
                (graphs, gone) = merged(&compilation, &parts, &listed, hosts, &mut between, &mut said);
                add(&mut compilation, &parts);
            }
            Err(fault) => said.fault(&fault),
        }
    }
    Understood { compilation, diags: said.diags, graphs, between, parts, gone }
}

/// What the models of partial exports make of the whole one, and which instances they replace; nothing while it depends on
/// unknown variables.
fn merged(
    first: &Compilation,
    others: &[Compilation],
    parts: &[partial::Part],
    hosts: Hosts<'_>,
    between: &mut BTreeMap<String, Between>,
    said: &mut Said,
) -> (Vec<(String, ResGraph)>, Vec<BTreeSet<InstId>>) {
    for other in others {
        said.warnings(&other.warnings);
        other.faults.iter().for_each(|fault| said.fault(fault));
    }
    let models: Vec<&Compilation> = std::iter::once(first).chain(others).collect();
    if models.iter().any(|model| !model.faults.is_empty() || !model.wanted.is_empty()) {
        return (Vec::new(), Vec::new());
    }
    let outcome = partial::merged(&models, parts, hosts);
    said.warnings(&outcome.warnings);
    outcome.faults.iter().for_each(|fault| said.fault(fault));
    let mut graphs = Vec::new();
    for (host, graph, beside) in outcome.graphs {
        if !beside.is_empty() {
            between.insert(host.clone(), beside);
        }
        graphs.push((host, graph));
    }
    (graphs, outcome.gone)
}

/// Adds what callers need to know of the other models.
fn add(compilation: &mut Compilation, others: &[Compilation]) {
    // The sources of the last one are those of all.
    if let Some(last) = others.last() {
        compilation.sources = last.sources.clone();
    }
    for other in others {
        compilation.printed.extend_from_slice(&other.printed);
        compilation.wanted.extend(other.wanted.iter().cloned());
    }
}

fn lowered(
    compilation: &Compilation,
    hosts: Hosts<'_>,
    between: &mut BTreeMap<String, Between>,
    said: &mut Said,
) -> Option<Vec<(String, ResGraph)>> {
    let export = export_to_lower(compilation).map_err(|fault| said.fault(&fault)).ok()?;
    let lowering = Lowering::new(compilation, &export);
    let hosts = match hosts {
        Hosts::One(host) => vec![host],
        Hosts::All => match lowering.hosts().collect::<Vec<_>>() {
            // Resources of any host need no particular one.
            hosts if hosts.is_empty() && !export.resources.is_empty() => vec![lower::INTERNAL],
            hosts => hosts,
        },
        Hosts::None => Vec::new(),
    };
    said.warnings(&lowering.warnings);
    let mut graphs = Vec::new();
    let mut is_sound = true;
    for host in hosts {
        match lowering.host(Some(host)) {
            Ok(lowered) => {
                said.warnings(&lowered.warnings);
                graphs.push((host.to_owned(), lowered.graph));
                if !lowered.between.is_empty() {
                    between.insert(host.to_owned(), lowered.between);
                }
            }
            Err(fault) => {
                said.fault(&fault);
                is_sound = false;
            }
        }
    }
    is_sound.then_some(graphs)
}

/// Diagnostics without duplicates: those that apply to several hosts are found on each of them.
#[derive(Default)]
struct Said {
    diags: Diags,
    seen: BTreeSet<(String, Option<(u32, u32, u32)>)>,
}

impl Said {
    fn fault(&mut self, fault: &Failure) {
        diagnose(fault).into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    fn warnings(&mut self, warnings: &[Warning]) {
        warnings.iter().for_each(|warning| self.push(warning_diagnostic(warning)));
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map(|label| (label.span.file.0, label.span.start, label.span.end));
        if self.seen.insert((diagnostic.message.clone(), place)) {
            self.diags.push(diagnostic);
        }
    }
}
