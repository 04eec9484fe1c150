//! `local.vardir`: a persistent directory.

use crate::corelib::facts::ask;
use crate::corelib::paths::clean;
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, local};

pub(super) static DEF: FnDef = FnDef {
    path: "local.vardir",
    sig: Sig::Fixed("func(path str) str"),
    doc: "Creates a private, persistent directory and returns its absolute path.\n\nThe argument is a relative path \
          that ends with a slash.",
    examples: &[
        Example { call: r#"local.vardir("cache/")"#, gives: r#""/var/lib/mclive/vardir/functions/cache/""# },
        Example { call: r#"local.vardir("/cache/")"#, gives: "error: path must be relative" },
        Example { call: r#"local.vardir("cache")"#, gives: "error: path must be a dir" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let path = args.text(0)?;
    if path.starts_with('/') {
        return Err(FnError::fatal("path must be relative"));
    }
    if !path.ends_with('/') {
        return Err(FnError::fatal("path must be a dir"));
    }
    // Cleaned as if below a root, so that no path leads out of the directory.
    let inside = String::from_utf8_lossy(&clean(format!("/{path}").as_bytes())[1..]).into_owned();
    ask(world, &FactSpec::Local(local::Fact::Dir { path: if inside.is_empty() { inside } else { inside + "/" } }))
}
