//! The files that set kernel parameters at boot: if several set a parameter, the last one takes precedence.

use super::super::Context;
use super::index::{Index, Look};
use crate::host::fs;
use crate::lock::Mutex;
use mclive_base::vocab::path::clean;
use mclive_base::vocab::sysctl::holds;
use std::collections::BTreeMap;
use std::path::Path;

/// A name in one of them hides the same name in those after it.
const DIRS: [&str; 5] =
    ["/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d"];
/// Read after all others, except by systemd: it reads the directories alone.
const LAST: &str = "/etc/sysctl.conf";
const SYSTEMD: &str = "/run/systemd/system";
const LONGEST: u64 = 1 << 20;

/// What these files set, as far as it is known.
#[derive(Default)]
pub(super) struct SetAtBoot(Mutex<Option<Index>>);

impl SetAtBoot {
    /// The last file of the directories after the one of this name that sets a parameter, and the value.
    fn last_after(&self, name: &str, parameter: &str, look: &Look) -> Option<(String, String)> {
        let mut kept = self.0.lock();
        let index = kept.take().and_then(|mut index| index.refresh(look).then_some(index));
        let index = index.unwrap_or_else(|| Index::new(&DIRS, look));
        let last = index.last_after(name, parameter);
        *kept = Some(index).filter(Index::is_watched);
        last
    }
}

/// Warns if a file that is read later has another value than the file that this resource writes. `may_change`: in a plan, the
/// other file may be different by then.
pub(in crate::host) fn warn_of_later(at: &Context, path: &str, text: &[u8], may_change: &dyn Fn(&str) -> bool) {
    let (parameter, reads) = (&*at.id.name, at.shared.policy.reads());
    let (path, mut written) = (clean(path), settings(text));
    let Some((_, name)) = path.rsplit_once('/').filter(|(dir, _)| DIRS.contains(dir)) else { return };
    let Some(ours) = written.remove(parameter) else { return };
    let list = |dir: &str| -> Vec<String> {
        let entries = fs::list_dir(reads, dir, false).unwrap_or_default();
        entries.into_iter().map(|(name, _)| name).collect()
    };
    let read = |file: &str| fs::read_file(reads, file, LONGEST).ok();
    let at_the_end = || {
        let end = (!Path::new(SYSTEMD).is_dir()).then_some(LAST)?;
        Some((end.to_owned(), settings(&read(end)?).remove(parameter)?))
    };
    let look = Look { list: &list, read: &read };
    let last = at_the_end().or_else(|| at.shared.subjects.sysctl.set_at_boot.last_after(name, parameter, &look));
    if let Some((file, theirs)) = last
        && !holds(parameter, &theirs, &ours)
        && !may_change(&file)
    {
        crate::output::tell(&format!(
            "mclive: warning: at boot, {file} sets {parameter} to `{theirs}` after {path}; remove it from {file}"
        ));
    }
}

/// The values of the parameters in a file; of several lines with one, the last counts.
pub(super) fn settings(text: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';']));
    let pairs = lines.filter_map(|line| line.split_once('='));
    // A dash means that an error is ignored.
    pairs.map(|(key, value)| (dotted(key.trim().trim_start_matches('-')), value.trim().to_owned())).collect()
}

/// With slashes between its parts, a name has slashes for the dots in them.
fn dotted(key: &str) -> String {
    let has_slashes = key.find(['.', '/']).is_some_and(|at| key[at..].starts_with('/'));
    let swapped = |letter| match letter {
        '/' if has_slashes => '.',
        '.' if has_slashes => '/',
        other => other,
    };
    key.chars().map(swapped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_parameter_counts() {
        let check = |text: &str, expect: Option<&str>| {
            let settings = settings(text.as_bytes());
            assert_eq!(settings.get("net.ipv4.ip_forward").map(String::as_str), expect, "{text}");
        };
        check("net.ipv4.ip_forward = 1\n", Some("1"));
        check("net.ipv4.ip_forward=1\n-net/ipv4/ip_forward =  0 ", Some("0"));
        check("#net.ipv4.ip_forward=1\n; net.ipv4.ip_forward=1\nnet.ipv4.ip_forwards=1\nnet.ipv4.ip_forward", None);
        assert_eq!(dotted("net/ipv4/conf/eth0.1/forwarding"), "net.ipv4.conf.eth0/1.forwarding");
        assert_eq!(dotted("net.ipv4.conf.eth0/1.forwarding"), "net.ipv4.conf.eth0/1.forwarding");
    }
}
