//! Limits on what a host stores in the shared store. World specification, 13. All hosts of a group have a copy of it in
//! memory, so a host refuses to write more, and reports it: only the resource fails. Data that others write beyond the
//! limits stops no host.

use super::own::EXPORTS;

/// The largest value. Units: bytes.
pub(super) const LARGEST_VALUE: usize = 1 << 20;
/// The longest name of a value, an exported resource or a schedule. Units: bytes.
pub(super) const LONGEST_NAME: usize = 1 << 10;
/// The maximum number of resources that a host exports, one for each host that it exports them to. So many of a kind
/// are also the most that others collect from it.
pub(crate) const MOST_EXPORTS: usize = 10_000;
/// The most that hosts of a group share, keys and values. Units: bytes.
pub(super) const LARGEST_GROUP: usize = 64 << 20;

/// Whether a value may be written. Errors: which limit it exceeds, a sentence without a full stop.
pub(crate) fn within_limits(key: &str, value: &[u8]) -> Result<(), String> {
    named_within_limits(name(key))?;
    match value.len() > LARGEST_VALUE {
        true => {
            Err(format!("the value has {} KiB; the limit is {}", value.len().div_ceil(1 << 10), LARGEST_VALUE >> 10))
        }
        false => Ok(()),
    }
}

/// Whether a name may be used in a key. Errors: as above.
pub(super) fn named_within_limits(name: &str) -> Result<(), String> {
    match name.len() > LONGEST_NAME {
        true => Err(format!("the name has {} bytes; the limit is {LONGEST_NAME}", name.len())),
        false => Ok(()),
    }
}

/// The part of a key that is a name.
fn name(key: &str) -> &str {
    let nth = if key.starts_with(EXPORTS) { 5 } else { 2 };
    key.splitn(nth, '/').last().unwrap_or(key)
}

/// Why a host exports no more.
pub(super) fn too_many_exports() -> String {
    format!("this host already exports {MOST_EXPORTS} resources, which is the limit")
}

/// Why nothing is added to a group.
pub(super) fn too_large() -> String {
    format!(
        "the hosts of this group share {} MiB already, and each has a copy in memory; use several groups (--world-name)",
        LARGEST_GROUP >> 20
    )
}

/// Reports a group that has become too large.
pub(super) fn tell_large() {
    crate::output::tell(&format!(
        "mclive: warning: the hosts of this group share more than {} MiB, and each has a copy in memory; `mclive world check` \
         shows which keys take the most space",
        LARGEST_GROUP >> 20
    ));
}

#[cfg(test)]
mod tests {
    use super::super::Inside;
    use super::super::mirror::{Held, Snapshot};
    use super::*;
    use mclive_base::vocab::Datum;

    #[test]
    fn a_name_and_a_value_have_a_limit() {
        let (name, longer) = ("n".repeat(LONGEST_NAME), "n".repeat(LONGEST_NAME + 1));
        let value = vec![b'x'; LARGEST_VALUE + 1];
        for place in ["strings/", "exported/*/web1/file/", "exported/a-host-with-a-long-name/web1/file/"] {
            let fits = |name: &str, value: &[u8]| within_limits(&format!("{place}{name}"), value);
            assert_eq!(fits(&name, &value[1..]), Ok(()), "{place}");
            assert_eq!(fits(&longer, b""), Err("the name has 1025 bytes; the limit is 1024".into()), "{place}");
            assert_eq!(fits(&name, &value), Err("the value has 1025 KiB; the limit is 1024".into()), "{place}");
        }
        assert_eq!(super::name("exported/*/web1/file//etc/x/y"), "/etc/x/y");
    }

    #[test]
    fn a_host_exports_up_to_a_number() {
        let mut inside = Inside::default();
        let key = |n: usize| format!("exported/*/web1/file/{n}");
        (0..MOST_EXPORTS).for_each(|n| inside.own.keep(&key(n), Some(b"{}")));
        assert_eq!(inside.has_room(&key(0), b"[]", true), Ok(()));
        assert_eq!(inside.has_room(&key(MOST_EXPORTS), b"{}", true), Err(too_many_exports()));
        assert_eq!(inside.has_room("strings/a", b"1", false), Ok(()));
        inside.own.keep(&key(0), None);
        assert_eq!(inside.has_room(&key(MOST_EXPORTS), b"{}", true), Ok(()));
    }

    #[test]
    fn a_group_grows_up_to_a_size() {
        let mut inside = Inside::default();
        let value = Datum::Bytes(vec![b'x'; LARGEST_GROUP - 20]);
        let keys = [("strings/a".to_owned(), Held { value, modified: 1, lease: 0 })].into();
        inside.mirror.replace(Snapshot { cluster: "1".into(), revision: 1, keys });
        // With its key, 11 bytes are left.
        assert_eq!(inside.has_room("strings/b", b"12", false), Ok(()));
        assert_eq!(inside.has_room("strings/b", b"123", false), Err(too_large()));
        assert_eq!(inside.has_room("strings/a", b"1", false), Ok(()));
    }
}
