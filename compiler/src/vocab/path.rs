//! Paths as the brain and its hosts write them.

/// An absolute path without doubled slashes, `.`, `..` and a slash at the end.
pub(crate) fn clean(path: &str) -> String {
    format!("/{}", plain(path))
}

/// A relative path without empty parts, `.` and `..`, which cannot lead above where it begins.
pub(crate) fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
