//! Text as HTML: special characters are escaped, and the subset of Markdown used by the definitions becomes elements.

use std::fmt::Write;

/// Text between tags or in an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// An anchor as the fragment of an address.
pub(super) fn fragment(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' | b'/' | b'$' => out.push(byte.into()),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Paragraphs, lists and fenced code; `code` in backticks.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split("```").enumerate() {
        if index % 2 == 1 {
            let code = part.split_once('\n').map_or(part, |(_, code)| code);
            let _ = writeln!(out, "<pre tabindex=\"0\">{}</pre>", escape(code.trim_end()));
            continue;
        }
        for block in part.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
            if block.starts_with("- ") {
                let items = block.split("\n- ").map(|item| inline(item.trim_start_matches("- ")));
                let items: String = items.map(|item| format!("<li>{item}</li>")).collect();
                let _ = writeln!(out, "<ul>{items}</ul>");
            } else {
                let _ = writeln!(out, "<p>{}</p>", inline(block));
            }
        }
    }
    out
}

/// Inline text with `code` in backticks.
pub(super) fn inline(text: &str) -> String {
    let piece = |(index, part): (usize, &str)| match index % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => escape(part),
    };
    text.split('`').enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_text() {
        assert_eq!(escape(r#"a<b>&"c""#), "a&lt;b&gt;&amp;&quot;c&quot;");
        assert_eq!(fragment("golang/math.sin"), "golang/math.sin");
        assert_eq!(fragment("<|>"), "%3C%7C%3E");
    }

    #[test]
    fn markdown_becomes_elements() {
        assert_eq!(
            markdown("one `a<b`\n\n- x\n- y"),
            "<p>one <code>a&lt;b</code></p>\n<ul><li>x</li><li>y</li></ul>\n"
        );
        assert_eq!(markdown("see\n\n```mcl\n$a = 1\n```"), "<p>see</p>\n<pre tabindex=\"0\">$a = 1</pre>\n");
    }
}
