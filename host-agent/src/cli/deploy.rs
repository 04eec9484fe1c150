//! `mclive deploy`: a program for all hosts.

use super::world::Members;
use super::{Input, Output};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Deploy {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) members: Members,
    /// Note for the list of deploys
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// Sign the deploy with this key (`mclive key new`) [default: ~/.config/mclive/operator.key if it exists]
    #[arg(long, value_name = "FILE", env = "MCLIVE_KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Deploy the program of an older deploy again [default: the one before the newest]
    #[arg(long, value_name = "ID", num_args = 0..=1, value_parser = number, conflicts_with = "input")]
    pub(crate) back: Option<Option<u64>>,
    /// With --back: also sign deploys again that were signed with these public keys
    #[arg(long, value_name = "FILE", requires = "back")]
    pub(crate) operators: Option<PathBuf>,
    /// Wait until the hosts apply the deploy, and print what each of them reports
    #[arg(long, value_name = "SECONDS", conflicts_with = "dry_run")]
    pub(crate) wait: Option<u64>,
    /// With --wait: exit with 0 if this share of the hosts applies it
    #[arg(long, value_name = "PERCENT", default_value = "100%", value_parser = percent, requires = "wait")]
    pub(crate) at_least: u8,
    /// Check the program and print the deploy without creating it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Deploy a program from a link
    #[arg(long)]
    pub(crate) trust_link: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The number of a deploy.
fn number(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|id| *id > 0);
    number.ok_or_else(|| "expected the number of a deploy, from 1; `mclive world deploys` lists them".to_owned())
}

/// A share such as `90%`, or `90`.
fn percent(text: &str) -> Result<u8, String> {
    let number = text.trim_end_matches('%').parse::<u8>().ok().filter(|percent| (1..=100).contains(percent));
    number.ok_or_else(|| "expected a share from 1% to 100%".to_owned())
}
