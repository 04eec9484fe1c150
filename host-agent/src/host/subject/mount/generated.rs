//! The units that systemd makes of `/etc/fstab`: it reads the table at boot and when it reloads, and uses the previous
//! version until then.

use super::super::{Context, unit};
use super::judged::TABLE;
use mclive_base::vocab::Edit;
use mclive_base::vocab::unit::Unit;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Makes systemd read the table again after an edit of it. The table is right in any case, so a failure is a warning.
pub(in crate::host::subject) fn reread(at: &Context, path: &str, edit: &Edit) {
    if path != TABLE || !matches!(edit, Edit::Fstab { .. }) || !is_read() {
        return;
    }
    // Any unit of the system's manager.
    if let Err(error) = unit::reload(at, &Unit::new("local-fs.target", false)) {
        crate::output::tell(&format!(
            "mclive: warning: systemd has not read {TABLE} again ({}); run `systemctl daemon-reload`",
            error.message
        ));
    }
}

/// Whether there is a systemd, and the table is its own.
fn is_read() -> bool {
    let id = |path: &str| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    let of_systemd = id(&format!("/proc/1/root{TABLE}"));
    Path::new("/run/systemd/system").is_dir() && (of_systemd.is_none() || of_systemd == id(TABLE))
}
