//! `mclive deploy`: a program for all hosts.

use super::world::Members;
use super::{Input, Output};
use clap::Args;

#[derive(Args)]
pub(crate) struct Deploy {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) members: Members,
    /// Note for the list of deploys
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// Check the program and print the deploy without creating it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Deploy a program from a link
    #[arg(long)]
    pub(crate) trust_link: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
