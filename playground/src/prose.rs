//! The subset of Markdown used by lessons and the pages of codes: headings, paragraphs, lists, tables, code.
//!
//! Text in, blocks out; a page turns them into elements with text nodes only, so nothing in it can become markup.

/// A block of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// A heading.
    Heading(Vec<Span>),
    /// A paragraph.
    Paragraph(Vec<Span>),
    /// Its language, as after the fence, and its text.
    Code(String, String),
    /// A list.
    List {
        /// Whether it is numbered.
        numbered: bool,
        /// The items in order.
        items: Vec<Vec<Span>>,
    },
    /// Rows of cells; the first row is the header.
    Table(Vec<Vec<Vec<Span>>>),
}

/// A span of inline text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Span {
    /// Plain text.
    Text(String),
    /// Code.
    Code(String),
    /// Bold text.
    Strong(String),
    /// Italic text.
    Emphasis(String),
}

/// Parses a page into blocks. Anything that is not markup is text.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            out.push(Block::Code(language.trim().to_owned(), text.join("\n")));
        } else if let Some(title) = ["# ", "## ", "### "].iter().find_map(|mark| line.strip_prefix(mark)) {
            out.push(Block::Heading(spans(title)));
        } else if line.trim().is_empty() {
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                let is_rule = row.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '));
                rows.extend((!is_rule).then(|| cells(row)));
            }
            out.push(Block::Table(rows));
        } else {
            // A line that begins nothing continues the block before it.
            let mut text = line.trim().to_owned();
            while let Some(more) = lines.next_if(|line| is_more(line)) {
                text.push(' ');
                text.push_str(more.trim());
            }
            match (item(&text), out.last_mut()) {
                (Some((numbered, rest)), Some(Block::List { numbered: same, items })) if numbered == *same => {
                    items.push(spans(rest));
                }
                (Some((numbered, rest)), _) => out.push(Block::List { numbered, items: vec![spans(rest)] }),
                (None, _) => out.push(Block::Paragraph(spans(&text))),
            }
        }
    }
    out
}

fn is_more(line: &str) -> bool {
    !(line.trim().is_empty() || line.starts_with(['#', '|']) || line.starts_with("```") || item(line).is_some())
}

/// The text of a list item, and whether it is numbered.
fn item(line: &str) -> Option<(bool, &str)> {
    let numbered = || line.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix(". ");
    match line.strip_prefix("- ") {
        Some(rest) => Some((false, rest)),
        None => {
            numbered().filter(|_| line.starts_with(|letter: char| letter.is_ascii_digit())).map(|rest| (true, rest))
        }
    }
}

fn cells(row: &str) -> Vec<Vec<Span>> {
    let row = row.trim().trim_start_matches('|');
    let row = row.strip_suffix('|').unwrap_or(row);
    row.split('|').map(|cell| spans(cell.trim())).collect()
}

/// Parses a line. A mark without its end is text.
pub fn spans(line: &str) -> Vec<Span> {
    type Kind = fn(String) -> Span;
    const MARKS: [(&str, Kind); 3] = [("`", Span::Code), ("**", Span::Strong), ("*", Span::Emphasis)];
    let mut out = Vec::new();
    let (mut rest, mut text) = (line, String::new());
    while !rest.is_empty() {
        let marked = MARKS.iter().find_map(|(mark, kind)| {
            let (inside, behind) = rest.strip_prefix(mark)?.split_once(mark)?;
            let is_text = inside.is_empty() || (*mark == "*" && inside.starts_with(' '));
            (!is_text).then_some((kind, inside, behind))
        });
        match marked {
            Some((kind, inside, behind)) => {
                if !text.is_empty() {
                    out.push(Span::Text(std::mem::take(&mut text)));
                }
                out.push(kind(inside.to_owned()));
                rest = behind;
            }
            None => {
                let letter = rest.chars().next().expect("there is a rest");
                text.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    if !text.is_empty() {
        out.push(Span::Text(text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<Span> {
        vec![Span::Text(text.into())]
    }

    #[test]
    fn a_page_is_its_blocks() {
        let page = "# Title\n\nOne\ntwo.\n- a\n- b\n  more\n\n1. x\n2. y\n\n```mcl\n# no title\n\n$x\n```\n| k | v |\n|---|---|\n| a | b |";
        let list = |numbered, items: [&str; 2]| Block::List { numbered, items: items.map(text).to_vec() };
        let row = |cells: [&str; 2]| cells.map(text).to_vec();
        assert_eq!(
            blocks(page),
            [
                Block::Heading(text("Title")),
                Block::Paragraph(text("One two.")),
                list(false, ["a", "b more"]),
                list(true, ["x", "y"]),
                Block::Code("mcl".into(), "# no title\n\n$x".into()),
                Block::Table(vec![row(["k", "v"]), row(["a", "b"])]),
            ]
        );
    }

    #[test]
    fn marks_without_an_end_are_text() {
        let strong = |text: &str| Span::Strong(text.into());
        assert_eq!(
            spans("**Task.** Do `x` *now*."),
            [
                strong("Task."),
                Span::Text(" Do ".into()),
                Span::Code("x".into()),
                Span::Text(" ".into()),
                Span::Emphasis("now".into()),
                Span::Text(".".into()),
            ]
        );
        for odd in ["2 * 3 * 4", "a ` b", "**", "``", "<b>x</b>", "- "] {
            assert_eq!(spans(odd), text(odd), "{odd}");
        }
    }
}
