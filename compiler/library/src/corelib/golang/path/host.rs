//! `golang/path/filepath.abs` and `eval_symlinks`: paths that need the host.

use crate::corelib::facts::{ask, known, text_field};
use crate::corelib::golang::os::go_readers;
use crate::corelib::paths::clean;
use crate::value::Value;
use crate::vocab::{FactSpec, file, program};

go_readers! {
    ABS "golang/path/filepath.abs" "func(path str) str" "Makes a path absolute, relative to the current directory."
    [r#"filepath.abs("/a/../b")"# => r#""/b""#, r#"filepath.abs("a")"# => r#""/root/a""#, r#"filepath.abs("")"# => r#""/root""#]
    |world, args| {
        let path = args.bytes(0)?;
        if path.starts_with(b"/") {
            return Ok(Some(Value::from(clean(path))));
        }
        let cwd = text_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), "cwd");
        Ok(Some(Value::from(clean(&[cwd.as_bytes(), b"/", path].concat()))))
    };

    EVAL_SYMLINKS "golang/path/filepath.eval_symlinks" "func(path str) str"
    "Resolves all symbolic links in a path on the host."
    [
        r#"filepath.eval_symlinks("")"# => r#"".""#,
        r#"filepath.eval_symlinks("/bin/./sh")"# => r#""/usr/bin/sh""#,
        r#"filepath.eval_symlinks("/nope")"# => "error: lstat /nope: no such file or directory",
    ]
    |world, args| {
        let path = String::from_utf8_lossy(&clean(args.bytes(0)?)).into_owned();
        // These contain no links, and need no host.
        if matches!(path.as_str(), "." | "/") {
            return Ok(Some(Value::from(path)));
        }
        ask(world, &FactSpec::File(file::Fact::RealPath { path }))
    };
}
