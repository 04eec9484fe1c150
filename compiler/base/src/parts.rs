//! The partial exports of a model: a list next to its main file, and a folder with the files of each part.
//!
//! ```text
//! main.cf                  the whole model
//! partial/parts.json       {"parts": [{"main": "1/main.cf", "delete_resource_sets": ["old"]}]}
//! partial/1/main.cf        a part, with its own libs/ and functions.json
//! ```

use serde::{Deserialize, Serialize};

/// The folder next to the main file of the whole model.
pub const FOLDER: &str = "partial/";

/// The list in that folder.
pub const LIST: &str = "parts.json";

/// The maximum number of parts of a model: each is compiled by every host.
pub const MOST: usize = 32;

/// The list of parts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the field `parts`")]
pub struct Parts {
    /// In the order in which they were exported.
    pub parts: Vec<Part>,
}

/// One partial export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the field `main`")]
pub struct Part {
    /// Its main file, below [`FOLDER`].
    pub main: String,
    /// The resource sets that it deletes, in addition to those that it exports without resources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delete_resource_sets: Vec<String>,
}

impl Parts {
    /// Reads a list. Errors: what is wrong in it, a sentence without a full stop.
    pub fn read(bytes: &[u8]) -> Result<Parts, String> {
        let parts: Parts = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if parts.parts.len() > MOST {
            return Err(format!("a model can have at most {MOST} parts, found {}", parts.parts.len()));
        }
        match parts.parts.iter().find(|part| !is_below(&part.main)) {
            Some(part) => Err(format!("expected the path of a `.cf` file below `{FOLDER}`, found `{}`", part.main)),
            None => Ok(parts),
        }
    }

    /// The text of the list.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a list of parts is plain data");
        text.push('\n');
        text
    }
}

/// Whether a path is that of a model below the folder.
fn is_below(path: &str) -> bool {
    let is_plain = path.split('/').all(|step| !matches!(step, "" | "." | ".."));
    is_plain && path.contains('/') && crate::layout::INMANTA.names(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let part = |main: &str, deleted: &[&str]| Part {
            main: main.into(),
            delete_resource_sets: deleted.iter().map(|name| (*name).to_owned()).collect(),
        };
        let parts = Parts { parts: vec![part("1/main.cf", &[]), part("2/model/web.cf", &["a", "b"])] };
        assert_eq!(Parts::read(parts.text().as_bytes()), Ok(parts));
    }

    #[test]
    fn a_part_is_a_model_in_a_folder_of_its_own() {
        let read = |main: &str| Parts::read(format!("{{\"parts\": [{{\"main\": \"{main}\"}}]}}").as_bytes());
        assert!(read("a/b/main.cf").is_ok());
        for wrong in ["main.cf", "/a/main.cf", "../a/main.cf", "a/./main.cf", "a//main.cf", "a/main.mcl", "a/", ""] {
            assert!(read(wrong).is_err_and(|why| why.starts_with("expected the path of a `.cf` file")), "{wrong}");
        }
        let many = format!("{{\"parts\": [{}]}}", vec!["{\"main\": \"a/main.cf\"}"; MOST + 1].join(", "));
        assert_eq!(Parts::read(many.as_bytes()), Err("a model can have at most 32 parts, found 33".to_owned()));
        assert!(Parts::read(b"{\"parts\": [], \"more\": 1}").is_err_and(|why| why.contains("unknown field `more`")));
        for wrong in ["1", "[]", "{\"parts\": [1]}"] {
            let why = Parts::read(wrong.as_bytes()).unwrap_err();
            assert!(why.contains("expected an object with the field `"), "{why}");
        }
    }
}
