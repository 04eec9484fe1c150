//! `golang/path/filepath.abs` and `eval_symlinks`: paths that need the host.

use super::relative::rel;
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
        let path = args.bytes(0)?;
        // These contain no links, and need no host.
        if path.split(|byte| *byte == b'/').all(|part| matches!(part, b"" | b"." | b"..")) {
            return Ok(Some(Value::from(clean(path))));
        }
        // Not cleaned before: `..` after a link is the parent of its target, and what comes before `..` must exist.
        let real = |path: &[u8]| {
            let path = String::from_utf8_lossy(path).into_owned();
            FactSpec::File(file::Fact::RealPath { path })
        };
        if path.starts_with(b"/") {
            return ask(world, &real(path));
        }
        let cwd = text_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), "cwd");
        let found = known!(ask(world, &real(&[cwd.trim_end_matches('/').as_bytes(), b"/", path].concat())));
        let relative = found.as_bytes().and_then(|found| rel(cwd.as_bytes(), found));
        Ok(Some(relative.map_or(found, Value::from)))
    };
}
