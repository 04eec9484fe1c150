//! [`Layout`]: the file names of a language. It distinguishes the languages before any file is read.

/// File names of a language.
#[derive(PartialEq, Eq, Debug)]
pub struct Layout {
    /// The name of the language.
    pub title: &'static str,
    /// The file extension, without the dot.
    pub suffix: &'static str,
    /// The main file of a program in a folder.
    pub main: &'static str,
    /// Optional files next to the main file that belong to every program.
    pub beside: &'static [&'static str],
    /// Optional folder next to the main file that belongs to every program, with everything in it.
    pub data: Option<&'static str>,
    /// A file that the folder must contain to belong to the program; without it, the folder has another purpose.
    pub index: Option<&'static str>,
}

/// MCL.
pub static MCL: Layout = Layout {
    title: "MCL",
    suffix: "mcl",
    main: "main.mcl",
    beside: &["metadata.yaml"],
    data: Some("files/"),
    index: None,
};

/// The Inmanta modeling language.
pub static INMANTA: Layout = Layout {
    title: "Inmanta",
    suffix: "cf",
    main: "main.cf",
    beside: &["functions.json", "project.yml"],
    data: Some(crate::parts::FOLDER),
    index: Some(crate::parts::LIST),
};

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

/// The language of a program without a file name, by its text: a model if the first line that distinguishes the
/// languages belongs to a model, and MCL otherwise.
pub fn of_text(text: &str) -> &'static Layout {
    let mut is_in_string = false;
    for line in text.lines() {
        let is_string = is_in_string;
        is_in_string ^= line.matches("\"\"\"").count() % 2 == 1;
        let line = line.trim_start_matches('\u{feff}').trim();
        if is_string || line.is_empty() || line.starts_with('#') {
            continue;
        }
        if is_of_mcl(line) {
            return &MCL;
        }
        if is_of_model(line) {
            return &INMANTA;
        }
    }
    &MCL
}

/// Whether only MCL has lines like this.
fn is_of_mcl(line: &str) -> bool {
    let begins = ["$", "}", "import \"", "include ", "class ", "func ", "const "];
    begins.iter().any(|start| line.starts_with(start)) || line.contains("=>") || line.ends_with('{')
}

/// Whether only a model has lines like this.
fn is_of_model(line: &str) -> bool {
    let (first, rest) = match line.find(|char: char| !is_of_name(char) && char != ':') {
        Some(end) => (&line[..end], line[end..].trim_start()),
        None => (line, ""),
    };
    let is_type =
        |name: &str| name.rsplit("::").next().is_some_and(|name| name.starts_with(|it: char| it.is_ascii_uppercase()));
    let word = rest.split(|char: char| !is_of_name(char) && char != ':').next().unwrap_or_default();
    match first {
        "entity" => is_type(word),
        "implementation" => rest.contains(" for "),
        "implement" => rest.contains(" using "),
        "typedef" => rest.contains(" as "),
        "index" => is_type(word) && rest.contains('('),
        "import" => !word.is_empty(),
        "for" | "if" => line.ends_with(':'),
        "end" => rest.is_empty(),
        first => {
            let first = first.trim_end_matches(':');
            let is_call = |name: &str, rest: &str| name.contains("::") && rest.starts_with('(');
            let relation = rest.split_once('[').map(|(end, _)| end.trim_end());
            let is_end =
                |end: &str| end.strip_prefix('.').is_some_and(|end| !end.is_empty() && end.chars().all(is_of_name));
            let value = rest.strip_prefix('=').map(str::trim_start).unwrap_or_default();
            let made = value.split_once('(').map_or("", |(name, _)| name);
            is_call(first, rest)
                || is_type(first) && (rest.starts_with('(') || relation.is_some_and(is_end))
                || !made.is_empty()
                    && made.chars().all(|char| is_of_name(char) || char == ':')
                    && (is_type(made) || made.contains("::"))
        }
    }
}

fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_its_language() {
        for model in [
            "# a comment\n\nimport std::testing\n",
            "entity Site:\n    string name\nend\n",
            "\"\"\"\n$ is no MCL\n\"\"\"\nimplement Site using std::none\n",
            "a = 1\nhost = std::Host(name=\"h\", os=std::linux)\n",
            "Site.host [1] -- std::Host.sites [0:]\n",
            "typedef port as int matching self > 0\n",
            "std::print(\"x\")\n",
            "for x in [1]:\n    std::print(x)\nend\n",
            "index Site(name)\n",
            "Site(name=\"a\")\n",
        ] {
            assert_eq!(of_text(model), &INMANTA, "{model}");
        }
        for program in [
            "",
            "# entity Site:\n",
            "x = 1\n",
            "import \"fmt\"\n",
            "$x = 1\nend\n",
            "file \"/a\" {\n    content => \"entity A:\",\n}\n",
            "print \"a\" {}\n",
            "File[\"/a\"] -> Pkg[\"b\"]\n",
            "if true {\n}\n",
            "for $i, $x in [1] {\n}\n",
            "include base(1)\n",
        ] {
            assert_eq!(of_text(program), &MCL, "{program}");
        }
    }

    #[test]
    fn names_tell_the_language() {
        assert_eq!(of("/a/main.cf"), Some(&INMANTA));
        assert_eq!(of("x.mcl"), Some(&MCL));
        assert!(of("metadata.yaml").is_none() && of(".cf").is_none() && of("cf").is_none());
    }
}
