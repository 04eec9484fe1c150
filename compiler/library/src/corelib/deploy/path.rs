//! `deploy.abspath`: a path of the program's own tree, relative to the module's directory.

use crate::corelib::paths;
use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static ABSPATH: FnDef = FnDef {
    path: "deploy.abspath",
    sig: Sig::Fixed("func(path str) str"),
    doc: "Prepends the directory of the calling module to a path that begins with a slash.\n\nAn empty string returns \
          the directory itself. The file need not exist.",
    examples: &[
        Example { call: r#"deploy.abspath("/files/x")"#, gives: r#""/files/x""# },
        Example { call: r#"deploy.abspath("")"#, gives: r#""/""# },
        Example { call: r#"deploy.abspath("x")"#, gives: "error: `x` is not an absolute path" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Pure(|args| Ok(Value::from(in_module(args, "path")?))),
};

/// The help for a path without a leading slash.
pub(super) const IN_PROGRAM: &str =
    "begin the path with a slash: the paths of `deploy` are in the program, not on the host";

/// The first argument, below the directory of the calling module.
///
/// Errors: fatal, if it has no leading slash; `what` names it.
pub(super) fn in_module(args: &Args, what: &str) -> Result<String, FnError> {
    let path = args.text(0)?;
    if path.is_empty() {
        return Ok(args.module_dir.to_string());
    }
    if !path.starts_with('/') {
        return Err(not_absolute(what, &path));
    }
    Ok(format!("{}{path}", args.module_dir.trim_end_matches('/')))
}

pub(super) fn not_absolute(what: &str, path: &str) -> FnError {
    let error = FnError::fatal(format!("{what} was not absolute, got: `{path}`"));
    error.said(format!("`{path}` is not an absolute path")).help(IN_PROGRAM)
}

/// The normal form of a path of the program's tree. Files above the main program have paths that begin with `/..`.
pub(super) fn clean(path: &str) -> String {
    match paths::clean(path.trim_start_matches('/').as_bytes()).as_slice() {
        b"." => "/".to_owned(),
        below => format!("/{}", String::from_utf8_lossy(below)),
    }
}
