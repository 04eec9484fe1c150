//! Shell syntax in the `args` of an `exec`. Resource spec, 9.14: they are the words after the command, and exclude a
//! shell.

use super::commands;

/// Programs that run scripts, or for which such an argument is data or a pattern.
const TAKE_SIGNS: [&str; 36] = [
    "[", "at", "awk", "column", "cut", "dpkg", "egrep", "expr", "fgrep", "find", "gawk", "git", "grep", "join", "jq",
    "lua", "mariadb", "mawk", "mysql", "node", "paste", "perl", "php", "psql", "python", "python3", "rg", "ruby",
    "sed", "sort", "split", "sqlite3", "ssh", "test", "tr", "yq",
];

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "fish"];

/// The first argument that only a shell understands: its index, and the sign in it. An argument that is not known is
/// `None`.
pub(super) fn sign<'t>(command: &str, args: &[Option<&'t str>]) -> Option<(usize, &'t str)> {
    let program = name(command);
    // Also in `sudo bash -c …`.
    let is_shell = |word: &str| SHELLS.contains(&name(word));
    if TAKE_SIGNS.contains(&program) || is_shell(command) || args.iter().flatten().any(|word| is_shell(word)) {
        return None;
    }
    let mut before = "";
    args.iter().enumerate().find_map(|(at, arg)| {
        let word = (*arg)?;
        let sign = sign_in(program, before, word);
        before = word;
        sign.map(|sign| (at, sign))
    })
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Quiet where an argument may be a text: with whitespace, with quotes, or that ends with a semicolon.
fn sign_in<'w>(program: &str, before: &str, word: &'w str) -> Option<&'w str> {
    if word.starts_with("$(") && word.ends_with(')') {
        return Some("$(…)");
    }
    let is_text = word.contains(char::is_whitespace) || word.starts_with(['\'', '"']);
    if is_text || word.len() > 1 && word.ends_with(';') {
        return None;
    }
    commands::sign(word, false).filter(|sign| !commands::is_literal(sign, program, before, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(command: &str, args: &[&'t str]) -> Option<(usize, &'t str)> {
        let args: Vec<Option<&str>> = args.iter().map(|arg| Some(*arg)).collect();
        sign(command, &args)
    }

    #[test]
    fn arguments_that_only_a_shell_understands() {
        assert_eq!(found("/bin/ls", &["/tmp", "|", "wc"]), Some((1, "|")));
        assert_eq!(found("/bin/echo", &["a", ">", "/tmp/a"]), Some((1, ">")));
        assert_eq!(found("/bin/echo", &["a", ">/tmp/a"]), Some((1, ">")));
        assert_eq!(found("/usr/bin/apt-get", &["update", "&&", "apt-get"]), Some((1, "&&")));
        assert_eq!(found("/bin/rm", &["-f", "/tmp/*.log"]), Some((1, "*")));
        assert_eq!(found("/bin/echo", &["$(uname -r)"]), Some((0, "$(…)")));
        assert_eq!(found("/bin/cp", &["~/a", "$HOME/b"]), Some((0, "~")));
        assert_eq!(sign("/bin/ls", &[None, Some("&")]), Some((1, "&")));
    }

    #[test]
    fn arguments_that_may_be_meant_as_they_are() {
        let cases: [(&str, &[&str]); 8] = [
            ("/bin/sh", &["-c", "ls | wc"]),
            ("/usr/bin/sudo", &["bash", "-c", "a", "|"]),
            ("/usr/bin/cut", &["-d", "|", "/etc/motd"]),
            ("/bin/grep", &["|", "/etc/motd"]),
            ("/usr/bin/find", &["/tmp", "-exec", "rm", "{}", ";"]),
            ("/usr/bin/rsync", &["--exclude", "*.o", "/a/", "/b/"]),
            ("/usr/bin/logger", &["a > b", "'quoted'", "end;"]),
            ("/usr/bin/curl", &["https://example.com/?a=1&b=2"]),
        ];
        for (command, args) in cases {
            assert_eq!(found(command, args), None, "{command}");
        }
    }
}
