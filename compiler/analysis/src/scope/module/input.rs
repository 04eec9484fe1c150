//! Finds the main file of an input path. Language spec, 7.7.
//!
//! In: a [`ProgramFiles`] and a path such as `/`, `/lib/` or `/main.mcl`. Out: [`Input`]: the file's path and bytes
//! with the module's metadata, or an [`InputError`].

use super::import_name::clean;
use super::metadata::{self, Metadata};
use crate::source::ProgramFiles;
use std::sync::Arc;

/// The main file of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The path of the main file, as shown in messages.
    pub path: String,
    /// Its content.
    pub text: Arc<[u8]>,
    /// The directory of the main file, with a trailing slash: the base of local imports and `deploy.*`.
    pub base: String,
    /// The directory of the metadata file, and its content; `None` without such a file.
    pub metadata: Option<(String, Metadata)>,
}

/// Why there is no main file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum InputError {
    /// The path is empty.
    Empty,
    /// There is no such directory.
    NoDirectory(String),
    /// There is no such metadata file.
    NoMetadata(String),
    /// The metadata file is invalid.
    BadMetadata { path: String, why: String },
    /// There is no such file.
    NoFile(String),
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InputError::Empty => f.write_str("the input is empty"),
            InputError::NoDirectory(path) => write!(f, "cannot find directory `{path}`"),
            InputError::NoMetadata(path) => write!(f, "cannot find metadata file `{path}`"),
            InputError::BadMetadata { path, why } => write!(f, "could not read the metadata file `{path}`: {why}"),
            InputError::NoFile(path) => write!(f, "cannot find file `{path}`"),
        }
    }
}

impl std::error::Error for InputError {}

/// Finds the main file for an input path. A relative path starts at the root; an input that is neither a metadata file,
/// nor a `.mcl` file, nor a directory with a main file is program text.
pub fn locate(world: &dyn ProgramFiles, input: &str) -> Result<Input, InputError> {
    if input.is_empty() {
        return Err(InputError::Empty);
    }
    let path = in_tree(world, input);
    if path.ends_with("/metadata.yaml") {
        let bytes = world.read(&path).ok_or_else(|| InputError::NoMetadata(path.clone()))?;
        return with_metadata(world, &path, &bytes);
    }
    if path.ends_with(".mcl") {
        return file(world, path, None);
    }
    if path.ends_with('/') {
        if !world.is_dir(if path == "/" { "/" } else { path.trim_end_matches('/') }) {
            return Err(InputError::NoDirectory(path));
        }
        let metadata_path = format!("{path}metadata.yaml");
        if let Some(bytes) = world.read(&metadata_path) {
            return with_metadata(world, &metadata_path, &bytes);
        }
        let main = format!("{path}main.mcl");
        if world.read(&main).is_some() {
            return file(world, main, None);
        }
    }
    Ok(Input { path: "/main.mcl".into(), text: input.as_bytes().into(), base: "/".into(), metadata: None })
}

fn with_metadata(world: &dyn ProgramFiles, path: &str, bytes: &[u8]) -> Result<Input, InputError> {
    let metadata = metadata::parse(bytes).map_err(|why| InputError::BadMetadata { path: path.to_owned(), why })?;
    let dir = path.strip_suffix("metadata.yaml").unwrap_or(path).to_owned();
    if metadata.main.is_empty() {
        return Err(InputError::NoFile(dir));
    }
    if !metadata.files.is_empty() {
        world.wants_data(&data_of(&dir, &metadata.files));
    }
    let main = in_tree(world, &format!("{dir}{}", metadata.main));
    file(world, main, Some((dir, metadata)))
}

fn file(world: &dyn ProgramFiles, path: String, metadata: Option<(String, Metadata)>) -> Result<Input, InputError> {
    let text = world.read(&path).ok_or_else(|| InputError::NoFile(path.clone()))?;
    let base = path[..path.rfind('/').map_or(0, |at| at + 1)].to_owned();
    if metadata.is_none() {
        world.wants_data(&data_of(&base, metadata::FILES));
    }
    Ok(Input { path, text, base, metadata })
}

/// The directory of a module's data, with a trailing slash.
fn data_of(dir: &str, files: &str) -> String {
    match clean(files).as_str() {
        "." => dir.to_owned(),
        inner => format!("{dir}{inner}/"),
    }
}

/// The path in the program's tree, normalised, with its trailing slash if it had one.
///
/// The main program's directory is the top of the tree. Files above it on disk have paths that begin with `/..`; if
/// there are none, the top is its own parent.
fn in_tree(world: &dyn ProgramFiles, input: &str) -> String {
    let slash = |path: String| if input.ends_with('/') && path != "/" { path + "/" } else { path };
    let above = clean(input.trim_start_matches('/'));
    if above == ".." || above.starts_with("../") {
        let above = format!("/{above}");
        if if input.ends_with('/') { world.is_dir(&above) } else { world.read(&above).is_some() } {
            return slash(above);
        }
    }
    slash(clean(&format!("/{input}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemoryWorld;

    fn world() -> MemoryWorld {
        let mut world = MemoryWorld::default();
        world.insert("/main.mcl", *b"main");
        world.insert("/plain/main.mcl", *b"plain");
        world.insert("/meta/metadata.yaml", *b"main: sub/x.mcl\npath: vendor/\n");
        world.insert("/meta/sub/x.mcl", *b"x");
        world.insert("/bare/data.txt", *b"");
        world.insert("/bad/metadata.yaml", *b"main: /x");
        world.insert("/gone/metadata.yaml", *b"main: x.mcl");
        world.insert("/self/metadata.yaml", *b"main:");
        world.insert("/../up.mcl", *b"up");
        world.insert("/../side/main.mcl", *b"side");
        world
    }

    #[test]
    fn found() {
        let found =
            |input: &str| locate(&world(), input).map(|found| (found.path, found.base, found.metadata.is_some()));
        assert_eq!(found("/"), Ok(("/main.mcl".into(), "/".into(), false)));
        assert_eq!(found("main.mcl"), Ok(("/main.mcl".into(), "/".into(), false)));
        assert_eq!(found("/plain/"), Ok(("/plain/main.mcl".into(), "/plain/".into(), false)));
        assert_eq!(found("/meta/"), Ok(("/meta/sub/x.mcl".into(), "/meta/sub/".into(), true)));
        assert_eq!(found("/meta/metadata.yaml"), Ok(("/meta/sub/x.mcl".into(), "/meta/sub/".into(), true)));
        assert_eq!(found("/plain/../../up.mcl"), Ok(("/../up.mcl".into(), "/../".into(), false)));
        assert_eq!(found("/../up.mcl"), Ok(("/../up.mcl".into(), "/../".into(), false)));
        assert_eq!(found("/../side/"), Ok(("/../side/main.mcl".into(), "/../side/".into(), false)));
        // There are no files above the top.
        assert_eq!(found("/../main.mcl"), Ok(("/main.mcl".into(), "/".into(), false)));
        assert_eq!(found("/../"), Ok(("/main.mcl".into(), "/".into(), false)));
    }

    #[test]
    fn what_fits_nothing_is_program_text() {
        let input = locate(&world(), "/bare/").unwrap();
        assert_eq!((&*input.text, &*input.path), (&b"/bare/"[..], "/main.mcl"));
    }

    #[test]
    fn errors() {
        let error = |input: &str| locate(&world(), input).unwrap_err();
        assert_eq!(error(""), InputError::Empty);
        assert_eq!(error("/nope/"), InputError::NoDirectory("/nope/".into()));
        assert_eq!(error("/nope.mcl"), InputError::NoFile("/nope.mcl".into()));
        assert_eq!(error("/nope/metadata.yaml"), InputError::NoMetadata("/nope/metadata.yaml".into()));
        assert_eq!(error("/gone/"), InputError::NoFile("/gone/x.mcl".into()));
        assert_eq!(error("/self/"), InputError::NoFile("/self/".into()));
        assert!(matches!(error("/bad/"), InputError::BadMetadata { .. }));
    }
}
