//! Files of the host.

use super::go_readers;
use crate::corelib::facts::{ask, bool_field, known};
use crate::corelib::{Args, CallContext, CallState, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, file};

go_readers! {
    READ_FILE "golang/os.read_file" "func(name str) str" "Returns the content of a file on the host."
    [
        r#"len(os.read_file("/etc/os-release"))"# => "26",
        r#"os.read_file("/etc")"# => "error: read /etc: is a directory",
        r#"os.read_file("/nope")"# => "error: open /nope: no such file or directory",
    ]
    |world, args| ask(world, &FactSpec::File(file::Fact::Content { path: args.text(0)?.into_owned() }));

    READLINK "golang/os.readlink" "func(name str) str" "Returns the target of a symbolic link on the host."
    [
        r#"os.readlink("/bin")"# => r#""usr/bin""#,
        r#"os.readlink("/etc")"# => "error: readlink /etc: invalid argument",
        r#"os.readlink("/nope")"# => "error: readlink /nope: no such file or directory",
    ]
    |world, args| ask(world, &FactSpec::File(file::Fact::LinkTarget { path: args.text(0)?.into_owned() }));

    MKDIR_TEMP "golang/os.mkdir_temp" "func(dir str, pattern str) str"
    "Creates a directory inside another one. The last `*` in the pattern is replaced with random digits."
    [
        r#"os.mkdir_temp("", "a*b")"# => r#""/tmp/a123b""#,
        r#"os.mkdir_temp("/tmp", "a/b")"# => "error: mkdirtemp a/b: pattern contains path separator",
        r#"os.mkdir_temp("/nope", "a")"# => "error: stat /nope: no such file or directory",
    ]
    mkdir_temp;
}

fn mkdir_temp(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let (dir, pattern) = (args.text(0)?.into_owned(), args.text(1)?.into_owned());
    if pattern.contains('/') {
        return Err(FnError::fatal(format!("mkdirtemp {pattern}: pattern contains path separator")));
    }
    if !dir.is_empty() {
        let state = known!(ask(world, &FactSpec::File(file::Fact::State { path: dir.clone() })));
        if !bool_field(&state, "exists") {
            return Err(FnError::fatal(format!("stat {dir}: no such file or directory")));
        }
    }
    // One directory per vertex and arguments, however often it is evaluated.
    let known = world.state().as_ref().and_then(CallState::get::<(String, String, u64)>);
    let nonce = match known.filter(|known| known.0 == dir && known.1 == pattern) {
        Some(known) => known.2,
        None => world.nonce(),
    };
    *world.state() = Some(CallState::new((dir.clone(), pattern.clone(), nonce)));
    ask(world, &FactSpec::File(file::Fact::TempDir { dir, pattern, nonce }))
}
