//! A host that answers every fact at once and never changes: what a case's first result is made on.

use mclive_compiler::vocab::{Datum, FactSpec, HostError, HostErrorKind};

/// What the host says; see [`mclive_compiler::react::Answer`].
pub fn answer(spec: &FactSpec, now_ns: u64) -> Option<Result<Datum, HostError>> {
    let start = 1_700_000_000;
    Some(match spec {
        FactSpec::Clock { .. } => Ok(Datum::Int(start + (now_ns / 1_000_000_000) as i64)),
        FactSpec::TimeZone => Ok(Datum::Bytes(Vec::new())),
        FactSpec::Uptime { .. } => Ok(Datum::Int(1000)),
        FactSpec::Load { .. } => Ok(Datum::List(vec![Datum::Float(0.1), Datum::Float(0.2), Datum::Float(0.3)])),
        FactSpec::Hostname => Ok(Datum::text("")),
        FactSpec::Interfaces => Ok(Datum::List(vec![loopback()])),
        FactSpec::FileState { .. } => Ok(Datum::Struct(vec![
            ("exists".into(), Datum::Bool(false)),
            ("kind".into(), Datum::text("")),
            ("mode".into(), Datum::Int(0)),
            ("size".into(), Datum::Int(0)),
        ])),
        FactSpec::Environment => Ok(Datum::Map(Vec::new())),
        FactSpec::Args => Ok(Datum::List(Vec::new())),
        FactSpec::Executable { .. } => Ok(Datum::text("/usr/bin/mclive")),
        FactSpec::Process => {
            let numbers = ["pid", "ppid", "uid", "gid", "euid", "egid", "page_size", "n_cpus"];
            let mut fields: Vec<_> = numbers.map(|name| (name.to_string(), Datum::Int(1))).into();
            fields.push(("cwd".into(), Datum::text("/")));
            Ok(Datum::Struct(fields))
        }
        FactSpec::CommandLines { command } => first_line(command),
        FactSpec::Random { n_bytes, .. } => Ok(Datum::Bytes(vec![7; *n_bytes as usize])),
        FactSpec::StoreMap { .. } => Ok(Datum::Map(Vec::new())),
        FactSpec::Exported { .. } => Ok(Datum::List(Vec::new())),
        other => Err(HostError::new(HostErrorKind::NotFound, format!("{other:?}: not here"))),
    })
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

/// The first line that a command writes.
fn first_line(command: &str) -> Result<Datum, HostError> {
    let output = std::process::Command::new("sh").args(["-c", command]).output();
    let output = output.map_err(|error| HostError::new(HostErrorKind::Other, error.to_string()))?;
    let line = output.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Datum::Bytes(line.to_vec()))
}
