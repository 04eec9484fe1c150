//! `metadata.yaml`: a module's main file and its own modules directory. Language spec, 7.8.
//!
//! In: the file's bytes. Out: [`Metadata`], or what is wrong. Only plain `key: value` lines count;
//! keys that are not known here are skipped with all that belongs to them.

/// A module's metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// The entry file, relative; empty means the module's directory itself, which is no file.
    pub main: String,
    /// The module's own modules directory, relative, with a trailing slash.
    pub path: Option<String>,
    /// The directory of data files, relative, with a trailing slash.
    pub files: String,
    pub license: String,
    /// Do not search modules through the importing module's `path`.
    pub parent_path_block: bool,
}

impl Default for Metadata {
    fn default() -> Metadata {
        Metadata {
            main: "main.mcl".to_owned(),
            path: None,
            files: "files/".to_owned(),
            license: String::new(),
            parent_path_block: false,
        }
    }
}

/// Reads a metadata file.
pub fn parse(bytes: &[u8]) -> Result<Metadata, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())?;
    let mut metadata = Metadata::default();
    let mut nested = false;
    let braces = text.lines().filter(|line| !line.trim_start().starts_with('#') && line.trim_end() != "---");
    let braces = braces.collect::<Vec<_>>().join(" ");
    if let Some(inner) = braces.trim().strip_prefix('{') {
        let inner = inner.strip_suffix('}').ok_or("a closing brace is missing")?;
        for pair in pairs(inner) {
            let (key, rest) = split_pair(pair).ok_or_else(|| format!("`{pair}` is not of the form `key: value`"))?;
            set(&mut metadata, key, scalar(rest)?)?;
        }
        validate(&metadata)?;
        return Ok(metadata);
    }
    for (number, line) in text.lines().enumerate() {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with('#') || matches!(line.trim_end(), "---" | "...") {
            continue;
        }
        if bare.len() < line.len() || bare == "-" || bare.starts_with("- ") {
            // Belongs to the key above.
            if !nested {
                return Err(format!("line {} is indented for no reason", number + 1));
            }
            continue;
        }
        let Some((key, rest)) = split_pair(bare) else {
            return Err(format!("line {} is not of the form `key: value`", number + 1));
        };
        let value = scalar(rest).map_err(|why| format!("line {}: {why}", number + 1))?;
        nested = value.is_none() || rest.starts_with(['|', '>', '[', '{']);
        set(&mut metadata, key, value)?;
    }
    validate(&metadata)?;
    Ok(metadata)
}

/// The pairs of a mapping in braces: what stands between commas that no quotes or brackets surround.
fn pairs(inner: &str) -> Vec<&str> {
    let (mut found, mut from, mut depth, mut quote) = (Vec::new(), 0, 0usize, None);
    for (at, char) in inner.char_indices() {
        match (quote, char) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != char),
            (None, '"' | '\'') => quote = Some(char),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(inner[from..at].trim());
                from = at + 1;
            }
            (None, _) => {}
        }
    }
    found.push(inner[from..].trim());
    found.retain(|pair| !pair.is_empty());
    found
}

/// `key: value` at the first colon that a blank or the end follows.
fn split_pair(line: &str) -> Option<(&str, &str)> {
    let at = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t']))?;
    Some((line[..at].trim().trim_matches(['"', '\'']), line[at + 1..].trim()))
}

/// A plain or quoted value; `None` for nothing, `null` and `~`.
fn scalar(text: &str) -> Result<Option<String>, String> {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            let end = rest.find(quote).ok_or("a closing quote is missing")?;
            let after = rest[end + 1..].trim_start();
            if !after.is_empty() && !after.starts_with('#') {
                return Err("there is text behind the closing quote".to_owned());
            }
            return Ok(Some(rest[..end].to_owned()));
        }
    }
    let plain = if text.starts_with('#') { "" } else { text.split(" #").next().unwrap_or("").trim() };
    Ok(Some(plain).filter(|plain| !matches!(*plain, "" | "~" | "null" | "Null" | "NULL")).map(str::to_owned))
}

fn set(metadata: &mut Metadata, key: &str, value: Option<String>) -> Result<(), String> {
    match key {
        "main" => metadata.main = value.filter(|main| main != ".").unwrap_or_default(),
        "path" => metadata.path = value.filter(|path| !path.is_empty()),
        "files" => metadata.files = value.unwrap_or_default(),
        "license" => metadata.license = value.unwrap_or_default(),
        "parentpathblock" => {
            metadata.parent_path_block = match value.as_deref() {
                None => false,
                Some("true" | "True" | "TRUE" | "yes" | "Yes" | "on" | "On" | "y") => true,
                Some("false" | "False" | "FALSE" | "no" | "No" | "off" | "Off" | "n") => false,
                Some(other) => return Err(format!("`parentpathblock` is true or false, not `{other}`")),
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
        let text = "main: \"a/b.mcl\" # the entry\npath: vendor/\n#files: x\nlicense: 'MIT'\nparentpathblock: true\nother:\n  - 1\n  deep: 2\n";
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
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
