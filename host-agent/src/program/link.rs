//! Snippet links: the whole program follows the `#` ([`mclive_base::link`]).

use super::Unusable;
use crate::share::Shared;
use mclive_base::layout;
use mclive_base::link::{self, Fault};

/// The fragment for a program: the text of its only file, or otherwise the JSON that servers store.
pub(crate) fn fragment(program: &Shared) -> Result<String, Unusable> {
    let name = &program.entry;
    let needs_no_name =
        || layout::of(name) == Some(layout::ALL[0]) && layout::of_text(program.main()) == layout::ALL[0];
    let only = program.files().count() == 1 && program.trace().is_none() && (needs_no_name() || is_plain(name));
    let text = if only { program.main().as_bytes().to_vec() } else { program.canonical() };
    let packed = link::pack(&miniz_oxide::deflate::compress_to_vec(&text, 9));
    // A link that cannot be opened is not given out.
    open(&packed).map_err(|_| {
        let what = if program.trace().is_some() { "run" } else { "program" };
        Unusable(format!("the {what} is too large for a link; use `--server URL` to create a short link"))
    })?;
    Ok(match only {
        false => format!("#p={packed}&v={}", program.version),
        true if needs_no_name() => format!("#c={packed}&v={}", program.version),
        true => format!("#c={packed}&f={name}&v={}", program.version),
    })
}

/// Whether a name stays as it is in a link: browsers escape other characters, and chat programs end a link at them.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte))
}

/// A program from a link.
pub(super) enum Linked {
    /// The file's name determines the language.
    One { text: Vec<u8>, name: String },
    /// Several files, or a recorded run.
    Shared(Shared),
}

/// The program in a link; `None` if the input is not a link.
pub(super) fn program(input: &str) -> Option<Result<Linked, Unusable>> {
    let is_url = input.starts_with("https://") || input.starts_with("http://");
    let fragment = match input.split_once('#') {
        Some(("", fragment)) => fragment,
        Some((_, fragment)) if is_url => fragment,
        _ if is_url => {
            return Some(Err(Unusable(
                "this is not a link to a program; to run a file from the web, download it first".into(),
            )));
        }
        _ => return None,
    };
    let part = |name: &str| fragment.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    let opened = |packed: &str| open(packed).map_err(|fault| Unusable(fault.to_string()));
    Some(match part("p") {
        Some(packed) => opened(packed).and_then(|json| Shared::read(&json).map(Linked::Shared).map_err(Unusable)),
        None => opened(part("c").unwrap_or(fragment)).map(|text| {
            let by_text = || layout::of_text(std::str::from_utf8(&text).unwrap_or_default()).main;
            let name = part("f").unwrap_or_else(by_text).to_owned();
            Linked::One { text, name }
        }),
    })
}

fn open(packed: &str) -> Result<Vec<u8>, Fault> {
    use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
    let deflated = link::unpack(packed)?;
    let text = decompress_to_vec_with_limit(&deflated, link::MAX_TEXT).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => Fault::TooMuch,
        _ => Fault::Changed,
    })?;
    if used(&deflated, text.len()) != deflated.len() {
        return Err(Fault::Changed);
    }
    if std::str::from_utf8(&text).is_err() {
        return Err(Fault::NotText);
    }
    Ok(text)
}

/// The bytes that a text of this length took: browsers open no link with more after them.
fn used(deflated: &[u8], size: usize) -> usize {
    use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
    let mut text = vec![0; size];
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    decompress(&mut DecompressorOxide::new(), deflated, &mut text, 0, flags).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(text: &[u8]) -> String {
        link::pack(&miniz_oxide::deflate::compress_to_vec(text, 9))
    }

    fn one(input: &str) -> Result<(String, String), String> {
        match program(input).expect("a link").map_err(|why| why.0)? {
            Linked::One { text, name } => Ok((name, String::from_utf8(text).unwrap())),
            Linked::Shared(_) => Err("several files".into()),
        }
    }

    fn opened(input: &str) -> Result<String, String> {
        one(input).map(|(_, text)| text)
    }

    fn shared(entry: &str, files: &[(&str, &str)]) -> Result<Shared, String> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        Shared::new(entry, files.collect())
    }

    #[test]
    fn a_link_opens_with_or_without_its_site() {
        let packed = packed(b"$a = 1\n");
        assert_eq!(opened(&format!("https://example.com/x#c={packed}")).unwrap(), "$a = 1\n");
        assert_eq!(opened(&format!("#c={packed}")).unwrap(), "$a = 1\n");
        assert!(program("main.mcl").is_none());
        let name = |link: String| one(&link).map(|(name, _)| name).ok();
        assert_eq!(name(format!("#c={packed}")).as_deref(), Some("main.mcl"));
        assert_eq!(name(format!("#c={packed}&f=main.cf")).as_deref(), Some("main.cf"));
    }

    #[test]
    fn the_text_tells_the_language_of_a_link_without_a_file_name() {
        let model = packed(b"import std\nentity A:\nend\n");
        assert_eq!(one(&format!("#c={model}")).unwrap().0, "main.cf");
        assert_eq!(one(&format!("#c={model}&f=main.mcl")).unwrap().0, "main.mcl");
    }

    #[test]
    fn what_is_packed_opens() {
        for (name, text) in
            [("main.mcl", "$a = 1\n"), ("main.mcl", "end\n"), ("main.cf", "a = 1\n"), ("main.cf", "end\n")]
        {
            let link = fragment(&shared(name, &[(name, text)]).unwrap()).unwrap();
            assert_eq!(one(&link), Ok((name.to_owned(), text.to_owned())));
            assert!(link.ends_with(&format!("&v={}", env!("CARGO_PKG_VERSION"))));
        }
        let several = shared("main.mcl", &[("main.mcl", "import \"lib/\"\n"), ("lib/main.mcl", "$a = 1\n")]).unwrap();
        let link = fragment(&several).unwrap();
        assert!(matches!(program(&link), Some(Ok(Linked::Shared(read))) if read == several), "{link}");
        for json in ["{}", "[", r#"{"entry":"main.mcl","files":{"main.mcl":"","../x":""}}"#] {
            assert!(matches!(program(&format!("#p={}", packed(json.as_bytes()))), Some(Err(_))), "{json}");
        }
    }

    #[test]
    fn a_link_to_a_file_of_any_name_opens_and_needs_no_escapes() {
        for name in ["a&v=9.cf", "a&c=x.cf", "a#b.cf", "a%41.cf", "a b.cf", "\u{e9}.cf", "a\"b.cf", "a b.mcl"] {
            let program = shared(name, &[(name, "end\n")]).unwrap();
            let link = fragment(&program).unwrap();
            assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"#=&-_.".contains(&byte)), "{link}");
            assert!(matches!(super::program(&link), Some(Ok(Linked::Shared(read))) if read == program), "{link}");
        }
        let plain = shared("sub/web-1.cf", &[("sub/web-1.cf", "a = 1\n")]).unwrap();
        assert!(fragment(&plain).unwrap().contains("&f=sub/web-1.cf&"));
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
        let mut deflated = miniz_oxide::deflate::compress_to_vec(b"$a = 1\n", 9);
        assert_eq!(opened(&format!("#c={}", link::pack(&deflated))).unwrap(), "$a = 1\n");
        for more in [&b"\0"[..], b"more", &[0; 100]] {
            deflated.extend_from_slice(more);
            assert!(opened(&format!("#c={}", link::pack(&deflated))).unwrap_err().contains("damaged"), "{more:?}");
        }
        assert!(opened("https://example.com/main.mcl").unwrap_err().contains("not a link to a program"));
    }
}
