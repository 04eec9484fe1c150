//! What functions read of the world, as it is now.

use super::path;
use super::tree::Body;
use super::world::World;
use crate::vocab::{Datum, FactSpec, HostError, HostErrorKind, KeyStore};

/// When a fact changes.
pub(super) enum Occasion {
    /// It stays as it is.
    Sampled,
    /// With each full period. Units: milliseconds.
    Every(u64),
    /// When something happens to this path.
    Path(String),
    /// When something else is changed.
    World,
    /// With each line of a command.
    Lines(String),
}

pub(super) fn occasion(spec: &FactSpec) -> Occasion {
    match spec {
        FactSpec::Clock { period_ms } | FactSpec::Uptime { period_ms } | FactSpec::Load { period_ms } => {
            Occasion::Every((*period_ms).max(1))
        }
        FactSpec::AudioPeak => Occasion::Every(1000),
        FactSpec::FileContent { path } | FactSpec::FileState { path } => Occasion::Path(path.clone()),
        FactSpec::CommandLines { command } => Occasion::Lines(command.clone()),
        FactSpec::Hostname
        | FactSpec::User { .. }
        | FactSpec::Interfaces
        | FactSpec::CpusOnline
        | FactSpec::FirmwareUpdates
        | FactSpec::StoreValue { .. }
        | FactSpec::StoreMap { .. }
        | FactSpec::Schedule { .. }
        | FactSpec::Exported { .. }
        | FactSpec::LocalValue { .. }
        | FactSpec::LocalHttp { .. } => Occasion::World,
        FactSpec::TimeZone
        | FactSpec::LinkTarget { .. }
        | FactSpec::RealPath { .. }
        | FactSpec::Glob { .. }
        | FactSpec::TempDir { .. }
        | FactSpec::Env { .. }
        | FactSpec::Environment
        | FactSpec::Args
        | FactSpec::Executable { .. }
        | FactSpec::Process
        | FactSpec::Setting { .. }
        | FactSpec::Random { .. }
        | FactSpec::KernelModules
        | FactSpec::MachineTexts
        | FactSpec::LocalPool { .. }
        | FactSpec::LocalDir { .. }
        | FactSpec::LocalTree { .. } => Occasion::Sampled,
    }
}

/// The fact as it is; some are made by being asked for.
pub(super) fn read(world: &mut World, now_ns: u64, spec: &FactSpec) -> Result<Datum, HostError> {
    let text = |text: &str| Ok(Datum::text(text));
    Ok(match spec {
        FactSpec::Clock { .. } => Datum::Int((world.epoch_ns + now_ns as i64).div_euclid(1_000_000_000)),
        FactSpec::TimeZone => Datum::Bytes(Vec::new()),
        FactSpec::Uptime { .. } => Datum::Int((now_ns / 1_000_000_000) as i64),
        FactSpec::Load { .. } => Datum::List(world.load.iter().map(|&load| Datum::Float(load)).collect()),
        FactSpec::FileContent { path } => Datum::Bytes(world.tree.read(path)?.to_vec()),
        FactSpec::FileState { path } => file_state(world, path)?,
        FactSpec::LinkTarget { path } => match world.tree.get(path, false)?.map(|node| &node.body) {
            Some(Body::Symlink(target)) => Datum::text(target.as_str()),
            Some(Body::File(_) | Body::Dir) => {
                let message = format!("readlink {path}: invalid argument");
                return Err(HostError::new(HostErrorKind::Other, message));
            }
            None => return Err(missing("readlink", path)),
        },
        FactSpec::RealPath { path } => {
            let real = world.tree.resolve(path, true)?;
            if world.tree.get(&real, false)?.is_none() {
                return Err(missing("lstat", path));
            }
            Datum::Bytes(real.into_bytes())
        }
        FactSpec::Glob { pattern } => glob(world, pattern),
        FactSpec::TempDir { dir, pattern, nonce } => {
            let dir = if dir.is_empty() { "/tmp" } else { dir };
            let digits = format!("{:010}", mix(world.seed ^ nonce.wrapping_add(1)) % 10_000_000_000);
            let name = match pattern.rsplit_once('*') {
                Some((before, after)) => format!("{before}{digits}{after}"),
                None => format!("{pattern}{digits}"),
            };
            let path = path::join(&path::clean(dir), &name);
            world.tree.make_dir(&path, false, Some(0o700))?;
            Datum::Bytes(path.into_bytes())
        }
        FactSpec::Env { name } => match world.env.get(name) {
            Some(value) => Datum::text(value.as_str()),
            None => {
                return Err(HostError::new(HostErrorKind::NotFound, format!("environment variable {name} is not set")));
            }
        },
        FactSpec::Environment => Datum::Map(
            world.env.iter().map(|(name, value)| (Datum::text(name.as_str()), Datum::text(value.as_str()))).collect(),
        ),
        FactSpec::Args => texts(world.args.iter()),
        FactSpec::Executable { .. } => return text("/usr/bin/mclive"),
        FactSpec::Process => Datum::Struct(
            [("pid", 100), ("ppid", 1), ("uid", 0), ("gid", 0), ("euid", 0), ("egid", 0)]
                .map(|(name, number)| (name.to_string(), Datum::Int(number)))
                .into_iter()
                .chain([
                    ("cwd".to_string(), Datum::text("/")),
                    ("page_size".to_string(), Datum::Int(4096)),
                    ("n_cpus".to_string(), Datum::Int(4)),
                ])
                .collect(),
        ),
        FactSpec::Setting { name } => {
            let found = world.settings.get(name).cloned();
            found.ok_or_else(|| HostError::new(HostErrorKind::NotFound, format!("setting {name} is not set")))?
        }
        FactSpec::Random { n_bytes, nonce } => {
            let mut state = mix(world.seed.wrapping_mul(31) ^ nonce.wrapping_add(1));
            let bytes = (0..*n_bytes).map(|_| {
                state = mix(state);
                (state >> 32) as u8
            });
            Datum::Bytes(bytes.collect())
        }
        FactSpec::Hostname => return text(&world.hostname),
        FactSpec::User { name } => {
            let name = if name.is_empty() { "root" } else { name };
            let missing = || HostError::new(HostErrorKind::NotFound, format!("user: unknown user {name}"));
            let account = world.users.get(name).ok_or_else(missing)?;
            let gid = world.groups.get(name).copied().unwrap_or(account.id);
            Datum::Struct(vec![
                ("name".into(), Datum::text(name)),
                ("uid".into(), Datum::Int(account.id.into())),
                ("gid".into(), Datum::Int(gid.into())),
                ("home".into(), Datum::text(account.home.as_str())),
            ])
        }
        FactSpec::Interfaces => world.interfaces.clone(),
        FactSpec::KernelModules => texts(world.kernel_modules.iter()),
        FactSpec::CpusOnline => return text(&world.cpus_online),
        FactSpec::MachineTexts => Datum::List(world.machine_texts.iter().cloned().map(Datum::Bytes).collect()),
        FactSpec::FirmwareUpdates => {
            Datum::List(world.firmware_updates.iter().map(|&state| Datum::Int(state)).collect())
        }
        FactSpec::CommandLines { command } => {
            return Err(HostError::unavailable(&format!("the output of `{command}`"), "it writes lines as they come"));
        }
        FactSpec::AudioPeak => Datum::Float(world.audio_peak),
        FactSpec::StoreValue { key } => match world.key(KeyStore::World, &format!("strings/{key}")) {
            Some(value) => value.clone(),
            None => return Err(HostError::new(HostErrorKind::NotFound, format!("key {key} does not exist"))),
        },
        FactSpec::StoreMap { namespace } => {
            let prefix = format!("strings/{namespace}/");
            let below = below(world, &prefix).filter(|(host, _)| !host.contains('/'));
            Datum::Map(below.map(|(host, value)| (Datum::text(host), value.clone())).collect())
        }
        FactSpec::Schedule { namespace } => texts(world.schedules.get(namespace).into_iter().flatten()),
        FactSpec::Exported { kind } => exported(world, kind),
        FactSpec::LocalValue { key } => match world.key(KeyStore::Local, key) {
            Some(value) => value.clone(),
            None => return Err(HostError::new(HostErrorKind::NotFound, format!("no value is stored under {key}"))),
        },
        FactSpec::LocalHttp { uid } => {
            let (status, output) = world.http.get(uid).cloned().unwrap_or_default();
            Datum::Struct(vec![("status".into(), Datum::Int(status)), ("output".into(), Datum::Bytes(output))])
        }
        FactSpec::LocalPool { namespace, uid } => {
            let pool = world.pools.entry(namespace.clone()).or_default();
            let next = pool.values().max().copied().unwrap_or(0) + 1;
            Datum::Int(*pool.entry(uid.clone()).or_insert(next))
        }
        FactSpec::LocalDir { path } => {
            let dir = path::clean(&format!("/var/lib/mclive/vardir/functions/{path}"));
            world.tree.make_dir(&dir, true, Some(0o750))?;
            Datum::text(format!("{dir}/"))
        }
        FactSpec::LocalTree { path, files } => {
            let dir = path::clean(&format!("/var/lib/mclive/vardir/directory/{path}"));
            world.tree.remove(&dir, true)?;
            world.tree.make_dir(&dir, true, None)?;
            for (name, content) in files {
                let file = path::clean(&format!("{dir}/{name}"));
                world.tree.make_dir(path::parent(&file).unwrap_or("/"), true, None)?;
                world.tree.write(&file, content.clone(), None)?;
            }
            Datum::text(format!("{dir}/"))
        }
    })
}

fn missing(call: &str, path: &str) -> HostError {
    HostError::new(HostErrorKind::NotFound, format!("{call} {path}: no such file or directory"))
}

fn texts<'a>(texts: impl Iterator<Item = &'a String>) -> Datum {
    Datum::List(texts.map(|text| Datum::text(text.as_str())).collect())
}

fn file_state(world: &World, path: &str) -> Result<Datum, HostError> {
    let stat = world.tree.stat(path, true)?;
    let kind = match stat.as_ref().map(|stat| stat.kind) {
        None => "",
        Some(crate::vocab::FileKind::File) => "file",
        Some(crate::vocab::FileKind::Dir) => "dir",
        Some(crate::vocab::FileKind::Symlink | crate::vocab::FileKind::Other) => "other",
    };
    Ok(Datum::Struct(vec![
        ("exists".into(), Datum::Bool(stat.is_some())),
        ("kind".into(), Datum::text(kind)),
        ("mode".into(), Datum::Int(stat.as_ref().map_or(0, |stat| stat.mode.into()))),
        ("size".into(), Datum::Int(stat.as_ref().map_or(0, |stat| stat.size as i64))),
    ]))
}

fn below<'a>(world: &'a World, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Datum)> {
    let from = (KeyStore::World, prefix.to_string());
    let entries = world
        .keys
        .range(from..)
        .take_while(move |((store, key), _)| *store == KeyStore::World && key.starts_with(prefix));
    entries.map(move |((_, key), value)| (&key[prefix.len()..], value))
}

/// `exported/TARGET/HOST/KIND/NAME`, where the target is this host or all.
fn exported(world: &World, kind: &str) -> Datum {
    let mut found = Vec::new();
    for target in [world.hostname.as_str(), "*"] {
        for (key, value) in below(world, &format!("exported/{target}/")) {
            let mut parts = key.splitn(3, '/');
            if let (Some(host), Some(of), Some(name)) = (parts.next(), parts.next(), parts.next())
                && of == kind
            {
                found.push(Datum::Struct(vec![
                    ("name".into(), Datum::text(name)),
                    ("host".into(), Datum::text(host)),
                    ("data".into(), value.clone()),
                ]));
            }
        }
    }
    Datum::List(found)
}

fn glob(world: &World, pattern: &str) -> Datum {
    let n_parts = pattern.split('/').count();
    let matches = world.tree.all().map(|(path, _)| path).filter(|path| {
        path.split('/').count() == n_parts
            && path.split('/').zip(pattern.split('/')).all(|(name, pattern)| matches(name, pattern))
    });
    Datum::List(matches.map(|path| Datum::text(path.as_str())).collect())
}

/// `*` and `?` within one part of a path.
fn matches(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern, mut star) = (0, 0, None);
    while at < name.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(&char) if char == '?' || char == name[at] => {
                at += 1;
                in_pattern += 1;
            }
            _ => match &mut star {
                Some((back, from)) => {
                    *from += 1;
                    at = *from;
                    in_pattern = *back + 1;
                }
                None => return false,
            },
        }
    }
    pattern[in_pattern..].iter().all(|&char| char == '*')
}

/// A good enough scramble (splitmix64), the same on every machine.
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
