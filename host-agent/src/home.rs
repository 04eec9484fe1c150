//! The default places of the agent's files (engine spec, 20), and of an operator's key.

use std::path::PathBuf;

/// The default directory of this user; `None` without a home.
pub(crate) fn usual() -> Option<PathBuf> {
    if let Some(dir) = variable("STATE_DIRECTORY") {
        return Some(dir);
    }
    if rustix::process::geteuid().is_root() {
        return Some("/var/lib/mclive".into());
    }
    variable("XDG_CACHE_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join("mclive"))
}

/// The file of this user's operator key; `None` without a home.
pub(crate) fn operator_key() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")));
    config.map(|dir| dir.join("mclive/operator.key"))
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
