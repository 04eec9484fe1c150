//! The environment, and directories derived from it.

use super::go_readers;
use crate::corelib::facts::{ask_optional, known};
use crate::corelib::{Args, CallContext, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, program};

go_readers! {
    GETENV "golang/os.getenv" "func(key str) str" "Returns an environment variable; empty if it is not set."
    [r#"os.getenv("HOME")"# => r#""/root""#, r#"os.getenv("NOPE")"# => r#""""#, r#"os.getenv("EMPTY")"# => r#""""#]
    |world, args| Ok(Some(Value::from(known!(variable(world, &args.text(0)?)))));

    EXPAND_ENV "golang/os.expand_env" "func(s str) str"
    "Replaces `$name` and `${name}` with environment variables; empty for those that are not set."
    [r#"os.expand_env("a $HOME $NOPE.")"# => r#""a /root .""#, r#"os.expand_env("100$ $")"# => r#""100$ $""#, r#"os.expand_env("\${HOME}x$1y\${")"# => r#""/rootxy""#]
    expand_env;

    TEMP_DIR "golang/os.temp_dir" "func() str" "Returns the directory for temporary files."
    ["os.temp_dir()" => r#""/tmp""#, r#"os.temp_dir() + "/a""# => r#""/tmp/a""#, "len(os.temp_dir())" => "4"]
    |world, _| {
        let set = known!(variable(world, "TMPDIR"));
        Ok(Some(if set.is_empty() { Value::str("/tmp") } else { Value::from(set) }))
    };

    USER_CACHE_DIR "golang/os.user_cache_dir" "func() str" "Returns the user's cache directory."
    ["os.user_cache_dir()" => r#""/root/.cache""#, r#"os.user_cache_dir() + "/a""# => r#""/root/.cache/a""#, "len(os.user_cache_dir())" => "12"]
    |world, _| user_dir(world, "XDG_CACHE_HOME", "/.cache");

    USER_CONFIG_DIR "golang/os.user_config_dir" "func() str" "Returns the user's configuration directory."
    ["os.user_config_dir()" => r#""/root/.config""#, r#"os.user_config_dir() + "/a""# => r#""/root/.config/a""#, "len(os.user_config_dir())" => "13"]
    |world, _| user_dir(world, "XDG_CONFIG_HOME", "/.config");

    USER_HOME_DIR "golang/os.user_home_dir" "func() str" "Returns the user's home directory."
    ["os.user_home_dir()" => r#""/root""#, r#"os.user_home_dir() + "/a""# => r#""/root/a""#, "len(os.user_home_dir())" => "5"]
    |world, _| {
        let home = known!(variable(world, "HOME"));
        if home.is_empty() { Err(FnError::fatal("$HOME is not defined")) } else { Ok(Some(Value::from(home))) }
    };
}

fn variable(world: &mut dyn CallContext, name: &str) -> Result<Option<Vec<u8>>, FnError> {
    let value = known!(ask_optional(world, &FactSpec::Program(program::Fact::Env { name: name.into() })));
    Ok(Some(value.and_then(|value| Some(value.as_bytes()?.to_vec())).unwrap_or_default()))
}

fn user_dir(world: &mut dyn CallContext, name: &str, below_home: &str) -> Result<Option<Value>, FnError> {
    let set = known!(variable(world, name));
    if !set.is_empty() {
        let is_absolute = set.starts_with(b"/");
        let relative = || FnError::fatal(format!("path in ${name} is relative"));
        return if is_absolute { Ok(Some(Value::from(set))) } else { Err(relative()) };
    }
    let home = known!(variable(world, "HOME"));
    if home.is_empty() {
        return Err(FnError::fatal(format!("neither ${name} nor $HOME are defined")));
    }
    Ok(Some(Value::from([&*home, below_home.as_bytes()].concat())))
}

fn expand_env(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let mut rest = args.bytes(0)?;
    let (mut out, mut complete) = (Vec::new(), true);
    while let Some(at) = rest.iter().position(|byte| *byte == b'$') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let (name, len) = name(rest);
        match name {
            Some(name) => match variable(world, &String::from_utf8_lossy(name))? {
                Some(value) => out.extend(value),
                // The other variables are requested as well, so that all arrive at once.
                None => complete = false,
            },
            None if len == 0 => out.push(b'$'),
            None => {}
        }
        rest = &rest[len..];
    }
    out.extend_from_slice(rest);
    Ok(complete.then(|| Value::from(out)))
}

/// The name after a dollar sign, and its length in bytes; no name and a non-zero length is invalid syntax to be
/// dropped.
fn name(rest: &[u8]) -> (Option<&[u8]>, usize) {
    let is_special = |byte: &u8| b"*#$@!?-".contains(byte) || byte.is_ascii_digit();
    match rest {
        [b'{', special, b'}', ..] if is_special(special) => (Some(&rest[1..2]), 3),
        [b'{', ..] => match rest.iter().position(|byte| *byte == b'}') {
            Some(1) => (None, 2),
            Some(end) => (Some(&rest[1..end]), end + 1),
            None => (None, 1),
        },
        [special, ..] if is_special(special) => (Some(&rest[..1]), 1),
        _ => {
            let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            ((len > 0).then(|| &rest[..len]), len)
        }
    }
}
