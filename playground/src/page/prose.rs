//! The little of Markdown that our own pages use, as elements: paragraphs, headings, lists, code.
//! Text becomes text nodes only, so nothing in it can become markup.

use yew::prelude::*;

/// A line of text with `code` in backticks.
pub(super) fn inline(text: &str) -> Html {
    let piece = |(index, part): (usize, &str)| {
        if index % 2 == 1 {
            html! { <code>{ part.to_owned() }</code> }
        } else {
            html! { { part.to_owned() } }
        }
    };
    html! { { for text.split('`').enumerate().map(piece) } }
}

/// A page.
pub(super) fn page(markdown: &str) -> Html {
    let mut out: Vec<Html> = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut fence: Option<Vec<&str>> = None;
    let flush = |paragraph: &mut Vec<&str>, out: &mut Vec<Html>| {
        if !paragraph.is_empty() {
            out.push(html! { <p>{ inline(&paragraph.join(" ")) }</p> });
            paragraph.clear();
        }
    };
    for line in markdown.lines() {
        if let Some(lines) = fence.as_mut() {
            if line.starts_with("```") {
                out.push(html! { <pre tabindex="0">{ lines.join("\n") }</pre> });
                fence = None;
            } else {
                lines.push(line);
            }
        } else if line.starts_with("```") {
            flush(&mut paragraph, &mut out);
            fence = Some(Vec::new());
        } else if let Some(title) = line.strip_prefix("# ").or_else(|| line.strip_prefix("## ")) {
            flush(&mut paragraph, &mut out);
            out.push(html! { <h3>{ inline(title) }</h3> });
        } else if let Some(item) = line.strip_prefix("- ") {
            flush(&mut paragraph, &mut out);
            out.push(html! { <p class="item">{ "• " }{ inline(item) }</p> });
        } else if line.trim().is_empty() {
            flush(&mut paragraph, &mut out);
        } else {
            paragraph.push(line);
        }
    }
    flush(&mut paragraph, &mut out);
    html! { { for out } }
}
