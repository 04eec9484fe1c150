//! The path of a `file`. Resource spec, 2.1.

use crate::kinds::Want;
pub(super) use crate::vocab::path::clean;
use std::borrow::Cow;

/// The effective path: `path`, otherwise the name, with `dirname` and `basename` replacing its parts. A trailing slash
/// means a directory.
pub(crate) fn effective<'a>(want: &Want<'a>) -> Cow<'a, str> {
    let path = want.effective("path");
    let (dirname, basename) = (want.text("dirname"), want.text("basename"));
    if dirname.is_empty() && basename.is_empty() {
        return path;
    }
    let (dir, base) = split(&path);
    let dir = if dirname.is_empty() { dir } else { &dirname };
    let base = if basename.is_empty() { base } else { &basename };
    Cow::Owned(format!("{dir}{base}"))
}

/// The part up to and including the last slash that is not at the end, and the rest.
fn split(path: &str) -> (&str, &str) {
    let trimmed = path.strip_suffix('/').unwrap_or(path);
    path.split_at(trimmed.rfind('/').map_or(0, |slash| slash + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_splits_before_its_last_part() {
        assert_eq!(split("/a/b"), ("/a/", "b"));
        assert_eq!(split("/a/b/"), ("/a/", "b/"));
        assert_eq!(split("/"), ("", "/"));
        assert_eq!(split("a"), ("", "a"));
    }
}
