//! `mclive world`: the store that several hosts share.

use super::Access;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct SharedWorld {
    #[command(subcommand)]
    pub(crate) command: WorldCommand,
    /// URLs of the etcd members
    #[arg(long, value_name = "URL", value_delimiter = ',', env = "MCLIVE_WORLD", alias = "seeds", global = true)]
    pub(crate) world: Vec<String>,
    /// Name of the group of hosts in the store
    #[arg(long, value_name = "NAME", default_value = "main", global = true)]
    pub(crate) world_name: String,
    #[command(flatten)]
    pub(crate) access: Access,
    /// Print JSON even on a terminal
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The store of a cluster, for a command without subcommands.
#[derive(Args)]
pub(crate) struct Members {
    /// URLs of the etcd members
    #[arg(long, value_name = "URL", value_delimiter = ',', env = "MCLIVE_WORLD", alias = "seeds")]
    pub(crate) world: Vec<String>,
    /// Name of the group of hosts in the store
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub(crate) world_name: String,
    #[command(flatten)]
    pub(crate) access: Access,
}

/// The error of a command that needs a store.
pub(crate) const NO_WORLD: &str = "missing --world URL: the address of an etcd member, such as https://10.0.0.1:2379";

#[derive(Subcommand)]
pub(crate) enum WorldCommand {
    /// Print the store, its revision, the newest deploy and the number of hosts, values, exports and schedules
    Status,
    /// List the hosts whose agents are running, and what they report on deploys
    Hosts {
        /// First wait until all hosts apply the newest deploy and have been converged for this time. Hosts report changes
        /// of this state at most every 10 s
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
        wait_converged: Option<u64>,
    },
    /// List values (`kv`, `world.getval`)
    List {
        /// Only keys that begin with this
        prefix: Option<String>,
        /// Verify signatures with the public keys of hosts in this file (`run --require-host-signatures`)
        #[arg(long, value_name = "FILE")]
        host_keys: Option<PathBuf>,
    },
    /// Print a value; if it is sealed, the error names the hosts that can read it
    Get {
        #[command(flatten)]
        key: Key,
    },
    /// Set a value; programs that read it are updated immediately
    Set(Set),
    /// Remove a value
    Unset {
        #[command(flatten)]
        key: Key,
    },
    /// List deploys, newest last
    Deploys {
        /// Verify signatures with the public keys in this file
        #[arg(long, value_name = "FILE")]
        operators: Option<PathBuf>,
    },
    /// Remove old deploys, and the files that no other deploy needs
    Prune(Prune),
    /// List exported resources
    Exports {
        /// Verify signatures with the public keys of hosts in this file (`run --require-host-signatures`)
        #[arg(long, value_name = "FILE")]
        host_keys: Option<PathBuf>,
    },
    /// List schedules with their votes and elected hosts
    Schedule,
    /// Print the list of voters: the hosts whose signed votes count, and their keys; or publish a new list
    Voters(Voters),
    /// Remove the values, votes and exports of a host; its agent must have stopped
    Leave(Leave),
    /// Print etcdctl commands that create users with the permissions of operators, viewers and hosts, without running
    /// them
    Grants {
        /// Hosts to create users for
        #[arg(long, value_name = "HOST", value_delimiter = ',')]
        hosts: Vec<String>,
    },
    /// Print changes to values, exports, schedules, hosts and deploys until interrupted
    Watch,
    /// Check the keys of the group: the chain of deploys, the contents of their files, signatures, and sealed data
    Check(WorldCheck),
    /// Write all keys of the group as JSON, with one line for each key
    Dump(Dump),
    /// Write the keys of a dump to an empty group; keys that running agents write themselves are skipped
    Load(Load),
}

#[derive(Args)]
pub(crate) struct Voters {
    /// Publish the public keys in this file as the next list, one line of `mclive key show` for each host; other hosts can no
    /// longer vote
    #[arg(long, value_name = "FILE")]
    pub(crate) publish: Option<PathBuf>,
    /// With --publish: sign the list with this key (`mclive key new`) [default: ~/.config/mclive/operator.key]
    #[arg(long, value_name = "FILE", env = "MCLIVE_KEY")]
    pub(crate) key: Option<PathBuf>,
    /// With --publish: print the list without storing it
    #[arg(long, requires = "publish")]
    pub(crate) dry_run: bool,
    /// Verify the signature of the list with the public keys in this file
    #[arg(long, value_name = "FILE", conflicts_with = "publish")]
    pub(crate) operators: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct WorldCheck {
    /// Require deploys that hosts may still apply, and the list of voters, to be signed with a key in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) operators: Option<PathBuf>,
    /// Require exports and values to be signed with the keys of their hosts in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) host_keys: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Dump {
    /// Write to this new file, readable by its owner only, instead of standard output
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Load {
    /// File written by `mclive world dump`, or `-` (standard input)
    pub(crate) file: PathBuf,
    /// Load even if the group is not empty: replace keys of the same name and keep the others
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Check the file and print what would be loaded without writing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Key {
    /// Key of the value
    pub(crate) key: String,
    /// The value of this host (`mapped`)
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
}

#[derive(Args)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) key: Key,
    /// Text of the value; with --seal-for, read it from standard input or --value-file instead
    #[arg(required_unless_present = "seal_for", conflicts_with = "seal_for")]
    pub(crate) value: Option<String>,
    /// Seal the value so that only these hosts, separated by commas, can read it (`run --host-key`)
    #[arg(long, value_name = "HOST", value_delimiter = ',', requires = "host_keys", conflicts_with = "host")]
    pub(crate) seal_for: Vec<String>,
    /// With --seal-for: the public keys of hosts, one line of `mclive key show --sealing` for each
    #[arg(long, value_name = "FILE", requires = "seal_for")]
    pub(crate) host_keys: Option<PathBuf>,
    /// With --seal-for: read the value from this file
    #[arg(long, value_name = "FILE", requires = "seal_for")]
    pub(crate) value_file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Prune {
    /// Keep the newest N deploys; the newest one for each host and those that running hosts apply are always kept
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: u32,
    /// Print what would be removed without removing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Leave {
    /// Name of a host
    pub(crate) host: String,
    /// Print what would be removed without removing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}
