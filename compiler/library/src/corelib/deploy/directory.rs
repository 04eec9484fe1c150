//! `deploy.directory`: a directory of the program, as a directory of the host.

use super::path::{in_module, not_absolute};
use crate::corelib::facts::ask;
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, local};

pub(super) static DEF: FnDef = FnDef {
    path: "deploy.directory",
    sig: Sig::Fixed("func(directory str) str"),
    doc: "Copies a directory of the program to the host and returns the path of the copy.\n\nThe argument begins and \
          ends with a slash and is relative to the directory of the calling module. Files that are no longer in the \
          program are removed from the copy.",
    examples: &[
        Example { call: r#"deploy.directory("/files/")"#, gives: r#""/var/lib/mclive/vardir/directory/files/""# },
        Example { call: r#"deploy.directory("files/")"#, gives: "error: `files/` is not an absolute path" },
        Example { call: r#"deploy.directory("/files")"#, gives: "error: `/files` is not the path of a directory" },
        Example { call: r#"deploy.directory("/nope/")"#, gives: "error: the program has no directory `/nope/`" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let directory = args.text(0)?;
    if !directory.starts_with('/') {
        return Err(not_absolute("directory", &directory));
    }
    if !directory.ends_with('/') {
        let said = format!("`{directory}` is not the path of a directory");
        let help = format!("end it with a slash: `{directory}/`");
        return Err(FnError::fatal("directory path must be a dir").said(said).help(help));
    }
    if directory == "//" {
        return Err(FnError::fatal("path can't be two slashes"));
    }
    let path = in_module(args, "directory")?;
    let cannot = |why: &str| FnError::fatal(format!("can't sync dir `{directory}` ({path}): {why}"));
    let missing = || cannot("file does not exist").said(format!("the program has no directory `{path}`"));
    let names = world.dir(&path).ok_or_else(missing)?;
    let mut files = Vec::with_capacity(names.len());
    for name in names {
        let content = world.file(&format!("{path}{name}")).ok_or_else(|| cannot("file does not exist"))?;
        files.push((name, content.to_vec()));
    }
    ask(world, &FactSpec::Local(local::Fact::Tree { path: on_host(&path), files }))
        .map_err(|error| cannot(&error.message))
}

/// The path of the copy. Files above the main program have `..` in their path: the copy may not leave its place.
fn on_host(path: &str) -> String {
    let parts = path.split('/').map(|part| if part == ".." { "..." } else { part });
    parts.collect::<Vec<_>>().join("/")
}
