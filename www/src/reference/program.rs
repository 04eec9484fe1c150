//! Links that open a program in the playground: the version byte and the deflated text in base64url, as
//! `playground/src/state/share.rs` reads them.

use mclive_playground::state::share;

/// The address of the playground with this program, relative to the site.
pub(super) fn link(text: &str) -> String {
    let mut bytes = vec![share::VERSION];
    bytes.extend(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9));
    format!("./{}", share::fragment(&base64url(&bytes)))
}

fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let three = chunk.iter().enumerate().fold(0, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..=chunk.len() {
            out.push(DIGITS[(three >> (18 - 6 * at) & 63) as usize].into());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_without_padding() {
        let cases = [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("\u{3ff}?", "z78_")];
        for (text, expect) in cases {
            assert_eq!(base64url(text.as_bytes()), expect);
        }
    }

    #[test]
    fn a_link_holds_the_program() {
        let text = "print \"x\" {}\n".repeat(9);
        let link = link(&text);
        assert!(link.starts_with("./#c=A") && link.len() < text.len(), "{link}");
    }
}
