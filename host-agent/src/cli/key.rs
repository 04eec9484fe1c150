//! `mclive key`: the key with which an operator signs deploys, or a host its exports and votes. A host also opens
//! values that are sealed for it with this key.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Keys {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Create a key and print its public line for hosts (`run --operators`, `run --require-host-signatures`,
    /// `world voters --publish`)
    New {
        /// File to create [default: ~/.config/mclive/operator.key]
        file: Option<PathBuf>,
        /// Name of the operator or of the host in the public line (by default `user@machine`)
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        /// Also print the public line with which values and exports are sealed for this host (`world set --seal-for`,
        /// `run --host-keys`)
        #[arg(long)]
        sealing: bool,
    },
    /// Print the public line of a key
    Show {
        /// File of the private key [default: ~/.config/mclive/operator.key]
        file: Option<PathBuf>,
        /// Also print the public line with which values and exports are sealed for this host (`world set --seal-for`,
        /// `run --host-keys`)
        #[arg(long)]
        sealing: bool,
    },
}
