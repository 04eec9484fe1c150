//! Paths as text: normalised, split, joined.

pub(super) use crate::vocab::path::clean;

/// The parent of a normalised path; `None` for the root.
pub(super) fn parent(path: &str) -> Option<&str> {
    let (parent, name) = path.rsplit_once('/')?;
    match (parent, name) {
        (_, "") => None,
        ("", _) => Some("/"),
        (parent, _) => Some(parent),
    }
}

/// The last component of a normalised path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or("")
}

/// A normalised directory joined with a name or a relative path.
pub(super) fn join(dir: &str, name: &str) -> String {
    if dir == "/" { format!("/{name}") } else { format!("{dir}/{name}") }
}

/// The common prefix of all paths below a normalised directory.
pub(super) fn below(dir: &str) -> String {
    if dir == "/" { "/".to_string() } else { format!("{dir}/") }
}

/// A path that may be relative to a directory.
pub(super) fn absolute(dir: &str, path: &str) -> String {
    if path.starts_with('/') { clean(path) } else { clean(&format!("{dir}/{path}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_and_taken_apart() {
        assert_eq!(clean("//a/./b/../c/"), "/a/c");
        assert_eq!(clean("/../.."), "/");
        assert_eq!((parent("/a"), parent("/a/b"), parent("/")), (Some("/"), Some("/a"), None));
        assert_eq!((name("/a/b"), name("/")), ("b", ""));
        assert_eq!((join("/", "a").as_str(), join("/a", "b").as_str()), ("/a", "/a/b"));
        assert_eq!(absolute("/a/b", "../c"), "/a/c");
    }
}
