//! Tags of templates that do not match the preceding ones, with the messages of Jinja2.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// A statement that is still open.
struct Open<'s> {
    name: &'s str,
    /// The tags that may come next.
    awaited: &'static [&'static str],
}

impl Open<'_> {
    fn awaits(&self, tag: &str) -> bool {
        self.awaited.contains(&tag)
    }
}

/// The first tag that does not fit the ones before it, or the missing one at the end.
pub(super) fn misplaced(text: &str) -> Option<String> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut tokens = tokenize(text, false, SyntaxConfig::default()).map_while(|token| Some(token.ok()?.0));
    while let Some(token) = tokens.next() {
        if !matches!(token, Token::BlockStart) {
            continue;
        }
        let Some(Token::Ident(tag)) = tokens.next() else { return None };
        let mut is_assignment = false;
        let is_closed = tokens.by_ref().any(|token| {
            is_assignment |= matches!(token, Token::Assign);
            matches!(token, Token::BlockEnd)
        });
        if !is_closed {
            // A wrong tag name is reported before a missing end.
            let is_known =
                awaited(tag).is_some() || LONE.contains(&tag) || open.last().is_some_and(|last| last.awaits(tag));
            return (!is_known).then(|| wrong_tag(Some(tag), &open));
        }
        match (tag, open.last_mut()) {
            ("else", Some(last)) if last.awaits(tag) => {
                last.awaited = if last.name == "if" { &["endif"] } else { &["endfor"] }
            }
            ("elif", Some(last)) if last.awaits(tag) => {}
            (_, Some(last)) if last.awaits(tag) => {
                open.pop();
            }
            ("set", _) if is_assignment => {}
            (tag, _) if LONE.contains(&tag) => {}
            _ => match awaited(tag) {
                Some(awaited) => open.push(Open { name: tag, awaited }),
                None => return Some(wrong_tag(Some(tag), &open)),
            },
        }
    }
    (!open.is_empty()).then(|| wrong_tag(None, &open))
}

/// Tags without an end tag.
const LONE: [&str; 4] = ["include", "import", "from", "extends"];

fn awaited(tag: &str) -> Option<&'static [&'static str]> {
    Some(match tag {
        "if" => &["elif", "else", "endif"],
        "for" => &["endfor", "else"],
        "set" => &["endset"],
        "macro" => &["endmacro"],
        "call" => &["endcall"],
        "filter" => &["endfilter"],
        "with" => &["endwith"],
        "block" => &["endblock"],
        "autoescape" => &["endautoescape"],
        _ => return None,
    })
}

/// An unexpected tag, or the end of the template.
fn wrong_tag(tag: Option<&str>, open: &[Open<'_>]) -> String {
    let mut message = match tag {
        Some(tag) => format!("Encountered unknown tag '{tag}'."),
        None => "Unexpected end of template.".into(),
    };
    let Some(last) = open.last() else { return message };
    let awaited = last.awaited.iter().map(|tag| format!("'{tag}'")).collect::<Vec<_>>().join(" or ");
    message += &match tag {
        Some(tag) if open.iter().any(|open| open.awaits(tag)) => format!(
            " You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for {awaited}."
        ),
        _ => format!(" Jinja was looking for the following tags: {awaited}."),
    };
    message + &format!(" The innermost block that needs to be closed is '{}'.", last.name)
}
