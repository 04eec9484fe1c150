//! Sizes that exceed the limits of a group. Agents keep to these limits, so something else wrote the data.

use super::super::gateway::Whole;
use super::super::limits::{LARGEST_GROUP, MOST_EXPORTS, within_limits};
use super::super::opening::SEALED;
use super::super::own::{EXPORTS, VALUES, exporter};
use super::{Checkup, Fix};
use std::collections::BTreeMap;

pub(super) fn check(whole: &Whole, checkup: &mut Checkup) {
    for (key, stored) in whole.below(EXPORTS).chain(whole.below(VALUES)).chain(whole.below(SEALED)) {
        if let Err(why) = within_limits(key, &stored.value) {
            let what = format!("it is too large: {why}");
            checkup.add(key, what, "store large values as files of a deploy, and remove this key", Some(Fix::Remove));
        }
    }
    // By host: how many there are, and the first one.
    let mut exports: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (key, _) in whole.below(EXPORTS) {
        if let Some(host) = exporter(key) {
            exports.entry(host).or_insert((0, key)).0 += 1;
        }
    }
    for (host, (n, first)) in exports.into_iter().filter(|(_, (n, _))| *n > MOST_EXPORTS) {
        let what = format!("{host} exports this and {} other resources; the limit is {MOST_EXPORTS}", n - 1);
        checkup.add(first, what, "export one resource to all hosts instead of one to each", None);
    }
    total(whole, checkup, LARGEST_GROUP);
}

/// What all hosts of the group have in memory is at most `most`. Units: bytes.
fn total(whole: &Whole, checkup: &mut Checkup, most: usize) {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, stored) in whole.followed() {
        let first = key.split('/').next().unwrap_or_default();
        *sizes.entry(first).or_default() += key.len() + stored.value.len();
    }
    let (size, largest) = (sizes.values().sum::<usize>(), sizes.iter().max_by_key(|(_, size)| **size));
    if let Some((first, part)) = largest.filter(|_| size > most) {
        let [all, part, most] = [size, *part, most].map(|n_bytes| n_bytes.div_ceil(1 << 20));
        let what =
            format!("these keys are {part} of the {all} MiB that each host keeps in memory; the limit is {most}");
        checkup.add(&format!("{first}/"), what, "use several groups (--world-name)", None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::whole;
    use super::*;

    #[test]
    fn the_largest_part_of_a_group_that_is_too_large_is_reported() {
        let keys =
            ["blob/a/0", "exported/*/web1/file//a", "strings/a", "strings/b"].map(|key| (key, &b"0123456789"[..], 0));
        let told = |most| {
            let mut checkup = Checkup::default();
            total(&whole(&keys), &mut checkup, most);
            checkup.faults.into_iter().map(|fault| (fault.key, fault.what)).collect::<Vec<_>>()
        };
        assert!(told(71).is_empty());
        let what = "these keys are 1 of the 1 MiB that each host keeps in memory; the limit is 1".to_owned();
        assert_eq!(told(70), [("strings/".to_owned(), what)]);
    }

    #[test]
    fn a_value_that_is_too_large_and_a_host_with_too_many_exports_are_reported() {
        let large = vec![b'x'; (1 << 20) + 1];
        let names: Vec<String> = (0..=MOST_EXPORTS).map(|n| format!("exported/*/web1/file//{n:05}")).collect();
        let mut keys: Vec<(&str, &[u8], i64)> = names.iter().map(|name| (name.as_str(), &b"{}"[..], 7)).collect();
        let told = |keys: &[(&str, &[u8], i64)]| {
            let mut checkup = Checkup::default();
            check(&whole(keys), &mut checkup);
            checkup.faults.into_iter().map(|fault| (fault.key, fault.what)).collect::<Vec<_>>()
        };
        let many = "web1 exports this and 10000 other resources; the limit is 10000".to_owned();
        assert_eq!(told(&keys), [("exported/*/web1/file//00000".to_owned(), many)]);
        keys.pop();
        keys.extend(["strings/large", "sealed/large"].map(|key| (key, &large[..], 0)));
        let what = "it is too large: the value has 1025 KiB; the limit is 1024".to_owned();
        assert_eq!(told(&keys), ["strings/large", "sealed/large"].map(|key| (key.to_owned(), what.clone())));
    }
}
