//! Text archives: a comment, then files that start with a line `-- NAME --`. Bytes in, bytes out;
//! lines end at `\n` only.

/// An archive, split. The comment before the first file is dropped.
pub struct Archive {
    pub files: Vec<(String, Vec<u8>)>,
}

impl Archive {
    pub fn parse(bytes: &[u8]) -> Archive {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match (header(line), files.last_mut()) {
                (Some(name), _) => files.push((name, Vec::new())),
                (None, Some((_, content))) => content.extend_from_slice(line),
                (None, None) => {}
            }
        }
        Archive { files }
    }

    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.iter().find(|(file, _)| file == name).map(|(_, content)| content.as_slice())
    }
}

fn header(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim_end_matches('\n');
    let name = line.strip_prefix("-- ")?.strip_suffix(" --")?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_to_the_byte() {
        let archive = Archive::parse(b"comment\n-- a --\nx\r\n\n-- b/c --\ny");
        assert_eq!(archive.get("a"), Some(&b"x\r\n\n"[..]));
        assert_eq!(archive.get("b/c"), Some(&b"y"[..]));
    }
}
