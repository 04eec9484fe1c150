//! [`Judge`]: which exported resources count on a host that requires the signatures of their hosts. It judges each when
//! it changes, on the thread of the session; reading them costs nothing more.
//!
//! What a host has changed or withdrawn does not count again if someone writes it with its statement of then: the lease
//! of the entry must be the one that was signed, and the number at least the last one that was seen. A host that has
//! just started has seen none yet, so then only the lease protects.

use super::counted::Counted;
use super::host_keys::HostKeys;
use super::mirror::{Change, Mirror};
use super::own::{self, EXPORTS, Own, exporter};
use super::statement::{Doubt, Exported, bytes, export_of, place};
use super::{Inside, SharedStore};
use crate::deploy::Sum;
use mclive_base::unicode::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::path::PathBuf;
use std::sync::Weak;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// So many warnings: who writes to the store can invent any number of names.
const MOST_TOLD: usize = 32;
/// How often to read the list of keys.
const LOOKS: Duration = Duration::from_secs(5);

pub(super) struct Judge {
    /// The file with the keys.
    list: PathBuf,
    keys: HostKeys,
    /// Why the list cannot be read now.
    problem: Option<String>,
    cluster: String,
    /// By the key of the export.
    verdicts: BTreeMap<String, Verdict>,
    counted: Counted,
    /// What a warning was about: a host, and why.
    told: BTreeSet<(String, Doubt)>,
}

struct Verdict {
    of: Content,
    counts: bool,
}

/// The sums of a value and of its statement, and its lease.
type Content = (Sum, Option<Sum>, i64);

impl Judge {
    pub(super) fn new(list: PathBuf, keys: HostKeys, cluster: &str) -> Judge {
        Judge {
            list,
            keys,
            problem: None,
            cluster: cluster.to_owned(),
            verdicts: BTreeMap::new(),
            counted: Counted::default(),
            told: BTreeSet::new(),
        }
    }

    fn counts(&self, export: &str) -> bool {
        self.verdicts.get(export).is_some_and(|verdict| verdict.counts)
    }

    /// Judges an export as the mirror has it, for the host `me`. `true`: whether it counts differs from before.
    fn look(&mut self, me: &str, mirror: &Mirror, own: &Own, export: &str) -> bool {
        let counted = self.counts(export);
        let held = mirror.held(export).and_then(|held| Some((bytes(&held.value)?, held.lease)));
        let Some((value, lease)) = held else {
            self.verdicts.remove(export);
            self.counted.remove(export);
            return counted;
        };
        let stored = place(export).and_then(|place| bytes(&mirror.held(&place)?.value));
        let of = (Sum::of(value), stored.map(Sum::of), lease);
        let is_own = own::is_export_of(export, me);
        // Whether an own one counts depends on more than the store.
        if !is_own && self.verdicts.get(export).is_some_and(|verdict| verdict.of == of) {
            return false;
        }
        let judged = match is_own && own.value(export).is_some_and(|own| own == value) {
            true => Ok(()),
            false => self.judge(export, value, lease, stored),
        };
        self.verdicts.insert(export.to_owned(), Verdict { of, counts: judged.is_ok() });
        // An own one of an earlier run is soon written again.
        let doubt = judged.err().filter(|_| !is_own);
        let warning = doubt.and_then(|doubt| self.warning(export, doubt));
        if let Some(warning) = warning {
            crate::output::tell(&warning);
        }
        counted != judged.is_ok()
    }

    fn judge(&mut self, export: &str, value: &[u8], lease: i64, stored: Option<&[u8]>) -> Result<(), Doubt> {
        let exported = Exported { cluster: &self.cluster, key: export, value };
        let statement = exported.judge(stored, &self.keys)?;
        if statement.lease != lease || self.counted.is_past(export, statement.n) {
            return Err(Doubt::Replayed);
        }
        self.counted.add(export, statement.n);
        Ok(())
    }

    /// `None`: the host was named for this reason before, or too many were.
    fn warning(&mut self, export: &str, doubt: Doubt) -> Option<String> {
        let host = exporter(export).unwrap_or_default();
        if self.told.len() >= MOST_TOLD || !self.told.insert((host.to_owned(), doubt)) {
            return None;
        }
        let last = if self.told.len() == MOST_TOLD { "; further hosts are not reported" } else { "" };
        let why = doubt.words(&visible(host), &self.list.display().to_string());
        Some(format!("mclive: warning: the export {} is refused: {why}{last}", visible(export)))
    }

    /// Judges every export; returns those for which it differs from before whether they count.
    fn look_at_all(&mut self, me: &str, mirror: &Mirror, own: &Own) -> Vec<String> {
        let held = mirror.under(EXPORTS).map(|(key, _)| key).filter(|key| exporter(key).is_some());
        let all: BTreeSet<String> = held.chain(self.verdicts.keys()).cloned().collect();
        all.into_iter().filter(|export| self.look(me, mirror, own, export)).collect()
    }

    /// Takes over the list as it is now; returns the exports for which it differs from before whether they count.
    fn relist(&mut self, me: &str, mirror: &Mirror, own: &Own, read: Result<HostKeys, String>) -> Vec<String> {
        match read {
            Ok(keys) => {
                self.problem = None;
                if keys == self.keys {
                    return Vec::new();
                }
                self.keys = keys;
                self.told.clear();
                let before = std::mem::take(&mut self.verdicts);
                self.look_at_all(me, mirror, own);
                let counted = |export: &String| before.get(export).is_some_and(|verdict| verdict.counts);
                self.verdicts.keys().filter(|export| self.counts(export) != counted(export)).cloned().collect()
            }
            Err(why) => {
                if self.problem.as_ref() != Some(&why) {
                    crate::output::tell(&format!("mclive: warning: {why}; still using the keys read before"));
                    self.problem = Some(why);
                }
                Vec::new()
            }
        }
    }
}

impl Inside {
    /// Whether a key counts for the program.
    pub(super) fn counts(&self, key: &str) -> bool {
        self.judge.as_ref().is_none_or(|judge| !key.starts_with(EXPORTS) || judge.counts(key))
    }

    /// The exports that changes are about, as far as they must be judged.
    pub(super) fn to_judge(&self, changes: &[Change]) -> BTreeSet<String> {
        if self.judge.is_none() {
            return BTreeSet::new();
        }
        let keys = changes.iter().map(|change| change.key.as_str());
        let exports = keys.filter_map(|key| export_of(key).or_else(|| exporter(key).map(|_| key)));
        exports.map(str::to_owned).collect()
    }

    /// Judges these exports for the host `me`; returns those for which it differs from before whether they count.
    pub(super) fn judge(&mut self, me: &str, exports: BTreeSet<String>) -> Vec<String> {
        let Inside { judge: Some(judge), mirror, own, .. } = self else { return Vec::new() };
        exports.into_iter().filter(|export| judge.look(me, mirror, own, export)).collect()
    }

    /// The same for all.
    pub(super) fn judge_all(&mut self, me: &str) -> Vec<String> {
        let Inside { judge: Some(judge), mirror, own, .. } = self else { return Vec::new() };
        judge.look_at_all(me, mirror, own)
    }

    fn relist(&mut self, me: &str, read: Result<HostKeys, String>) -> Vec<String> {
        let Inside { judge: Some(judge), mirror, own, .. } = self else { return Vec::new() };
        judge.relist(me, mirror, own, read)
    }
}

impl SharedStore {
    /// Takes changes of the list of keys over, for ever. Nothing else waits for its file system, which may hang.
    pub(super) async fn follow_host_keys(&self, shared: &Weak<crate::host::Shared>) {
        let list = self.inside.lock().judge.as_ref().map(|judge| judge.list.clone());
        let Some(list) = list else { return pending().await };
        loop {
            let list = list.clone();
            if let Ok(read) = spawn_blocking(move || HostKeys::read(&list)).await {
                let changed = self.inside.lock().relist(&self.hostname, read);
                self.tell(shared, &changed);
            }
            sleep(LOOKS).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::OperatorKey;
    use crate::host::world::leases::Tick;
    use crate::host::world::mirror::{Held, Snapshot};
    use mclive_base::vocab::Datum;

    const EXPORT: &str = "exported/*/h1/file//x";
    const NOW: Tick = Tick(Duration::from_secs(1));

    /// What host `me` knows of exports of `h1`.
    struct TestStore {
        inside: Inside,
        revision: i64,
    }

    impl TestStore {
        fn new(line: &str) -> TestStore {
            let keys = HostKeys::parse(line).unwrap();
            let judge = Some(Judge::new("list".into(), keys, "main"));
            let mut world = TestStore { inside: Inside { judge, ..Inside::default() }, revision: 1 };
            world.inside.replace("me", Snapshot { cluster: "1".into(), revision: 1, ..Snapshot::default() }, NOW);
            world
        }

        /// A transaction; returns the keys that are reported.
        fn set(&mut self, writes: &[(&str, Option<&[u8]>)], lease: i64) -> Vec<String> {
            self.revision += 1;
            let held = |bytes: &[u8]| Held { value: Datum::Bytes(bytes.to_vec()), modified: self.revision, lease };
            let change = |(key, bytes): &(&str, Option<&[u8]>)| Change {
                key: (*key).to_owned(),
                revision: self.revision,
                held: bytes.map(held),
            };
            let changes = writes.iter().map(change).collect();
            self.inside.apply("me", self.revision, changes, NOW)
        }

        /// The export and its statement.
        fn put(&mut self, value: &[u8], statement: &[u8], lease: i64) -> Vec<String> {
            let place = place(EXPORT).unwrap();
            self.set(&[(EXPORT, Some(value)), (place.as_str(), Some(statement))], lease)
        }

        fn remove(&mut self) -> Vec<String> {
            let place = place(EXPORT).unwrap();
            self.set(&[(EXPORT, None), (place.as_str(), None)], 0)
        }

        fn counts(&self) -> bool {
            self.inside.counts(EXPORT)
        }
    }

    fn key(host: &str) -> OperatorKey {
        OperatorKey::generate(host).unwrap().0
    }

    fn statement(key: &OperatorKey, value: &[u8], lease: i64, n: u64) -> Vec<u8> {
        Exported { cluster: "main", key: EXPORT, value }.signed(key, lease, n).bytes()
    }

    #[test]
    fn an_export_counts_with_the_statement_of_its_host() {
        let key = key("h1");
        let mut world = TestStore::new(&key.line());
        assert!(world.inside.counts("strings/k") && !world.counts());
        world.put(b"a", &statement(&key, b"a", 7, 1), 7);
        assert!(world.counts());
        // Its value, or its statement, is written by someone else.
        assert!(world.set(&[(EXPORT, Some(&b"b"[..]))], 7).contains(&EXPORT.to_owned()));
        assert!(!world.counts());
        assert!(world.set(&[(EXPORT, Some(&b"a"[..]))], 7).contains(&EXPORT.to_owned()));
        assert!(world.counts());
        let place = place(EXPORT).unwrap();
        assert!(world.set(&[(place.as_str(), None)], 0).contains(&EXPORT.to_owned()));
        assert!(!world.counts());
    }

    #[test]
    fn what_was_changed_or_withdrawn_does_not_count_again() {
        let key = key("h1");
        let mut world = TestStore::new(&key.line());
        let [first, second, third] = [(b"a", 1), (b"b", 2), (b"a", 3)].map(|(value, n)| statement(&key, value, 7, n));
        world.put(b"a", &first, 7);
        world.put(b"b", &second, 7);
        assert!(world.counts());
        world.put(b"a", &first, 7);
        assert!(!world.counts());
        // It is the last one.
        world.put(b"b", &second, 7);
        assert!(world.counts());
        world.remove();
        world.put(b"b", &second, 7);
        assert!(!world.counts());
        world.put(b"a", &third, 7);
        assert!(world.counts());
        // A lease that the host did not name, of the attacker or none.
        for lease in [8, 0] {
            world.put(b"a", &third, lease);
            assert!(!world.counts(), "{lease}");
        }
    }

    #[test]
    fn what_is_the_same_in_one_message_is_judged_by_revision() {
        let key = key("h1");
        let mut world = TestStore::new(&key.line());
        let place = place(EXPORT).unwrap();
        let change = |key: &str, revision: i64, bytes: &[u8]| Change {
            key: key.to_owned(),
            revision,
            held: Some(Held { value: Datum::Bytes(bytes.to_vec()), modified: revision, lease: 7 }),
        };
        let both = |revision, value: &[u8], n| {
            [change(EXPORT, revision, value), change(&place, revision, &statement(&key, value, 7, n))]
        };
        let changes = [both(2, b"a", 1), both(3, b"b", 2), both(4, b"a", 1)];
        world.inside.apply("me", 4, changes.into_iter().flatten().collect(), NOW);
        assert!(!world.counts());
    }

    #[test]
    fn a_changed_list_counts_at_once_and_a_broken_one_changes_nothing() {
        let [old, new] = ["h1", "h1"].map(key);
        let mut world = TestStore::new(&old.line());
        world.put(b"a", &statement(&new, b"a", 7, 1), 7);
        assert!(!world.counts());
        let both = HostKeys::parse(&format!("{}\n{}\n", old.line(), new.line()));
        assert_eq!(world.inside.relist("me", both), [EXPORT]);
        assert!(world.counts());
        assert_eq!(world.inside.relist("me", Err("no".into())), [""; 0]);
        assert!(world.counts());
        assert_eq!(world.inside.relist("me", HostKeys::parse(&old.line())), [EXPORT]);
        assert!(!world.counts());
    }

    #[test]
    fn a_host_is_named_once_for_each_reason() {
        let mut judge = Judge::new("list".into(), HostKeys::parse(&key("h1").line()).unwrap(), "main");
        let said = judge.warning(EXPORT, Doubt::Unsigned).unwrap();
        assert_eq!(
            said,
            "mclive: warning: the export exported/*/h1/file//x is refused: it is not signed; run the agent of h1 with \
             --host-key FILE"
        );
        assert_eq!(judge.warning("exported/*/h1/file//y", Doubt::Unsigned), None);
        assert!(judge.warning(EXPORT, Doubt::Invalid).is_some());
        // Others choose the names.
        let forged = judge.warning("exported/*/h\n2/file//x\nmclive: error: y", Doubt::Unlisted).unwrap();
        assert!(!forged.contains('\n') && forged.contains("no key of h\\n2 is in list"), "{forged}");
        let more = (0..100).filter_map(|n| judge.warning(&format!("exported/*/x{n}/file//x"), Doubt::Unlisted));
        let more: Vec<String> = more.collect();
        assert_eq!(more.len(), MOST_TOLD - 3);
        assert!(more.last().unwrap().ends_with("further hosts are not reported"));
    }

    #[test]
    fn the_own_exports_need_no_statement() {
        let mut world = TestStore::new(&key("h1").line());
        let own = "exported/*/me/file//x";
        world.inside.own.keep(own, Some(&b"a"[..]));
        world.set(&[(own, Some(&b"a"[..]))], 7);
        assert!(world.inside.counts(own));
        world.set(&[(own, Some(&b"b"[..]))], 7);
        assert!(!world.inside.counts(own));
    }
}
