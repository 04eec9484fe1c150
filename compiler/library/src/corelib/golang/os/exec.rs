//! Module `golang/os/exec`: finds programs. Functions spec, 11.5.

use super::go_readers;
use crate::corelib::facts::{ask, ask_optional, int_field, known, text_field};
use crate::corelib::{Args, CallContext, FnError};
use crate::value::{Value, quote};
use crate::vocab::{FactSpec, file, program};

go_readers! {
    LOOK_PATH "golang/os/exec.look_path" "func(file str) str"
    "Returns the path of an executable. A name without a slash is looked up in `PATH`."
    [
        r#"exec.look_path("/bin/sh")"# => r#""/bin/sh""#,
        r#"exec.look_path("nope")"# => "error: exec: \"nope\": executable file not found in $PATH",
        r#"exec.look_path("/etc/nope")"# => "error: exec: \"/etc/nope\": stat /etc/nope: no such file or directory",
        r#"exec.look_path("/etc/os-release")"# => "error: exec: \"/etc/os-release\": permission denied",
    ]
    look_path;
}

fn look_path(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let name = args.text(0)?.into_owned();
    let fail = |why: String| FnError::fatal(format!("exec: {}: {why}", quote(name.as_bytes())));
    if name.contains('/') {
        return match known!(check(world, &name)) {
            Ok(()) => Ok(Some(Value::from(name))),
            Err(why) => Err(fail(why)),
        };
    }
    let path = known!(ask_optional(world, &FactSpec::Program(program::Fact::Env { name: "PATH".into() })));
    let path = path.and_then(|path| Some(path.as_text()?.into_owned())).unwrap_or_default();
    for dir in path.split(':').filter(|_| !name.is_empty()) {
        let file = format!("{}/{name}", if dir.is_empty() { "." } else { dir.trim_end_matches('/') });
        if known!(check(world, &file)).is_ok() {
            return Ok(Some(Value::from(file)));
        }
    }
    Err(fail("executable file not found in $PATH".into()))
}

/// Whether there is an executable file at a path; `Err` says why not.
fn check(world: &mut dyn CallContext, path: &str) -> Result<Option<Result<(), String>>, FnError> {
    let state = match ask(world, &FactSpec::File(file::Fact::State { path: path.into() })) {
        Ok(None) => return Ok(None),
        Ok(Some(state)) => state,
        Err(error) => return Ok(Some(Err(error.message))),
    };
    Ok(Some(match &*text_field(&state, "kind") {
        "" => Err(format!("stat {path}: no such file or directory")),
        "dir" => Err("is a directory".into()),
        _ if int_field(&state, "mode") & 0o111 == 0 => Err("permission denied".into()),
        _ => Ok(()),
    }))
}
