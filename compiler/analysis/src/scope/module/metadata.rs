//! `metadata.yaml`: a module's main file and its own modules directory. Language spec, 7.8.
//!
//! In: the file's bytes. Out: [`Metadata`], or the error with its line.

use super::yaml::{self, Kind, Yaml};

/// The directory of data files without a `files`.
pub const FILES: &str = "files/";

/// A module's metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// The entry file, relative; empty means the module's directory itself, which is not a file.
    pub main: String,
    /// The module's own modules directory, relative, with a trailing slash.
    pub path: Option<String>,
    /// The directory of data files, relative, with a trailing slash.
    pub files: String,
    /// The licence.
    pub license: String,
    /// Whether to skip the importing module's `path` when searching for modules.
    pub parent_path_block: bool,
}

impl Default for Metadata {
    fn default() -> Metadata {
        Metadata {
            main: "main.mcl".to_owned(),
            path: None,
            files: FILES.to_owned(),
            license: String::new(),
            parent_path_block: false,
        }
    }
}

/// Reads a metadata file. Unknown keys are ignored.
pub fn parse(bytes: &[u8]) -> Result<Metadata, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())?;
    let mut metadata = Metadata::default();
    let read = yaml::read(text).map_err(|problem| problem.to_string())?;
    match &read.kind {
        Kind::Null => {}
        Kind::Map(entries) => {
            for (key, value) in entries {
                set(&mut metadata, key, value).map_err(|why| format!("line {}: {why}", value.line))?;
            }
        }
        Kind::Text { .. } | Kind::List(_) => {
            return Err(format!("line {}: expected `key: value`", read.line));
        }
    }
    validate(&metadata)?;
    Ok(metadata)
}

fn set(metadata: &mut Metadata, key: &str, value: &Yaml) -> Result<(), String> {
    let text = || match &value.kind {
        Kind::Null => Ok(String::new()),
        Kind::Text { text, .. } => Ok(text.clone()),
        Kind::List(_) | Kind::Map(_) => Err(format!("`{key}` must be a string")),
    };
    match key {
        "main" => metadata.main = Some(text()?).filter(|main| main != ".").unwrap_or_default(),
        "path" => metadata.path = Some(text()?).filter(|path| !path.is_empty()),
        "files" => metadata.files = text()?,
        "license" => metadata.license = text()?,
        "parentpathblock" => {
            metadata.parent_path_block = match &value.kind {
                Kind::Null => false,
                Kind::Text { text, quoted: false } => match text.as_str() {
                    "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => true,
                    "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => false,
                    other => return Err(format!("`parentpathblock` must be true or false, not `{other}`")),
                },
                Kind::Text { quoted: true, .. } => {
                    return Err("`parentpathblock` must be true or false, without quotes".to_owned());
                }
                Kind::List(_) | Kind::Map(_) => return Err("`parentpathblock` must be true or false".to_owned()),
            }
        }
        _ => {}
    }
    Ok(())
}

fn validate(metadata: &Metadata) -> Result<(), String> {
    if metadata.main.starts_with('/') || metadata.main.ends_with('/') {
        return Err("`main` must be a relative file path".to_owned());
    }
    let relative_dir = |path: &str| !path.starts_with('/') && path.ends_with('/');
    if metadata.path.as_deref().is_some_and(|path| !relative_dir(path)) {
        return Err("`path` must be a relative path of a directory, with a slash at its end".to_owned());
    }
    if !metadata.files.is_empty() && !relative_dir(&metadata.files) {
        return Err("`files` must be a relative path of a directory, with a slash at its end".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_means_the_defaults() {
        for text in ["", "# nothing\n", "---\n", "{}\n", "---\n{ }\n"] {
            assert_eq!(parse(text.as_bytes()), Ok(Metadata::default()));
        }
    }

    #[test]
    fn keys_quotes_and_comments() {
        let text = "main: \"a/b.mcl\" # the entry\npath: vendor/\n#files: x\nlicense: 'MIT'\nparentpathblock: true\nother:\n  - 1\n  - deep: 2\n";
        let want = Metadata {
            main: "a/b.mcl".into(),
            path: Some("vendor/".into()),
            license: "MIT".into(),
            parent_path_block: true,
            ..Metadata::default()
        };
        assert_eq!(parse(text.as_bytes()), Ok(want));
    }

    #[test]
    fn a_mapping_in_braces() {
        let text = "{main: \"a,b.mcl\",\n path: vendor/, other: [1, {x: 2}]}\n";
        let want = Metadata { main: "a,b.mcl".into(), path: Some("vendor/".into()), ..Metadata::default() };
        assert_eq!(parse(text.as_bytes()), Ok(want));
        assert!(parse(b"{main: x.mcl").is_err());
    }

    #[test]
    fn what_people_write() {
        let text = "---\n\"main\": \"a\\x2fb.mcl\"\nlicense: >-\n  Some words\n  of it\nauthors: [\n  one, two\n]\n\
                    deps:\n- name: x\n  url: https://example.com/x#y\npath: &p vendor/ # ours\nfiles: *p\n";
        let want = Metadata {
            main: "a/b.mcl".into(),
            path: Some("vendor/".into()),
            files: "vendor/".into(),
            license: "Some words of it".into(),
            ..Metadata::default()
        };
        assert_eq!(parse(text.as_bytes()), Ok(want));
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let wrong = |text: &str| parse(text.as_bytes()).unwrap_err();
        assert_eq!(wrong("a: 1\n\nparentpathblock: 7\n"), "line 3: `parentpathblock` must be true or false, not `7`");
        assert_eq!(wrong("main: [a\n"), "line 1: missing closing `]`");
    }

    #[test]
    fn a_main_of_nothing_is_the_directory() {
        for text in ["main:", "main: \"\"", "main: null", "main: ."] {
            assert_eq!(parse(text.as_bytes()).map(|metadata| metadata.main), Ok(String::new()));
        }
    }

    #[test]
    fn refused() {
        for text in [
            "main: /x",
            "main: x/",
            "path: vendor",
            "path: /vendor/",
            "files: x",
            "nonsense",
            "parentpathblock: 7",
            "main: \"x",
            "main: [x.mcl]",
            "parentpathblock: \"true\"",
            "- main",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
