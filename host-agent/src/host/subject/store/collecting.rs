//! [`Collecting`]: which exports in the shared store reach the program, and warnings about the rest. World
//! specification, 15.
//!
//! A kind that must not be collected is an error, since the program asks for it. The resources of a host that is not
//! listed are left out with a warning: as an error, each host that can write to the store could stop the programs of
//! the others. The same applies to values that are stored under the key of a host's value but are not valid.

use crate::host::VALUES;
use crate::lock::Mutex;
use crate::policy::Policy;
use mclive_base::unicode::visible;
use mclive_base::vocab::Datum;
use std::collections::{BTreeMap, BTreeSet};

/// At most this many hosts get their own warning: anyone who can write to the store can invent any number of names.
const MOST_NAMED: usize = 32;

#[derive(Default)]
pub(super) struct Collecting {
    /// The hosts that a warning has named.
    named: Mutex<BTreeSet<String>>,
    /// The namespaces of which a warning has named a value.
    namespaces: Mutex<BTreeSet<String>>,
}

impl Collecting {
    /// The value of a [`Fact::Exported`](mclive_base::vocab::store::Fact::Exported) without the resources of hosts
    /// that the policy does not list, and with `most` of each host.
    pub(super) fn permitted(&self, policy: &Policy, exported: Datum, most: usize) -> Datum {
        let Datum::List(mut entries) = exported else { return exported };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        entries.retain(|entry| {
            let from = exporter(entry);
            let why = match policy.collect_from(&from) {
                Ok(()) => {
                    let count = counts.entry(from.clone()).or_default();
                    *count += 1;
                    if *count <= most {
                        return true;
                    }
                    let host = visible(&from);
                    format!("the host `{host}` exports more than {most} resources of a kind; the others are left out")
                }
                Err(why) => format!("{why}; its exported resources are left out"),
            };
            if let Some(warning) = self.warning(from, &why) {
                crate::output::tell(&warning);
            }
            false
        });
        Datum::List(entries)
    }

    /// Warns, once for each namespace, of a value that no host can have set as its own.
    pub(super) fn tell_deeper(&self, namespace: &str, key: &str) {
        if let Some(warning) = self.deeper(namespace, key) {
            crate::output::tell(&warning);
        }
    }

    /// `None`: there was a warning of this namespace.
    fn deeper(&self, namespace: &str, key: &str) -> Option<String> {
        if !self.namespaces.lock().insert(namespace.to_owned()) {
            return None;
        }
        let (key, namespace) = (visible(key.strip_prefix(VALUES).unwrap_or(key)), visible(namespace));
        Some(format!(
            "mclive: warning: the value `{key}` does not belong to a host: `world.kvlookup(\"{namespace}\")` leaves it \
            out"
        ))
    }

    /// `None`: the host was named before, or too many were.
    fn warning(&self, from: String, why: &str) -> Option<String> {
        let mut named = self.named.lock();
        if named.len() >= MOST_NAMED || !named.insert(from) {
            return None;
        }
        let last = if named.len() == MOST_NAMED { "; other hosts are not reported" } else { "" };
        Some(format!("mclive: warning: {why}{last}"))
    }
}

/// The host that exported an entry. Without one, no pattern but `**` and `*` matches.
fn exporter(entry: &Datum) -> String {
    let Datum::Struct(fields) = entry else { return String::new() };
    match fields.iter().find(|(name, _)| name == "host") {
        Some((_, Datum::Bytes(host))) => String::from_utf8_lossy(host).into_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(host: &str) -> Datum {
        Datum::Struct(vec![("name".into(), Datum::text("/srv/a")), ("host".into(), Datum::text(host))])
    }

    #[test]
    fn what_other_hosts_export_is_left_out() {
        let all = || Datum::List(["web1", "db1", "web2", "web"].map(entry).to_vec());
        let collected = |text: &str| Collecting::default().permitted(&Policy::parse(text).unwrap(), all(), 9);
        assert_eq!(collected(""), all());
        assert_eq!(collected("collect_from = ['**']"), all());
        assert_eq!(collected("collect_from = ['web?']"), Datum::List(["web1", "web2"].map(entry).to_vec()));
        assert_eq!(collected("collect_from = ['db1', 'web']"), Datum::List(["db1", "web"].map(entry).to_vec()));
        assert_eq!(collected("collect_from = []"), Datum::List(Vec::new()));
    }

    #[test]
    fn what_a_host_exports_beyond_the_limit_is_left_out() {
        let all = Datum::List(["web1", "web1", "db1", "web1", "db1"].map(entry).to_vec());
        let most = Datum::List(["web1", "web1", "db1", "db1"].map(entry).to_vec());
        let collected = |most| Collecting::default().permitted(&Policy::parse("").unwrap(), all.clone(), most);
        assert_eq!(collected(2), most);
        assert_eq!(collected(3), all);
    }

    #[test]
    fn a_value_that_is_deeper_is_named_once_for_each_namespace() {
        let collecting = Collecting::default();
        let told = collecting.deeper("ns", "strings/ns/a\n/b").unwrap();
        assert!(told.starts_with("mclive: warning: the value `ns/a\\n/b` does not belong to a host: "), "{told}");
        assert_eq!(collecting.deeper("ns", "strings/ns/c/d"), None);
        assert!(collecting.deeper("other", "strings/other/c/d").is_some());
    }

    #[test]
    fn a_host_is_named_once_and_invented_names_do_not_fill_the_log() {
        let collecting = Collecting::default();
        assert_eq!(collecting.warning("web9".into(), "no").as_deref(), Some("mclive: warning: no"));
        assert_eq!(collecting.warning("web9".into(), "no"), None);
        let told = (0..1000).filter_map(|n| collecting.warning(format!("x{n}"), "no")).collect::<Vec<_>>();
        assert_eq!(told.len(), MOST_NAMED - 1);
        assert!(told.last().unwrap().ends_with("other hosts are not reported"));
    }
}
