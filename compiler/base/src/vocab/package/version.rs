//! The version order of dpkg: epoch, upstream version, revision; `~` comes before everything, even the end. Source:
//! deb-version(7).

use std::cmp::Ordering;

/// Compares two versions.
pub fn compare(one: &str, other: &str) -> Ordering {
    let ((epoch, one, revision), (other_epoch, other, other_revision)) = (parts(one), parts(other));
    epoch.cmp(&other_epoch).then_with(|| part(one, other)).then_with(|| part(revision, other_revision))
}

/// Epoch, upstream version, revision.
fn parts(version: &str) -> (u64, &str, &str) {
    let (epoch, rest) = match version.split_once(':') {
        Some((epoch, rest)) => (epoch.parse().unwrap_or(0), rest),
        None => (0, version),
    };
    let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
    (epoch, upstream, revision)
}

/// Alternates between non-digit and digit runs.
fn part(mut one: &str, mut other: &str) -> Ordering {
    while !one.is_empty() || !other.is_empty() {
        let (word, rest) = split(one, |c| !c.is_ascii_digit());
        let (other_word, other_rest) = split(other, |c| !c.is_ascii_digit());
        let words = text(word, other_word);
        let (number, rest) = split(rest, |c| c.is_ascii_digit());
        let (other_number, other_rest) = split(other_rest, |c| c.is_ascii_digit());
        let order = words.then_with(|| digits(number, other_number));
        if order != Ordering::Equal {
            return order;
        }
        (one, other) = (rest, other_rest);
    }
    Ordering::Equal
}

fn split(text: &str, of: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !of(c)).unwrap_or(text.len()))
}

/// A tilde sorts before the end, the end before letters, letters before everything else.
fn text(one: &str, other: &str) -> Ordering {
    let weight = |byte: Option<u8>| match byte {
        Some(b'~') => -1,
        None => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(byte),
        Some(byte) => i32::from(byte) + 256,
    };
    let length = one.len().max(other.len());
    let at = |text: &str, index: usize| weight(text.as_bytes().get(index).copied());
    let orders = (0..length).map(|index| at(one, index).cmp(&at(other, index)));
    orders.into_iter().find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
}

/// Compares numbers of any length.
fn digits(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_the_order_of_dpkg() {
        // Ordered as by `dpkg --compare-versions`.
        let rising = [
            "0~",
            "0",
            "0+b1",
            "1.0~beta1~svn1245",
            "1.0~beta1",
            "1.0",
            "1.0-1",
            "1.0-1+b1",
            "1.0-10",
            "1.0a",
            "1.0.1",
            "1.2",
            "1.10",
            "1:0.1",
            "2:0",
        ];
        for (at, one) in rising.iter().enumerate() {
            for (other_at, other) in rising.iter().enumerate() {
                assert_eq!(compare(one, other), at.cmp(&other_at), "{one} {other}");
            }
        }
        assert_eq!(compare("1.0", "1.00"), Ordering::Equal);
        assert_eq!(compare("0:1.0-0", "1.0-0"), Ordering::Equal);
    }
}
