//! Snippet links: the whole program stands behind the `#` ([`mclive_base::link`]).

use super::Unusable;
use mclive_base::layout;
use mclive_base::link::{self, Fault};

/// A program from a link.
pub(super) struct Linked {
    pub(super) text: Vec<u8>,
    /// The file's name, which tells the language.
    pub(super) name: String,
}

/// The program in a link; `None` when the input is no link at all.
pub(super) fn program(input: &str) -> Option<Result<Linked, Unusable>> {
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
    let packed = fragment.split('&').find_map(|part| part.strip_prefix("c=")).unwrap_or(fragment);
    let name = fragment.split('&').find_map(|part| part.strip_prefix("f=")).unwrap_or(layout::ALL[0].main);
    let opened = open(packed).map_err(|fault| Unusable(fault.to_string()));
    Some(opened.map(|text| Linked { text, name: name.to_owned() }))
}

fn open(packed: &str) -> Result<Vec<u8>, Fault> {
    use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
    let text =
        decompress_to_vec_with_limit(&link::unpack(packed)?, link::MAX_TEXT).map_err(|error| match error.status {
            TINFLStatus::HasMoreOutput => Fault::TooMuch,
            _ => Fault::Changed,
        })?;
    if std::str::from_utf8(&text).is_err() {
        return Err(Fault::NotText);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &[u8]) -> String {
        link::pack(&miniz_oxide::deflate::compress_to_vec(text, 9))
    }

    fn opened(input: &str) -> Result<String, String> {
        program(input).expect("a link").map(|linked| String::from_utf8(linked.text).unwrap()).map_err(|why| why.0)
    }

    #[test]
    fn a_link_opens_with_or_without_its_site() {
        let packed = packed(b"$a = 1\n");
        assert_eq!(opened(&format!("https://example.com/x#c={packed}")).unwrap(), "$a = 1\n");
        assert_eq!(opened(&format!("#c={packed}")).unwrap(), "$a = 1\n");
        assert!(program("main.mcl").is_none());
        let name = |link: String| program(&link).unwrap().map(|linked| linked.name).ok();
        assert_eq!(name(format!("#c={packed}")).as_deref(), Some("main.mcl"));
        assert_eq!(name(format!("#c={packed}&f=main.cf")).as_deref(), Some("main.cf"));
    }

    #[test]
    fn links_of_every_version_open() {
        for link in ["ASsoyswrUVDKTi0oUUjLL1JILUstUlKoruUCAA", "BLn00uErKMrMK1FQyk4tKFFIyy9SSC1LLVJSqK7lAgA"] {
            assert_eq!(opened(&format!("#c={link}")).unwrap(), "print \"kept for ever\" {}\n");
        }
    }

    #[test]
    fn what_is_cut_off_or_too_much_is_refused() {
        let link = packed(&b"hello there, hello there, again".repeat(9));
        assert!(opened(&format!("#c={}", &link[..link.len() / 2])).unwrap_err().contains("damaged"));
        assert!(opened("#c=!").unwrap_err().contains("characters"));
        let bomb = packed(&vec![b'a'; 2 << 20]);
        assert!(opened(&format!("#c={bomb}")).unwrap_err().contains("more than a megabyte"));
        assert!(opened(&format!("#c={}", packed(b"\xff"))).unwrap_err().contains("UTF-8"));
        assert!(opened("#c=CQAA").unwrap_err().contains("newer"));
        assert!(opened("https://example.com/main.mcl").unwrap_err().contains("no program"));
    }
}
