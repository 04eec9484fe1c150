//! Pages as elements. Texts become only text nodes, so nothing in them can become markup.

use super::browser;
use crate::prose::{Block, Span, spans};
use yew::prelude::*;

/// A line of text with its `code` and **strong** words.
pub(super) fn line(text: &str) -> Html {
    parts(&spans(text))
}

fn parts(spans: &[Span]) -> Html {
    let part = |span: &Span| match span {
        Span::Text(text) => html! { { text } },
        Span::Code(text) => html! { <code>{ text }</code> },
        Span::Strong(text) => html! { <strong>{ text }</strong> },
        Span::Emphasis(text) => html! { <em>{ text }</em> },
    };
    html! { { for spans.iter().map(part) } }
}

/// A page.
pub(super) fn page(blocks: &[Block]) -> Html {
    html! { { for blocks.iter().map(block) } }
}

fn block(block: &Block) -> Html {
    match block {
        Block::Heading(title) => html! { <h3>{ parts(title) }</h3> },
        Block::Paragraph(text) => html! { <p>{ parts(text) }</p> },
        Block::Code(language, text) => html! { <pre tabindex="0">{ code(language, text) }</pre> },
        Block::List { numbered, items } => {
            let items = items.iter().map(|item| html! { <li>{ parts(item) }</li> });
            if *numbered {
                html! { <ol class="items">{ for items }</ol> }
            } else {
                html! { <ul class="items">{ for items }</ul> }
            }
        }
        Block::Table(rows) => {
            let (head, body) = rows.split_at(1.min(rows.len()));
            let title = |cell: &Vec<Span>| html! { <th scope="col">{ parts(cell) }</th> };
            let row = |row: &Vec<Vec<Span>>| html! { <tr>{ for row.iter().map(|cell| html! { <td>{ parts(cell) }</td> }) }</tr> };
            html! {
                <div class="table"><table>
                    <thead><tr>{ for head.iter().flatten().map(title) }</tr></thead>
                    <tbody>{ for body.iter().map(row) }</tbody>
                </table></div>
            }
        }
    }
}

/// A program with syntax highlighting; other languages are plain.
fn code(language: &str, text: &str) -> Html {
    if language != "mcl" {
        return html! { { text } };
    }
    let piece = |(class, text): (String, String)| match class.as_str() {
        "" => html! { { text } },
        _ => html! { <span class={class}>{ text }</span> },
    };
    html! { { for browser::coloured(text).into_iter().map(piece) } }
}
