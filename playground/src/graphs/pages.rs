//! A page of prose as rows of a [`Board`](super::board::Board): lines of text, broken between words.

use super::board::Part;
use super::columns;
use crate::prose::{Block, Span};

/// The maximum number of columns of a line, if its words are not longer.
const N_COLUMNS: usize = 110;

/// The rows of a page.
pub fn parts(blocks: &[Block]) -> Vec<Part> {
    let mut out = Vec::new();
    for block in blocks {
        match block {
            Block::Heading(title) => {
                out.push(Part::Heading(words(title)));
                continue;
            }
            Block::Paragraph(text) => add(&mut out, "", &words(text)),
            Block::Code(_, text) => {
                out.extend(text.lines().map(|line| row(format!("    {}", line.replace('\t', "    ")))));
            }
            Block::List { numbered, items } => {
                for (at, item) in items.iter().enumerate() {
                    let sign = if *numbered { format!("{}. ", at + 1) } else { "• ".to_owned() };
                    add(&mut out, &sign, &words(item));
                }
            }
            Block::Table(rows) => {
                for cells in rows {
                    let cells: Vec<String> = cells.iter().map(|cell| words(cell)).collect();
                    add(&mut out, "", &cells.join(" | "));
                }
            }
        }
        out.push(row(String::new()));
    }
    out
}

/// Adds text after a sign, which its other lines leave room for.
fn add(out: &mut Vec<Part>, sign: &str, text: &str) {
    let n_sign = columns::of(sign);
    for (at, line) in wrapped(text, N_COLUMNS - n_sign).into_iter().enumerate() {
        let before = if at == 0 { sign.to_owned() } else { " ".repeat(n_sign) };
        out.push(row(before + &line));
    }
}

/// The lines of a text with at most this number of columns, or one word.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if columns::of(line) + 1 + columns::of(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn row(text: String) -> Part {
    Part::Text { text, colour: "text" }
}

fn words(spans: &[Span]) -> String {
    spans.iter().map(text_of).collect()
}

fn text_of(span: &Span) -> &str {
    match span {
        Span::Text(text) | Span::Code(text) | Span::Strong(text) | Span::Emphasis(text) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::blocks;

    fn lines(page: &str) -> Vec<String> {
        let line = |part: Part| match part {
            Part::Heading(text) => format!("# {text}"),
            Part::Text { text, .. } => text,
            Part::Row { .. } | Part::Code { .. } | Part::Lane { .. } => panic!("a page has none"),
        };
        parts(&blocks(page)).into_iter().map(line).collect()
    }

    #[test]
    fn each_block_has_its_lines() {
        let page = "# Title\n\nOne `two`\n**three**.\n- a\n- b\n\n1. x\n2. y\n\n```mcl\n$x = {\n\t1,\n}\n```\n| k | v |\n|---|---|\n| a | b |";
        let expected = [
            "# Title",
            "One two three.",
            "",
            "• a",
            "• b",
            "",
            "1. x",
            "2. y",
            "",
            "    $x = {",
            "        1,",
            "    }",
            "",
            "k | v",
            "a | b",
            "",
        ];
        assert_eq!(lines(page), expected);
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let page = format!("- {}\n\n{}", "word ".repeat(40), "x".repeat(200));
        let lines = lines(&page);
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[0].starts_with("• word") && lines[1].starts_with("  word"), "{lines:?}");
        assert!(lines[..2].iter().all(|line| columns::of(line) <= N_COLUMNS), "{lines:?}");
        assert_eq!(lines[3].len(), 200, "a word is not broken");
    }
}
