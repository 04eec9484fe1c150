//! Shell syntax in the `args` of an `exec`. Resource spec, 9.14: they are the words after the command, and cannot be
//! combined with a shell.

use super::commands;

/// Programs that run scripts, or for which such an argument is data, a pattern or a separator.
const TAKE_SIGNS: [&str; 58] = [
    "[", "at", "aws", "awk", "bc", "column", "cut", "dc", "dialog", "dpkg", "egrep", "envsubst", "expr", "fd",
    "fdfind", "fgrep", "find", "flock", "gawk", "gdb", "git", "gmake", "grep", "join", "jq", "lua", "make", "mariadb",
    "mawk", "mongo", "mongosh", "mysql", "nft", "node", "parallel", "paste", "perl", "php", "psql", "python",
    "python3", "rg", "ruby", "screen", "script", "sed", "sort", "split", "sqlite3", "ssh", "tcpdump", "test", "tmux",
    "tr", "tshark", "watch", "whiptail", "yq",
];

/// Programs whose argument is a command for a shell, and shells.
const SHELLS: [&str; 9] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "su", "runuser"];

/// The first argument that only a shell understands: its index, and the sign in it. An argument that is not known is
/// `None`.
pub(super) fn sign<'t>(command: &str, args: &[Option<&'t str>]) -> Option<(usize, &'t str)> {
    let program = name(command);
    let takes_signs = |word: &str| TAKE_SIGNS.contains(&name(word));
    // Also in `sudo bash -c …`.
    let is_shell = |word: &str| SHELLS.contains(&name(word));
    if takes_signs(program) || is_shell(command) || args.iter().flatten().any(|word| is_shell(word)) {
        return None;
    }
    let is_wrapper = commands::WRAPPERS.contains(&program);
    let mut before = "";
    for (at, arg) in args.iter().enumerate() {
        let Some(word) = *arg else { continue };
        if is_wrapper && takes_signs(word) {
            return None;
        }
        if let Some(sign) = sign_in(program, before, word) {
            return Some((at, sign));
        }
        before = word;
    }
    None
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Quiet where an argument may be meant as it is: a text with whitespace or quotes, a separator, a pattern for names that
/// are not files, a password with a dollar sign.
fn sign_in<'w>(program: &str, before: &str, word: &'w str) -> Option<&'w str> {
    if word.starts_with("$(") && word.ends_with(')') {
        return Some("$(…)");
    }
    let is_text = word.contains(char::is_whitespace) || word.starts_with(['\'', '"']);
    if is_text || word.ends_with(';') || word == "*" {
        return None;
    }
    commands::sign(word, false).filter(|sign| match *sign {
        "`" => word.starts_with('`'),
        name if name.starts_with('$') && name != "$(…)" => {
            word.split_once(name).is_some_and(|(ahead, _)| ahead.is_empty() || ahead.ends_with(['=', ':']))
        }
        sign => !commands::is_literal(sign, program, before, word),
    })
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
        assert_eq!(found("/bin/cat", &["/etc/passwd", "|", "grep", "root"]), Some((1, "|")));
        assert_eq!(found("/usr/bin/sudo", &["ls", "|", "grep", "a"]), Some((1, "|")));
        assert_eq!(found("/bin/echo", &["a", ">", "/tmp/a"]), Some((1, ">")));
        assert_eq!(found("/bin/echo", &["a", ">/tmp/a"]), Some((1, ">")));
        assert_eq!(found("/usr/bin/apt-get", &["update", "&&", "apt-get"]), Some((1, "&&")));
        assert_eq!(found("/bin/rm", &["-f", "/tmp/*.log"]), Some((1, "*")));
        assert_eq!(found("/bin/echo", &["$(uname -r)"]), Some((0, "$(…)")));
        assert_eq!(found("/usr/bin/docker", &["run", "-e", "A=$(hostname)", "b"]), Some((2, "$(…)")));
        assert_eq!(found("/bin/cp", &["~/a", "$HOME/b"]), Some((0, "~")));
        assert_eq!(found("/bin/tar", &["--file=$HOME/b"]), Some((0, "$HOME")));
        assert_eq!(sign("/bin/ls", &[None, Some("&")]), Some((1, "&")));
    }

    #[test]
    fn arguments_that_may_be_meant_as_they_are() {
        let cases: [(&str, &[&str]); 23] = [
            ("/bin/sh", &["-c", "ls | wc"]),
            ("/usr/bin/sudo", &["bash", "-c", "a", "|"]),
            ("/usr/bin/cut", &["-d", "|", "/etc/motd"]),
            ("/bin/grep", &["|", "/etc/motd"]),
            ("/usr/bin/find", &["/tmp", "-exec", "rm", "{}", ";"]),
            ("/usr/bin/rsync", &["--exclude", "*.o", "/a/", "/b/"]),
            ("/usr/bin/logger", &["a > b", "'quoted'", "end;"]),
            ("/usr/bin/curl", &["https://example.com/?a=1&b=2"]),
            ("/usr/bin/sudo", &["-u", "bob", "find", "/tmp", "-exec", "rm", "{}", ";"]),
            ("/usr/bin/timeout", &["10", "grep", "|", "/etc/motd"]),
            ("/usr/sbin/nft", &["add", "rule", "inet", "a", "b", "tcp", "dport", ">", "1024"]),
            ("/usr/sbin/tc", &["a", ";", "b"]),
            ("/bin/su", &["-", "bob", "-c", "~/bin/start"]),
            ("/sbin/runuser", &["-l", "bob", "-c", "$HOME/bin/start"]),
            ("/usr/bin/dnf", &["--disablerepo", "*", "update"]),
            ("/usr/bin/curl", &["--noproxy", "*", "https://example.com/"]),
            ("/usr/bin/wget", &["-r", "-A", "*.jpg", "--reject", "*.html", "https://example.com/"]),
            ("/bin/tar", &["-xf", "a.tar", "--wildcards", "*.txt"]),
            ("/usr/bin/htpasswd", &["-b", "/etc/users", "bob", "p$SECRET"]),
            ("/usr/bin/envsubst", &["$HOST"]),
            ("/usr/bin/make", &["CFLAGS=$(EXTRA)"]),
            ("/usr/bin/jmespath", &["a[?b==`x`]"]),
            ("/usr/bin/certbot", &["-d", "*.example.com"]),
        ];
        for (command, args) in cases {
            assert_eq!(found(command, args), None, "{command} {args:?}");
        }
    }
}
