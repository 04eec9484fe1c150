//! Which hosts export a resource, for `mclive why`. World specification, 19.

use super::own::EXPORTS;
use super::{Inside, SharedStore};

/// The maximum number of hosts that are named: anyone who can write to the store can invent any number of them.
const MOST: usize = 10;

impl SharedStore {
    /// A line for each host that exports a resource `kind[name]` to this one, whether or not the program collects it.
    pub(crate) fn exporters(&self, resource: &str) -> Vec<String> {
        self.inside.lock().exporters(&self.hostname, resource)
    }
}

impl Inside {
    fn exporters(&self, me: &str, resource: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let parts = resource.split_once('[').and_then(|(kind, rest)| Some((kind, rest.strip_suffix(']')?)));
        let Some((kind, name)) = parts else { return lines };
        for to in [me, "*"] {
            let prefix = format!("{EXPORTS}{to}/");
            for (key, held) in self.mirror.under(&prefix) {
                // `FROM/KIND/NAME`
                let mut parts = key.strip_prefix(prefix.as_str()).unwrap_or_default().splitn(3, '/');
                let (from, of) = (parts.next().unwrap_or_default(), (parts.next(), parts.next()));
                if of == (Some(kind), Some(name)) && lines.len() < MOST && self.counts(key) {
                    lines.push(format!("exported by {from} (revision {} of the shared store)", held.modified));
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::mirror::{Held, Snapshot};
    use super::*;
    use mclive_base::vocab::Datum;

    #[test]
    fn hosts_that_export_a_resource_to_this_one_are_told_with_the_revision() {
        let keys = [
            "exported/*/db1/file//etc/x",
            "exported/*/db1/file//etc/x/y",
            "exported/*/db2/user//etc/x",
            "exported/h1/db3/file//etc/x",
            "exported/h2/db4/file//etc/x",
            "exported/h1",
        ];
        let held = |modified| Held { value: Datum::text("{}"), modified, lease: 7 };
        let keys = keys.into_iter().zip(1..).map(|(key, at)| (key.to_owned(), held(at))).collect();
        let mut inside = Inside::default();
        inside.mirror.replace(Snapshot { cluster: "1".into(), revision: 6, keys });
        let expect =
            ["exported by db3 (revision 4 of the shared store)", "exported by db1 (revision 1 of the shared store)"];
        assert_eq!(inside.exporters("h1", "file[/etc/x]"), expect);
        assert!(["file[/etc/z]", "file", "file[/etc/x", ""].iter().all(|of| inside.exporters("h1", of).is_empty()));
    }
}
