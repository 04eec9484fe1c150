//! `kv`: Sets or deletes a key in the cluster string store. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want, compare};

/// The kind `kv`.
pub(crate) struct Kv;

static DECL: KindDecl = KindDecl {
    name: "kv",
    doc: "Sets or deletes a key in the cluster string store.",
    fields: &[
        Field::str("key", "Key", "Key; empty means the resource name.").effective(),
        Field::str("value", "Value", "Value to store; null deletes the key.").nullable(),
        Field::bool("mapped", "Mapped", "Store in the per-host map under this host's name."),
        Field::bool(
            "skiplessthan",
            "SkipLessThan",
            "Do not overwrite a stored value that is greater than the wanted one.",
        ),
        Field::int(
            "skipcmpstyle",
            "SkipCmpStyle",
            HostType::NamedInt("resources.KVResSkipCmpStyle"),
            "0 compares as integers, 1 as strings.",
        ),
    ],
    traits: Traits { refreshable: true, recvable: true, interruptable: true, ..Traits::NONE },
    constants: &[],
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
        ensure((0..=1).contains(&style), format!("the SkipCmpStyle of {style} is invalid"))?;
        let value = want.text_if_set("value").filter(|_| style == 0);
        ensure(value.is_none_or(|value| value.parse::<i64>().is_ok()), "the Value is no integer to compare")
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(one.effective("key") == other.effective("key"), "the Key differs")?;
        compare::fields(one, other)
    }
}
