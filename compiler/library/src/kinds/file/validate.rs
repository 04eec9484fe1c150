//! Validation of `file`, in the order of the checks. Resource spec, 9.16.

use super::mode::Mode;
use super::path;
use crate::kinds::Want;
use crate::kinds::rules::{ensure, known_state};

pub(super) fn validate(want: &Want) -> Result<(), String> {
    let (dirname, basename) = (want.text("dirname"), want.text("basename"));
    let path = path::effective(want);
    ensure(!path.is_empty(), "the path is empty")?;
    ensure(dirname.is_empty() || dirname.ends_with('/'), "`dirname` must end with a slash")?;
    ensure(!basename.starts_with('/'), "`basename` must not start with a slash")?;
    ensure(path.starts_with('/'), "the path of the file must be absolute")?;

    let state = want.text("state");
    ensure(state != "directory", "for a directory, end the path with a slash and set `state` to `exists`")?;
    ensure(
        !matches!(&*state, "link" | "symlink"),
        "`state` must be `exists` for a symbolic link, with `symlink => true`",
    )?;
    known_state(&state, &["exists", "absent", ""])?;
    let source = want.text("source");
    let fragments = want.texts("fragments");
    let (content, fragmented) = (want.set("content").is_some(), !fragments.is_empty());
    let n_sources = [content, !source.is_empty(), fragmented].into_iter().filter(|given| *given).count();
    ensure(n_sources <= 1, "set only one of `content`, `source` and `fragments`")?;
    let symlink = want.bool("symlink");
    ensure(!(symlink && state == "exists" && source.is_empty()), "`symlink` needs a `source`: the target of the link")?;
    if state == "absent" {
        ensure(n_sources == 0, "`content`, `source` and `fragments` cannot be set when `state` is `absent`")?;
        ensure(want.set("selinux").is_none(), "`selinux` cannot be set when `state` is `absent`")?;
    }

    let (is_dir, from_dir) = (path.ends_with('/'), source.ends_with('/'));
    let (recurse, purge) = (want.bool("recurse"), want.bool("purge"));
    ensure(
        symlink || source.is_empty() || is_dir == from_dir,
        "the path and `source` must both end with a slash, or both without one",
    )?;
    ensure(
        !(is_dir && (content || fragmented || symlink)),
        "a directory cannot have `content`, `fragments` or `symlink`: remove the slash at the end of its path",
    )?;
    ensure(symlink || !from_dir || recurse, "copying the directory in `source` needs `recurse => true`")?;
    ensure(!purge || recurse, "`purge` needs `recurse => true`")?;
    ensure(
        symlink || source.is_empty() || from_dir || !recurse,
        "`recurse` needs a directory, but `source` is a file",
    )?;
    for fragment in &fragments {
        ensure(fragment.starts_with('/'), format!("the fragment `{fragment}` must be an absolute path"))?;
        ensure(!is_inside(&path, fragment), format!("the file is inside its own fragment directory `{fragment}`"))?;
    }
    ensure(!(purge && (content || fragmented)), "`purge` cannot be combined with `content` or `fragments`")?;
    let mode = want.text("mode");
    if !mode.is_empty() {
        Mode::parse(&mode)?;
    }
    if symlink {
        ensure(!content && !fragmented, "`content` and `fragments` cannot be set with `symlink`")?;
        ensure(!recurse && !purge, "`recurse` and `purge` cannot be set with `symlink`")?;
    }
    Ok(())
}

/// Whether the path is the fragment itself, or below it, component by component.
fn is_inside(path: &str, fragment: &str) -> bool {
    let (path, fragment) = (path::clean(path), path::clean(fragment));
    match path.strip_prefix(fragment.trim_end_matches('/')) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;
    use crate::value::Value;

    fn file(name: &str) -> Draft {
        Draft::new("file", name)
    }

    #[test]
    fn paths() {
        file("/a").check("");
        file("a").check("the path of the file must be absolute");
        file("a").text("path", "/b").check("");
        file("/a/b").text("dirname", "/c").check("`dirname` must end with a slash");
        file("/a/b").text("basename", "/c").check("`basename` must not start with a slash");
    }

    #[test]
    fn contents_exclude_each_other() {
        file("/a")
            .text("content", "")
            .text("source", "/b")
            .check("set only one of `content`, `source` and `fragments`");
        file("/a").text("content", "").text("source", "").check("");
        file("/a")
            .text("state", "absent")
            .text("selinux", "")
            .check("`selinux` cannot be set when `state` is `absent`");
        file("/srv/b").texts("fragments", &["/srv/b"]).check("the file is inside its own fragment directory `/srv/b`");
        file("/srv/b/c")
            .texts("fragments", &["/srv/b/"])
            .check("the file is inside its own fragment directory `/srv/b/`");
    }

    #[test]
    fn directories() {
        file("/a/").text("source", "/b").check("the path and `source` must both end with a slash, or both without one");
        file("/a/").text("source", "/b/").check("copying the directory in `source` needs `recurse => true`");
        file("/a").text("source", "b/").set("symlink", Value::Bool(true)).check("");
        file("/a/").text("source", "/b/").set("recurse", Value::Bool(true)).check("");
        file("/a/").text("content", "").check(
            "a directory cannot have `content`, `fragments` or `symlink`: remove the slash at the end of its path",
        );
    }
}
