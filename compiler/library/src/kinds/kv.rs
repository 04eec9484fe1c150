//! `kv`: sets or deletes a key in the shared store. Resource spec, 2.13 and 9.35.
//!
//! The key `K` is `strings/K` of the shared store or, if mapped, `strings/K/HOST`, as read by `world.getval` and
//! `world.kvlookup`.

use crate::kinds::rules::ensure;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want, compare};
use crate::vocab::{Datum, Finding, KeyStore, Probe, Step, Watch, store};

/// The kind `kv`.
pub(crate) struct Kv;

static DECL: KindDecl = KindDecl {
    name: "kv",
    doc: "Sets or deletes a key in the shared store.",
    fields: &[
        Field::str("key", "Key", "Key; defaults to the resource name.").effective(),
        Field::str("value", "Value", "Value to store; if unset, the key is deleted.").nullable(),
        Field::bool("mapped", "Mapped", "Store the value in the per-host map under the name of this host."),
        Field::bool("skiplessthan", "SkipLessThan", "Do not overwrite a stored value that is greater than `value`."),
        Field::int(
            "skipcmpstyle",
            "SkipCmpStyle",
            HostType::NamedInt("resources.KVResSkipCmpStyle"),
            "How values are compared: 0 as integers, 1 as strings.",
        ),
    ],
    traits: Traits { refreshable: true, recvable: true, interruptable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for Kv {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        if !want.bool("skiplessthan") {
            return Ok(());
        }
        let style = want.int("skipcmpstyle");
        ensure((0..=1).contains(&style), format!("`skipcmpstyle` must be 0 or 1, not {style}"))?;
        let value = want.text_if_set("value").filter(|_| style == 0);
        ensure(value.is_none_or(|value| value.parse::<i64>().is_ok()), "`value` must be an integer")
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(one.effective("key") == other.effective("key"), "the Key differs")?;
        compare::fields(one, other)
    }

    fn backend(&self) -> &'static str {
        "the store that hosts share (`--world`), otherwise one in the state directory of the agent. Changes to a key are \
         reported immediately."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// For a mapped key, the values of all hosts: only a check knows which host this is.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let end = if want.bool("mapped") { "/" } else { "" };
        let key = format!("strings/{}{end}", want.effective("key"));
        vec![store::Watch { store: KeyStore::World, key }.into()]
    }
}

fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let (store, mut key) = (KeyStore::World, format!("strings/{}", want.effective("key")));
    if want.bool("mapped") {
        key = format!("{key}/{}", seen.hostname);
    }
    let stored = match &walk.look(vec![Probe::Store(store::Probe { store, key: key.clone() })])?[0] {
        Finding::Store(store::Finding::Held(stored)) => stored.as_ref(),
        other => return Err(cannot_tell(other)),
    };
    let wanted = want.set("value").and_then(Datum::of);
    let keeps =
        !seen.refresh && stored.zip(wanted.as_ref()).is_some_and(|(stored, wanted)| keeps(want, stored, wanted));
    if seen.outcomes.is_empty() && (stored == wanted.as_ref() || keeps) {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.mend(vec![Step::Store(store::Step { store, key, value: wanted })])
}

/// Whether the stored value is greater, so that it must stay.
fn keeps(want: &Want, stored: &Datum, wanted: &Datum) -> bool {
    let (Datum::Bytes(stored), Datum::Bytes(wanted)) = (stored, wanted) else { return false };
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<i64>().ok();
    match (want.bool("skiplessthan"), want.int("skipcmpstyle")) {
        (false, _) => false,
        (true, 0) => number(stored).zip(number(wanted)).is_some_and(|(stored, wanted)| wanted < stored),
        (true, _) => wanted < stored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    /// The new stored value; `None`: it stays.
    #[track_caller]
    fn check(kv: Draft, stored: Option<&str>, refresh: bool, expect: Option<Option<&str>>) {
        let findings = [Finding::Store(store::Finding::Held(stored.map(Datum::text)))];
        let seen = Seen { findings: &findings, refresh, hostname: "host1", ..Seen::first() };
        let key = if kv.want().bool("mapped") { "strings/k/host1" } else { "strings/k" };
        let set = |value: Option<&str>| {
            let value = value.map(Datum::text);
            Decision::Drifted(vec![Step::Store(store::Step { store: KeyStore::World, key: key.into(), value })])
        };
        let expect = expect.map_or(Decision::InState(Vec::new()), set);
        assert_eq!(kv.kind.decide(&kv.want(), &seen), expect);
    }

    fn kv(value: &str) -> Draft {
        Draft::new("kv", "k").text("value", value)
    }

    #[test]
    fn a_value_is_set_and_null_deletes() {
        check(kv("a"), None, false, Some(Some("a")));
        check(kv("a"), Some("a"), false, None);
        check(kv("").set("mapped", true.into()), Some("a"), false, Some(Some("")));
        check(Draft::new("kv", "k"), Some("a"), false, Some(None));
        check(Draft::new("kv", "k"), None, false, None);
    }

    #[test]
    fn a_greater_value_is_kept_until_a_notification() {
        let numbers = |value: &str| kv(value).set("skiplessthan", true.into());
        check(numbers("9"), Some("10"), false, None);
        check(numbers("9"), Some("10"), true, Some(Some("9")));
        check(numbers("11"), Some("10"), false, Some(Some("11")));
        check(numbers("9"), Some("x"), false, Some(Some("9")));
        let texts = |value: &str| numbers(value).set("skipcmpstyle", crate::value::Value::Int(1));
        check(texts("10"), Some("9"), false, None);
        check(texts("9"), Some("10"), false, Some(Some("9")));
    }
}
