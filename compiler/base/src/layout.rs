//! [`Layout`]: the file names of a language. It tells the languages apart before any file is read.

/// File names of a language.
#[derive(PartialEq, Eq, Debug)]
pub struct Layout {
    /// The name of the language.
    pub title: &'static str,
    /// The file extension, without the dot.
    pub suffix: &'static str,
    /// The main file of a program in a folder.
    pub main: &'static str,
    /// Optional files beside the main file that belong to every program.
    pub beside: &'static [&'static str],
    /// Optional folder beside the main file that belongs to every program, with everything in it.
    pub data: Option<&'static str>,
}

/// MCL.
pub static MCL: Layout =
    Layout { title: "MCL", suffix: "mcl", main: "main.mcl", beside: &["metadata.yaml"], data: Some("files/") };

/// The Inmanta modelling language.
pub static INMANTA: Layout =
    Layout { title: "Inmanta", suffix: "cf", main: "main.cf", beside: &["functions.json", "project.yml"], data: None };

/// Every language; the first is the default for text without a file name.
pub static ALL: [&Layout; 2] = [&MCL, &INMANTA];

impl Layout {
    /// Whether a file of this name is written in this language.
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
