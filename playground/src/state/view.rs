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

/// The style of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Success.
    Good,
    /// A failure.
    Bad,
}
