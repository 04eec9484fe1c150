//! What a page sees of a simulation: its host, its resources and their values.

use super::Simulation;
use crate::face::driver::Driver;
use crate::face::graphs;
use crate::fgraph::VertexId;
use crate::protocol::{Phase, ResourceId};
use crate::rgraph;
use crate::sim::{self, FileView};
use crate::vocab::FileKind;
use mclive_base::excerpt::excerpt_with_checksum;
use mclive_base::hash::checksum;
use mclive_base::shapes::host::{HostCard, HostFile, HostFileKind, HostHealth, Replayed, ResourceState, Snapshot};
use mclive_base::shapes::{ResourceGraph, VERSION};

/// The maximum number of lines of one snapshot; the oldest are dropped.
const MAX_LINES: usize = 200;
/// The maximum number of files of one snapshot, and of bytes shown of each.
const MAX_FILES: usize = 2_000;
const MAX_TEXT: usize = 16 << 10;

impl Simulation {
    /// The current state, with the log since the last call.
    pub fn snapshot(&mut self) -> Snapshot {
        let host = match &self.source {
            Driver::Host(sim) => sim.snapshot(),
            Driver::Trace(_) => sim::Snapshot { hostname: self.hostname.clone(), ..sim::Snapshot::default() },
        };
        let surplus = self.log.len().saturating_sub(MAX_LINES);
        self.n_log_dropped += surplus as u64;
        Snapshot {
            now_ms: self.now().0 / 1_000_000,
            clock_s: host.clock_ns.div_euclid(1_000_000_000),
            hostname: host.hostname,
            wake_ms: self.next_at().map(|at| at.0 / 1_000_000),
            converged: self.converged,
            replay: match &self.source {
                Driver::Host(_) => None,
                Driver::Trace(replay) => {
                    let (done, all) = replay.progress();
                    Some(Replayed { done, all })
                }
            },
            stopped: self.stopped(),
            generation: self.generation,
            resources: self.states(),
            values: self.values(),
            holdings: match &self.source {
                Driver::Host(sim) => sim.host.world().holdings(),
                Driver::Trace(_) => Vec::new(),
            },
            files: host.files.into_iter().take(MAX_FILES).map(|file| self.shown(file)).collect(),
            log: std::mem::take(&mut self.log).split_off(surplus),
            n_log_dropped: self.n_log_dropped,
        }
    }

    /// A summary of the host.
    pub(in crate::face) fn card(&self, host: &str, is_paused: bool, is_disconnected: bool) -> HostCard {
        let states: Vec<Phase> = self.states().into_iter().map(|state| state.phase).collect();
        let n_failed = states.iter().filter(|phase| **phase == Phase::Failed).count();
        let n_good = states.iter().filter(|phase| matches!(phase, Phase::InState | Phase::Changed)).count();
        let health = match self.stopped() {
            _ if is_paused => HostHealth::Paused,
            Some(why) => HostHealth::Stopped(why),
            None if n_failed > 0 => HostHealth::Failed(n_failed),
            None if self.converged => HostHealth::Converged,
            None if n_good == states.len() && self.generation > 0 => HostHealth::UpToDate,
            None => HostHealth::Working,
        };
        let (host, n_resources) = (host.to_owned(), states.len());
        HostCard { host, health, is_disconnected, n_resources, n_good, load: self.load() }
    }

    fn states(&self) -> Vec<ResourceState> {
        let graph = self.brain().graph();
        let ids = graph.resources.values().map(|resource| resource.id.to_string());
        let state = |id: String| {
            let (phase, text) = self.phases.get(&id).cloned().unwrap_or((Phase::Waiting, String::new()));
            ResourceState { id, phase, text }
        };
        ids.map(state).collect()
    }

    fn load(&self) -> u32 {
        match &self.source {
            Driver::Host(sim) => (sim.host.world().subjects.machine.load[0] * 100.0) as u32,
            Driver::Trace(_) => 0,
        }
    }

    fn stopped(&self) -> Option<String> {
        match self.exit() {
            Some(status) => Some(format!("exited with status {status}")),
            None => self.failure.clone(),
        }
    }

    /// Paths of files managed by resources of the graph in effect, and resources that failed.
    pub(in crate::face) fn claims(&self) -> (Vec<String>, Vec<ResourceId>) {
        let graph = self.brain().graph();
        let of_kind = graph.resources.values().filter(|resource| &*resource.id.kind == "file");
        let paths = of_kind.map(|resource| resource.id.name.to_string()).filter(|path| path.starts_with('/'));
        let is_failed = |id: &&ResourceId| matches!(self.phases.get(&id.to_string()), Some((Phase::Failed, _)));
        let failed = graph.resources.values().map(|resource| &resource.id).filter(is_failed).cloned();
        (paths.collect(), failed.collect())
    }

    /// A file of the host as text. Errors: it is missing, or not text.
    pub(in crate::face) fn text_of(&self, path: &str) -> Option<Result<String, ()>> {
        let Driver::Host(sim) = &self.source else { return None };
        let world = sim.host.world();
        match world.stat(path) {
            None => Some(Err(())),
            Some(stat) if stat.kind == FileKind::File => {
                let bytes = world.read(path).ok().filter(|bytes| bytes.len() <= MAX_TEXT)?;
                String::from_utf8(bytes.to_vec()).ok().map(Ok)
            }
            Some(_) => None,
        }
    }

    /// A file as the page displays it: of a long one the start, and its size shows how much is missing.
    fn shown(&self, file: FileView) -> HostFile {
        let kind = match file.kind.as_str() {
            "dir" => HostFileKind::Dir,
            "link" => HostFileKind::Link,
            _ => HostFileKind::File,
        };
        let text = match (file.content, &self.source) {
            (Some(text), _) if kind == HostFileKind::File => start_of(text.as_bytes()),
            (Some(target), _) => target,
            // It is longer than what a snapshot contains, or not text.
            (None, Driver::Host(sim)) if kind == HostFileKind::File => {
                sim.host.world().read(&file.path).map(start_of).unwrap_or_default()
            }
            (None, Driver::Host(_) | Driver::Trace(_)) => String::new(),
        };
        let is_partial = kind == HostFileKind::File && text.len() < file.size;
        let whole = match &self.source {
            Driver::Host(sim) if is_partial => sim.host.world().read(&file.path).ok(),
            Driver::Host(_) | Driver::Trace(_) => None,
        };
        HostFile {
            checksum: whole.map(checksum),
            path: file.path,
            kind,
            mode: u32::from_str_radix(&file.mode, 8).unwrap_or(0),
            owner: file.owner,
            group: file.group,
            size: file.size as u64,
            text,
        }
    }

    /// The resource graph in effect.
    pub fn resource_graph(&self) -> ResourceGraph {
        match self.brain().sources() {
            Some(sources) => graphs::resources(&self.brain().graph(), sources),
            None => ResourceGraph { version: VERSION, ..ResourceGraph::default() },
        }
    }

    /// The same in DOT, as `mclive graph` prints it.
    pub fn resources_dot(&self) -> String {
        rgraph::dot(&self.brain().graph())
    }

    /// The initial vertices of a program keep their numbers, so these are the values of the graph shown by the
    /// compiler; vertices attached later follow.
    pub fn values(&self) -> Vec<Option<String>> {
        let Some(react) = self.brain().react() else { return Vec::new() };
        let n_ids = react.graph().ids().last().map_or(0, |last| last.0 + 1);
        let text = |id| react.value(VertexId(id)).map(|value| excerpt_with_checksum(value.to_string(), MAX_TEXT));
        (0..n_ids).map(text).collect()
    }
}

/// The text at the start of a file's content; empty if it does not start with text.
fn start_of(content: &[u8]) -> String {
    let start = content.get(..MAX_TEXT).unwrap_or(content);
    match std::str::from_utf8(start) {
        Ok(text) => text.to_owned(),
        // The last character is cut.
        Err(error) if error.error_len().is_none() && start.len() < content.len() => {
            let whole = start.get(..error.valid_up_to()).unwrap_or_default();
            String::from_utf8_lossy(whole).into_owned()
        }
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_file_the_first_whole_characters_are_shown() {
        let most = |text: &str, n: usize| text.repeat(n).into_bytes();
        assert_eq!(start_of(b"short\n"), "short\n");
        assert_eq!(start_of(&most("x", 2 * MAX_TEXT)), "x".repeat(MAX_TEXT));
        let cut = [b"x".to_vec(), most("é", MAX_TEXT)].concat();
        assert_eq!(start_of(&cut), format!("x{}", "é".repeat(MAX_TEXT / 2 - 1)));
        for content in [&b"\xff\xfe"[..], b"text\xff", b"half a character \xc3"] {
            assert_eq!(start_of(content), "");
        }
    }
}
