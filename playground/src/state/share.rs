//! Links: what stands behind the `#` of the address. What `c=` holds is told in [`mclive_base::link`].

use mclive_base::layout::{self, Layout};

/// What an address asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    Nothing,
    /// The packed program, still to be inflated, and its language.
    Program(String, &'static Layout),
    /// An example by its name.
    Example(String),
    /// A lesson by its name; an empty one is the lesson to go on with.
    Lesson(String),
}

/// Reads the part of an address behind the `#`, with or without it.
pub fn asked(fragment: &str) -> Asked {
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    let parts = || fragment.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, packed)) = parts().find(|(name, _)| *name == "c") {
        let name = parts().find(|(name, _)| *name == "f").map_or("", |(_, name)| name);
        return Asked::Program(packed.to_owned(), layout::of(name).unwrap_or(layout::ALL[0]));
    }
    match parts().find(|(name, _)| ["example", "lesson"].contains(name)) {
        Some(("lesson", name)) => Asked::Lesson(name.to_owned()),
        Some((_, name)) => Asked::Example(name.to_owned()),
        None if fragment == "learn" => Asked::Lesson(String::new()),
        None => Asked::Nothing,
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

/// The fragment of a packed program. The first language needs no name.
pub fn fragment(packed: &str, layout: &Layout) -> String {
    match layout == layout::ALL[0] {
        true => format!("#c={packed}"),
        false => format!("#c={packed}&f={}", layout.main),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_read() {
        assert_eq!(asked(""), Asked::Nothing);
        assert_eq!(asked("#c=AbC-_"), Asked::Program("AbC-_".into(), &layout::MCL));
        assert_eq!(asked("#example=clock"), Asked::Example("clock".into()));
        assert_eq!(asked("#other"), Asked::Nothing);
        assert_eq!(asked("#learn"), Asked::Lesson(String::new()));
        assert_eq!(asked(&lesson_fragment("values/maps")), Asked::Lesson("values/maps".into()));
        assert!(is_lesson("#learn") && is_lesson("#lesson=a/b") && !is_lesson("#c=lesson") && !is_lesson(""));
        for layout in layout::ALL {
            assert_eq!(asked(&fragment("xyz", layout)), Asked::Program("xyz".into(), layout));
        }
    }
}
