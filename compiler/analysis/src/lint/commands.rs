//! Commands with shell syntax in a field that runs without a shell. Resource spec, 9.14: without a shell a command is
//! split on white space; quotes and operators have no meaning.

/// The command fields of an `exec`, each with the field for its shell.
pub(super) const FIELDS: [(&str, &str); 5] = [
    ("cmd", "shell"),
    ("watchcmd", "watchshell"),
    ("ifcmd", "ifshell"),
    ("nifcmd", "nifshell"),
    ("donecmd", "doneshell"),
];

/// Why a command does not run, or not as intended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Problem {
    /// A shell operator; the command gets it as an argument.
    Sign(String),
    /// The first word is a shell builtin: there is no such program.
    Builtin(String),
    /// `NAME=value` before the command.
    Assignment(String),
    /// No program can have such a name.
    NoCommand(String),
    /// Only whitespace.
    Blank,
}

impl Problem {
    /// Whether a shell would help.
    pub(super) fn needs_shell(&self) -> bool {
        match self {
            Problem::Sign(_) | Problem::Builtin(_) | Problem::Assignment(_) => true,
            Problem::NoCommand(word) => word.starts_with(['(', '{']),
            Problem::Blank => false,
        }
    }
}

/// Shell builtins, except those that also exist as programs (`echo`, `test`, `kill`, `true`).
const BUILTINS: [&str; 31] = [
    "!", ".", ":", "[[", "alias", "break", "case", "cd", "continue", "declare", "eval", "exec", "exit", "export",
    "for", "if", "let", "local", "popd", "pushd", "return", "set", "shift", "shopt", "source", "trap", "ulimit",
    "umask", "unset", "until", "while",
];

/// Quiet where a word may be literal: `find -name *.log`, `grep a|b`, an address with `?`.
pub(super) fn problem(command: &str) -> Option<Problem> {
    let mut words = command.split_whitespace();
    let Some(first) = words.next() else {
        // An empty field counts as unset.
        return (!command.is_empty()).then_some(Problem::Blank);
    };
    if BUILTINS.contains(&first) {
        return Some(Problem::Builtin(first.to_owned()));
    }
    if is_assignment(first) {
        return Some(Problem::Assignment(first.to_owned()));
    }
    let program = first.rsplit('/').next().unwrap_or(first);
    // `find` has its own `;`, also in `sudo find … -exec rm {} ;`.
    let is_find = program == "find"
        || WRAPPERS.contains(&program)
            && command.split_whitespace().any(|word| word == "find" || word.ends_with("/find"));
    let mut before = "";
    for word in command.split_whitespace() {
        let found = sign(word, is_find).filter(|sign| !is_literal(sign, program, before, word));
        if let Some(sign) = found {
            return Some(Problem::Sign(sign.to_owned()));
        }
        before = word;
    }
    let is_no_name = first.starts_with(['-', '#', '(', '{', ')', '}', '=']) || first.ends_with('/');
    is_no_name.then(|| Problem::NoCommand(first.to_owned()))
}

/// Programs that run the program among their arguments.
pub(super) const WRAPPERS: [&str; 21] = [
    "chroot", "chronic", "chrt", "docker", "doas", "env", "ionice", "ip", "kubectl", "nice", "nohup", "nsenter",
    "podman", "setpriv", "setsid", "stdbuf", "sudo", "taskset", "timeout", "unshare", "xargs",
];

/// Programs that match patterns or multiply themselves.
const PATTERNS: [&str; 11] =
    ["git", "expr", "rg", "fd", "locate", "plocate", "unzip", "7z", "apt-file", "salt", "xmllint"];

/// Options whose argument is a pattern: `--exclude *.o`, `zip -x *.log`, `dnf --disablerepo *`.
const OF_PATTERNS: [&str; 11] =
    ["exclude", "include", "name", "glob", "filter", "pattern", "wildcard", "accept", "reject", "repo", "noproxy"];

/// Whether a sign may be meant for the program: `rsync --exclude *.o`, `expr 2 * 3`, `psql -c ANALYZE;`, `grep </body>`.
pub(super) fn is_literal(sign: &str, program: &str, before: &str, word: &str) -> bool {
    let is_option = before.starts_with('-');
    match sign {
        "*" => {
            let is_of_pattern = OF_PATTERNS.iter().any(|name| before.contains(name))
                || matches!(before, "-x" | "-g")
                || program == "wget" && matches!(before, "-A" | "-R");
            PATTERNS.contains(&program) || is_option && is_of_pattern
        }
        ";" if word == ";" => matches!(program, "nft" | "tmux"),
        ";" => matches!(before, "-c" | "-e" | "--command" | "--execute"),
        "<" => word.starts_with("</") && word.ends_with('>'),
        ">" => word.starts_with(">="),
        _ => false,
    }
}

/// `NAME=…`; a path may contain `=` too.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(is_word) && !name.as_bytes()[0].is_ascii_digit()
    })
}

/// The shell operator in a word.
pub(super) fn sign(word: &str, is_find: bool) -> Option<&str> {
    if matches!(word, "|" | "||" | "&&" | "&" | ">" | ">>" | "<" | "<<" | "|&") || word == ";" && !is_find {
        return Some(word);
    }
    if word.contains("$(") {
        return Some("$(…)");
    }
    if word.contains('`') {
        return Some("`");
    }
    if let Some(name) = environment(word).filter(|_| !word.contains('{')) {
        return Some(name);
    }
    let redirected = word.trim_start_matches(['1', '2', '&']);
    if redirected.len() > 1 && redirected.starts_with('>') || word.starts_with("</") {
        return Some(&word[..word.len() - redirected.len() + 1]);
    }
    if word == "~" || word.starts_with("~/") {
        return Some("~");
    }
    if word.starts_with(['\'', '"']) {
        return Some(&word[..1]);
    }
    if word.len() > 1 && word.ends_with(';') && !word.ends_with("\\;") {
        return Some(";");
    }
    let is_path = word == "*" || ["/", "./", "../", "*."].iter().any(|start| word.starts_with(start));
    (is_path && word.contains('*') && !is_find && !is_any_host(word)).then_some("*")
}

/// Any host of a domain, as in the names of certificates: `*.example.com`, `/CN=*.example.com`.
fn is_any_host(word: &str) -> bool {
    word.split_once("*.").is_some_and(|(ahead, domain)| {
        (ahead.is_empty() || ahead.ends_with('=')) && domain.contains('.') && !domain.starts_with("tar.")
    })
}

/// `$HOME` in a word. Other names after a `$` may be meant for the program, as in `awk`.
fn environment(word: &str) -> Option<&str> {
    let (at, _) =
        word.match_indices('$').find(|(at, _)| word[at + 1..].starts_with(|c: char| c.is_ascii_uppercase()))?;
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let len = word[at + 1..].find(|c: char| !is_name(c)).unwrap_or(word.len() - at - 1);
    (len > 1).then(|| &word[at..=at + len])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_shell_understands() {
        for (command, expected) in [
            ("ps aux | wc -l", "|"),
            ("/bin/echo a > /tmp/a", ">"),
            ("/bin/echo a >/tmp/a", ">"),
            ("make 2>&1", "2>"),
            ("sort </tmp/a", "<"),
            ("true && false", "&&"),
            ("touch /tmp/$(hostname)", "$(…)"),
            ("ls ~/bin", "~"),
            ("cp /etc/motd $HOME/motd", "$HOME"),
            ("rm -f /tmp/*.log", "*"),
            ("sh -c 'echo a'", "'"),
            ("make; make install", ";"),
            ("make install;", ";"),
            ("ls /tmp/*.log", "*"),
            ("rm -f *.tar.gz", "*"),
        ] {
            assert_eq!(problem(command), Some(Problem::Sign(expected.to_owned())), "{command}");
        }
        assert_eq!(problem("cd /srv"), Some(Problem::Builtin("cd".into())));
        assert_eq!(problem("! test -e /a"), Some(Problem::Builtin("!".into())));
        assert_eq!(problem("A=1 make"), Some(Problem::Assignment("A=1".into())));
        for word in ["-x", "/usr/bin/", "/"] {
            assert_eq!(problem(word), Some(Problem::NoCommand(word.into())));
        }
        assert_eq!(problem(" "), Some(Problem::Blank));
        let helps = ["(make)", "-x", " "].map(|command| problem(command).is_some_and(|found| found.needs_shell()));
        assert_eq!(helps, [true, false, false]);
    }

    #[test]
    fn what_may_be_meant_as_it_is() {
        for command in [
            "",
            "reload",
            "/usr/bin/true",
            "./configure --prefix=/usr",
            "grep -E a|b /etc/motd",
            "find /tmp -name *.log -exec rm {} ;",
            "find /tmp -path /tmp/*/a",
            "curl https://example.com/?a=1&b=2",
            "systemctl restart nginx*",
            "rsync --exclude=*.o /a/ /b/",
            "dd if=/dev/zero of=/tmp/a",
            "/opt/a=b/run",
            "awk {print} /etc/passwd",
            "rsync -a --exclude *.o /a/ /b/",
            "zip -r /tmp/a.zip /srv -x *.log",
            "unzip /tmp/a.zip *.txt",
            "git add *.c",
            "dnf --disablerepo * --enablerepo epel update",
            "wget -r -A *.jpg https://example.com/",
            "tar -xf /tmp/a.tar --wildcards *.txt",
            "salt * test.ping",
            "sudo -u bob find /tmp -name *.log -exec rm {} ;",
            "nft add table a ; add table b",
            "certbot -d *.example.com",
            "openssl req -subj /CN=*.example.com",
            "expr 2 * 3",
            "psql -c ANALYZE;",
            "grep -c </body> /srv/index.html",
            "dpkg --compare-versions 1.2 >= 1.0",
            "git reset HEAD~1",
            "awk -F: {print$1,$NF} /etc/passwd",
            "sed -i s/a$/b/ /etc/motd",
        ] {
            assert_eq!(problem(command), None, "{command}");
        }
    }
}
