//! Markdown pages as text for terminals: headings and bold words are bold, code is indented, and the markup is removed.

/// A page without its markup, or with colours in its place.
pub(crate) fn for_terminal(page: &str, colour: bool) -> String {
    let bold = |text: &str| if colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() };
    let (mut out, mut in_code) = (String::new(), false);
    for line in page.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        match line.trim_start_matches('#') {
            _ if in_code => out += &format!("    {line}"),
            heading if heading.len() < line.len() => out += &bold(heading.trim_start()),
            _ => out += &strong(line, &bold),
        }
        out.push('\n');
    }
    out
}

/// A line with the text between pairs of stars in bold.
fn strong(line: &str, bold: &impl Fn(&str) -> String) -> String {
    let parts = line.split("**").enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { bold(part) } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# E0301: a title\n\n```mcl\n$x = 2 ** 3\n```\n\n**Fix.** Write `$x`.\n";

    #[test]
    fn no_mark_is_left() {
        assert_eq!(for_terminal(PAGE, false), "E0301: a title\n\n    $x = 2 ** 3\n\nFix. Write `$x`.\n");
        assert!(for_terminal(PAGE, true).contains("\x1b[1mFix.\x1b[0m Write"));
    }
}
