//! What a `file` must be to make sense, in the order in which it is asked. Resource spec, 9.16.

use super::mode::Mode;
use super::path;
use crate::kinds::Want;
use crate::kinds::rules::{ensure, one_of};

pub(super) fn validate(want: &Want) -> Result<(), String> {
    let (dirname, basename) = (want.text("dirname"), want.text("basename"));
    let path = path::effective(want);
    ensure(!path.is_empty(), "path is empty")?;
    ensure(dirname.is_empty() || dirname.ends_with('/'), "dirname must end with a slash")?;
    ensure(!basename.starts_with('/'), "basename must not start with a slash")?;
    ensure(path.starts_with('/'), "resultant path must be absolute")?;

    let state = want.text("state");
    one_of(&state, &["exists", "absent", ""], || "the State is invalid".into())?;
    let source = want.text("source");
    let fragments = want.texts("fragments");
    let (content, fragmented) = (want.set("content").is_some(), !fragments.is_empty());
    let n_sources = [content, !source.is_empty(), fragmented].into_iter().filter(|given| *given).count();
    ensure(n_sources <= 1, "can only specify one of Content, Source, and Fragments")?;
    let symlink = want.bool("symlink");
    ensure(!(symlink && state == "exists" && source.is_empty()), "can't use Symlink with an empty Source")?;
    if state == "absent" {
        ensure(n_sources == 0, "can't specify file Content, Source, or Fragments when State is absent")?;
        ensure(want.set("selinux").is_none(), "can't specify SELinux when State is absent")?;
    }

    let (is_dir, from_dir) = (path.ends_with('/'), source.ends_with('/'));
    let (recurse, purge) = (want.bool("recurse"), want.bool("purge"));
    ensure(
        symlink || source.is_empty() || is_dir == from_dir,
        "the path and Source must either both be dirs or both not be",
    )?;
    ensure(
        !(is_dir && (content || fragmented || symlink)),
        "can't specify Content or Fragments or Symlink when creating a Dir",
    )?;
    ensure(symlink || !from_dir || recurse, "you'll want to Recurse when you have a Source dir to copy")?;
    ensure(!purge || recurse, "you'll want to Recurse when you have a Purge to do")?;
    ensure(symlink || source.is_empty() || from_dir || !recurse, "you can't recurse when copying a single file")?;
    for fragment in &fragments {
        ensure(fragment.starts_with('/'), format!("the frag (`{fragment}`) isn't an absolute path"))?;
        ensure(!is_inside(&path, fragment), format!("inside a frag (`{fragment}`)"))?;
    }
    ensure(!(purge && (content || fragmented)), "can't combine Purge with Content or Fragments")?;
    let mode = want.text("mode");
    if !mode.is_empty() {
        Mode::parse(&mode)?;
    }
    if symlink {
        ensure(!content && !fragmented, "can't specify Content or Fragments with Symlink")?;
        ensure(!recurse && !purge, "can't specify Recurse or Purge with Symlink")?;
    }
    Ok(())
}

/// The path is the fragment itself, or below it, part by part.
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
        file("a").check("resultant path must be absolute");
        file("a").text("path", "/b").check("");
        file("/a/b").text("dirname", "/c").check("dirname must end with a slash");
        file("/a/b").text("basename", "/c").check("basename must not start with a slash");
    }

    #[test]
    fn contents_exclude_each_other() {
        file("/a")
            .text("content", "")
            .text("source", "/b")
            .check("can only specify one of Content, Source, and Fragments");
        file("/a").text("content", "").text("source", "").check("");
        file("/a").text("state", "absent").text("selinux", "").check("can't specify SELinux when State is absent");
        file("/srv/b").texts("fragments", &["/srv/b"]).check("inside a frag (`/srv/b`)");
        file("/srv/b/c").texts("fragments", &["/srv/b/"]).check("inside a frag (`/srv/b/`)");
    }

    #[test]
    fn directories() {
        file("/a/").text("source", "/b").check("the path and Source must either both be dirs or both not be");
        file("/a/").text("source", "/b/").check("you'll want to Recurse when you have a Source dir to copy");
        file("/a").text("source", "b/").set("symlink", Value::Bool(true)).check("");
        file("/a/").text("source", "/b/").set("recurse", Value::Bool(true)).check("");
        file("/a/").text("content", "").check("can't specify Content or Fragments or Symlink when creating a Dir");
    }
}
