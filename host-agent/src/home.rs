//! The default place of the agent's files (engine spec, 20).

use std::path::PathBuf;

/// The default directory of this user; `None` without a home.
pub(crate) fn usual() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
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
