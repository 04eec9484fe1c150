//! [`KeyLine`]: the form in which public keys are published: one line each, alone or in a list.
//!
//! ```text
//! # the keys of a host, as `mclive key show` and `mclive key show --sealing` print them
//! mclive-ed25519 KEY web1
//! mclive-x25519 KEY web1
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The longest name of an operator or a host. Units: bytes.
const LONGEST: usize = 320;

/// What the key of a line is for.
#[derive(Clone, Copy)]
pub(crate) enum KeyLine {
    /// To check signatures (ed25519).
    Signing,
    /// To seal values (X25519).
    Sealing,
}

/// A key and its name, which may be empty.
type Named = ([u8; 32], String);

impl KeyLine {
    pub(crate) fn write(self, key: &[u8; 32], name: &str) -> String {
        format!("{} {} {name}", self.kind(), STANDARD.encode(key)).trim_end().to_owned()
    }

    /// `None`: it is another line.
    pub(crate) fn read(self, line: &str) -> Option<Named> {
        let rest = line.trim().strip_prefix(self.kind())?.strip_prefix([' ', '\t'])?.trim_start();
        let (key, name) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let (key, name) = (STANDARD.decode(key).ok()?, name.trim());
        is_name(name).then_some(())?;
        Some((key.try_into().ok()?, name.to_owned()))
    }

    /// The keys of a list of operators. Errors: what is wrong with the text, for a sentence.
    pub(crate) fn read_operators(self, text: &str) -> Result<Vec<Named>, String> {
        self.read_list(text.lines(), "NAME", |_| true)
    }

    /// The keys of a list of hosts, which may have lines for the other purpose. Errors: what is wrong with the text, for a
    /// sentence.
    pub(crate) fn read_hosts(self, text: &str) -> Result<Vec<Named>, String> {
        let other = match self {
            KeyLine::Signing => KeyLine::Sealing,
            KeyLine::Sealing => KeyLine::Signing,
        };
        // They are blank ones here: the numbers of the others stay.
        let lines = text.lines().map(|line| if other.read(line).is_some() { "" } else { line });
        self.read_list(lines, "HOST", |host| !host.is_empty() && !host.contains('/'))
    }

    /// Empty lines and comments do not count. `name`: what follows a key, in the words of errors.
    fn read_list<'a>(
        self,
        lines: impl Iterator<Item = &'a str>,
        name: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Vec<Named>, String> {
        let (kind, command) = (self.kind(), self.command());
        let mut keys = Vec::new();
        for (n, line) in lines.enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // The line is not repeated: it may be of a private key.
            let named = self.read(line).filter(|(_, found)| fits(found));
            let wrong = || format!("line {}: expected `{kind} KEY {name}`, as `{command}` prints it", n + 1);
            keys.push(named.ok_or_else(wrong)?);
        }
        if keys.is_empty() {
            let missing = match self {
                KeyLine::Signing => "public",
                KeyLine::Sealing => "sealing",
            };
            return Err(format!("it has no {missing} key; add the lines that `{command}` prints"));
        }
        Ok(keys)
    }

    /// The first word of the line.
    fn kind(self) -> &'static str {
        match self {
            KeyLine::Signing => "mclive-ed25519",
            KeyLine::Sealing => "mclive-x25519",
        }
    }

    /// The command that prints the line.
    fn command(self) -> &'static str {
        match self {
            KeyLine::Signing => "mclive key show",
            KeyLine::Sealing => "mclive key show --sealing",
        }
    }
}

/// Whether a text can be the name of an operator or a host.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() <= LONGEST && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_from_its_line() {
        for (kind, word) in [(KeyLine::Signing, "mclive-ed25519 "), (KeyLine::Sealing, "mclive-x25519 ")] {
            for name in ["", "web1", "Alice, on call"] {
                let line = kind.write(&[7; 32], name);
                assert_eq!(kind.read(&format!(" {line} \r")), Some(([7; 32], name.to_owned())), "{line}");
            }
            let good = kind.write(&[7; 32], "web1");
            assert!(good.starts_with(word) && good.ends_with("= web1"), "{good}");
            for (from, to) in [("mclive-", "ssh-"), ("25519 ", "25519"), ("= ", " "), ("web1", "a\u{1b}")] {
                assert_eq!(kind.read(&good.replacen(from, to, 1)), None, "{to}");
            }
        }
    }

    #[test]
    fn a_list_of_hosts_has_keys_for_both_purposes_and_one_of_operators_has_not() {
        let [signing, sealing] = [KeyLine::Signing, KeyLine::Sealing].map(|kind| kind.write(&[7; 32], "web1"));
        let both = format!("# hosts\n\n  {signing}\r\n{sealing}\n");
        let key = vec![([7; 32], "web1".to_owned())];
        for kind in [KeyLine::Signing, KeyLine::Sealing] {
            assert_eq!(kind.read_hosts(&both), Ok(key.clone()));
        }
        assert_eq!(KeyLine::Signing.read_operators(&signing), Ok(key));
        let why = KeyLine::Signing.read_operators(&both).unwrap_err();
        assert_eq!(why, "line 4: expected `mclive-ed25519 KEY NAME`, as `mclive key show` prints it");
        let why = KeyLine::Sealing.read_hosts(&signing).unwrap_err();
        assert_eq!(why, "it has no sealing key; add the lines that `mclive key show --sealing` prints");
    }
}
