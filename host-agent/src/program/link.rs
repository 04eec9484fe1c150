//! Snippet links: the whole program stands behind the `#`.
//!
//! `c=` and base64url of a version byte and, in version 1, the raw deflated text. Both sides of the
//! inflating are bounded: a link comes from anyone.

use super::Unusable;

const MAX_COMPRESSED: usize = 64 << 10;
const MAX_INFLATED: usize = 1 << 20;

/// The text in a link; `None` when the input is no link at all.
pub(super) fn text(input: &str) -> Option<Result<Vec<u8>, Unusable>> {
    let is_url = input.starts_with("https://") || input.starts_with("http://");
    let fragment = match input.split_once('#') {
        Some(("", fragment)) => fragment,
        Some((_, fragment)) if is_url => fragment,
        _ if is_url => {
            return Some(Err(Unusable(
                "this link has no program behind a `#`; download the file and name it instead".into(),
            )));
        }
        _ => return None,
    };
    Some(unpack(fragment))
}

fn unpack(fragment: &str) -> Result<Vec<u8>, Unusable> {
    let damaged = |why: &str| Unusable(format!("this link is damaged: {why}"));
    let packed = fragment.split('&').find_map(|part| part.strip_prefix("c=")).unwrap_or(fragment).trim_end_matches('=');
    if packed.len() > MAX_COMPRESSED.div_ceil(3) * 4 {
        return Err(Unusable("this link is too long to be one of ours".into()));
    }
    let bytes = decode(packed).ok_or_else(|| damaged("it holds characters that no link has"))?;
    let (version, deflated) = bytes.split_first().ok_or_else(|| damaged("it is empty"))?;
    match version {
        1 => {}
        2..128 => return Err(Unusable("this link was made by a newer version".into())),
        _ => return Err(damaged("it does not begin like one of ours")),
    }
    use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
    let text = decompress_to_vec_with_limit(deflated, MAX_INFLATED).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => Unusable("this link unfolds to more than a megabyte and was not opened".into()),
        _ => damaged("it is cut off or changed"),
    })?;
    super::disk::text("the link", text)
}

/// Base64 for URLs, without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        let mut word = 0u32;
        for byte in chunk {
            let digit = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'-' => 62,
                b'_' => 63,
                _ => return None,
            };
            word = word << 6 | u32::from(digit);
        }
        if chunk.len() == 1 {
            return None;
        }
        word <<= 6 * (4 - chunk.len());
        out.extend_from_slice(&word.to_be_bytes()[1..chunk.len()]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::base64url;

    fn packed(version: u8, text: &[u8]) -> String {
        let mut bytes = vec![version];
        bytes.extend(miniz_oxide::deflate::compress_to_vec(text, 9));
        base64url(&bytes)
    }

    fn opened(input: &str) -> Result<String, String> {
        text(input).expect("a link").map(|text| String::from_utf8(text).unwrap()).map_err(|why| why.0)
    }

    #[test]
    fn a_link_opens_with_or_without_its_site() {
        let packed = packed(1, b"$a = 1\n");
        assert_eq!(opened(&format!("https://example.com/x#c={packed}")).unwrap(), "$a = 1\n");
        assert_eq!(opened(&format!("#c={packed}")).unwrap(), "$a = 1\n");
        assert!(text("main.mcl").is_none());
    }

    #[test]
    fn what_is_cut_off_or_too_much_is_refused() {
        let packed_text = packed(1, &b"hello there, hello there, again".repeat(9));
        assert!(opened(&format!("#c={}", &packed_text[..packed_text.len() / 2])).unwrap_err().contains("cut off"));
        assert!(opened("#c=!").unwrap_err().contains("characters"));
        assert!(
            opened(&format!("#c={}", packed(1, &vec![b'a'; 2 << 20]))).unwrap_err().contains("more than a megabyte")
        );
        assert!(opened(&format!("#c={}", packed(9, b"x"))).unwrap_err().contains("newer"));
        assert!(opened("https://example.com/main.mcl").unwrap_err().contains("no program"));
    }
}
