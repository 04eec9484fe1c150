//! Kernel parameters: `net.ipv4.ip_forward`.

mod missing;

pub use missing::source;

use super::c_integer::c_integer;
use super::subject::never;
use super::{Change, Listen, Look, Power};
use crate::sort;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Fact }

/// → `Value`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The parameter.
    pub name: String,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The value, without the newline.
    Value(String),
}

/// Sets the parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The parameter.
    pub name: String,
    /// The new value.
    pub value: String,
    /// The value that was seen.
    pub now: String,
}

/// Changes of the parameter, also by a change of another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The parameter.
    pub name: String,
}

/// The file of a parameter below `/proc/sys`.
pub fn path(name: &str) -> String {
    format!("/proc/sys/{}", name.replace('.', "/"))
}

/// The network interface of a parameter such as `net.ipv4.conf.eth0.rp_filter`: the parameter exists as long as the
/// interface does.
pub fn interface(name: &str) -> Option<&str> {
    let (_, interface, _) = of_interface(name)?;
    (!matches!(interface, "all" | "default")).then_some(interface)
}

/// `net.ipv4.conf`, the interface, and the parameter of it.
fn of_interface(name: &str) -> Option<(&str, &str, &str)> {
    const FAMILIES: [&str; 4] = ["net.ipv4.conf", "net.ipv4.neigh", "net.ipv6.conf", "net.ipv6.neigh"];
    let family = FAMILIES.into_iter().find(|family| name.starts_with(family))?;
    let (interface, parameter) = name.strip_prefix(family)?.strip_prefix('.')?.split_once('.')?;
    Some((family, interface, parameter))
}

/// Parameters that change together: a change of one may change the others in its group without a write to their files.
/// Some have two names.
const TOGETHER: [&[&str]; 12] = [
    &["net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding", "net.ipv4.conf.all.accept_redirects"],
    &["vm.dirty_bytes", "vm.dirty_ratio"],
    &["vm.dirty_background_bytes", "vm.dirty_background_ratio"],
    &["vm.overcommit_kbytes", "vm.overcommit_ratio"],
    &["vm.nr_hugepages", "vm.nr_hugepages_mempolicy"],
    &["net.netfilter.nf_conntrack_max", "net.nf_conntrack_max"],
    &["net.ipv4.tcp_allowed_congestion_control", "net.ipv4.tcp_congestion_control"],
    &["kernel.watchdog", "kernel.nmi_watchdog", "kernel.soft_watchdog"],
    &["fs.inotify.max_user_instances", "user.max_inotify_instances"],
    &["fs.inotify.max_user_watches", "user.max_inotify_watches"],
    &["fs.fanotify.max_user_groups", "user.max_fanotify_groups"],
    &["fs.fanotify.max_user_marks", "user.max_fanotify_marks"],
];

/// The other parameters whose change may change this one.
pub fn changed_with(name: &str) -> Vec<String> {
    let mut others: Vec<String> = Vec::new();
    if let Some((family, interface, parameter)) = of_interface(name) {
        others.extend(
            ["all", "default"].iter().filter(|it| **it != interface).map(|it| format!("{family}.{it}.{parameter}")),
        );
        if name.starts_with("net.ipv4.conf.") && matches!(parameter, "forwarding" | "accept_redirects") {
            others.push("net.ipv4.ip_forward".into());
        }
        // The same time in another unit.
        let other_unit = match parameter {
            "base_reachable_time" | "retrans_time" => Some(format!("{parameter}_ms")),
            "base_reachable_time_ms" | "retrans_time_ms" => parameter.strip_suffix("_ms").map(str::to_owned),
            _ => None,
        };
        others.extend(other_unit.map(|other| format!("{family}.{interface}.{other}")));
    }
    let group = TOGETHER.into_iter().find(|group| group.contains(&name)).unwrap_or_default();
    for other in group.iter().filter(|other| **other != name) {
        if !others.iter().any(|known| known == other) {
            others.push((*other).to_owned());
        }
    }
    others
}

/// The more general parameters that set this one when they are written.
pub fn set_by(name: &str) -> Vec<String> {
    let forwards = ["net.ipv4.conf.all.forwarding", "net.ipv4.conf.all.accept_redirects"];
    let Some((family, interface, parameter)) = of_interface(name) else { return Vec::new() };
    let above: &[&str] = match interface {
        "all" => &[],
        "default" => &["all"],
        _ => &["all", "default"],
    };
    let mut above: Vec<String> = above.iter().map(|above| format!("{family}.{above}.{parameter}")).collect();
    if forwards.contains(&format!("{family}.all.{parameter}").as_str()) {
        above.push("net.ipv4.ip_forward".into());
    }
    if name == "net.ipv4.conf.all.accept_redirects" {
        above.push("net.ipv4.conf.all.forwarding".into());
    }
    above
}

/// Whether the kernel shows `now` after `wanted` was written to this parameter. Some numbers are rounded: up to powers
/// of two, to what fills whole pages of memory, or to ticks of the kernel, of which a second has at least a hundred.
pub fn holds(name: &str, now: &str, wanted: &str) -> bool {
    const POWERS: [&str; 2] = ["fs.pipe-max-size", "net.core.rps_sock_flow_entries"];
    /// A table of connections, eight bytes for each; the sizes of pages.
    const BUCKETS: &str = "net.netfilter.nf_conntrack_buckets";
    const PER_PAGE: [u64; 3] = [4096 / 8, 16384 / 8, 65536 / 8];
    const TICK_MS: u64 = 10;
    let number = |text: &str| c_integer(text).and_then(|number| u64::try_from(number).ok());
    let is_rounded = || match (number(now), number(wanted)) {
        (Some(now), Some(wanted)) if POWERS.contains(&name) => wanted.checked_next_power_of_two() == Some(now),
        (Some(now), Some(wanted)) if name == BUCKETS => {
            PER_PAGE.iter().any(|n| wanted.checked_next_multiple_of(*n) == Some(now))
        }
        (Some(now), Some(wanted)) if is_in_ms(name) => (wanted..wanted.saturating_add(TICK_MS)).contains(&now),
        // Where a tick is not a whole number of hundredths, or the other way round, one of two numbers is lost.
        (Some(now), Some(wanted)) if is_in_hundredths(name) => wanted % 2 == 1 && now == wanted - 1,
        _ => false,
    };
    same(now, wanted) || is_rounded()
}

/// Whether a parameter is a time in milliseconds that the kernel keeps in ticks, rounded up.
fn is_in_ms(name: &str) -> bool {
    const ENDS: [&str; 5] =
        ["_time_ms", "_interval_ms", "_unsolicited_report_interval", ".icmp_ratelimit", ".icmp.ratelimit"];
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a parameter is a time in hundredths of a second that the kernel keeps in ticks, rounded down.
fn is_in_hundredths(name: &str) -> bool {
    const OF_NEIGHBOURS: [&str; 4] = ["anycast_delay", "locktime", "proxy_delay", "retrans_time"];
    of_interface(name)
        .is_some_and(|(family, _, parameter)| family.ends_with(".neigh") && OF_NEIGHBOURS.contains(&parameter))
}

/// Whether the kernel shows `now` for a written `wanted`: with tabs between several values, numbers in decimal, ranges
/// merged and sorted, and words in its own order. If fewer numbers are written than it has, it keeps the others.
fn same(now: &str, wanted: &str) -> bool {
    let (now, wanted): (Vec<&str>, Vec<&str>) = (now.split_whitespace().collect(), wanted.split_whitespace().collect());
    let is_begun = !wanted.is_empty() && wanted.len() < now.len() && now.iter().all(|word| shown(word).is_some());
    if now.len() != wanted.len() && !is_begun {
        return false;
    }
    if now.iter().zip(&wanted).all(|(now, wanted)| is_same_word(now, wanted)) {
        return true;
    }
    let sorted = |words: &[&str]| {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.sort();
        words
    };
    now.iter().chain(&wanted).all(|word| is_name(word)) && sorted(&now) == sorted(&wanted)
}

fn is_same_word(now: &str, wanted: &str) -> bool {
    let equal = now == wanted || shown(now).zip(c_integer(wanted)).is_some_and(|(now, wanted)| now == wanted);
    let is_list = |text: &str| text.contains([',', '-']);
    equal || (is_list(now) || is_list(wanted)) && ranges(now).is_some_and(|now| Some(now) == ranges(wanted))
}

/// A name such as that of an algorithm, of which a set has no order.
fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-'))
}

/// A number as the kernel shows it.
fn shown(word: &str) -> Option<i128> {
    match word.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// `8080,1-3,4` as merged ranges in order.
fn ranges(word: &str) -> Option<Vec<(u64, u64)>> {
    let mut ranges = Vec::new();
    for part in word.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok().filter(|_| is_number(first))?);
        ranges.push((first, last));
    }
    sort::items(&mut ranges);
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            Some(_) | None => merged.push((first, last)),
        }
    }
    Some(merged)
}

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let now = self.now.split_whitespace().collect::<Vec<_>>().join(" ");
        write!(f, "set {}: {now} → {}", self.name, self.value)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Sysctl(&self.name)]
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::{changed_with, holds, interface, same, set_by};

    #[test]
    fn values_are_compared_as_the_kernel_means_them() {
        for (one, other, expect) in [
            ("4096\t131072\t6291456", "4096 131072  6291456", true),
            ("16", "0x10", true),
            ("007", "7", true),
            ("1", "0", false),
            ("a b", "a", false),
            ("cubic", "reno", false),
            ("8", "010", true),
            ("10", "010", false),
            ("-8", "-010", true),
            ("1-3,8080,9148", "9148,8080,1,2,3", true),
            ("1-3,8080", "1-4,8080", false),
            ("-1", "1", false),
            ("reno cubic", "cubic reno", true),
            ("reno bbr", "cubic reno", false),
            ("1 2", "2 1", false),
            ("4\t4\t1\t7", "4", true),
            ("4\t4\t1\t7", "4 04", true),
            ("4\t4\t1\t7", "3", false),
            ("4\t4\t1\t7", "4 1", false),
            ("4", "4 4", false),
            ("4 4", "", false),
            ("cubic 4", "cubic", false),
            ("|/bin/x %p %s", "|/bin/x %s %p", false),
        ] {
            assert_eq!(same(one, other), expect, "{one} {other}");
        }
    }

    #[test]
    fn some_numbers_are_rounded_up() {
        for (name, now, wanted, expect) in [
            ("fs.pipe-max-size", "1048576", "1000000", true),
            ("fs.pipe-max-size", "2097152", "1000000", false),
            ("net.core.rps_sock_flow_entries", "0", "0", true),
            ("fs.file-max", "1048576", "1000000", false),
            ("net.netfilter.nf_conntrack_buckets", "100352", "100000", true),
            ("net.netfilter.nf_conntrack_buckets", "106496", "100000", true),
            ("net.netfilter.nf_conntrack_buckets", "65536", "100000", false),
            ("net.netfilter.nf_conntrack_max", "100352", "100000", false),
            ("net.ipv4.neigh.eth0.retrans_time_ms", "1004", "1001", true),
            ("net.ipv4.neigh.eth0.retrans_time_ms", "1000", "1001", false),
            ("net.ipv4.neigh.eth0.retrans_time_ms", "1020", "1001", false),
            ("net.ipv4.tcp_rmem", "4096\t131072\t6291456", "4096 131072 6291456", true),
            ("net.ipv4.icmp_ratelimit", "252", "250", true),
            ("net.ipv4.icmp_ratelimit", "1000", "250", false),
            ("net.ipv6.icmp.ratelimit", "1004", "1001", true),
            ("net.ipv6.route.gc_min_interval_ms", "504", "501", true),
            ("net.ipv6.conf.all.mldv2_unsolicited_report_interval", "1004", "1001", true),
            ("net.ipv4.icmp_ratemask", "6169", "6168", false),
            ("net.ipv4.neigh.default.locktime", "4", "5", true),
            ("net.ipv4.neigh.default.locktime", "5", "5", true),
            ("net.ipv4.neigh.default.locktime", "3", "4", false),
            ("net.ipv4.neigh.default.locktime", "6", "5", false),
            ("net.ipv4.neigh.default.ucast_solicit", "4", "5", false),
            ("net.ipv4.conf.all.locktime", "4", "5", false),
        ] {
            assert_eq!(holds(name, now, wanted), expect, "{name} {now} {wanted}");
        }
    }

    #[test]
    fn what_changes_with_another_one_is_known() {
        let all = |name: &str| changed_with(name).join(" ");
        assert_eq!(all("net.ipv4.ip_forward"), "net.ipv4.conf.all.forwarding net.ipv4.conf.all.accept_redirects");
        assert_eq!(
            all("net.ipv4.conf.eth0.forwarding"),
            "net.ipv4.conf.all.forwarding net.ipv4.conf.default.forwarding net.ipv4.ip_forward"
        );
        assert_eq!(all("net.ipv6.conf.all.disable_ipv6"), "net.ipv6.conf.default.disable_ipv6");
        assert_eq!(all("vm.dirty_ratio"), "vm.dirty_bytes");
        assert_eq!(
            all("net.ipv4.neigh.eth0.retrans_time_ms"),
            "net.ipv4.neigh.all.retrans_time_ms net.ipv4.neigh.default.retrans_time_ms net.ipv4.neigh.eth0.retrans_time"
        );
        assert_eq!(all("net.nf_conntrack_max"), "net.netfilter.nf_conntrack_max");
        assert_eq!(all("fs.inotify.max_user_watches"), "user.max_inotify_watches");
        assert_eq!(all("net.ipv4.tcp_allowed_congestion_control"), "net.ipv4.tcp_congestion_control");
        assert_eq!(all("kernel.panic"), "");
        let before = |name: &str| set_by(name).join(" ");
        assert_eq!(before("net.ipv4.ip_forward"), "");
        assert_eq!(before("net.ipv4.conf.all.accept_redirects"), "net.ipv4.ip_forward net.ipv4.conf.all.forwarding");
        assert_eq!(
            before("net.ipv4.conf.eth0.forwarding"),
            "net.ipv4.conf.all.forwarding net.ipv4.conf.default.forwarding net.ipv4.ip_forward"
        );
        assert_eq!(before("net.ipv6.conf.default.forwarding"), "net.ipv6.conf.all.forwarding");
        assert_eq!(before("kernel.panic"), "");
        assert_eq!(interface("net.ipv4.conf.eth0.rp_filter"), Some("eth0"));
        assert_eq!(interface("net.ipv4.conf.all.rp_filter"), None);
        assert_eq!(interface("net.ipv4.config.x"), None);
    }
}
