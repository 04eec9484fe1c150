//! What hosts have in the store: exports and values with their signatures, what is sealed for them, and what they report.

use super::super::gateway::Whole;
use super::super::opening::SEALED;
use super::super::own::{AGENTS, EXPORTS, VALUES, owner, speaker};
use super::super::statement::{Doubt, STATEMENTS, Signable, place, stated};
use super::{Checkup, Expected, Fix};
use crate::deploy::HostState;
use crate::sealed::{Sealed, Unopened};
use mclive_base::vocab::export;

pub(super) fn check(whole: &Whole, expected: &Expected<'_>, checkup: &mut Checkup) {
    for (key, stored) in whole.below(EXPORTS).chain(whole.below(VALUES)) {
        match key.strip_prefix(EXPORTS) {
            Some(export) if !is_export(export) => {
                let what = "it is not the key of an exported resource, so no host collects it";
                checkup.add(key, what, "remove it", Some(Fix::Remove));
            }
            export => {
                if let Some(what) = export.and_then(|below| unreadable(below, &stored.value)) {
                    let remedy = "use a newer version of mclive, or, if it is damaged or copied, remove it";
                    checkup.add(key, what, remedy, Some(Fix::Remove));
                }
                judge(key, &stored.value, stored.lease, whole, expected, checkup);
            }
        }
    }
    // The index of what is signed: nothing else has a signature.
    for (key, _) in whole.below(STATEMENTS) {
        if let Some(of) = stated(key).filter(|of| !whole.keys.contains_key(*of)) {
            let what = format!(
                "it is the signature of {of}, which does not exist: it would be valid if that value were written again"
            );
            checkup.add(key, what, "remove it", Some(Fix::Remove));
        }
    }
    for (key, _) in whole.below(SEALED).filter(|(_, stored)| Sealed::read(&stored.value).is_none()) {
        let what = format!("{}, so the value does not exist for any host", Unopened::Unreadable.words(&[]));
        let remedy = "use a newer version of mclive, or, if it is damaged, seal the value again or remove it";
        checkup.add(key, what, remedy, Some(Fix::Remove));
    }
    for (key, stored) in whole.below(AGENTS) {
        let name = key.strip_prefix(AGENTS).unwrap_or_default();
        let is_state = speaker(name, "state").is_some();
        if !is_state && speaker(name, "live").is_none() {
            let what = "it is not a key of a host, so it is not read";
            checkup.add(key, what, "use a newer version of mclive, or remove it", Some(Fix::Remove));
        } else if is_state && HostState::read(&stored.value).is_none() {
            let what = "it is damaged or was written by another version, so `mclive world prune` removes nothing";
            let remedy = "use a newer version of mclive, or, if it is damaged, remove it";
            checkup.add(key, what, remedy, Some(Fix::Remove));
        }
    }
}

/// Whether it is `TO/FROM/KIND/NAME`.
fn is_export(below: &str) -> bool {
    let parts: Vec<&str> = below.splitn(4, '/').collect();
    parts.len() == 4 && parts.iter().all(|part| !part.is_empty())
}

/// Why the receiver of an export `TO/FROM/KIND/NAME` cannot read its secrets, as far as they show it.
fn unreadable(below: &str, value: &[u8]) -> Option<String> {
    let (_, sealed) = export::sealed(value)?;
    let Some(sealed) = Sealed::read(sealed) else {
        return Some("its secrets are not sealed in a form that this version of mclive can read".to_owned());
    };
    let (to, hosts) = (below.split('/').next().unwrap_or_default(), sealed.hosts());
    (!hosts.contains(&to)).then(|| format!("its secrets are sealed for {}, not for its recipient", hosts.join(", ")))
}

/// Judges the signature of an export or a value. One that is not required may be missing.
fn judge(key: &str, value: &[u8], lease: i64, whole: &Whole, expected: &Expected<'_>, checkup: &mut Checkup) {
    let Some((host, place)) = owner(key).zip(place(key)) else { return };
    let statement = whole.value(&place);
    let entry = Signable { cluster: expected.cluster, key, value };
    let judged = match (expected.host_keys, statement) {
        (Some((keys, _)), statement) => entry.judge(statement, keys),
        (None, Some(statement)) => entry.by(statement, |_| true),
        (None, None) => return,
    };
    let doubt = match judged {
        Ok(statement) if statement.lease == lease => {
            checkup.n_signatures += 1;
            return;
        }
        // It was copied from an earlier time.
        Ok(_) => Doubt::Replayed,
        // The value may be of no host at all.
        Err(Doubt::Unlisted) if statement.is_none() && key.starts_with(VALUES) => return,
        Err(doubt) => doubt,
    };
    let what = doubt.why(host, expected.host_keys.map_or("", |(_, list)| list));
    match doubt.remedy(host) {
        Some(remedy) => checkup.add(key, what, remedy, None),
        None => {
            let remedy = format!("run the agent of {host} with --host-key, which replaces it, or remove it");
            checkup.add(key, what, remedy, Some(Fix::Remove));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::host_keys::HostKeys;
    use super::super::tests::{NOTHING, found, whole};
    use super::*;
    use crate::deploy::OperatorKey;
    use crate::sealed::{Recipients, ValueName};

    const EXPORT: &str = "exported/*/web1/file//etc/x";
    const VALUE: &str = "strings/place/web1";

    /// The statement about a key with this value.
    fn signed(signer: &OperatorKey, key: &str, value: &[u8], lease: i64) -> Vec<u8> {
        Signable { cluster: "main", key, value }.signed(signer, lease, 1).bytes()
    }

    fn told(keys: &[(&str, &[u8], i64)], expected: &Expected<'_>) -> Vec<(String, String)> {
        found(keys, expected).into_iter().map(|(key, what, _)| (key, what)).collect()
    }

    #[test]
    fn a_signature_is_of_what_is_there() {
        let signer = OperatorKey::generate("web1").unwrap().0;
        let (of_export, of_value) = (signed(&signer, EXPORT, b"{}", 7), signed(&signer, VALUE, b"rack 1", 0));
        let [export_at, value_at] = [EXPORT, VALUE].map(|key| place(key).unwrap());
        let keys = |export: &'static [u8], lease: i64| [(EXPORT, export, lease), (VALUE, &b"rack 1"[..], 0)];
        let statements = [(export_at.as_str(), &of_export[..], 7), (value_at.as_str(), &of_value[..], 0)];
        let all = |export: &'static [u8], lease: i64| [&keys(export, lease)[..], &statements[..]].concat();
        let good = all(b"{}", 7);
        assert!(told(&good, &NOTHING).is_empty());
        assert_eq!(Checkup::of(&whole(&good), &NOTHING).n_signatures, 2);
        let [changed, copied] = [all(b"[]", 7), all(b"{}", 8)].map(|keys| told(&keys, &NOTHING));
        assert!(changed.len() == 1 && changed[0].0 == EXPORT && changed[0].1.starts_with("its signature is invalid"));
        assert!(copied.len() == 1 && copied[0].0 == EXPORT && copied[0].1.starts_with("it is an earlier version"));
        // What is not signed is not a fault, unless the keys of hosts are known.
        let unsigned = [(EXPORT, &b"{}"[..], 7), (VALUE, &b"rack 1"[..], 0), ("strings/place/web9", &b"rack 9"[..], 0)];
        assert!(told(&unsigned, &NOTHING).is_empty());
        let list = HostKeys::parse(&signer.line()).unwrap();
        let with = Expected { host_keys: Some((&list, "hosts")), ..NOTHING };
        assert!(told(&good, &with).is_empty());
        let missing = told(&unsigned, &with);
        let what = "it is not signed".to_owned();
        assert_eq!(missing, [(EXPORT.to_owned(), what.clone()), (VALUE.to_owned(), what)]);
    }

    #[test]
    fn secrets_are_sealed_for_the_receiver_of_their_export() {
        let key = OperatorKey::generate("web1").unwrap().0;
        let recipients = Recipients::parse(&key.sealing_line()).unwrap();
        let sealed = Sealed::seal(&ValueName { cluster: "main", key: "a" }, "hush-hush", &recipients).unwrap().bytes();
        let [good, other] =
            [&sealed[..], b"{\"v\":9}"].map(|sealed| export::seal(b"{\"version\":2,\"name\":\"a\"}", sealed));
        let place = |host: &str| format!("exported/{host}/db1/file/a");
        let [to_web1, to_web2, to_web3] = ["web1", "web2", "web3"].map(place);
        let keys = [(&*to_web1, &good[..], 7), (&*to_web2, &good[..], 7), (&*to_web3, &other[..], 7)];
        let expect = [
            (to_web2.clone(), "its secrets are sealed for web1, not for its recipient".to_owned()),
            (to_web3.clone(), "its secrets are not sealed in a form that this version of mclive can read".to_owned()),
        ];
        assert_eq!(told(&keys, &NOTHING), expect);
    }

    #[test]
    fn the_name_of_the_list_is_told_as_it_is() {
        let [signer, other] = ["web1", "web2"].map(|host| OperatorKey::generate(host).unwrap().0);
        let list = HostKeys::parse(&other.line()).unwrap();
        let expected = Expected { host_keys: Some((&list, "/etc/hosts; old")), ..NOTHING };
        let statement = signed(&signer, EXPORT, b"{}", 7);
        let at = place(EXPORT).unwrap();
        let keys = [(EXPORT, &b"{}"[..], 7), (at.as_str(), &statement[..], 7)];
        let faults = Checkup::of(&whole(&keys), &expected).faults;
        let [fault] = &faults[..] else { panic!("{} faults", faults.len()) };
        assert_eq!(fault.what, "no key of web1 is in /etc/hosts; old");
        assert_eq!(fault.remedy, "add the line that `mclive key show` prints for its --host-key");
    }

    #[test]
    fn keys_that_lead_to_nothing_are_reported() {
        let at = place(VALUE).unwrap();
        let state = "agent/web1/state";
        // Of a host that passes for another one.
        let nested = "agent/web1/web2/state";
        let keys = [at.as_str(), state, nested, "exported/web1", "exported/*//file/a", "sealed/a"];
        let keys = keys.map(|key| (key, &b"{}"[..], 0));
        let all: Vec<(String, bool)> =
            found(&keys, &NOTHING).into_iter().map(|(key, _, fix)| (key, fix == Some(Fix::Remove))).collect();
        let expect = [state, nested, "exported/*//file/a", "exported/web1", at.as_str(), "sealed/a"];
        let expect = expect.map(|key| (key.to_owned(), true));
        assert_eq!(all, expect);
    }
}
