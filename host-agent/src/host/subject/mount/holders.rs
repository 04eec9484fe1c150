//! The users of a mount: processes whose directory or open files are in it.

use std::path::Path;

/// The maximum number of processes to name.
const MOST: usize = 5;

/// `; it is used by 12 (bash), 15 (tail)`, or nothing.
pub(super) fn told(target: &str) -> String {
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let dir = process.path();
        let Some(pid) = dir.file_name().and_then(|name| name.to_str()).filter(|name| name.parse::<u32>().is_ok())
        else {
            continue;
        };
        if holds(&dir, Path::new(target)) {
            let name = std::fs::read_to_string(dir.join("comm")).unwrap_or_default();
            found.push(format!("{pid} ({})", name.trim_end()));
        }
    }
    if found.is_empty() {
        return String::new();
    }
    let more = if found.len() > MOST { ", ..." } else { "" };
    found.truncate(MOST);
    format!("; it is used by {}{more}", found.join(", "))
}

fn holds(process: &Path, target: &Path) -> bool {
    let leads = |link: std::path::PathBuf| std::fs::read_link(link).is_ok_and(|path| path.starts_with(target));
    let files = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    ["cwd", "root", "exe"].into_iter().any(|link| leads(process.join(link))) || files.map(|file| file.path()).any(leads)
}
