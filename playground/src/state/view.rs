//! What the page shows and how: views, selection, theme and messages.

/// The view on the right side; on a small screen, the only one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The text of a lesson; with `Code`, a separate view on small screens only.
    Lesson,
    /// The editor.
    Code,
    /// The resource graph.
    Resources,
    /// The function graph or model.
    Functions,
    /// The host.
    Host,
    /// The log.
    Log,
}

/// The sections of a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Section {
    Files,
    World,
    Changes,
}

/// The selected vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// An index in the function graph.
    Function(u32),
    /// `kind[name]`.
    Resource(String),
}

/// A colour theme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

impl Theme {
    /// Its name in links.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Dark => "dark",
            Theme::Light => "light",
        }
    }
}

/// A message that disappears automatically or by a click.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Its style.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

/// The maximum number of characters of a refusal: it may tell what a stranger wrote, who has no such limit.
const MAX_REFUSAL: usize = 400;
/// The maximum number of characters of a name in a message.
const MAX_NAME: usize = 60;

/// The beginning of a long text.
fn beginning(text: &str, n_chars: usize) -> String {
    match text.char_indices().nth(n_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A name from a link, for a message.
pub fn clipped(name: &str) -> String {
    beginning(name, MAX_NAME)
}

impl Notice {
    /// Why something is impossible. `why`: a sentence, with or without its capital letter and its full stop.
    pub fn refusal(why: &str) -> Notice {
        let mut text = beginning(why, MAX_REFUSAL);
        if let Some(first) = text.get_mut(0..1) {
            first.make_ascii_uppercase();
        }
        if !text.ends_with(['.', '!', '?', '…']) {
            text.push('.');
        }
        Notice { tone: Tone::Bad, text }
    }
}

/// The style of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Success.
    Good,
    /// A failure.
    Bad,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_sentence() {
        for (why, text) in [
            ("the last host cannot be removed", "The last host cannot be removed."),
            ("The program has errors.", "The program has errors."),
            ("`Bob` is not a name", "`Bob` is not a name."),
        ] {
            assert_eq!(Notice::refusal(why), Notice { tone: Tone::Bad, text: text.into() });
        }
    }

    #[test]
    fn a_long_name_does_not_fill_a_message() {
        let name = "é".repeat(1_000_000);
        assert_eq!(clipped(&name), format!("{}…", "é".repeat(MAX_NAME)));
        assert_eq!(clipped("short"), "short");
        assert_eq!(Notice::refusal(&name).text.chars().count(), MAX_REFUSAL + 1);
    }
}
