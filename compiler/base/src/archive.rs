//! Text archives: a comment, then files that start with a line `-- NAME --`. Bytes in, bytes out;
//! lines end at `\n` only.

/// An archive, split. The comment before the first file is dropped.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Archive {
    /// Name and content of each file, in order.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Archive {
    /// Splits the bytes of an archive into its files; never fails.
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

    /// Renders the archive as text, adding a missing final newline to each file. `None` if a line of a file would be
    /// read as a file header.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for (name, content) in &self.files {
            if content.split_inclusive(|byte| *byte == b'\n').any(|line| header(line).is_some()) {
                return None;
            }
            bytes.extend_from_slice(format!("-- {name} --\n").as_bytes());
            bytes.extend_from_slice(content);
            if content.last().is_some_and(|last| *last != b'\n') {
                bytes.push(b'\n');
            }
        }
        Some(bytes)
    }

    /// Builds an archive of these files; it parses back to the same files.
    ///
    /// Errors: what a text archive cannot contain, as a sentence without a full stop.
    pub fn text<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<String, String> {
        let mut text = String::new();
        for (name, content) in files {
            if name.trim() != name || name.is_empty() || name.contains('\n') {
                return Err(format!("a text archive cannot contain a file named {name:?}"));
            }
            if content.split_inclusive('\n').any(|line| header(line.as_bytes()).is_some()) {
                return Err(format!(
                    "a text archive cannot contain `{name}`: one of its lines looks like a file header"
                ));
            }
            if !text.is_empty() && !text.ends_with('\n') {
                return Err(
                    "a text archive cannot contain a file without a newline at its end, unless it is the last one"
                        .into(),
                );
            }
            text.push_str(&format!("-- {name} --\n{content}"));
        }
        Ok(text)
    }

    /// The content of a file, by its exact name.
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
        assert_eq!(archive.to_bytes().as_deref(), Some(&b"-- a --\nx\r\n\n-- b/c --\ny\n"[..]));
        let hostile = Archive { files: vec![("a".into(), b"x\n-- b --\n".to_vec())] };
        assert_eq!(hostile.to_bytes(), None);
    }

    #[test]
    fn what_is_written_reads_the_same_and_all_else_is_refused() {
        let files = [("a b", "x\r\n\n"), ("empty", ""), ("c", "no end")];
        let text = Archive::text(files).unwrap();
        let read = Archive::parse(text.as_bytes()).files;
        assert!(
            read.iter().map(|(name, content)| (name.as_str(), &**content)).eq(files.map(|(n, c)| (n, c.as_bytes())))
        );
        for (files, why) in [
            ([("a", "no end"), ("b", "")], "newline"),
            ([("a", "x\n-- b --\n"), ("c", "")], "looks like"),
            ([(" a", ""), ("c", "")], "named"),
            ([("a\nb", ""), ("c", "")], "named"),
        ] {
            assert!(Archive::text(files).unwrap_err().contains(why), "{files:?}");
        }
    }
}
