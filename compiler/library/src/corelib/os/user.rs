//! `os.home`, `uid`, `user_exists` and `expand_home`: the user database.

use crate::corelib::facts::{ask_optional, int_field, known, text_field};
use crate::corelib::paths::clean_keep_slash;
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, account};

pub(super) static HOME: FnDef = FnDef {
    path: "os.home",
    sig: Sig::Fixed("func(str) str"),
    doc: "Returns the home directory of a user, with a trailing slash.",
    examples: &[
        Example { call: r#"os.home("alice")"#, gives: r#""/home/alice/""# },
        Example { call: r#"os.home("root")"#, gives: r#""/root/""# },
        Example { call: r#"os.home("nope")"#, gives: "error: user: unknown user nope" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let name = args.text(0)?;
        let user = known!(named(world, &name)).ok_or_else(|| unknown(&name))?;
        let home = text_field(&user, "home");
        Ok(Some(Value::from(if home.ends_with('/') { home } else { home + "/" })))
    }),
};

pub(super) static UID: FnDef = FnDef {
    path: "os.uid",
    sig: Sig::Fixed("func(str) str"),
    doc: "Returns the uid of a user, as a string.",
    examples: &[
        Example { call: r#"os.uid("alice")"#, gives: r#""1000""# },
        Example { call: r#"os.uid("root")"#, gives: r#""0""# },
        Example { call: r#"os.uid("nope")"#, gives: "error: user: unknown user nope" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let name = args.text(0)?;
        let user = known!(named(world, &name)).ok_or_else(|| unknown(&name))?;
        Ok(Some(Value::from(int_field(&user, "uid").to_string())))
    }),
};

pub(super) static EXISTS: FnDef = FnDef {
    path: "os.user_exists",
    sig: Sig::Fixed("func(user str) bool"),
    doc: "Reports whether a user exists on this host, updated when the user database changes.",
    examples: &[
        Example { call: r#"os.user_exists("alice")"#, gives: "true" },
        Example { call: r#"os.user_exists("nope")"#, gives: "false" },
        Example { call: r#"os.user_exists("")"#, gives: "false" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        let fail = |error: FnError| FnError::fatal(format!("unexpected error in os.user_exists: {}", error.message));
        let user = named(world, &args.text(0)?).map_err(fail);
        Ok(Some(Value::Bool(known!(user).is_some())))
    }),
};

pub(super) static EXPAND_HOME: FnDef = FnDef {
    path: "os.expand_home",
    sig: Sig::Fixed("func(str) str"),
    doc: "Expands `~/` and `~name/` at the start of a path to a home directory.",
    examples: &[
        Example { call: r#"os.expand_home("~/a/../b/")"#, gives: r#""/root/b/""# },
        Example { call: r#"os.expand_home("~alice/x")"#, gives: r#""/home/alice/x""# },
        Example { call: r#"os.expand_home("~")"#, gives: r#""~""# },
        Example { call: r#"os.expand_home("~nope/x")"#, gives: "error: can't expand ~nope/ into home directory" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(expand_home),
};

fn expand_home(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let path = args.text(0)?;
    let Some((name, rest)) = path.strip_prefix('~').and_then(|path| path.split_once('/')) else {
        return Ok(Some(args.values[0].clone()));
    };
    let shown = if name.is_empty() { "~".into() } else { format!("~{name}/") };
    let unknown = || FnError::fatal(format!("can't expand {shown} into home directory"));
    let user = known!(
        ask_optional(world, &FactSpec::Account(account::Fact::User { name: name.into() })).map_err(|_| unknown())
    );
    let home = text_field(&user.ok_or_else(unknown)?, "home");
    Ok(Some(Value::from(clean_keep_slash(&format!("{home}/{rest}")))))
}

/// A user by name; the empty name belongs to no user.
fn named(world: &mut dyn CallContext, name: &str) -> Result<Option<Option<Value>>, FnError> {
    if name.is_empty() {
        return Ok(Some(None));
    }
    ask_optional(world, &FactSpec::Account(account::Fact::User { name: name.into() }))
}

fn unknown(name: &str) -> FnError {
    FnError::fatal(format!("user: unknown user {name}")).said(format!("cannot find user `{name}`"))
}
