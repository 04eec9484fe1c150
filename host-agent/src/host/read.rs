//! What core functions read: each fact as it is now.
//!
//! When to read again is decided in `facts.rs`; a fact without a way to know is read on a period.

use super::state::StateDir;
use super::{accounts, errno, fs, net};
use crate::policy::Policy;
use mclive_compiler::vocab::path::native;
use mclive_compiler::vocab::{Datum, FactSpec, HostError, HostErrorKind, KeyStore};
use std::time::{SystemTime, UNIX_EPOCH};

type Read = Result<Datum, HostError>;

/// The most that a file may hold which a function reads.
const LARGEST: u64 = 64 << 20;

/// Reads a fact. `CommandLines` and `AudioPeak` have no value of their own: they are followed.
pub(crate) fn read(spec: &FactSpec, policy: &Policy, state: &StateDir, hostname: &str) -> Read {
    match spec {
        FactSpec::Clock { .. } => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Ok(Datum::Int(now.as_secs() as i64))
        }
        FactSpec::TimeZone => Ok(Datum::Bytes(time_zone())),
        FactSpec::Uptime { .. } => {
            let text = proc("/proc/uptime")?;
            let seconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
            seconds.map(|seconds| Datum::Int(seconds as i64)).ok_or_else(|| odd("/proc/uptime"))
        }
        FactSpec::Load { .. } => {
            let text = proc("/proc/loadavg")?;
            let loads: Vec<Datum> =
                text.split_whitespace().take(3).filter_map(|word| word.parse().ok()).map(Datum::Float).collect();
            if loads.len() == 3 { Ok(Datum::List(loads)) } else { Err(odd("/proc/loadavg")) }
        }
        FactSpec::FileContent { path } => fs::read_file(policy.reads(), path, LARGEST).map(Datum::Bytes),
        FactSpec::FileState { path } => file_state(policy, path),
        FactSpec::LinkTarget { path } => fs::link_target(policy.reads(), path).map(Datum::Bytes),
        FactSpec::RealPath { path } => fs::real_path(policy.reads(), path).map(Datum::Bytes),
        FactSpec::Glob { pattern } => {
            let found = fs::glob(policy.reads(), pattern)?;
            Ok(Datum::List(found.iter().map(|path| Datum::Bytes(native(path).into_owned())).collect()))
        }
        FactSpec::TempDir { dir, pattern, nonce: _ } => temp_dir(dir, pattern),
        FactSpec::Env { name } => match std::env::var_os(name) {
            Some(value) => Ok(bytes(&value)),
            None => Err(HostError::new(HostErrorKind::NotFound, format!("the environment has no `{name}`"))),
        },
        FactSpec::Environment => {
            Ok(Datum::Map(std::env::vars_os().map(|(name, value)| (bytes(&name), bytes(&value))).collect()))
        }
        FactSpec::Args => Ok(Datum::List(std::env::args_os().map(|arg| bytes(&arg)).collect())),
        FactSpec::Executable { resolved } => executable(*resolved),
        FactSpec::Process => Ok(process()),
        FactSpec::Setting { name } => {
            Err(HostError::new(HostErrorKind::NotFound, format!("the setting `{name}` is not set")))
        }
        FactSpec::Random { n_bytes, nonce: _ } => random(*n_bytes as usize).map(Datum::Bytes),
        FactSpec::Hostname => Ok(Datum::text(rustix::system::uname().nodename().to_string_lossy())),
        FactSpec::User { name } => user(name),
        FactSpec::Interfaces => Ok(net::interfaces()),
        FactSpec::KernelModules => {
            let text = proc("/proc/modules").unwrap_or_default();
            Ok(Datum::List(text.lines().filter_map(|line| line.split_whitespace().next()).map(Datum::text).collect()))
        }
        FactSpec::CpusOnline => proc("/sys/devices/system/cpu/online").map(|text| Datum::text(text.trim())),
        FactSpec::MachineTexts => {
            let dmi = ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"];
            let files = dmi.iter().map(|name| format!("/sys/class/dmi/id/{name}"));
            let texts = std::iter::once("/proc/cpuinfo".to_owned()).chain(files);
            Ok(Datum::List(texts.filter_map(|path| std::fs::read(path).ok()).map(Datum::Bytes).collect()))
        }
        // There is no connection to that service yet, which looks like a host without it.
        FactSpec::FirmwareUpdates => Ok(Datum::List(Vec::new())),
        FactSpec::CommandLines { command } => {
            Err(HostError::unavailable(command, "a command's lines are followed, not read"))
        }
        FactSpec::AudioPeak => Err(HostError::unavailable("the peak of sound", "it is followed, not read")),
        FactSpec::StoreValue { key } => {
            let found = state.key(KeyStore::World, &format!("strings/{key}"));
            found.ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("the store has no `{key}`")))
        }
        FactSpec::StoreMap { namespace } => {
            let below = format!("strings/{namespace}/");
            let entries = state.keys_below(KeyStore::World, &below).into_iter();
            Ok(Datum::Map(entries.map(|(key, value)| (Datum::text(&key[below.len()..]), value)).collect()))
        }
        // A host alone is elected.
        FactSpec::Schedule { .. } => Ok(Datum::List(vec![Datum::text(hostname)])),
        FactSpec::Exported { kind } => Ok(exported(kind, state, hostname)),
        FactSpec::LocalValue { key } => {
            let found = state.key(KeyStore::Local, key);
            found.ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("no value is published as `{key}`")))
        }
        FactSpec::LocalHttp { uid: _ } => {
            Ok(Datum::Struct(vec![("status".into(), Datum::Int(0)), ("output".into(), Datum::text(""))]))
        }
        FactSpec::LocalPool { namespace, uid } => state.pool(namespace, uid).map(Datum::Int),
        FactSpec::LocalDir { path } => state.local_dir(path).map(Datum::text),
        FactSpec::LocalTree { path, files } => state.local_tree(path, files).map(Datum::text),
    }
}

fn bytes(text: &std::ffi::OsStr) -> Datum {
    use std::os::unix::ffi::OsStrExt;
    Datum::Bytes(text.as_bytes().to_vec())
}

fn proc(path: &str) -> Result<String, HostError> {
    std::fs::read_to_string(path).map_err(|error| errno::io_failed("open", path, &error))
}

fn odd(path: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{path} does not read as expected"))
}

/// The zone's file by `TZ`, else the system's own.
fn time_zone() -> Vec<u8> {
    let path = match std::env::var("TZ") {
        Ok(zone) if zone.is_empty() || zone == "UTC" => return Vec::new(),
        Ok(zone) if zone.starts_with('/') => zone,
        Ok(zone) => format!("/usr/share/zoneinfo/{}", zone.trim_start_matches(':')),
        Err(_) => "/etc/localtime".into(),
    };
    std::fs::read(path).unwrap_or_default()
}

fn file_state(policy: &Policy, path: &str) -> Read {
    let stat = match fs::stat(policy.reads(), path, true) {
        Ok(stat) => stat,
        // A part of the way is no directory: nothing is there.
        Err(error) if error.kind == HostErrorKind::NotADirectory => None,
        Err(error) => return Err(error),
    };
    use mclive_compiler::vocab::FileKind;
    let kind = match stat.as_ref().map(|stat| stat.kind) {
        None => "",
        Some(FileKind::File) => "file",
        Some(FileKind::Dir) => "dir",
        Some(FileKind::Symlink | FileKind::Other) => "other",
    };
    Ok(Datum::Struct(vec![
        ("exists".into(), Datum::Bool(stat.is_some())),
        ("kind".into(), Datum::text(kind)),
        ("mode".into(), Datum::Int(stat.as_ref().map_or(0, |stat| i64::from(stat.mode)))),
        ("size".into(), Datum::Int(stat.as_ref().map_or(0, |stat| stat.size as i64))),
    ]))
}

fn temp_dir(dir: &str, pattern: &str) -> Read {
    let dir = if dir.is_empty() { std::env::temp_dir().to_string_lossy().into_owned() } else { dir.to_owned() };
    let (before, after) = pattern.rsplit_once('*').unwrap_or((pattern, ""));
    for _ in 0..100 {
        let digits = random(4)?.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        let path = format!("{}/{before}{digits}{after}", dir.trim_end_matches('/'));
        use std::os::unix::fs::DirBuilderExt;
        match std::fs::DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(Datum::text(path)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(errno::io_failed("mkdir", &path, &error)),
        }
    }
    Err(HostError::new(HostErrorKind::Exists, format!("mkdir {dir}/{pattern}: no free name found")))
}

fn executable(resolved: bool) -> Read {
    let path = if resolved {
        std::env::current_exe()
    } else {
        std::env::args_os().next().map_or_else(std::env::current_exe, |name| Ok(name.into()))
    };
    let path = path.map_err(|error| errno::io_failed("readlink", "/proc/self/exe", &error))?;
    Ok(Datum::text(path.to_string_lossy()))
}

fn process() -> Datum {
    use rustix::process as p;
    let int = |name: &str, value: i64| (name.to_owned(), Datum::Int(value));
    let cwd = std::env::current_dir().unwrap_or_default();
    let n_cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as i64);
    Datum::Struct(vec![
        int("pid", i64::from(std::process::id())),
        int("ppid", p::getppid().map_or(0, |pid| i64::from(pid.as_raw_nonzero().get()))),
        int("uid", i64::from(p::getuid().as_raw())),
        int("gid", i64::from(p::getgid().as_raw())),
        int("euid", i64::from(p::geteuid().as_raw())),
        int("egid", i64::from(p::getegid().as_raw())),
        ("cwd".into(), Datum::text(cwd.to_string_lossy())),
        int("page_size", rustix::param::page_size() as i64),
        int("n_cpus", n_cpus),
    ])
}

fn random(n_bytes: usize) -> Result<Vec<u8>, HostError> {
    use std::io::Read;
    let mut bytes = vec![0; n_bytes.min(1 << 20)];
    let mut source =
        std::fs::File::open("/dev/urandom").map_err(|error| errno::io_failed("open", "/dev/urandom", &error))?;
    source.read_exact(&mut bytes).map_err(|error| errno::io_failed("read", "/dev/urandom", &error))?;
    Ok(bytes)
}

fn user(name: &str) -> Read {
    let own;
    let key = if name.is_empty() {
        own = rustix::process::getuid().as_raw().to_string();
        &own
    } else {
        name
    };
    let user = accounts::user(key)?;
    // A number is not a name here.
    if !name.is_empty() && user.name != name {
        return Err(HostError::new(HostErrorKind::NotFound, format!("user: unknown user {name}")));
    }
    Ok(Datum::Struct(vec![
        ("name".into(), Datum::text(user.name)),
        ("uid".into(), Datum::Int(i64::from(user.uid))),
        ("gid".into(), Datum::Int(i64::from(user.gid))),
        ("home".into(), Datum::text(user.home)),
    ]))
}

/// The exported resources of a kind for this host or for all: `exported/TO/FROM/KIND/NAME`.
fn exported(kind: &str, state: &StateDir, hostname: &str) -> Datum {
    let mut found = Vec::new();
    for (key, value) in state.keys_below(KeyStore::World, "exported/") {
        let mut parts = key["exported/".len()..].splitn(4, '/');
        let (Some(to), Some(from), Some(of), Some(name)) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if (to == "*" || to == hostname) && of == kind {
            found.push(Datum::Struct(vec![
                ("name".into(), Datum::text(name)),
                ("host".into(), Datum::text(from)),
                ("data".into(), value),
            ]));
        }
    }
    Datum::List(found)
}
