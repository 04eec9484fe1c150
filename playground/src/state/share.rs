//! Links: the fragment of the address. [`mclive_base::link`] documents the part after `c=`.

use super::offer::Look;
use super::view::Theme;
use mclive_base::layout::{self, Layout};

/// The version of the page, which is part of its links.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The content of a fragment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// The packed program of one file, and its language. Without one, its text tells.
    Program(String, Option<&'static Layout>),
    /// The packed JSON of a program of several files.
    Files(String),
    /// The ID of a program stored on the page's server.
    Stored(String),
    /// An example by name.
    Example(String),
    /// A lesson by name; an empty name means the next lesson.
    Lesson(String),
    /// A file on another server, by address.
    File(String),
}

/// Parses a fragment, with or without its `#`.
pub fn asked(fragment: &str) -> Asked {
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    // An address may contain any character, so it comes last.
    if let Some(address) = fragment.strip_prefix("url=") {
        return Asked::File(address.to_owned());
    }
    let parts = || fragment.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, packed)) = parts().find(|(name, _)| *name == "c") {
        let name = parts().find(|(name, _)| *name == "f").map_or("", |(_, name)| name);
        return Asked::Program(packed.to_owned(), layout::of(name));
    }
    match parts().find(|(name, _)| ["example", "lesson", "s", "p"].contains(name)) {
        Some(("p", packed)) => Asked::Files(packed.to_owned()),
        Some(("s", id)) => Asked::Stored(id.to_owned()),
        Some(("lesson", name)) => Asked::Lesson(name.to_owned()),
        Some((_, name)) => Asked::Example(name.to_owned()),
        None if fragment == "learn" => Asked::Lesson(String::new()),
        None => Asked::Nothing,
    }
}

/// The theme requested by an embedding page.
pub fn theme(fragment: &str) -> Option<Theme> {
    let mut parts = fragment.trim_start_matches('#').split('&').filter_map(|part| part.split_once('='));
    match parts.find(|(name, _)| *name == "theme")?.1 {
        "dark" => Some(Theme::Dark),
        "light" => Some(Theme::Light),
        _ => None,
    }
}

/// How a program is shown in an embedding page.
pub fn look(fragment: &str) -> Look {
    let mut names = fragment.trim_start_matches('#').split('&').filter_map(|part| part.split('=').next());
    Look { theme: theme(fragment), read_only: names.any(|name| name == "readonly") }
}

/// The fragment of a lesson.
pub fn lesson_fragment(name: &str) -> String {
    format!("#lesson={name}")
}

/// Whether this is the fragment of a lesson.
pub fn is_lesson(fragment: &str) -> bool {
    matches!(asked(fragment), Asked::Lesson(_))
}

/// The fragment of a program of one file, packed. It names the file unless that is the default, and the text does not
/// belong to another language.
pub fn fragment(packed: &str, text: &str, layout: &Layout) -> String {
    match layout == layout::ALL[0] && layout::of_text(text) == layout {
        true => format!("#c={packed}&v={VERSION}"),
        false => format!("#c={packed}&f={}&v={VERSION}", layout.main),
    }
}

/// The fragment of a program of several files, packed as the JSON that servers store.
pub fn fragment_of_files(packed: &str) -> String {
    format!("#p={packed}&v={VERSION}")
}

/// The version that made a link, if recorded.
pub fn version(fragment: &str) -> Option<&str> {
    let fragment = fragment.trim_start_matches('#');
    // All of the address of a file is its own.
    if fragment.starts_with("url=") {
        return None;
    }
    let mut parts = fragment.split('&').filter_map(|part| part.split_once('='));
    parts.find(|(name, _)| *name == "v").map(|(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_read() {
        assert_eq!(asked(""), Asked::Nothing);
        assert_eq!(asked("#c=AbC-_"), Asked::Program("AbC-_".into(), None));
        assert_eq!(asked("#example=clock"), Asked::Example("clock".into()));
        assert_eq!(asked("#s=abcdefghij&theme=dark"), Asked::Stored("abcdefghij".into()));
        assert_eq!(
            (theme("#s=abcdefghij&theme=dark"), theme("#theme=<b>"), theme("")),
            (Some(Theme::Dark), None, None)
        );
        for suffix in ["", "&theme=dark", "&readonly=1", "&theme=light&readonly=1"] {
            assert_eq!(look(&format!("#c=x&v=0.1.0{suffix}")).suffix(), suffix);
        }
        assert_eq!(asked("#other"), Asked::Nothing);
        assert_eq!(asked("#url=https://a.example/x?c=1&s=2"), Asked::File("https://a.example/x?c=1&s=2".into()));
        assert_eq!(asked(&fragment_of_files("xyz")), Asked::Files("xyz".into()));
        assert_eq!((version(&fragment_of_files("xyz")), version("#c=x"), version("")), (Some(VERSION), None, None));
        assert_eq!(version("#url=https://a.example/x?c=1&v=0.0.1"), None);
        assert_eq!(asked("#learn"), Asked::Lesson(String::new()));
        assert_eq!(asked(&lesson_fragment("values/maps")), Asked::Lesson("values/maps".into()));
        assert!(is_lesson("#learn") && is_lesson("#lesson=a/b") && !is_lesson("#c=lesson") && !is_lesson(""));
        assert_eq!(asked(&fragment("xyz", "$a = 1\n", &layout::MCL)), Asked::Program("xyz".into(), None));
        for (text, layout) in [("end\n", &layout::MCL), ("a = 1\n", &layout::INMANTA), ("end\n", &layout::INMANTA)] {
            assert_eq!(asked(&fragment("xyz", text, layout)), Asked::Program("xyz".into(), Some(layout)));
        }
    }
}
