//! The commands that apply, plan and explain: `run`, `plan`, `why`, `replay`.

use super::{Access, ForeignRun, Input, Output, Partial};
use crate::host::PackageSystem;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What `plan` and `run` share.
#[derive(Args, Clone)]
pub(crate) struct Work {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) partial: Partial,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Name of this host in the program [default: the system's host name]
    #[arg(long)]
    pub(crate) hostname: Option<String>,
    /// Directory for the agent's state
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX", conflicts_with = "tmp_prefix")]
    pub(crate) prefix: Option<PathBuf>,
    /// Keep the agent's state in a new temporary directory
    #[arg(long)]
    pub(crate) tmp_prefix: bool,
    /// Fall back to a temporary directory if the usual one cannot be used
    #[arg(long)]
    pub(crate) allow_tmp_prefix: bool,
    /// Restrict what the program may do to this host (a TOML file; see --help)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Package manager that `pkg` uses
    #[arg(long, value_enum, value_name = "SYSTEM", default_value = "auto")]
    pub(crate) packages: PackageSystem,
    #[command(flatten)]
    pub(crate) fleet: Fleet,
    /// Do not add automatic edges between resources
    #[arg(long)]
    pub(crate) no_autoedges: bool,
    /// Do not group resources
    #[arg(long)]
    pub(crate) no_autogroup: bool,
    /// Process at most N resources in parallel; -1 means no limit
    #[arg(long, value_name = "N", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) sema: i64,
    /// Exit with an error after this many seconds; 0 means no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 0, env = "MGMT_MAX_RUNTIME")]
    pub(crate) max_runtime: u64,
    /// Do not raise the system's limits on watches and open files
    #[arg(long)]
    pub(crate) no_raise_limits: bool,
    /// Record all inputs to a file for `mclive replay`, up to 1 GiB
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// The store that several hosts share.
#[derive(Args, Clone)]
pub(crate) struct Fleet {
    /// Share values, exports and schedules with other hosts in an etcd cluster: the URLs of its members
    #[arg(long, value_name = "URL", value_delimiter = ',', env = "MCLIVE_WORLD", alias = "seeds")]
    pub(crate) world: Vec<String>,
    /// With --world: name of this group of hosts in the store
    #[arg(long, value_name = "NAME", default_value = "main", requires = "world")]
    pub(crate) world_name: String,
    /// With --world: keep the exports of this host for this many seconds after its agent has stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(5..=86400), requires = "world")]
    pub(crate) world_ttl: u64,
    /// With --world: wait at most this many seconds for the store on startup
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86400), requires = "world")]
    pub(crate) world_wait: u64,
    /// With --world: sign this host's exports, values (`mapped`) and votes (`schedule`), and decrypt values and exports that
    /// are sealed for it, with the private key in this file; the file is created if it does not exist
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) host_key: Option<PathBuf>,
    /// With --world: seal passwords and tokens in the resources that this host exports to other hosts with the public keys in
    /// this file, one line of `mclive key show --sealing` for each host
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) host_keys: Option<PathBuf>,
    /// With --world: ignore exported resources, and values of hosts (`mapped`), that are not signed with a key of their host; this
    /// file lists the public keys, one line of `mclive key show` for each host
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) require_host_signatures: Option<PathBuf>,
    /// With --world: count only votes (`schedule`) that are signed with a key in the list of voters (`mclive world voters`);
    /// one of the operators in this file must have signed that list, one line of `mclive key show` for each operator
    #[arg(long, value_name = "FILE", requires = "world")]
    pub(crate) require_vote_signatures: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) access: Access,
}

#[derive(Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) work: Work,
    /// Run the commands of guards and functions if the policy allows them
    #[arg(long)]
    pub(crate) run_checks: bool,
    /// Exit with 1 if the program is refused or a resource would fail, 4 if an outcome cannot be known, 2 if something would change, otherwise 0
    #[arg(long)]
    pub(crate) detailed_exitcode: bool,
}

#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) work: Work,
    // Boxed: they take much room, and are seldom given.
    #[command(flatten)]
    pub(crate) foreign: Box<ForeignRun>,
    /// Exit once every resource has been applied or has failed
    #[arg(long)]
    pub(crate) once: bool,
    /// Report changes without applying them; no commands are run
    #[arg(long)]
    pub(crate) noop: bool,
    /// With --noop: run the commands of guards and functions if the policy allows them
    #[arg(long, requires = "noop")]
    pub(crate) run_checks: bool,
    /// Consider the host converged after this many seconds without a change; -1 means never
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true, env = "MGMT_CONVERGER_TIMEOUT")]
    pub(crate) converger_timeout: i64,
    /// Exit when converged
    #[arg(long)]
    pub(crate) converged_exit: bool,
    /// Append `true` to a file when the host becomes converged, and `false` when it no longer is
    #[arg(long, value_name = "FILE")]
    pub(crate) converger_status_file: Option<PathBuf>,
    /// Ignore changes after the first graph, including those of the program's files
    #[arg(long, alias = "no-stream-watch")]
    pub(crate) no_watch: bool,
    /// Apply a program from a link without restrictions
    #[arg(long)]
    pub(crate) trust_link: bool,
    /// With --world and without INPUT: also apply a deploy that is older than the last one of this host, after the store
    /// was restored from a backup
    #[arg(long, requires = "world")]
    pub(crate) accept_older: bool,
    /// With --world and without INPUT: apply only deploys that are signed with one of the public keys in this file, one line
    /// of `mclive key show` each
    #[arg(long, value_name = "FILE", requires = "world", conflicts_with = "input")]
    pub(crate) operators: Option<PathBuf>,
    /// With --world and without INPUT: apply only deploys that are signed with a key in /etc/mclive/operators, or in the
    /// file of --operators
    #[arg(long, requires = "world", conflicts_with = "input")]
    pub(crate) require_signature: bool,
    /// Also write each event to a file as a line of JSON, for `mclive why --log`
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Rotate the event log, the audit log and the request log when they reach this size in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub(crate) log_size: u64,
    /// Number of rotated files to keep for each log (FILE.1, FILE.2, ...)
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) log_files: u32,
    /// Expose Prometheus metrics
    #[arg(long)]
    pub(crate) prometheus: bool,
    /// Address to serve the metrics on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9233")]
    pub(crate) prometheus_listen: std::net::SocketAddr,
    /// Write the resource graph to a file in DOT format
    #[arg(long, value_name = "FILE")]
    pub(crate) graphviz: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Why {
    /// A resource, such as `file[/etc/motd]`
    pub(crate) resource: String,
    /// Log written by `run --log` or `run --json` [default: query the running agent]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// State directory of the running agent
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX")]
    pub(crate) prefix: Option<PathBuf>,
    /// Print the matching log lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Replay {
    /// File written by `run --record FILE`, or a link to one
    pub(crate) trace: String,
    /// What to print
    #[arg(long, value_enum, default_value_t = Replayed::Outputs)]
    pub(crate) show: Replayed,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Replayed {
    /// All outputs, one line of JSON each
    Outputs,
    /// The events that `run --json` printed
    Events,
    /// A checksum of all outputs, as the playground shows it
    Digest,
}
