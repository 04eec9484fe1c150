//! Runs every documented example as a program, on a small host with fixed answers.

use crate::compile::{Setup, compile};
use crate::corelib::{Example, docs};
use crate::diag::Diagnostic;
use crate::react::{React, first_table};
use crate::source::MemoryWorld;
use crate::vocab::{
    Datum, FactSpec, HostError, HostErrorKind, account, command, file, hostname, link, local, machine, program,
    request, schedule, store, time,
};
use std::sync::Arc;

#[test]
fn every_example_gives_what_it_says() {
    let mut wrong = Vec::new();
    for entry in docs::entries() {
        for example in entry.examples {
            let gives = run(entry.module, example);
            if !agrees(example, &gives) {
                wrong.push(format!("{}\n    says  {}\n    gives {gives}", example.call, example.gives));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_function_and_operator_has_three_examples() {
    // These are statements, or produce nothing at first; other tests run them.
    let apart = ["panic", "_collect", "test.slow_string", "π"];
    let is_called = |entry: &docs::Doc| {
        entry.value.is_none() && !matches!(entry.kind, docs::DocKind::Variable | docs::DocKind::Class)
    };
    for entry in docs::entries().filter(is_called).filter(|entry| !apart.contains(&&*entry.name)) {
        let mut calls: Vec<_> = entry.examples.iter().map(|example| example.call).collect();
        calls.sort_unstable();
        calls.dedup();
        assert!(calls.len() >= 3, "{}: {calls:?}", entry.name);
    }
}

fn agrees(example: &Example, gives: &str) -> bool {
    match example.gives.strip_prefix("error: ") {
        Some(message) => gives.starts_with("error: ") && gives.contains(message),
        None => gives == example.gives,
    }
}

/// The result of an example, in value notation.
fn run(module: &str, example: &Example) -> String {
    let world = Arc::new(program(module, example));
    let compilation = compile(&*world, "/main.mcl", Setup { hostname: "host1" });
    let Some(program) = compilation.program else {
        return said(compilation.diags.iter().filter(|diag| diag.is_error()));
    };
    let mut react = React::new(program.ir.clone(), world);
    if let Err(failures) = first_table(&mut react, &mut |fact, _| Some(answer(fact))) {
        return said(failures.iter());
    }
    match react.table().stmts().next().map(|stmt| stmt.what) {
        Some(crate::react::StmtKind::Resource { items, .. }) => items[0].0.to_string(),
        _ => "no value".into(),
    }
}

fn said<'a>(diags: impl Iterator<Item = &'a Diagnostic>) -> String {
    let message = |diag: &Diagnostic| format!("{} {} {}", diag.message, diag.notes.join(" "), diag.help.join(" "));
    format!("error: {}", diags.map(message).collect::<Vec<_>>().join("; "))
}

/// The program of an example, with a file for functions that read one.
fn program(module: &str, example: &Example) -> MemoryWorld {
    let mut world = MemoryWorld::single(&example.program(module));
    world.insert("/files/motd", &b"welcome\n"[..]);
    world
}

fn text(text: &str) -> Datum {
    Datum::text(text)
}

fn structure<const N: usize>(fields: [(&str, Datum); N]) -> Datum {
    Datum::Struct(fields.map(|(name, datum)| (name.to_string(), datum)).into())
}

fn missing(message: String) -> Result<Datum, HostError> {
    Err(HostError::new(HostErrorKind::NotFound, message))
}

/// The host of the examples.
fn answer(fact: &FactSpec) -> Result<Datum, HostError> {
    Ok(match fact {
        FactSpec::Time(time::Fact::Clock { .. }) => Datum::Int(1_443_158_163),
        FactSpec::Time(time::Fact::Zone) => text(""),
        FactSpec::Time(time::Fact::Uptime { .. }) => Datum::Int(3600),
        FactSpec::Machine(machine::Fact::Load { .. }) => {
            Datum::List(vec![Datum::Float(0.5), Datum::Float(0.25), Datum::Float(0.125)])
        }
        FactSpec::File(file::Fact::Content { path }) => match path.as_str() {
            "/etc/os-release" => text("ID=debian\nVERSION_ID=\"13\"\n"),
            "/etc" => return Err(HostError::new(HostErrorKind::IsADirectory, "read /etc: is a directory")),
            path => return missing(format!("open {path}: no such file or directory")),
        },
        FactSpec::File(file::Fact::State { path }) => match path.as_str() {
            "/etc/os-release" | "/etc/debian_version" => state(true, "file", 0o644),
            "/bin/sh" => state(true, "file", 0o755),
            "/" | "/etc" | "/etc/" | "/tmp" | "/bin" => state(true, "dir", 0o755),
            path if path.starts_with("/etc/os-release/") => {
                let message = format!("stat {path}: not a directory");
                return Err(HostError::new(HostErrorKind::NotADirectory, message));
            }
            _ => state(false, "", 0),
        },
        FactSpec::File(file::Fact::LinkTarget { path }) if path == "/bin" => text("usr/bin"),
        FactSpec::File(file::Fact::LinkTarget { path }) if path == "/etc" => {
            return Err(HostError::new(HostErrorKind::Other, "readlink /etc: invalid argument"));
        }
        FactSpec::File(file::Fact::LinkTarget { path }) => {
            return missing(format!("readlink {path}: no such file or directory"));
        }
        FactSpec::File(file::Fact::RealPath { path }) if path.contains("nope") => {
            return missing(format!("lstat {path}: no such file or directory"));
        }
        FactSpec::File(file::Fact::RealPath { path }) => {
            text(&path.replace("/./", "/").replacen("/bin/", "/usr/bin/", 1))
        }
        FactSpec::File(file::Fact::Glob { pattern }) if pattern == "/etc/os-*" => {
            Datum::List(vec![text("/etc/os-release")])
        }
        FactSpec::File(file::Fact::Glob { .. }) => Datum::List(vec![]),
        FactSpec::File(file::Fact::TempDir { dir, pattern, .. }) => {
            let dir = if dir.is_empty() { "/tmp" } else { dir };
            let name = if pattern.contains('*') { pattern.replace('*', "123") } else { format!("{pattern}123") };
            text(&format!("{dir}/{name}"))
        }
        FactSpec::Program(program::Fact::Env { name }) => match name.as_str() {
            "HOME" => text("/root"),
            "EMPTY" => text(""),
            name => return missing(format!("{name} is not set")),
        },
        FactSpec::Program(program::Fact::Environment) => {
            Datum::Map(vec![(text("HOME"), text("/root")), (text("EMPTY"), text(""))])
        }
        FactSpec::Program(program::Fact::Args) => Datum::List(vec![text("mclive"), text("run"), text("main.mcl")]),
        FactSpec::Program(program::Fact::Executable { .. }) => text("/usr/bin/mclive"),
        FactSpec::Program(program::Fact::Process) => structure([
            ("pid", Datum::Int(100)),
            ("ppid", Datum::Int(1)),
            ("uid", Datum::Int(0)),
            ("gid", Datum::Int(0)),
            ("euid", Datum::Int(0)),
            ("egid", Datum::Int(0)),
            ("cwd", text("/root")),
            ("page_size", Datum::Int(4096)),
            ("n_cpus", Datum::Int(4)),
        ]),
        FactSpec::Program(program::Fact::Setting { name }) => return missing(format!("{name} is not set")),
        FactSpec::Program(program::Fact::Random { n_bytes, nonce }) => {
            Datum::Bytes((0..*n_bytes).map(|at| (u64::from(at) * 31 + nonce) as u8).collect())
        }
        FactSpec::Hostname(hostname::Fact) => text("host1"),
        FactSpec::Account(account::Fact::User { name }) => match name.as_str() {
            "" | "root" => user("root", 0, "/root"),
            "alice" => user("alice", 1000, "/home/alice"),
            name => return missing(format!("unknown user {name}")),
        },
        FactSpec::Link(link::Fact::Interfaces) => Datum::List(vec![
            interface("lo", true, &[], "127.0.0.1/8"),
            interface("eth0", false, b"\x52\x54\x00\x12\x34\x56", "192.0.2.10/24"),
            interface("eth1", false, b"\x52\x54\x00\x12\x34\x57", "198.51.100.1/24"),
        ]),
        FactSpec::Machine(machine::Fact::KernelModules) => Datum::List(vec![text("ext4")]),
        FactSpec::Machine(machine::Fact::CpusOnline) => text("0-3\n"),
        FactSpec::Machine(machine::Fact::Texts) => Datum::List(vec![text("flags: fpu vme"), text("QEMU")]),
        FactSpec::Machine(machine::Fact::FirmwareUpdates) => Datum::List(vec![Datum::Int(1)]),
        FactSpec::Command(command::Fact::Lines { command }) => match command.strip_prefix("echo ") {
            Some(line) => text(line),
            None => return Err(HostError::new(HostErrorKind::Other, "fork failed")),
        },
        FactSpec::Machine(machine::Fact::AudioPeak) => Datum::Float(0.5),
        FactSpec::Store(store::Fact::Value { key }) if key == "colour" => text("blue"),
        FactSpec::Store(store::Fact::Value { key }) => return missing(format!("{key} is not set")),
        FactSpec::Store(store::Fact::Map { namespace }) if namespace == "addresses" => {
            Datum::Map(vec![(text("host1"), text("192.0.2.1"))])
        }
        FactSpec::Store(store::Fact::Map { .. }) => Datum::Map(vec![]),
        FactSpec::Schedule(schedule::Fact { namespace }) if namespace == "web" => Datum::List(vec![text("host1")]),
        FactSpec::Schedule(schedule::Fact { .. }) => Datum::List(vec![]),
        FactSpec::Store(store::Fact::Exported { kind }) if kind == "file" => {
            let entry = [("name", text("/tmp/a")), ("host", text("host2")), ("data", text("x"))];
            Datum::List(vec![structure(entry)])
        }
        FactSpec::Store(store::Fact::Exported { .. }) => Datum::List(vec![]),
        FactSpec::Store(store::Fact::Local { key }) => match key.as_str() {
            "bool" => Datum::Bool(true),
            "str" => text("x"),
            "int" => Datum::Int(5),
            "float" => Datum::Float(0.5),
            "list" => Datum::List(vec![Datum::Int(1)]),
            key => return missing(format!("{key} is not set")),
        },
        FactSpec::Request(request::Fact::Last { uid }) if uid == "page" => {
            structure([("status", Datum::Int(200)), ("output", text("hello"))])
        }
        FactSpec::Request(request::Fact::Last { .. }) => structure([("status", Datum::Int(0)), ("output", text(""))]),
        FactSpec::Local(local::Fact::Pool { .. }) => Datum::Int(1),
        FactSpec::Local(local::Fact::Dir { path }) => text(&format!("/var/lib/mclive/vardir/functions/{path}")),
        FactSpec::Local(local::Fact::Tree { path, .. }) => text(&format!("/var/lib/mclive/vardir/directory{path}")),
        // Subjects without facts.
        other => unreachable!("{other:?}"),
    })
}

fn state(exists: bool, kind: &str, mode: i64) -> Datum {
    structure([
        ("exists", Datum::Bool(exists)),
        ("kind", text(kind)),
        ("mode", Datum::Int(mode)),
        ("size", Datum::Int(0)),
    ])
}

fn user(name: &str, id: i64, home: &str) -> Datum {
    structure([("name", text(name)), ("uid", Datum::Int(id)), ("gid", Datum::Int(id)), ("home", text(home))])
}

fn interface(name: &str, loopback: bool, mac: &[u8], address: &str) -> Datum {
    structure([
        ("name", text(name)),
        ("loopback", Datum::Bool(loopback)),
        ("up", Datum::Bool(true)),
        ("wireless", Datum::Bool(false)),
        ("mac", Datum::Bytes(mac.to_vec())),
        ("addresses", Datum::List(vec![text(address)])),
    ])
}
