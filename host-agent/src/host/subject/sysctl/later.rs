//! The files that set kernel parameters at boot: of those with a parameter, the last one counts.

use super::super::Place;
use crate::host::fs;
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

/// Warns if a file that is read later has another value than the file that this resource has just written.
pub(in crate::host::subject) fn warn(at: &Place, path: &str, text: &[u8]) {
    let (name, reads) = (&*at.id.name, at.shared.policy.reads());
    let Some(ours) = setting(text, name) else { return };
    let list = |dir: &str| -> Vec<String> {
        let entries = fs::list_dir(reads, dir, false).unwrap_or_default();
        entries.into_iter().map(|(name, _)| name).collect()
    };
    let sets = |file: &str| setting(&fs::read_file(reads, file, LONGEST).ok()?, name);
    let end = (!Path::new(SYSTEMD).is_dir()).then_some(LAST);
    let last = later(path, &list, end).into_iter().rev().find_map(|file| Some((sets(&file)?, file)));
    if let Some((theirs, file)) = last
        && !holds(name, &theirs, &ours)
    {
        crate::output::tell(&format!(
            "mclive: warning: at boot, {file} sets {name} to `{theirs}` after {path}; remove it from {file}"
        ));
    }
}

/// The files that are read after this one, in order. `end`: the one after those of all directories.
fn later(path: &str, list: &dyn Fn(&str) -> Vec<String>, end: Option<&str>) -> Vec<String> {
    let path = clean(path);
    let Some((_, ours)) = path.rsplit_once('/').filter(|(dir, _)| DIRS.contains(dir)) else { return Vec::new() };
    let mut files = BTreeMap::new();
    for dir in DIRS {
        for name in list(dir).into_iter().filter(|name| name.ends_with(".conf")) {
            let file = format!("{dir}/{name}");
            files.entry(name).or_insert(file);
        }
    }
    let after = files.split_off(ours).into_iter().filter(|(name, _)| name != ours);
    after.map(|(_, file)| file).chain(end.map(str::to_owned)).collect()
}

/// The value of a parameter in a file.
fn setting(text: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';']));
    let mut settings = lines.filter_map(|line| line.split_once('='));
    // A dash means that an error is ignored.
    let (_, value) = settings.rfind(|(key, _)| dotted(key.trim().trim_start_matches('-')) == name)?;
    Some(value.trim().to_owned())
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
    fn files_are_read_by_their_names() {
        let list = |dir: &str| -> Vec<String> {
            let names: &[&str] = match dir {
                "/etc/sysctl.d" => &["10-a.conf", "99-b.conf", "README", "zz.conf"],
                "/usr/lib/sysctl.d" => &["99-c.conf", "zz.conf"],
                _ => &[],
            };
            names.iter().map(|name| name.to_string()).collect()
        };
        let expect = ["/usr/lib/sysctl.d/99-c.conf", "/etc/sysctl.d/zz.conf", "/etc/sysctl.conf"];
        assert_eq!(later("/etc//sysctl.d/99-b.conf", &list, Some(LAST)), expect);
        assert_eq!(later("/etc/sysctl.d/99-b.conf", &list, None), expect[..2], "by systemd");
        assert!(later("/srv/99-b.conf", &list, Some(LAST)).is_empty());
    }

    #[test]
    fn the_last_line_of_a_parameter_counts() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(setting(text.as_bytes(), "net.ipv4.ip_forward").as_deref(), expect, "{text}");
        };
        check("net.ipv4.ip_forward = 1\n", Some("1"));
        check("net.ipv4.ip_forward=1\n-net/ipv4/ip_forward =  0 ", Some("0"));
        check("#net.ipv4.ip_forward=1\n; net.ipv4.ip_forward=1\nnet.ipv4.ip_forwards=1\nnet.ipv4.ip_forward", None);
        assert_eq!(dotted("net/ipv4/conf/eth0.1/forwarding"), "net.ipv4.conf.eth0/1.forwarding");
        assert_eq!(dotted("net.ipv4.conf.eth0/1.forwarding"), "net.ipv4.conf.eth0/1.forwarding");
    }
}
