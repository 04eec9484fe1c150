//! [`Judge`]: which exported resources, and which values of hosts, count on a host that requires the signatures of their
//! hosts. It judges each when it changes, on the thread of the session; reading them costs only a lookup.
//!
//! What a host has changed or withdrawn does not count again if someone writes it with its statement of then: the lease
//! of the entry must be the one that was signed, and the number at least the last one that was seen. A host that has
//! just started has seen none yet, so only the lease protects it, and values have none.
//!
//! The key of a value `strings/NAME/X` does not tell whether X is a host. For a map of the values of hosts
//! (`world.kvlookup`) it is one, and must have a key in the list. For a read of this key alone (`world.getval`), the value
//! counts without a signature unless X is in the list.

#[cfg(test)]
mod tests;

use super::counted::Counted;
use super::host_keys::HostKeys;
use super::lists::follow;
use super::mirror::{Change, Mirror};
use super::opening::SEALED;
use super::own::{EXPORTS, Own, VALUES, exporter, host_of_value, owner};
use super::statement::{Doubt, Signable, bytes, place, stated};
use super::{Inside, SharedStore};
use crate::deploy::{PublicKey, Sum};
use crate::host::Shared;
use mclive_base::unicode::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::future::{pending, ready};
use std::path::PathBuf;
use std::sync::Weak;

/// The maximum number of warnings: anyone who can write to the store can invent any number of names.
const MOST_TOLD: usize = 32;

pub(super) struct Judge {
    /// The file with the keys.
    list: PathBuf,
    keys: HostKeys,
    /// Why the list cannot be read now.
    problem: Option<String>,
    cluster: String,
    /// The key of this host, if it signs.
    own_key: Option<PublicKey>,
    /// By the key of the export or value.
    verdicts: BTreeMap<String, Verdict>,
    counted: Counted,
    /// What a warning was about: a host, and why.
    told: BTreeSet<(String, Doubt)>,
}

struct Verdict {
    of: Content,
    /// `None`: it counts.
    doubt: Option<Doubt>,
}

/// For which reads an export or a value counts.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Standing {
    /// Reads of what hosts have exported or set.
    of_host: bool,
    /// Reads of this key alone.
    alone: bool,
}

/// The sums of a value and of its statement, and its lease.
type Content = (Sum, Option<Sum>, i64);

impl Judge {
    /// `own_key`: the key of this host, if it signs.
    pub(super) fn new(list: PathBuf, keys: HostKeys, cluster: &str, own_key: Option<PublicKey>) -> Judge {
        Judge {
            list,
            keys,
            problem: None,
            cluster: cluster.to_owned(),
            own_key,
            verdicts: BTreeMap::new(),
            counted: Counted::default(),
            told: BTreeSet::new(),
        }
    }

    fn standing(&self, key: &str) -> Standing {
        let standing = |verdict: &Verdict| Standing {
            of_host: verdict.doubt.is_none(),
            alone: verdict.doubt.is_none_or(|doubt| doubt == Doubt::Unlisted && host_of_value(key).is_some()),
        };
        self.verdicts.get(key).map(standing).unwrap_or_default()
    }

    /// How many exports, and values of hosts in the list, do not count.
    fn n_refused(&self) -> usize {
        let is_refused = |(key, verdict): &(&String, &Verdict)| {
            verdict.doubt.is_some_and(|doubt| doubt != Doubt::Unlisted || host_of_value(key).is_none())
        };
        self.verdicts.iter().filter(is_refused).count()
    }

    /// Whether a value counts only with the signature of a host.
    pub(super) fn is_of_listed_host(&self, value: &str) -> bool {
        host_of_value(value).is_some_and(|host| self.keys.know(host))
    }

    /// Judges an export or a value as the mirror has it, for the host `me`. `true`: its standing has changed.
    fn look(&mut self, me: &str, mirror: &Mirror, own: &Own, key: &str) -> bool {
        let before = self.standing(key);
        let held = mirror.held(key).and_then(|held| Some((bytes(&held.value)?, held.lease)));
        let Some((value, lease)) = held else {
            self.verdicts.remove(key);
            self.counted.remove(key);
            return before != Standing::default();
        };
        let stored = place(key).and_then(|place| bytes(&mirror.held(&place)?.value));
        let of = (Sum::of(value), stored.map(Sum::of), lease);
        let (is_own, is_value) = (owner(key) == Some(me), host_of_value(key).is_some());
        // Whether an own export counts depends on more than the store.
        if (!is_own || is_value) && self.verdicts.get(key).is_some_and(|verdict| verdict.of == of) {
            return false;
        }
        let is_known_as_own = match is_value {
            // A host that does not sign cannot tell its values of earlier runs from those that others wrote.
            true => self.own_key.is_none(),
            false => own.value(key).is_some_and(|own| own == value),
        };
        let own_key = self.own_key.filter(|_| is_own && is_value);
        let judged = match is_own && is_known_as_own {
            true => Ok(()),
            false => self.judge(key, value, lease, stored, own_key),
        };
        let doubt = judged.err();
        self.verdicts.insert(key.to_owned(), Verdict { of, doubt });
        // An own one of an earlier run is soon written again; and whether a value is of a host, only its readers know.
        let warning = doubt.filter(|doubt| !is_own && (!is_value || *doubt != Doubt::Unlisted));
        self.warn(key, warning);
        before != self.standing(key)
    }

    /// `own_key`: the only key that counts.
    fn judge(
        &mut self,
        key: &str,
        value: &[u8],
        lease: i64,
        stored: Option<&[u8]>,
        own_key: Option<PublicKey>,
    ) -> Result<(), Doubt> {
        let entry = Signable { cluster: &self.cluster, key, value };
        let statement = match own_key {
            Some(own) => entry.by(stored.ok_or(Doubt::Unsigned)?, |key| key == own)?,
            None => entry.judge(stored, &self.keys)?,
        };
        if statement.lease != lease || self.counted.is_past(key, statement.n) {
            return Err(Doubt::Replayed);
        }
        self.counted.add(key, statement.n);
        Ok(())
    }

    fn warn(&mut self, key: &str, doubt: Option<Doubt>) {
        if let Some(warning) = doubt.and_then(|doubt| self.warning(key, doubt)) {
            crate::output::tell(&warning);
        }
    }

    /// `None`: the host was named for this reason before, or too many were.
    fn warning(&mut self, key: &str, doubt: Doubt) -> Option<String> {
        let (host, of) = (owner(key).unwrap_or_default(), if exporter(key).is_some() { "export" } else { "value" });
        if self.told.len() >= MOST_TOLD || !self.told.insert((host.to_owned(), doubt)) {
            return None;
        }
        let last = if self.told.len() == MOST_TOLD { "; other hosts are not reported" } else { "" };
        let why = doubt.words(&visible(host), &self.list.display().to_string());
        Some(format!("mclive: warning: the {of} {} is refused: {why}{last}", visible(key)))
    }

    /// Judges the exports and values of all hosts; returns those whose standing has changed.
    fn look_at_all(&mut self, me: &str, mirror: &Mirror, own: &Own) -> Vec<String> {
        let held = mirror.under(EXPORTS).chain(mirror.under(VALUES)).map(|(key, _)| key);
        let held = held.filter(|key| owner(key).is_some());
        let all: BTreeSet<String> = held.chain(self.verdicts.keys()).cloned().collect();
        all.into_iter().filter(|key| self.look(me, mirror, own, key)).collect()
    }

    /// Takes over the list as it is now; returns the exports and values whose standing has changed.
    fn relist(&mut self, me: &str, mirror: &Mirror, own: &Own, read: Result<HostKeys, String>) -> Vec<String> {
        match read {
            Ok(keys) => {
                self.problem = None;
                if keys == self.keys {
                    return Vec::new();
                }
                let earlier = std::mem::replace(&mut self.keys, keys);
                self.told.clear();
                // There may be very many others, and the same thread renews the leases.
                let is_concerned =
                    |key: &&String| owner(key).is_some_and(|host| !self.keys.are_same_for(host, &earlier));
                let concerned = self.verdicts.keys().filter(is_concerned);
                let before: BTreeMap<String, Standing> =
                    concerned.map(|key| (key.clone(), self.standing(key))).collect();
                for key in before.keys() {
                    self.verdicts.remove(key);
                    self.look(me, mirror, own, key);
                }
                let other = before.iter().filter(|(key, stood)| self.standing(key) != **stood).map(|(key, _)| key);
                // Those that are sealed count unless the list has their host.
                other.chain(mirror.under(SEALED).map(|(key, _)| key)).cloned().collect()
            }
            Err(why) => {
                if self.problem.as_ref() != Some(&why) {
                    crate::output::tell(&format!("mclive: warning: {why}; still using the previous keys"));
                    self.problem = Some(why);
                }
                Vec::new()
            }
        }
    }
}

impl Inside {
    /// Whether a key counts for the program, if it is read alone.
    pub(super) fn counts(&self, key: &str) -> bool {
        self.judge.as_ref().is_none_or(|judge| !is_judged(key) || judge.standing(key).alone)
    }

    /// Whether a key counts for the program, if it is read with those of other hosts. Only then is it reported that a value
    /// is of a host without a key in the list.
    pub(super) fn counts_for_its_host(&mut self, key: &str) -> bool {
        let Some(judge) = self.judge.as_mut().filter(|_| is_judged(key)) else { return true };
        let Standing { of_host, alone } = judge.standing(key);
        if alone && !of_host {
            judge.warn(key, Some(Doubt::Unlisted));
        }
        of_host
    }

    /// The exports and values that changes are about, as far as they must be judged.
    pub(super) fn to_judge(&self, changes: &[Change]) -> BTreeSet<String> {
        if self.judge.is_none() {
            return BTreeSet::new();
        }
        let keys = changes.iter().map(|change| change.key.as_str());
        let keys = keys.filter_map(|key| stated(key).or_else(|| owner(key).map(|_| key)));
        keys.map(str::to_owned).collect()
    }

    /// Judges these exports and values for the host `me`; returns those whose standing has changed.
    pub(super) fn judge(&mut self, me: &str, keys: BTreeSet<String>) -> Vec<String> {
        let Inside { judge: Some(judge), mirror, own, .. } = self else { return Vec::new() };
        keys.into_iter().filter(|key| judge.look(me, mirror, own, key)).collect()
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

/// Whether a key counts only after a judgement.
fn is_judged(key: &str) -> bool {
    key.starts_with(EXPORTS) || host_of_value(key).is_some()
}

impl SharedStore {
    /// How many exports, values of hosts in the list, and votes do not count. `None`: none of them needs a signature.
    pub(crate) fn n_refused(&self) -> Option<usize> {
        let inside = self.inside.lock();
        let (of_hosts, votes) = (inside.judge.as_ref().map(Judge::n_refused), inside.electorate.n_refused());
        of_hosts.into_iter().chain(votes).reduce(|one, other| one + other)
    }

    /// Takes changes of the list of keys over, forever.
    pub(super) async fn follow_host_keys(&self, shared: &Weak<Shared>) {
        let list = self.inside.lock().judge.as_ref().map(|judge| judge.list.clone());
        let Some(list) = list else { return pending().await };
        let take = |read| {
            let changed = self.inside.lock().relist(&self.hostname, read);
            self.tell(shared, &changed);
            ready(())
        };
        follow(list, shared, HostKeys::read, take).await;
    }
}
