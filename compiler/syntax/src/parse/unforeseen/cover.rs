//! How much of the text belongs to a mistake. Nothing else is reported about it, so that one mistake is one message.

use super::shape::Match;

/// What belongs to a mistake besides its match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cover {
    /// The rest of the line.
    Line,
    /// Nothing: the parser recovers as after any other error.
    Match,
    /// The lines after it that are indented more, and those that end or continue such a block.
    Indented,
    /// The lines up to one that is the first word or string captured, the delimiter of a heredoc.
    Heredoc,
    /// The lines up to one that begins with this, and the block that it opens.
    Until(&'static str),
    /// Up to the next occurrence of this text.
    Past(&'static str),
    /// The rest of the file.
    File,
}

/// Words that end or continue a block whose body is indented.
const CONTINUE: &[&str] = &[
    "else", "elif", "elsif", "elseif", "except", "finally", "catch", "rescue", "ensure", "when", "then", "end", "fi",
    "done", "esac", "endif", "endfor", "in", ";;", "})", "});", ");",
];

impl Cover {
    /// The offsets that the mistake covers.
    pub(super) fn range(self, text: &[u8], found: &Match<'_>) -> (usize, usize) {
        let (start, end) = found.whole;
        let line_end = line_end(text, end);
        let end = match self {
            Cover::Match => end,
            Cover::Line => line_end,
            Cover::Indented => indented(text, start, line_end),
            Cover::Heredoc => {
                let is_word = |text: &&str| text.starts_with(|first: char| first.is_alphabetic() || first == '"');
                let word = found.captures.iter().copied().find(is_word).unwrap_or_default().trim_matches('"');
                lines(text, line_end)
                    .find(|(_, _, line)| is_delimiter(line, word.as_bytes()))
                    .map_or(line_end, |(_, end, _)| end)
            }
            Cover::Until(word) => {
                let mut rest = lines(text, line_end);
                match rest.find(|(_, _, line)| line.trim_ascii().starts_with(word.as_bytes())) {
                    // `in {`
                    Some((_, end, line)) if line.trim_ascii().ends_with(b"{") => {
                        rest.find(|(_, _, line)| line.starts_with(b"}")).map_or(end, |(_, end, _)| end)
                    }
                    Some((_, end, _)) => end,
                    None => line_end,
                }
            }
            Cover::Past(what) => {
                let mut places = text[end..].windows(what.len());
                places.position(|place| place == what.as_bytes()).map_or(line_end, |ahead| end + ahead + what.len())
            }
            Cover::File => text.len(),
        };
        (start, end)
    }
}

/// The end of the line of an offset.
fn line_end(text: &[u8], from: usize) -> usize {
    text[from..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |len| from + len)
}

/// The lines after the one that ends at an offset, with their own offsets.
fn lines(text: &[u8], end: usize) -> impl Iterator<Item = (usize, usize, &[u8])> {
    let mut from = end + 1;
    std::iter::from_fn(move || {
        let start = from;
        (start < text.len()).then(|| {
            let end = line_end(text, start);
            from = end + 1;
            (start, end, &text[start..end])
        })
    })
}

/// Whether a line ends a heredoc: `EOT`, `EOT;`, `| EOT`, `|- EOT`.
fn is_delimiter(line: &[u8], word: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"|-").or(line.strip_prefix(b"|")).unwrap_or(line).trim_ascii();
    let rest = line.strip_prefix(word).unwrap_or(b"x");
    !word.is_empty() && rest.iter().all(|byte| matches!(byte, b';' | b',' | b')'))
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The end of a block; its head begins at `start`, and is the rest of that line.
fn indented(text: &[u8], start: usize, head_end: usize) -> usize {
    let line_start = text[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let own = indent(&text[line_start..]);
    let mut end = head_end;
    for (_, line_end, line) in lines(text, head_end) {
        let words = line.trim_ascii();
        let continues = CONTINUE.iter().any(|word| {
            let rest = words.strip_prefix(word.as_bytes());
            rest.is_some_and(|rest| rest.first().is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_'))
                && !words.ends_with(b"{")
        });
        let is_item = words.starts_with(b"- ");
        match indent(line) {
            _ if words.is_empty() => continue,
            depth if depth > own || depth == own && (continues || is_item) => end = line_end,
            _ => break,
        }
    }
    end
}
