//! `os.file_exists` and `os.readfile`: watched files of the host.

use super::family::exists;
use crate::corelib::facts::known;
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, HostErrorKind, file};

pub(super) static EXISTS: FnDef = FnDef {
    path: "os.file_exists",
    sig: Sig::Fixed("func(filename str) bool"),
    doc: "Reports whether a file or directory exists on the host, updated when it is created or removed.",
    examples: &[
        Example { call: r#"os.file_exists("/etc/os-release")"#, gives: "true" },
        Example { call: r#"os.file_exists("/nope")"#, gives: "false" },
        Example {
            call: r#"os.file_exists("/etc/os-release/x")"#,
            gives: "error: stat /etc/os-release/x: not a directory",
        },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| Ok(Some(Value::Bool(known!(exists(world, &args.text(0)?)))))),
};

pub(super) static READFILE: FnDef = FnDef {
    path: "os.readfile",
    sig: Sig::Fixed("func(filename str) str"),
    doc: "Returns the content of a file on the host, updated whenever it changes.\n\nA missing file is an error, which \
          `<|>` can catch. Once the file exists, its content is returned.",
    examples: &[
        Example { call: r#"len(os.readfile("/etc/os-release"))"#, gives: "26" },
        Example {
            call: r#"os.readfile("/nope")"#,
            gives: "error: error reading file: open /nope: no such file or directory",
        },
        Example { call: r#"os.readfile("/nope") <|> "none""#, gives: r#""none""# },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(readfile),
};

fn readfile(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    match world.fact(&FactSpec::File(file::Fact::Content { path: args.text(0)?.into_owned() })) {
        None => Ok(None),
        Some(Ok(content)) => Ok(Some(Value::from(&content))),
        Some(Err(error)) => {
            let catchable = error.kind == HostErrorKind::NotFound;
            let error = FnError::fatal(format!("error reading file: {}", error.message));
            Err(FnError { catchable, ..error })
        }
    }
}
