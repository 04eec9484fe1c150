//! `deploy.readfile`, `readfileabs` and `file_exists`: read the program's own tree.

use super::path::{IN_PROGRAM, clean, in_module, not_absolute};
use crate::corelib::{CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static READFILE: FnDef = FnDef {
    path: "deploy.readfile",
    sig: Sig::Fixed("func(filename str) str"),
    doc: "Returns the content of a file of the program, relative to the directory of the calling module.",
    examples: &[
        Example { call: r#"deploy.readfile("/files/motd")"#, gives: r#""welcome\n""# },
        Example { call: r#"deploy.readfile("motd")"#, gives: "error: `motd` is not an absolute path" },
        Example { call: r#"deploy.readfile("/nope")"#, gives: "error: the program has no file `/nope`" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let name = args.text(0)?;
        if name.is_empty() {
            return Err(FnError::fatal("filename was not absolute, got: ``")
                .said("the path is empty")
                .help(IN_PROGRAM));
        }
        let path = in_module(args, "filename")?;
        let content = read(world, &path);
        let missing = || format!("can't read file `{name}` ({path}): open {path}: file does not exist");
        content.map(Some).ok_or_else(|| FnError::fatal(missing()).said(no_file(&path)))
    }),
};

pub(super) static READFILEABS: FnDef = FnDef {
    path: "deploy.readfileabs",
    sig: Sig::Fixed("func(filename str) str"),
    doc: "Returns the content of a file of the program, relative to the root of the program.",
    examples: &[
        Example { call: r#"deploy.readfileabs("/files/motd")"#, gives: r#""welcome\n""# },
        Example { call: r#"len(deploy.readfileabs("files/motd"))"#, gives: "8" },
        Example { call: r#"deploy.readfileabs("/nope")"#, gives: "error: the program has no file `/nope`" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let name = args.text(0)?;
        let missing = || format!("can't read file `{name}`: open {name}: file does not exist");
        read(world, &name).map(Some).ok_or_else(|| FnError::fatal(missing()).said(no_file(&name)))
    }),
};

pub(super) static EXISTS: FnDef = FnDef {
    path: "deploy.file_exists",
    sig: Sig::Fixed("func(filename str) bool"),
    doc: "Reports whether a file or directory of the program exists.\n\nThe path is relative to the root of the \
          program, not to the directory of the calling module.",
    examples: &[
        Example { call: r#"deploy.file_exists("/files/motd")"#, gives: "true" },
        Example { call: r#"deploy.file_exists("/files/")"#, gives: "true" },
        Example { call: r#"deploy.file_exists("/nope")"#, gives: "false" },
        Example { call: r#"deploy.file_exists("x")"#, gives: "error: `x` is not an absolute path" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let name = args.text(0)?;
        if !name.starts_with('/') {
            return Err(not_absolute("filename", &name));
        }
        let path = clean(&name);
        let directory = if path == "/" { path.clone() } else { format!("{path}/") };
        let is_file = !name.ends_with('/') && world.file(&path).is_some();
        Ok(Some(Value::Bool(is_file || world.dir(&directory).is_some())))
    }),
};

fn no_file(path: &str) -> String {
    format!("the program has no file `{path}`")
}

fn read(world: &mut dyn CallContext, path: &str) -> Option<Value> {
    world.file(&clean(path)).map(Value::Str)
}
