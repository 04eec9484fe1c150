//! [`excerpt`]: shortens a long text to its start and its length.

use crate::hash::checksum;

/// The limit for external text in a report, a log or a history. Units: bytes.
pub const LONGEST_TOLD: usize = 4096;

/// Returns the text, or its start followed by its full length, at most `most` bytes in total.
pub fn excerpt(text: String, most: usize) -> String {
    shortened(text, most, |text| format!("... ({} bytes in all)", text.len()))
}

/// The same, with a checksum of the whole text, for texts that are compared: those that differ have different excerpts.
pub fn excerpt_with_checksum(text: String, most: usize) -> String {
    shortened(text, most, |text| {
        format!("... ({} bytes in all, checksum {:08x})", text.len(), checksum(text.as_bytes()))
    })
}

fn shortened(mut text: String, most: usize, end: impl FnOnce(&str) -> String) -> String {
    if text.len() > most {
        let end = end(&text);
        text.truncate(text.floor_char_boundary(most.saturating_sub(end.len())));
        text.push_str(&end);
        text.shrink_to_fit();
    }
    text
}

/// The start of the text that an excerpt shows. `None`: the text is not an excerpt.
pub fn start_of_excerpt(text: &str) -> Option<&str> {
    let (start, length) = text.strip_suffix(" bytes in all)")?.rsplit_once("... (")?;
    length.bytes().all(|byte| byte.is_ascii_digit()).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_its_length_is_reported() {
        let long = "aé".repeat(100);
        let told = excerpt(long.clone(), 30);
        assert_eq!(told, "aéaéa... (300 bytes in all)");
        assert_eq!(excerpt(told.clone(), 30), told, "it is not cut again");
        assert_eq!(excerpt(long.clone(), 300), long);
        assert_eq!((start_of_excerpt(&told), start_of_excerpt(&long)), (Some("aéaéa"), None));
        assert_eq!(start_of_excerpt("a... (b bytes in all)"), None);
    }

    #[test]
    fn texts_that_differ_after_the_cut_have_different_excerpts() {
        let [one, other] = ["x", "y"].map(|end| excerpt_with_checksum("a".repeat(99) + end, 60));
        assert_ne!(one, other);
        assert_eq!(one, format!("{}... (100 bytes in all, checksum 210bd60e)", "a".repeat(19)));
        assert_eq!(excerpt_with_checksum(one.clone(), 60), one, "it is not cut again");
    }
}
