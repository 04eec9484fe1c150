//! All stages in one call: files in, the resource graph of each host that is asked about out.
//!
//! What is wrong is told as diagnostics, in the order of the stages; a model with errors has no graphs.

use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::export::export_to_lower;
use crate::fault::{Failure, Warning, diagnose, warning_diagnostic};
use crate::lower::{self, Lowering};
use mclive_base::diag::{Diagnostic, Diags};
use mclive_base::source::ProgramFiles;
use mclive_engine::rgraph::ResGraph;
use std::collections::BTreeSet;

/// The hosts whose resources are wanted.
#[derive(Clone, Copy, Debug)]
pub enum Hosts<'a> {
    /// This one; the model may have nothing for it.
    One(&'a str),
    /// All that have resources.
    All,
    /// None: the model alone is of interest.
    None,
}

/// What came of a model.
pub struct Understood {
    pub compilation: Compilation,
    pub diags: Diags,
    /// By host; empty for a model with errors.
    pub graphs: Vec<(String, ResGraph)>,
}

/// The main file of a program's entry, which may be a folder.
pub fn main_file(entry: &str) -> String {
    match entry.ends_with('/') {
        true => format!("{entry}{}", mclive_base::layout::INMANTA.main),
        false => entry.to_owned(),
    }
}

/// Compiles a model where no variable of the environment is set, exports it, and lowers what belongs to the hosts.
pub fn understand(world: &dyn ProgramFiles, entry: &str, hosts: Hosts<'_>) -> Understood {
    understand_in(world, entry, hosts, Environment::default())
}

/// The same in this environment.
pub fn understand_in(world: &dyn ProgramFiles, entry: &str, hosts: Hosts<'_>, environment: Environment) -> Understood {
    let compilation = compile(world, &main_file(entry), &Setup { environment, ..Setup::default() });
    let mut said = Said::default();
    said.warnings(&compilation.warnings);
    compilation.faults.iter().for_each(|fault| said.fault(fault));
    let mut graphs = Vec::new();
    if compilation.faults.is_empty() && !matches!(hosts, Hosts::None) {
        graphs = lowered(&compilation, hosts, &mut said).unwrap_or_default();
    }
    Understood { compilation, diags: said.diags, graphs }
}

fn lowered(compilation: &Compilation, hosts: Hosts<'_>, said: &mut Said) -> Option<Vec<(String, ResGraph)>> {
    let export = export_to_lower(compilation).map_err(|fault| said.fault(&fault)).ok()?;
    let lowering = Lowering::new(compilation, &export);
    let hosts = match hosts {
        Hosts::One(host) => vec![host],
        Hosts::All => match lowering.hosts().collect::<Vec<_>>() {
            // What belongs to any host needs none of its own.
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
            }
            Err(fault) => {
                said.fault(&fault);
                is_sound = false;
            }
        }
    }
    is_sound.then_some(graphs)
}

/// What was said, each thing once: what is true on several hosts is found on each of them.
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
