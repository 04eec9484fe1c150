//! [`ProgramFile`]: a file of the program, and its form on the way between page and worker.

use serde::{Deserialize, Serialize};

/// One file of the program, by path in the program's own tree: `/main.mcl`, `/main.cf`. The name determines the
/// language.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Crossing", into = "Crossing")]
pub struct ProgramFile {
    /// Its path.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

impl ProgramFile {
    /// A file with this content.
    pub fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> ProgramFile {
        ProgramFile { path: path.into(), content: content.into() }
    }
}

/// A file on its way to the worker: a text is fast there, a list of numbers is not.
#[derive(Serialize, Deserialize)]
struct Crossing {
    path: String,
    text: String,
    /// Each character of the text is a byte.
    #[serde(default)]
    is_binary: bool,
}

impl From<ProgramFile> for Crossing {
    fn from(ProgramFile { path, content }: ProgramFile) -> Crossing {
        match String::from_utf8(content) {
            Ok(text) => Crossing { path, text, is_binary: false },
            Err(error) => {
                let text = error.into_bytes().into_iter().map(char::from).collect();
                Crossing { path, text, is_binary: true }
            }
        }
    }
}

impl From<Crossing> for ProgramFile {
    fn from(Crossing { path, text, is_binary }: Crossing) -> ProgramFile {
        let content = match is_binary {
            true => text.chars().filter_map(|byte| u8::try_from(u32::from(byte)).ok()).collect(),
            false => text.into_bytes(),
        };
        ProgramFile { path, content }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_arrive_as_they_were_sent() {
        for content in [&b""[..], "print \"\u{e9}\" {}\n".as_bytes(), b"a\0b", &[0x89, 0xff, 0, 0xc3], &[0xe9]] {
            let file = ProgramFile::new("/a", content);
            let crossing = Crossing::from(file.clone());
            assert_eq!(crossing.is_binary, std::str::from_utf8(content).is_err());
            assert_eq!(ProgramFile::from(crossing), file);
        }
    }
}
