//! [`excerpt`]: shortens a long text to its start and its length.

/// The limit for external text in a report, a log or a history. Units: bytes.
pub const LONGEST_TOLD: usize = 4096;

/// Returns the text, or its start followed by its full length, at most `most` bytes in total.
pub fn excerpt(mut text: String, most: usize) -> String {
    if text.len() > most {
        let length = format!("... ({} bytes in all)", text.len());
        text.truncate(text.floor_char_boundary(most.saturating_sub(length.len())));
        text.push_str(&length);
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_its_length_is_told() {
        let long = "aé".repeat(100);
        let told = excerpt(long.clone(), 30);
        assert_eq!(told, "aéaéa... (300 bytes in all)");
        assert_eq!(excerpt(told.clone(), 30), told, "it is not cut again");
        assert_eq!(excerpt(long.clone(), 300), long);
    }
}
