//! How much memory a copy of a host takes, estimated from what can grow.

use super::SimHost;
use crate::vocab::Datum;

/// What an empty host has. Units: bytes.
const EMPTY: usize = 16 << 10;
/// One entry of a map, with its key and short texts. Units: bytes.
const ENTRY: usize = 256;
/// An element of a list, or one side of a pair. Units: bytes.
const PART: usize = 32;

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
            + world.subjects.n_entries()
            + world.commands.n_entries();
        let lines = world.subjects.lines().into_iter().chain(self.log.iter().map(|line| line.text.as_str()));
        let n_states: usize = self.states.values().map(|(bytes, _)| ENTRY + bytes.len()).sum();
        let n_env: usize = world.env.iter().map(|(name, value)| ENTRY + name.len() + value.len()).sum();
        let keys = world.own_keys.iter().chain(&world.world_keys);
        let n_keys: usize = keys.map(|(key, value)| ENTRY + key.len() + size(value)).sum();
        let session = &world.session;
        let news = session.waiting().iter().chain(session.delay.changes()).chain(&world.news);
        let n_news: usize = news.map(|(key, value)| ENTRY + key.len() + value.as_ref().map_or(0, size)).sum();
        let n_lines: usize = lines.map(|line| 32 + line.len()).sum();
        let n_contents = n_bytes + n_states + world.subjects.n_bytes() + world.commands.size();
        EMPTY + ENTRY * n_entries + n_contents + n_env + n_keys + n_news + n_lines
    }
}

/// The bytes of a value.
fn size(value: &Datum) -> usize {
    match value {
        Datum::Bool(_) | Datum::Int(_) | Datum::Float(_) => 0,
        Datum::Bytes(bytes) => bytes.len(),
        Datum::List(items) => items.iter().map(|item| PART + size(item)).sum(),
        Datum::Map(pairs) => pairs.iter().map(|(key, value)| 2 * PART + size(key) + size(value)).sum(),
        Datum::Struct(fields) => fields.iter().map(|(name, value)| PART + name.len() + size(value)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::News;
    use mclive_base::shapes::host::{ADD, Alteration};

    const LONG: usize = 100_000;

    fn add(host: &mut SimHost, subject: &str, thing: &str) {
        let how = Alteration::Do { verb: ADD.to_owned() };
        assert_eq!(host.change(|world| world.alter(subject, thing, &how)), Ok(()), "{subject} {thing}");
    }

    #[test]
    fn each_thing_that_is_added_by_hand_weighs() {
        for holding in SimHost::new("host1").world().holdings() {
            for addition in &holding.additions {
                let mut host = SimHost::new("host1");
                let before = host.weight();
                add(&mut host, &holding.subject, &format!("{}{}", addition.prefix, addition.example));
                assert!(host.weight() > before, "{} {}", holding.subject, addition.what);
            }
        }
    }

    #[test]
    fn long_texts_weigh() {
        for (subject, thing, field) in [
            ("Store", "local key", "value"),
            ("Store", "key", "value"),
            ("Request", "https://example.com/motd", "content"),
            ("Command", "fetch --all", "prints"),
            ("Program", "MOTTO", "value"),
        ] {
            let mut host = SimHost::new("host1");
            add(&mut host, subject, thing);
            let before = host.weight();
            let how = Alteration::Set { field: field.to_owned(), value: "x".repeat(LONG) };
            assert_eq!(host.change(|world| world.alter(subject, thing, &how)), Ok(()), "{subject} {thing}");
            assert!(host.weight() >= before + LONG, "{subject} {thing}");
        }
    }

    #[test]
    fn what_is_on_the_way_weighs() {
        let mut host = SimHost::new("host1");
        host.change(|world| world.session.delay.set_latency(1_000));
        let before = host.weight();
        let value = Datum::List(vec![Datum::text("x".repeat(LONG))]);
        host.change(|world| world.hear(&News::from([("strings/motto".to_owned(), Some(value))])));
        assert!(host.weight() >= before + LONG);
    }
}
