//! Functions that only `golang/path/filepath` has, as far as they need only text.

use super::super::go_functions;
use crate::corelib::{FnError, paths};
use crate::value::Value;

go_functions! {
    FROM_SLASH "golang/path/filepath.from_slash" "func(path str) str" "Returns the path unchanged: the separator is always a slash."
    [r#"filepath.from_slash("/a/b")"# => r#""/a/b""#, r#"filepath.from_slash("a//b")"# => r#""a//b""#, r#"filepath.from_slash("")"# => r#""""#]
    |args| Ok(Value::str(args.bytes(0)?));

    HAS_PREFIX "golang/path/filepath.has_prefix" "func(p str, prefix str) bool"
    "Reports whether the string begins with the prefix. Path elements are not taken into account."
    [r#"filepath.has_prefix("/ab", "/a")"# => "true", r#"filepath.has_prefix("/a", "/ab")"# => "false", r#"filepath.has_prefix("", "")"# => "true"]
    |args| Ok(Value::Bool(args.bytes(0)?.starts_with(args.bytes(1)?)));

    IS_LOCAL "golang/path/filepath.is_local" "func(path str) bool"
    "Reports whether a path is relative and stays within its directory."
    [r#"filepath.is_local("a/../b")"# => "true", r#"filepath.is_local("../x")"# => "false", r#"filepath.is_local("./..")"# => "false", r#"filepath.is_local("")"# => "false"]
    |args| Ok(Value::Bool(is_local(args.bytes(0)?)));

    LOCALIZE "golang/path/filepath.localize" "func(path str) str"
    "Returns a valid path unchanged. A path is valid if it is clean, relative, and has no `.` or `..` elements."
    [r#"filepath.localize("a/b")"# => r#""a/b""#, r#"filepath.localize(".")"# => r#"".""#, r#"filepath.localize("/a")"# => "error: invalid path"]
    |args| {
        let path = args.bytes(0)?;
        if is_valid(path) { Ok(Value::str(path)) } else { Err(FnError::fatal("invalid path")) }
    };

    REL "golang/path/filepath.rel" "func(basePath str, targPath str) str"
    "Returns a relative path from `basePath` to `targPath`. The file system is not consulted."
    [r#"filepath.rel("/a/b", "/a/c/d")"# => r#""../c/d""#, r#"filepath.rel("a", "a")"# => r#"".""#, r#"filepath.rel("a/b", ".")"# => r#""../..""#, r#"filepath.rel("..", "a")"# => "error: Rel: can't make a relative to ..", r#"filepath.rel("/a", "b")"# => "error: Rel: can't make b relative to /a"]
    |args| {
        let (base, target) = (args.bytes(0)?, args.bytes(1)?);
        rel(base, target).map(Value::from).ok_or_else(|| {
            let (base, target) = (String::from_utf8_lossy(base), String::from_utf8_lossy(target));
            FnError::fatal(format!("Rel: can't make {target} relative to {base}"))
        })
    };

    TO_SLASH "golang/path/filepath.to_slash" "func(path str) str" "Returns the path unchanged: the separator is always a slash."
    [r#"filepath.to_slash("/a/b")"# => r#""/a/b""#, r#"filepath.to_slash("a//b")"# => r#""a//b""#, r#"filepath.to_slash("")"# => r#""""#]
    |args| Ok(Value::str(args.bytes(0)?));

    VOLUME_NAME "golang/path/filepath.volume_name" "func(path str) str" "Returns an empty string: paths have no volume name."
    [r#"filepath.volume_name("/a")"# => r#""""#, r#"filepath.volume_name("C:/a")"# => r#""""#, r#"filepath.volume_name("")"# => r#""""#]
    |args| args.bytes(0).map(|_| Value::str(""));
}

fn is_local(path: &[u8]) -> bool {
    if path.is_empty() || path.starts_with(b"/") {
        return false;
    }
    let mut depth = 0_i64;
    for element in path.split(|byte| *byte == b'/') {
        match element {
            b"" | b"." => {}
            b".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

fn is_valid(path: &[u8]) -> bool {
    let is_text = std::str::from_utf8(path).is_ok() && !path.contains(&0);
    is_text && (path == b"." || path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b"..")))
}

pub(super) fn rel(base: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    let (base, target) = (paths::clean(base), paths::clean(target));
    if base == target {
        return Some(b".".to_vec());
    }
    let [base, target] = [&base[..], &target[..]].map(|path| if path == b"." { b"" } else { path });
    if base.starts_with(b"/") != target.starts_with(b"/") {
        return None;
    }
    let elements = |path: &[u8]| -> Vec<Vec<u8>> {
        path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (from, to) = (elements(base), elements(target));
    let n_common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if from[n_common..].first().is_some_and(|first| first == b"..") {
        return None;
    }
    let up = from[n_common..].iter().map(|_| b"..".to_vec());
    Some(up.chain(to[n_common..].iter().cloned()).collect::<Vec<_>>().join(&b'/'))
}
