//! Parts common to both path modules: elements, cleaning, patterns.

use super::pattern::Matching;
use super::{base, dir, ext, join};
use crate::corelib::golang::go_functions;
use crate::corelib::{Args, FnError, Task, paths};
use crate::value::Value;
use std::sync::Arc;

go_functions! {
    BASE "golang/path.base" "func(path str) str" "Returns the last element of a path; `.` for an empty path, `/` for a \
                                                  path of slashes only."
    [r#"path.base("/a/b/")"# => r#""b""#, r#"path.base("")"# => r#"".""#, r#"path.base("//")"# => r#""/""#]
    |args| Ok(Value::str(base(args.bytes(0)?)));

    CLEAN "golang/path.clean" "func(path str) str" "Returns the shortest equivalent path. The file system is not \
                                                    consulted."
    [r#"path.clean("/a//b/../c/")"# => r#""/a/c""#, r#"path.clean("")"# => r#"".""#, r#"path.clean("/..")"# => r#""/""#]
    |args| Ok(Value::from(paths::clean(args.bytes(0)?)));

    DIR "golang/path.dir" "func(path str) str" "Returns all but the last element of a path, cleaned."
    [r#"path.dir("/a/b")"# => r#""/a""#, r#"path.dir("/a/b/")"# => r#""/a/b""#, r#"path.dir("a")"# => r#"".""#]
    |args| Ok(Value::from(dir(args.bytes(0)?)));

    EXT "golang/path.ext" "func(path str) str" "Returns the file name extension with its dot; empty if there is none."
    [r#"path.ext("/a/b.tar.gz")"# => r#"".gz""#, r#"path.ext("/a.d/b")"# => r#""""#, r#"path.ext(".bashrc")"# => r#"".bashrc""#]
    |args| Ok(Value::str(ext(args.bytes(0)?)));

    IS_ABS "golang/path.is_abs" "func(path str) bool" "Reports whether a path begins with a slash."
    [r#"path.is_abs("/a")"# => "true", r#"path.is_abs("a")"# => "false", r#"path.is_abs("")"# => "false"]
    |args| Ok(Value::Bool(args.bytes(0)?.starts_with(b"/")));

    JOIN "golang/path.join" "func(elem []str) str" "Joins the non-empty elements with slashes and cleans the result."
    [r#"path.join(["a", "/b"])"# => r#""a/b""#, r#"path.join(["", ""])"# => r#""""#, r#"path.join(["a/..", ""])"# => r#"".""#]
    |args| Ok(Value::from(join(&texts(args)?)));

    MATCH "golang/path.match" "func(pattern str, name str) bool" "Reports whether a shell pattern matches the whole \
                                                                  name.\n\n`*` and `?` match anything except a slash, \
                                                                  `[a-z]` and `[^a-z]` match one character, `\\` \
                                                                  escapes the next one."
    [r#"path.match("*.txt", "a.txt")"# => "true", r#"path.match("*", "a/b")"# => "false", r#"path.match("[^a]", "/")"# => "true", r#"path.match("[", "a")"# => "error: syntax error in pattern"]
    => |args| matching(args, Matching::new);

    FILE_BASE "golang/path/filepath.base" "func(path str) str" "Returns the last element of a path; `.` for an empty \
                                                                path, `/` for a path of slashes only."
    [r#"filepath.base("/a/b/")"# => r#""b""#, r#"filepath.base("")"# => r#"".""#, r#"filepath.base("//")"# => r#""/""#]
    |args| Ok(Value::str(base(args.bytes(0)?)));

    FILE_CLEAN "golang/path/filepath.clean" "func(path str) str" "Returns the shortest equivalent path. The file \
                                                                  system is not consulted."
    [r#"filepath.clean("/a//b/../c/")"# => r#""/a/c""#, r#"filepath.clean("")"# => r#"".""#, r#"filepath.clean("/..")"# => r#""/""#]
    |args| Ok(Value::from(paths::clean(args.bytes(0)?)));

    FILE_DIR "golang/path/filepath.dir" "func(path str) str" "Returns all but the last element of a path, cleaned."
    [r#"filepath.dir("/a/b")"# => r#""/a""#, r#"filepath.dir("/a/b/")"# => r#""/a/b""#, r#"filepath.dir("a")"# => r#"".""#]
    |args| Ok(Value::from(dir(args.bytes(0)?)));

    FILE_EXT "golang/path/filepath.ext" "func(path str) str" "Returns the file name extension with its dot; empty if there is none."
    [r#"filepath.ext("/a/b.tar.gz")"# => r#"".gz""#, r#"filepath.ext("/a.d/b")"# => r#""""#, r#"filepath.ext(".bashrc")"# => r#"".bashrc""#]
    |args| Ok(Value::str(ext(args.bytes(0)?)));

    FILE_IS_ABS "golang/path/filepath.is_abs" "func(path str) bool" "Reports whether a path begins with a slash."
    [r#"filepath.is_abs("/a")"# => "true", r#"filepath.is_abs("a")"# => "false", r#"filepath.is_abs("")"# => "false"]
    |args| Ok(Value::Bool(args.bytes(0)?.starts_with(b"/")));

    FILE_JOIN "golang/path/filepath.join" "func(elem []str) str" "Joins the non-empty elements with slashes and cleans the result."
    [r#"filepath.join(["a", "/b"])"# => r#""a/b""#, r#"filepath.join(["", ""])"# => r#""""#, r#"filepath.join(["a/..", ""])"# => r#"".""#]
    |args| Ok(Value::from(join(&texts(args)?)));

    FILE_MATCH "golang/path/filepath.match" "func(pattern str, name str) bool" "Reports whether a shell pattern \
                                                                                matches the whole name.\n\n`*` and `?` \
                                                                                match anything except a slash, `[a-z]` \
                                                                                and `[^a-z]` match one character, `\\` \
                                                                                escapes the next one."
    [r#"filepath.match("*.txt", "a.txt")"# => "true", r#"filepath.match("*", "a/b")"# => "false", r#"filepath.match("[^a]", "/")"# => "true", r#"filepath.match("[", "a")"# => "error: syntax error in pattern"]
    => |args| matching(args, Matching::as_reached);
}

/// Whether a pattern matches a name.
fn matching(args: &Args, begin: fn(&[u8], Arc<[u8]>) -> Matching) -> Result<Box<dyn Task>, FnError> {
    let matching = begin(args.bytes(0)?, args.shared_bytes(1)?);
    matching.afford(args.work)?;
    Ok(Box::new(matching))
}

fn texts<'a>(args: &Args<'a>) -> Result<Vec<&'a [u8]>, FnError> {
    let items = args.values.first().and_then(Value::as_list).ok_or_else(|| FnError::fatal("unexpected type"))?;
    Ok(items.iter().filter_map(|item| item.as_bytes().map(|bytes| &**bytes)).collect())
}
