//! SSH public keys: the base64 form, and lines of an `authorized_keys` file.

use super::rules::ensure;

/// Checks the base64 form of a public key; returns its type, such as `ssh-ed25519`.
pub(super) fn parse(text: &str) -> Result<String, String> {
    let blob = base64(text).ok_or("the key is not valid Base64")?;
    let mut fields = Vec::new();
    let mut rest = blob.as_slice();
    while !rest.is_empty() {
        let (length, after) = rest.split_at_checked(4).ok_or("the key is truncated")?;
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let (field, after) = after.split_at_checked(length).ok_or("the key is truncated")?;
        fields.push(field);
        rest = after;
    }
    let kind = fields.first().and_then(|field| std::str::from_utf8(field).ok()).unwrap_or_default();
    let parts = &fields.get(1..).unwrap_or_default();
    let whole = match kind {
        "ssh-ed25519" => parts.len() == 1 && parts[0].len() == 32,
        "ssh-rsa" => parts.len() == 2 && parts.iter().all(|part| !part.is_empty()),
        "ssh-dss" => parts.len() == 4,
        "ecdsa-sha2-nistp256" | "ecdsa-sha2-nistp384" | "ecdsa-sha2-nistp521" => {
            parts.len() == 2 && kind.as_bytes().ends_with(parts[0])
        }
        "sk-ssh-ed25519@openssh.com" => parts.len() == 2 && parts[0].len() == 32,
        "sk-ecdsa-sha2-nistp256@openssh.com" => parts.len() == 3,
        _ => return Err(format!("unknown key type `{kind}`")),
    };
    ensure(whole, "the key is truncated")?;
    Ok(kind.to_owned())
}

/// Checks one line of an `authorized_keys` file: options, type, key, comment.
pub(super) fn authorized_line(line: &str) -> Result<(), String> {
    let line = line.trim();
    ensure(!line.is_empty() && !line.starts_with('#'), "the line is empty or a comment")?;
    ensure(!line.contains('\n'), "it must be a single line")?;
    if type_and_key(line).is_ok() {
        return Ok(());
    }
    // Otherwise options come first: up to the first blank outside quotes.
    let mut quoted = false;
    let mut before = ' ';
    let options_end = line.find(|c: char| {
        quoted ^= c == '"' && before != '\\';
        before = c;
        !quoted && matches!(c, ' ' | '\t')
    });
    let after = options_end.map_or("", |end| line[end..].trim_start());
    ensure(!after.is_empty(), "no key found")?;
    type_and_key(after)
}

/// The same line with single spaces between options, type, key and comment.
pub(super) fn canonical(line: &str) -> String {
    let (mut quoted, mut before) = (false, ' ');
    let mut words = vec![String::new()];
    for c in line.trim().chars() {
        quoted ^= c == '"' && before != '\\';
        before = c;
        match (c, quoted) {
            (' ' | '\t', false) => words.push(String::new()),
            _ => words.last_mut().expect("there is a first one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// `type key`, then optionally a comment.
fn type_and_key(text: &str) -> Result<(), String> {
    let mut words = text.split([' ', '\t']).filter(|word| !word.is_empty());
    let (kind, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let found = parse(key)?;
    ensure(found == kind, "the type does not match the key")
}

/// Decodes padded base64 text.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if text.is_empty() || !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut n_bits) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g";

    #[test]
    fn keys() {
        assert_eq!(parse(KEY).as_deref(), Ok("ssh-ed25519"));
        for bad in ["", "AAAA", "x", &KEY[..64]] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn blanks_in_quotes_stay() {
        assert_eq!(
            canonical(" from=\"a  b\",no-pty\tssh-rsa  K  two words "),
            "from=\"a  b\",no-pty ssh-rsa K two words"
        );
    }

    #[test]
    fn lines() {
        for good in [
            format!("ssh-ed25519 {KEY}"),
            format!("  no-pty ssh-ed25519 {KEY} two words "),
            format!("from=\"a b\",no-pty ssh-ed25519 {KEY}"),
        ] {
            assert_eq!(authorized_line(&good), Ok(()), "{good}");
        }
        for bad in ["k".into(), format!("# ssh-ed25519 {KEY}"), format!("ssh-rsa {KEY}"), format!("a b {KEY}")] {
            assert!(authorized_line(&bad).is_err(), "{bad}");
        }
    }
}
