//! A host that answers every fact at once and never changes, for the first result of a case. Files are those of this
//! machine; stores are empty, and services are missing. The process belongs to root on a plain system.

use mclive_compiler::vocab::{
    Datum, FactSpec, HostError, HostErrorKind, account, command, file, hostname, link, local, machine, program,
    request, schedule, store, time,
};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

const HOSTNAME: &str = "host1";

const ENVIRONMENT: [(&str, &str); 4] = [
    ("HOME", "/root"),
    ("LANG", "C.UTF-8"),
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("USER", "root"),
];

/// The answer to a fact; see [`mclive_compiler::react::Answer`].
pub fn answer(spec: &FactSpec, now_ns: u64) -> Option<Result<Datum, HostError>> {
    let start = 1_700_000_000;
    Some(match spec {
        FactSpec::Time(time::Fact::Clock { .. }) => Ok(Datum::Int(start + (now_ns / 1_000_000_000) as i64)),
        FactSpec::Time(time::Fact::Zone) => Ok(Datum::Bytes(Vec::new())),
        FactSpec::Time(time::Fact::Uptime { .. }) => Ok(Datum::Int(1000)),
        FactSpec::Machine(machine::Fact::Load { .. }) => {
            Ok(Datum::List(vec![Datum::Float(0.1), Datum::Float(0.2), Datum::Float(0.3)]))
        }
        FactSpec::Hostname(hostname::Fact) => Ok(Datum::text(HOSTNAME)),
        FactSpec::Link(link::Fact::Interfaces) => Ok(Datum::List(vec![loopback()])),
        FactSpec::File(file::Fact::Content { path }) => {
            std::fs::read(path).map(Datum::Bytes).map_err(refused("open", path))
        }
        FactSpec::File(file::Fact::State { path }) => file_state(path),
        FactSpec::File(file::Fact::LinkTarget { path }) => {
            std::fs::read_link(path).map(bytes).map_err(refused("readlink", path))
        }
        FactSpec::File(file::Fact::RealPath { path }) => {
            std::fs::canonicalize(path).map(bytes).map_err(refused("lstat", path))
        }
        FactSpec::File(file::Fact::TempDir { dir, pattern, nonce }) => temp_dir(dir, pattern, *nonce),
        FactSpec::Program(program::Fact::Env { name }) => match ENVIRONMENT.iter().find(|(known, _)| known == name) {
            Some((_, value)) => Ok(Datum::text(*value)),
            None => Err(HostError::new(HostErrorKind::NotFound, format!("{name} is not set"))),
        },
        FactSpec::Program(program::Fact::Environment) => {
            Ok(Datum::Map(ENVIRONMENT.map(|(name, value)| (Datum::text(name), Datum::text(value))).into()))
        }
        FactSpec::Program(program::Fact::Args) => {
            Ok(Datum::List(["mclive", "run", "main.mcl"].map(Datum::text).into()))
        }
        FactSpec::Program(program::Fact::Executable { .. }) => Ok(Datum::text("/usr/bin/mclive")),
        FactSpec::Program(program::Fact::Process) => {
            let numbers = [("pid", 100), ("ppid", 1), ("page_size", 4096), ("n_cpus", 2)];
            let ids = ["uid", "gid", "euid", "egid"].map(|name| (name, 0));
            let number = |(name, number): (&str, i64)| (name.to_string(), Datum::Int(number));
            let mut fields: Vec<_> = numbers.into_iter().chain(ids).map(number).collect();
            fields.push(("cwd".into(), Datum::text("/")));
            Ok(Datum::Struct(fields))
        }
        FactSpec::Command(command::Fact::Lines { command }) => first_line(command),
        FactSpec::Program(program::Fact::Random { n_bytes, nonce }) => {
            Ok(Datum::Bytes(noise(*nonce).take(*n_bytes as usize).collect()))
        }
        FactSpec::Account(account::Fact::User { name }) if matches!(&**name, "" | "root") => {
            let number = |name: &str| (name.to_string(), Datum::Int(0));
            let text = |name: &str, text: &str| (name.to_string(), Datum::text(text));
            Ok(Datum::Struct(vec![text("name", "root"), number("uid"), number("gid"), text("home", "/root")]))
        }
        FactSpec::Machine(machine::Fact::CpusOnline) => Ok(Datum::text("0-1")),
        FactSpec::Store(store::Fact::Map { .. }) => Ok(Datum::Map(Vec::new())),
        FactSpec::Store(store::Fact::Exported { .. }) | FactSpec::Schedule(schedule::Fact { .. }) => {
            Ok(Datum::List(Vec::new()))
        }
        FactSpec::Machine(machine::Fact::FirmwareUpdates)
        | FactSpec::Machine(machine::Fact::KernelModules)
        | FactSpec::Machine(machine::Fact::Texts) => Ok(Datum::List(Vec::new())),
        FactSpec::Request(request::Fact::Last { .. }) => {
            Ok(Datum::Struct(vec![("status".into(), Datum::Int(0)), ("output".into(), Datum::Bytes(Vec::new()))]))
        }
        FactSpec::Local(local::Fact::Pool { .. }) => Ok(Datum::Int(1)),
        FactSpec::Local(local::Fact::Dir { path }) => {
            Ok(Datum::text(format!("/var/lib/mclive/vardir/functions/{path}")))
        }
        FactSpec::Local(local::Fact::Tree { path, .. }) => {
            Ok(Datum::text(format!("/var/lib/mclive/vardir/directory{path}")))
        }
        other => Err(HostError::new(HostErrorKind::NotFound, format!("{other:?}: not here"))),
    })
}

/// Pseudo-random bytes, different for each number.
fn noise(nonce: u64) -> impl Iterator<Item = u8> {
    let next =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(next(&nonce), next).map(|state| (state >> 56) as u8)
}

/// The name of a temporary directory, which is not made.
fn temp_dir(dir: &str, pattern: &str, nonce: u64) -> Result<Datum, HostError> {
    let dir = if dir.is_empty() { "/tmp" } else { dir };
    std::fs::metadata(dir).map_err(refused("stat", dir))?;
    let (before, after) = pattern.rsplit_once('*').unwrap_or((pattern, ""));
    Ok(Datum::text(format!("{}/{before}{}{after}", dir.trim_end_matches('/'), 1_000_000_000 + nonce)))
}

fn bytes(path: PathBuf) -> Datum {
    Datum::Bytes(path.into_os_string().into_vec())
}

/// The error of a file operation.
fn refused(deed: &str, path: &str) -> impl FnOnce(io::Error) -> HostError {
    move |error| {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => HostErrorKind::NotFound,
            io::ErrorKind::NotADirectory => HostErrorKind::NotADirectory,
            io::ErrorKind::IsADirectory => HostErrorKind::IsADirectory,
            io::ErrorKind::PermissionDenied => HostErrorKind::PermissionDenied,
            _ => HostErrorKind::Other,
        };
        HostError::new(kind, format!("{deed} {path}: {error}"))
    }
}

fn file_state(path: &str) -> Result<Datum, HostError> {
    let state = |mode: Option<u32>, kind: &str, size| {
        Datum::Struct(vec![
            ("exists".into(), Datum::Bool(mode.is_some())),
            ("kind".into(), Datum::text(kind)),
            ("mode".into(), Datum::Int(mode.map_or(0, |mode| (mode & 0o7777).into()))),
            ("size".into(), Datum::Int(size)),
        ])
    };
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(state(Some(meta.mode()), "dir", 0)),
        Ok(meta) => Ok(state(Some(meta.mode()), if meta.is_file() { "file" } else { "other" }, meta.len() as i64)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(state(None, "", 0)),
        Err(error) => Err(refused("stat", path)(error)),
    }
}

fn loopback() -> Datum {
    Datum::Struct(vec![
        ("name".into(), Datum::text("lo")),
        ("loopback".into(), Datum::Bool(true)),
        ("up".into(), Datum::Bool(true)),
        ("wireless".into(), Datum::Bool(false)),
        ("mac".into(), Datum::Bytes(Vec::new())),
        ("addresses".into(), Datum::List(vec![Datum::text("127.0.0.1/8"), Datum::text("::1/128")])),
    ])
}

/// The first output line of a command.
fn first_line(command: &str) -> Result<Datum, HostError> {
    let output = std::process::Command::new("sh").args(["-c", command]).output();
    let output = output.map_err(|error| HostError::new(HostErrorKind::Other, error.to_string()))?;
    let line = output.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Datum::Bytes(line.to_vec()))
}
