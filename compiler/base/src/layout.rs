//! [`Layout`]: what the files of a language are called. It tells the languages apart before any file is read.

/// The files of a language.
#[derive(PartialEq, Eq, Debug)]
pub struct Layout {
    /// What the language is called.
    pub title: &'static str,
    /// How the names of its files end, without the dot.
    pub suffix: &'static str,
    /// The file that a folder's program begins with.
    pub main: &'static str,
    /// Files beside the main one that belong to each program, where they are there.
    pub beside: &'static [&'static str],
    /// A folder beside the main file that belongs to each program with all that is in it.
    pub data: Option<&'static str>,
}

pub static MCL: Layout =
    Layout { title: "MCL", suffix: "mcl", main: "main.mcl", beside: &["metadata.yaml"], data: Some("files/") };

pub static INMANTA: Layout =
    Layout { title: "Inmanta", suffix: "cf", main: "main.cf", beside: &["functions.json", "project.yml"], data: None };

/// Every language; the first is that of texts without a name.
pub static ALL: [&Layout; 2] = [&MCL, &INMANTA];

impl Layout {
    /// A file of this name holds a program of the language.
    pub fn names(&self, file: &str) -> bool {
        file.rsplit_once('.').is_some_and(|(stem, suffix)| !stem.is_empty() && suffix == self.suffix)
    }
}

/// The language of a file, by its name.
pub fn of(file: &str) -> Option<&'static Layout> {
    ALL.into_iter().find(|layout| layout.names(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        assert_eq!(of("/a/main.cf"), Some(&INMANTA));
        assert_eq!(of("x.mcl"), Some(&MCL));
        assert!(of("metadata.yaml").is_none() && of(".cf").is_none() && of("cf").is_none());
    }
}
