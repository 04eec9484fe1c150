//! The options of a shared store that is protected.

use clap::Args;
use clap::builder::FalseyValueParser;
use std::path::PathBuf;

/// How to recognise a store, and how to prove who asks.
#[derive(Args, Clone)]
pub(crate) struct Access {
    /// With --world: trust the certificate authorities in this PEM file instead of the system's
    #[arg(long, value_name = "FILE", env = "MCLIVE_WORLD_CA", global = true)]
    pub(crate) world_ca: Option<PathBuf>,
    /// With --world: present this client certificate (PEM)
    #[arg(long, value_name = "FILE", env = "MCLIVE_WORLD_CERT", global = true)]
    pub(crate) world_cert: Option<PathBuf>,
    /// Key of --world-cert (PEM, without a passphrase)
    #[arg(long, value_name = "FILE", env = "MCLIVE_WORLD_KEY", global = true)]
    pub(crate) world_key: Option<PathBuf>,
    /// With --world: log in to etcd as this user
    #[arg(long, value_name = "NAME", env = "MCLIVE_WORLD_USER", global = true)]
    pub(crate) world_user: Option<String>,
    /// File with the password of --world-user
    #[arg(long, value_name = "FILE", env = "MCLIVE_WORLD_PASSWORD_FILE", global = true)]
    pub(crate) world_password_file: Option<PathBuf>,
    /// With --world: allow http URLs of other machines, if the network itself is protected
    #[arg(long, env = "MCLIVE_WORLD_PLAIN", value_parser = FalseyValueParser::new(), global = true)]
    pub(crate) world_plain: bool,
}
