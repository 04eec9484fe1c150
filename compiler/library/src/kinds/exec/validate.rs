//! Validation of `exec`, in the order of the checks. Resource spec, 9.14.

use crate::kinds::Want;
use crate::kinds::rules::ensure;

/// The signals that can stop a command.
static SIGNALS: &[&str] = &[
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

pub(super) fn validate(want: &Want) -> Result<(), String> {
    if !want.items("args").is_empty() {
        ensure(want.text("shell").is_empty(), "`args` cannot be used with `shell`")?;
        let one_word = want.effective("cmd").split_whitespace().count() <= 1;
        ensure(one_word, "`args` cannot be used when `cmd` has arguments: write them all in `args`, or all in `cmd`")?;
    }
    for (name, _) in want.map("env").iter() {
        let name = name.as_text().unwrap_or_default();
        ensure(is_variable(&name), format!("invalid variable name: `{name}`"))?;
    }
    let sig = want.text("sig");
    if !sig.is_empty() && !SIGNALS.contains(&&*sig) {
        return Err(bad_signal(&sig));
    }
    for path in want.texts("watchfiles") {
        ensure(path.starts_with('/'), format!("the path `{path}` in `watchfiles` must be absolute"))?;
    }
    let creates = want.text("creates");
    ensure(creates.is_empty() || creates.starts_with('/'), "`creates` must be an absolute path")?;
    for path in want.texts("mtimes") {
        ensure(path.starts_with('/'), format!("the path `{path}` in `mtimes` must be absolute"))?;
    }
    Ok(())
}

/// A letter or underscore, then letters, digits and underscores.
fn is_variable(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(word) && !name.as_bytes()[0].is_ascii_digit()
}

fn bad_signal(sig: &str) -> String {
    let upper = sig.to_ascii_uppercase();
    let near = [upper.clone(), format!("SIG{upper}")].into_iter().find(|name| SIGNALS.contains(&name.as_str()));
    let example = near.as_deref().unwrap_or("SIGTERM");
    format!("`sig` must be the name of a signal, such as `{example}`, not `{sig}`")
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;
    use crate::value::Value;

    fn exec() -> Draft {
        Draft::new("exec", "e")
    }

    #[test]
    fn args_need_a_bare_command() {
        exec().texts("args", &["a"]).text("shell", "/bin/sh").check("`args` cannot be used with `shell`");
        let twice = "`args` cannot be used when `cmd` has arguments: write them all in `args`, or all in `cmd`";
        exec().texts("args", &["a"]).text("cmd", "a b").check(twice);
        exec().texts("args", &[]).text("cmd", "a b").check("");
        Draft::new("exec", "   ").check("");
    }

    #[test]
    fn environment_and_signals() {
        let env = |name: &str| exec().set("env", Value::map([(name.into(), "".into())]));
        env("_A1").check("");
        env("1A").check("invalid variable name: `1A`");
        env("").check("invalid variable name: ``");
        exec().text("sig", "SIGINT").check("");
        exec().text("sig", "int").check("`sig` must be the name of a signal, such as `SIGINT`, not `int`");
        exec().text("sig", "SIGIOT").check("`sig` must be the name of a signal, such as `SIGTERM`, not `SIGIOT`");
    }
}
