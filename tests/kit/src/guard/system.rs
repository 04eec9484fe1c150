//! Machine-wide state: mounts, accounts, kernel parameters, names, the clock, units.

use super::State;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Each mount point with its mounts, the topmost last. Ids of mounts and of propagation groups vary and are skipped.
pub(super) fn mounts() -> Result<State, String> {
    let mut state = State::new();
    for line in read("/proc/self/mountinfo")?.lines() {
        let (place, kind) = line.split_once(" - ").unwrap_or((line, ""));
        let place: Vec<&str> = place.split(' ').collect();
        let (Some(root), Some(at), Some(options)) = (place.get(3), place.get(4), place.get(5)) else { continue };
        let all = state.entry((*at).to_owned()).or_default();
        all.push_str(&format!("{}{kind} of {root} ({options})", if all.is_empty() { "" } else { " under " }));
    }
    Ok(state)
}

/// The lines of the account files. Secrets are hashed.
pub(super) fn accounts() -> Result<State, String> {
    let mut state = State::new();
    for (file, is_secret) in
        [("passwd", false), ("group", false), ("shadow", true), ("gshadow", true), ("subuid", false), ("subgid", false)]
    {
        let path = format!("/etc/{file}");
        // Some machines lack some of them; without root the secret ones are unreadable, both before and after.
        let text = fs::read_to_string(&path).unwrap_or_default();
        for (at, line) in text.lines().enumerate() {
            let (name, rest) = line.split_once(':').unwrap_or((line, ""));
            let rest = if is_secret { format!("{:016x}", number(rest.as_bytes())) } else { rest.to_owned() };
            // A name may occur twice.
            let key = format!("{name} of {path}");
            let key = if state.contains_key(&key) { format!("{key}, line {}", at + 1) } else { key };
            state.insert(key, rest);
        }
    }
    Ok(state)
}

/// Parameters that the kernel counts, measures, draws or adapts itself. Those that end with `/` include everything
/// below.
const RESTLESS: [&str; 17] = [
    // current usage
    "fs/aio-nr",
    "fs/dentry-state",
    "fs/file-nr",
    "fs/inode-nr",
    "fs/inode-state",
    "fs/quota/",
    "kernel/pty/nr",
    "net/netfilter/nf_conntrack_count",
    // random
    "kernel/random/uuid",
    "kernel/random/boot_id",
    "kernel/random/entropy_avail",
    "kernel/ns_last_pid",
    // lowered by the kernel when measuring takes too long
    "kernel/perf_event_max_sample_rate",
    "kernel/perf_cpu_time_max_percent",
    // adapted to the available memory
    "vm/min_free_kbytes",
    // reading has a side effect
    "vm/stat_refresh",
    // recorded with the names
    "kernel/hostname",
];

pub(super) fn parameters() -> Result<State, String> {
    let mut state = State::new();
    let mut ahead = vec![Path::new("/proc/sys").to_owned()];
    while let Some(folder) = ahead.pop() {
        // An interface, and its folder with it, may disappear at any time.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix("/proc/sys").unwrap_or(&path).display().to_string();
            if RESTLESS.iter().any(|it| *it == name || (it.ends_with('/') && format!("{name}/").starts_with(it))) {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => ahead.push(path),
                // Some are write-only.
                _ => drop(fs::read(&path).map(|value| {
                    let value = String::from_utf8_lossy(value.trim_ascii_end()).into_owned();
                    state.insert(name.replace('/', "."), value)
                })),
            }
        }
    }
    match state.is_empty() {
        true => Err("nothing is in /proc/sys".into()),
        false => Ok(state),
    }
}

pub(super) fn names() -> Result<State, String> {
    let mut state = State::new();
    state.insert("the host name".into(), read("/proc/sys/kernel/hostname")?.trim_end().to_owned());
    for path in
        ["/etc/hostname", "/etc/hosts", "/etc/machine-id", "/etc/localtime", "/etc/timezone", "/etc/locale.conf"]
    {
        state.extend(fs::read(path).ok().map(|text| (path.to_owned(), format!("{:016x}", number(&text)))));
    }
    Ok(state)
}

/// The boot time of the machine on the wall clock, in milliseconds: it moves only if the clock is set.
pub(super) fn clock() -> Result<State, String> {
    let milliseconds = |clock| {
        let time = clock_gettime(clock);
        time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    };
    let began = milliseconds(ClockId::Realtime) - milliseconds(ClockId::Boottime);
    Ok([("the time of the machine's start, in milliseconds".to_owned(), began.to_string())].into())
}

/// Whether a clock was set. Network time synchronisation slews it by at most half a millisecond per second, which is
/// less than this in an hour.
pub(super) fn is_set(was: Option<&str>, is: Option<&str>) -> bool {
    const KEPT_RIGHT_MS: i64 = 2000;
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<i64>().ok());
    match (number(was), number(is)) {
        (Some(was), Some(is)) => (is - was).abs() > KEPT_RIGHT_MS,
        _ => true,
    }
}

/// The unit files that systemd reads, whether it runs or not.
pub(super) fn unit_files() -> Result<State, String> {
    let mut state = State::new();
    let mut ahead: Vec<_> =
        ["/etc/systemd/system", "/run/systemd/system", "/run/systemd/transient", "/usr/lib/systemd/system"]
            .map(|folder| Path::new(folder).to_owned())
            .into();
    while let Some(folder) = ahead.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            // Scopes of sessions and of user commands come and go.
            if path.extension().is_some_and(|it| it == "scope") || path.starts_with("/run/systemd/transient/run-") {
                continue;
            }
            let value = match kind {
                Ok(kind) if kind.is_dir() => {
                    ahead.push(path.clone());
                    String::new()
                }
                Ok(kind) if kind.is_symlink() => {
                    fs::read_link(&path).map(|target| target.display().to_string()).unwrap_or_default()
                }
                _ => fs::read(&path).map(|text| format!("{:016x}", number(&text))).unwrap_or_default(),
            };
            state.insert(path.display().to_string(), value);
        }
    }
    Ok(state)
}

/// Running units, on a machine whose process 1 is systemd.
pub(super) fn units() -> Result<State, String> {
    if !Path::new("/run/systemd/system").exists() {
        return Ok(State::new());
    }
    let output = Command::new("systemctl")
        .args([
            "list-units",
            "--type=service,socket,mount,swap,timer,path",
            "--state=active,failed",
            "--plain",
            "--no-legend",
        ])
        .output()
        .map_err(|error| format!("systemctl does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let states: BTreeMap<&str, &str> = said
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            Some((*words.first()?, *words.get(2)?))
        })
        .collect();
    // Units started by the minute or by logins are not state of the machine.
    let passes =
        |name: &str| name.starts_with("user@") || name.starts_with("user-runtime-dir@") || name.starts_with("run-");
    let by_timer =
        |name: &str| name.strip_suffix(".service").is_some_and(|it| states.contains_key(&*format!("{it}.timer")));
    let lasting = states.iter().filter(|(name, _)| !passes(name) && !by_timer(name));
    Ok(lasting.map(|(name, state)| ((*name).to_owned(), (*state).to_owned())).collect())
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

/// FNV-1a, the same in every build.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
