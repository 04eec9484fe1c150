//! How much memory a copy of a host takes, estimated from what can grow.

use super::SimHost;

/// What an empty host has. Units: bytes.
const EMPTY: usize = 16 << 10;
/// One entry of a map, with its key and short texts. Units: bytes.
const ENTRY: usize = 256;

impl SimHost {
    /// An estimate of the memory used by a copy; contents that copies share count as well, since they may change.
    /// Units: bytes.
    ///
    /// Cost: in proportion to the number of files and lines.
    pub fn weight(&self) -> usize {
        let world = &self.world;
        let (n_nodes, n_bytes) = world.tree.size();
        let n_entries = n_nodes
            + self.due.len()
            + self.jobs.len()
            + 4 * self.listeners.len()
            + world.users.len()
            + world.groups.len()
            + world.own_keys.len()
            + world.world_keys.len()
            + world.subjects.n_entries()
            + world.commands.log.all().count()
            + world.session.delay.n_changes();
        let lines = world.subjects.lines().into_iter().chain(self.log.iter().map(|line| line.text.as_str()));
        let n_states: usize = self.states.values().map(|(bytes, _)| ENTRY + bytes.len()).sum();
        let n_pages: usize = world.subjects.server.remotes.values().map(|remote| ENTRY + remote.body.len()).sum();
        let n_other = n_states + n_pages + world.commands.log.size();
        EMPTY + ENTRY * n_entries + n_bytes + n_other + lines.map(|line| 32 + line.len()).sum::<usize>()
    }
}
