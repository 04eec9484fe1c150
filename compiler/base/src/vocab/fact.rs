//! [`FactSpec`]: what a core function reads of the world. Functions spec, section 14.

use serde::{Deserialize, Serialize};

/// A subscription to one fact. The host answers with the fact as it is now, and again whenever it
/// may have changed. The answer's shape is told with each one, in terms of
/// [`Datum`](super::Datum); a fact that cannot be had is a [`HostError`](super::HostError).
///
/// *Sampled* facts send no event of their own: the answer as of the subscription is enough.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FactSpec {
    // Time.
    /// `Int`: seconds since 1970, now and at each full period. Units: milliseconds.
    Clock { period_ms: u64 },
    /// `Bytes`: the rules of the local time zone as a TZif file (RFC 8536); empty for UTC. Sampled.
    TimeZone,
    /// `Int`: whole seconds since the host started, with each period.
    Uptime { period_ms: u64 },
    /// `List` of three `Float`: the load averages over 1, 5 and 15 minutes, with each period.
    Load { period_ms: u64 },

    // Files of the host.
    /// `Bytes`: a file's content, again on each change. A missing file is `NotFound` with
    /// `open PATH: no such file or directory`, and comes back by itself when it is made.
    FileContent { path: String },
    /// `Struct { exists Bool, kind Bytes, mode Int, size Int }`: a file's state behind symbolic
    /// links, again on each change. `kind` is `file`, `dir` or `other`; all but `exists` may be empty when
    /// nothing is there. An error other than "not there" is a failure.
    FileState { path: String },
    /// `Bytes`: the text of a symbolic link. Sampled.
    LinkTarget { path: String },
    /// `Bytes`: the path with all symbolic links resolved. Sampled.
    RealPath { path: String },
    /// `List` of `Bytes`: the paths that a shell pattern of golang/path/filepath matches, sorted. Sampled.
    Glob { pattern: String },
    /// `Bytes`: the path of a directory, newly made in `dir` (empty: the temporary directory), named
    /// by `pattern` with its last `*` (or its end) replaced by random digits. `nonce` tells askers
    /// apart. Sampled.
    TempDir { dir: String, pattern: String, nonce: u64 },

    // The host program.
    /// `Bytes`, or `NotFound`: a variable of the host program's environment. Sampled.
    Env { name: String },
    /// `Map` of `Bytes` to `Bytes`: the whole environment. Sampled.
    Environment,
    /// `List` of `Bytes`: the host program's arguments, its name first. Sampled.
    Args,
    /// `Bytes`: the path of the host program's executable; `resolved` without symbolic links. Sampled.
    Executable { resolved: bool },
    /// `Struct { pid Int, ppid Int, uid Int, gid Int, euid Int, egid Int, cwd Bytes, page_size Int, n_cpus Int }`:
    /// the host program as a process. Sampled.
    Process,
    /// Any datum, or `NotFound` when it is not set: a command line setting by name, such as `interface`
    /// of the provisioner (without `cli_`). Sampled.
    Setting { name: String },
    /// `Bytes`, this many of them: randomness, seeded where a run must replay. `nonce` tells askers
    /// apart: another nonce, other bytes. Sampled.
    Random { n_bytes: u32, nonce: u64 },

    // The host.
    /// `Bytes`: the host name as the host's own service tells it, again on change.
    Hostname,
    /// `Struct { name Bytes, uid Int, gid Int, home Bytes }`, or `NotFound`: a user by name; an empty
    /// name is the user that runs the host program. Again when the user database changes.
    User { name: String },
    /// `List` of `Struct { name Bytes, loopback Bool, up Bool, wireless Bool, mac Bytes, addresses List of Bytes }`:
    /// network interfaces in the system's order. `mac` holds raw bytes (none: empty), an address reads
    /// `192.0.2.1/24`. Again on each link or address change.
    Interfaces,
    /// `List` of `Bytes`: the names of loaded kernel modules. Sampled.
    KernelModules,
    /// `Bytes`: a range list such as `0-1,3`: the processors that are online, again on hot plug.
    CpusOnline,
    /// `List` of `Bytes`: texts that tell a virtual machine: the content of `/proc/cpuinfo` first, then each
    /// readable DMI file (product_name, sys_vendor, board_vendor, bios_vendor, product_version). Sampled.
    MachineTexts,
    /// `List` of `Int`: the update state of each device that the firmware service knows; empty without
    /// that service. Again on each of its signals.
    FirmwareUpdates,
    /// `Bytes`: the latest line that a command (`sh -c`) wrote, again with each line; nothing is sent
    /// before the first one. Leaving it kills the command.
    CommandLines { command: String },
    /// `Float`: the peak of one second of sound, as a ratio, each second.
    AudioPeak,

    // The cluster.
    /// `Bytes`, or `NotFound`: one key of the shared string store, again on change.
    StoreValue { key: String },
    /// `Map` of host name to `Bytes`: the per-host values of a name space, again on change.
    StoreMap { namespace: String },
    /// `List` of `Bytes`: the hosts elected for a name space; empty before a first result.
    Schedule { namespace: String },
    /// `List` of `Struct { name Bytes, host Bytes, data Bytes }`: the exported resources of a kind that
    /// are meant for this host or for all, again on change.
    Exported { kind: String },

    // This host's own stores.
    /// Any datum, or `NotFound`: what the `value` resource of this name published last, also in an
    /// earlier run; again on change.
    LocalValue { key: String },
    /// `Struct { status Int, output Bytes }`: how the http client resource of this name stands;
    /// 0 and empty when unknown. Again on change.
    LocalHttp { uid: String },
    /// `Int`: the number of `uid` in the pool: the stored one, or one more than the highest, which is
    /// then stored durably. Sampled.
    LocalPool { namespace: String, uid: String },
    /// `Bytes`: an absolute directory with a trailing slash, private to the program and durable,
    /// made on demand (mode 0750) below the host's `vardir/functions/`. Sampled.
    LocalDir { path: String },
    /// `Bytes`: an absolute directory with a trailing slash that holds exactly these files (path
    /// below it, content), below the host's `vardir/directory/` and `path`. Sampled.
    LocalTree { path: String, files: Vec<(String, Vec<u8>)> },
}

/// In words, for people: `the content of /etc/motd`.
impl std::fmt::Display for FactSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FactSpec::Clock { .. } => write!(f, "the clock"),
            FactSpec::TimeZone => write!(f, "the time zone"),
            FactSpec::Uptime { .. } => write!(f, "the uptime"),
            FactSpec::Load { .. } => write!(f, "the load"),
            FactSpec::FileContent { path } => write!(f, "the content of {path}"),
            FactSpec::FileState { path } => write!(f, "the state of {path}"),
            FactSpec::LinkTarget { path } => write!(f, "the target of {path}"),
            FactSpec::RealPath { path } => write!(f, "the real path of {path}"),
            FactSpec::Glob { pattern } => write!(f, "the files that match {pattern}"),
            FactSpec::TempDir { .. } => write!(f, "a temporary directory"),
            FactSpec::Env { name } => write!(f, "the variable {name}"),
            FactSpec::Environment => write!(f, "the environment"),
            FactSpec::Args => write!(f, "the arguments"),
            FactSpec::Executable { .. } => write!(f, "the executable"),
            FactSpec::Process => write!(f, "the process"),
            FactSpec::Setting { name } => write!(f, "the setting {name}"),
            FactSpec::Random { .. } => write!(f, "randomness"),
            FactSpec::Hostname => write!(f, "the host name"),
            FactSpec::User { name } if name.is_empty() => write!(f, "the user"),
            FactSpec::User { name } => write!(f, "the user {name}"),
            FactSpec::Interfaces => write!(f, "the network interfaces"),
            FactSpec::KernelModules => write!(f, "the kernel's modules"),
            FactSpec::CpusOnline => write!(f, "the processors"),
            FactSpec::MachineTexts => write!(f, "the machine's description"),
            FactSpec::FirmwareUpdates => write!(f, "the firmware's updates"),
            FactSpec::CommandLines { command } => write!(f, "the output of {command}"),
            FactSpec::AudioPeak => write!(f, "the peak of the sound"),
            FactSpec::StoreValue { key } => write!(f, "the shared value {key}"),
            FactSpec::StoreMap { namespace } => write!(f, "the shared values {namespace}"),
            FactSpec::Schedule { namespace } => write!(f, "the schedule {namespace}"),
            FactSpec::Exported { kind } => write!(f, "the exported resources of kind {kind}"),
            FactSpec::LocalValue { key } => write!(f, "the value {key}"),
            FactSpec::LocalHttp { uid } => write!(f, "the answer to {uid}"),
            FactSpec::LocalPool { namespace, uid } => write!(f, "the number of {uid} in the pool {namespace}"),
            FactSpec::LocalDir { path } => write!(f, "the directory {path}"),
            FactSpec::LocalTree { path, .. } => write!(f, "the files {path}"),
        }
    }
}
