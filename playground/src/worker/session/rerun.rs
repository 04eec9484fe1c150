//! Another program over the events that the page shows.

use super::blocks::Blocks;
use super::{MAX_RECORDED, Session, bytes_of, drawing, entry, too_long};
use crate::worker::protocol::{Answer, Parts, ProgramFile, Simulated};
use mclive_base::layout::{self, Layout};

/// The end of a repetition in one go: the page takes a worker for lost that does not answer for twice as long, and the
/// hosts with it. Units: milliseconds.
pub(super) const LONGEST_MS: f64 = 10_000.0;

impl Session {
    /// A host as it would be if another program had run. Errors: why that is impossible.
    pub(super) fn rerun(&self, files: &[ProgramFile], hostname: &str) -> Result<Answer, String> {
        if let Some(why) = too_long(files) {
            return Err(why);
        }
        let is_spoken = |of: &Layout| self.languages.iter().any(|language| language.layout() == of);
        if !layout::of(entry(files)).is_none_or(is_spoken) {
            return Err("The kept program is in another language, so these events cannot be replayed with it.".into());
        }
        let is_over = self.turn.timer(LONGEST_MS);
        let mut other = self.fleet.with_program(bytes_of(files), entry(files), MAX_RECORDED, is_over)?;
        let cards = other.cards();
        let no_host = || format!("the kept program was not run on the host `{hostname}`");
        let mut snapshot = other.snapshot(hostname, None).ok_or_else(no_host)?;
        snapshot.log.clear();
        let parts = Parts::of(&mut snapshot, cards);
        let graph = other.host(hostname).map(|host| host.resource_graph());
        let resources =
            graph.map(|graph| drawing::resources(graph, &Blocks::default(), &mut drawing::Canvas::default()));
        let host = hostname.to_owned();
        Ok(Answer::Reran(Box::new(Simulated { snapshot, parts, resources, host, ..Simulated::default() })))
    }
}
