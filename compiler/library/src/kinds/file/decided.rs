//! What a `file` decides about its path, so that two resources of one path, in whatever spelling, do not contradict each
//! other. With and without a trailing slash, it is the same place on the host.
//!
//! Only what two resources cannot both have is decided: other fields, such as a mode and an owner, may be in different
//! resources, and a link may lead to what another resource describes as a directory.

use super::path::{clean, effective};
use crate::kinds::{Decided, Want};

/// The path, the same for each spelling of it.
pub(super) fn place(want: &Want<'_>) -> String {
    clean(&effective(want))
}

pub(super) fn decided<'a>(want: &Want<'a>) -> Vec<Decided<'a>> {
    let path = effective(want);
    let (place, state) = (clean(&path), want.text("state"));
    let (exists, is_link) = (state == "exists", want.bool("symlink"));
    let (content, source) = (want.text_if_set("content"), want.text("source"));
    let has_bytes = content.is_some() || !source.is_empty() || !want.items("fragments").is_empty();
    let mut decided = Vec::new();
    if !state.is_empty() {
        decided.push(Decided::shown(format!("the state of {place}"), state));
    }
    if is_link {
        // Without a state, the link is not managed.
        if exists {
            decided.push(Decided::shown(format!("the target of the link {place}"), source));
        }
    } else if path.ends_with('/') {
        if exists {
            decided.push(Decided::shown(format!("the type of {place}"), "directory"));
        }
    } else if has_bytes {
        decided.push(Decided::shown(format!("the type of {place}"), "file"));
    }
    if let Some(content) = content {
        decided.push(Decided::hidden(format!("the content of {place}"), content));
    }
    decided
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;

    #[track_caller]
    fn check(draft: Draft, expect: &[&str]) {
        assert_eq!(draft.decides(), expect, "{}", draft.want());
    }

    #[test]
    fn each_spelling_of_a_path_is_the_same_place() {
        for path in ["/srv/a", "/srv//a", "/srv/./b/../a", "/srv/a/"] {
            check(Draft::new("file", path).text("state", "absent"), &["the state of /srv/a: absent"]);
        }
        let moved = Draft::new("file", "x").text("path", "/srv/b").text("basename", "a").text("state", "absent");
        check(moved, &["the state of /srv/a: absent"]);
    }

    #[test]
    fn only_what_two_resources_cannot_both_have_is_decided() {
        let file = || Draft::new("file", "/a");
        check(file().text("mode", "0600").text("owner", "root"), &[]);
        check(file().text("state", "exists"), &["the state of /a: exists"]);
        check(file().text("content", "x"), &["the type of /a: file", "the content of /a: x"]);
        check(file().texts("fragments", &["/b"]), &["the type of /a: file"]);
        check(file().texts("fragments", &[]), &[]);
        check(file().text("source", "/b"), &["the type of /a: file"]);
        let directory = || Draft::new("file", "/a/").text("mode", "0700");
        check(directory(), &[]);
        check(directory().text("state", "exists"), &["the state of /a: exists", "the type of /a: directory"]);
        let link = || file().set("symlink", true.into()).text("source", "/b");
        check(link(), &[]);
        check(link().text("state", "exists"), &["the state of /a: exists", "the target of the link /a: /b"]);
    }
}
