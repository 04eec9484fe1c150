//! Links: what stands behind the `#` of the address. What `c=` holds is told in [`mclive_base::link`].

use super::model::Theme;
use mclive_base::layout::{self, Layout};

/// The version of the page, which its links carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What an address asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    Nothing,
    /// The packed program, still to be inflated, and its language.
    Program(String, &'static Layout),
    /// The packed JSON of a program of several files, still to be inflated.
    Files(String),
    /// The ID of a program that the page's server stores.
    Stored(String),
    /// An example by its name.
    Example(String),
    /// A lesson by its name; an empty one is the lesson to go on with.
    Lesson(String),
    /// A file on another server, by its address.
    File(String),
}

/// Reads the part of an address behind the `#`, with or without it.
pub fn asked(fragment: &str) -> Asked {
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    // An address may have any sign in it, so nothing stands behind it.
    if let Some(address) = fragment.strip_prefix("url=") {
        return Asked::File(address.to_owned());
    }
    let parts = || fragment.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, packed)) = parts().find(|(name, _)| *name == "c") {
        let name = parts().find(|(name, _)| *name == "f").map_or("", |(_, name)| name);
        return Asked::Program(packed.to_owned(), layout::of(name).unwrap_or(layout::ALL[0]));
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

/// The theme that an embedding page asks for.
pub fn theme(fragment: &str) -> Option<Theme> {
    let mut parts = fragment.trim_start_matches('#').split('&').filter_map(|part| part.split_once('='));
    match parts.find(|(name, _)| *name == "theme")?.1 {
        "dark" => Some(Theme::Dark),
        "light" => Some(Theme::Light),
        _ => None,
    }
}

/// The fragment of a lesson.
pub fn lesson_fragment(name: &str) -> String {
    format!("#lesson={name}")
}

/// Is this a lesson's address?
pub fn is_lesson(fragment: &str) -> bool {
    matches!(asked(fragment), Asked::Lesson(_))
}

/// The fragment of a packed program of one file. The first language needs no name.
pub fn fragment(packed: &str, layout: &Layout) -> String {
    match layout == layout::ALL[0] {
        true => format!("#c={packed}&v={VERSION}"),
        false => format!("#c={packed}&f={}&v={VERSION}", layout.main),
    }
}

/// The fragment of a program of several files, which is packed as the JSON that servers store.
pub fn fragment_of_files(packed: &str) -> String {
    format!("#p={packed}&v={VERSION}")
}

/// The version that made a link, where it tells.
pub fn version(fragment: &str) -> Option<&str> {
    let mut parts = fragment.trim_start_matches('#').split('&').filter_map(|part| part.split_once('='));
    parts.find(|(name, _)| *name == "v").map(|(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_read() {
        assert_eq!(asked(""), Asked::Nothing);
        assert_eq!(asked("#c=AbC-_"), Asked::Program("AbC-_".into(), &layout::MCL));
        assert_eq!(asked("#example=clock"), Asked::Example("clock".into()));
        assert_eq!(asked("#s=abcdefghij&theme=dark"), Asked::Stored("abcdefghij".into()));
        assert_eq!(
            (theme("#s=abcdefghij&theme=dark"), theme("#theme=<b>"), theme("")),
            (Some(Theme::Dark), None, None)
        );
        assert_eq!(asked("#other"), Asked::Nothing);
        assert_eq!(asked("#url=https://a.example/x?c=1&s=2"), Asked::File("https://a.example/x?c=1&s=2".into()));
        assert_eq!(asked(&fragment_of_files("xyz")), Asked::Files("xyz".into()));
        assert_eq!((version(&fragment_of_files("xyz")), version("#c=x"), version("")), (Some(VERSION), None, None));
        assert_eq!(asked("#learn"), Asked::Lesson(String::new()));
        assert_eq!(asked(&lesson_fragment("values/maps")), Asked::Lesson("values/maps".into()));
        assert!(is_lesson("#learn") && is_lesson("#lesson=a/b") && !is_lesson("#c=lesson") && !is_lesson(""));
        for layout in layout::ALL {
            assert_eq!(asked(&fragment("xyz", layout)), Asked::Program("xyz".into(), layout));
        }
    }
}
