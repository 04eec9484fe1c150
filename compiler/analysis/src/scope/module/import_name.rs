//! The string of an import: its kind, its path, and its default alias. Language spec, 7.1.

use super::url;

/// A parsed import string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportName {
    /// Where the module is.
    pub kind: ImportKind,
    /// The default alias.
    pub alias: String,
}

/// The location of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImportKind {
    /// Part of the core library, identified by the whole string.
    System,
    /// One file, by its path relative to the importing file's directory.
    File(String),
    /// A directory, by its path relative to the importing file's directory; ends with a slash.
    Directory(String),
    /// In a modules directory, at this path, which ends with a slash.
    Remote(String),
}

/// Parses an import string. Errors: why it is invalid.
pub fn parse(text: &str) -> Result<ImportName, String> {
    if text.is_empty() {
        return Err("the import name is empty".to_owned());
    }
    if text.starts_with('/') {
        return Err("absolute paths are not allowed".to_owned());
    }
    let url = url::parse(text).map_err(|why| format!("it is not a valid url: {why}"))?;
    if url.path.is_empty() {
        return Err("its path is empty".to_owned());
    }
    let cleaned = clean(&url.path);
    let with_slash = if cleaned.ends_with('/') { cleaned.clone() } else { format!("{cleaned}/") };
    if url.path != cleaned && url.path != with_slash {
        return Err("its path has a redundant `.`, `..` or `/`".to_owned());
    }
    let local = url.scheme.is_empty();
    let is_file = local && url.path.ends_with(".mcl");
    let alias = default_alias(&cleaned, is_file)?;
    let kind = if !local {
        ImportKind::Remote(remote_path(&url.host, &with_slash)?)
    } else if url.path.ends_with('/') {
        ImportKind::Directory(url.path)
    } else if is_file {
        ImportKind::File(url.path)
    } else {
        ImportKind::System
    };
    Ok(ImportName { kind, alias })
}

/// The path's last segment as a name.
fn default_alias(cleaned: &str, is_file: bool) -> Result<String, String> {
    let last = cleaned.rsplit('/').next().unwrap_or(cleaned);
    let short = last.strip_prefix("mgmt-").filter(|rest| !rest.is_empty()).unwrap_or(last);
    let name = short.replace('-', "_").to_lowercase();
    if name.starts_with('_') || name.ends_with('_') {
        return Err("its name begins or ends with a dash or an underscore".to_owned());
    }
    let suffix = if is_file { ".mcl" } else { "" };
    Ok(name.strip_suffix(suffix).unwrap_or(&name).to_owned())
}

/// `host/path/`, without the port.
fn remote_path(host: &str, path: &str) -> Result<String, String> {
    let n_colons = host.matches(':').count();
    if n_colons > 1 {
        return Err(format!("there are {n_colons} colons in its host name"));
    }
    let host = host.split(':').next().unwrap_or("");
    let joined = format!("{host}{path}");
    Ok(joined.trim_start_matches('/').to_owned())
}

/// The shortest equivalent path, by its text alone: no `.`, no `//`, no inner `..`, no trailing slash. An empty path
/// becomes `.`.
pub fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if rooted => {}
            _ => kept.push(segment),
        }
    }
    let joined = kept.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// The clone URL of a remote module: its URL without query and fragment.
pub(crate) fn clone_url(name: &str) -> &str {
    name.split(['?', '#']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, alias: &str, kind: ImportKind) {
        assert_eq!(parse(text), Ok(ImportName { kind, alias: alias.to_owned() }), "{text}");
    }

    #[test]
    fn the_table() {
        check("fmt", "fmt", ImportKind::System);
        check("golang/strings", "strings", ImportKind::System);
        check("foo.mcl", "foo", ImportKind::File("foo.mcl".into()));
        check("dir/foo.mcl", "foo", ImportKind::File("dir/foo.mcl".into()));
        check("mod1/", "mod1", ImportKind::Directory("mod1/".into()));
        check("my-mod/", "my_mod", ImportKind::Directory("my-mod/".into()));
        let remote = |path: &str| ImportKind::Remote(path.into());
        check("git://github.com/someone/mgmt-thing", "thing", remote("github.com/someone/mgmt-thing/"));
        check("https://example.com/a/b-c/", "b_c", remote("example.com/a/b-c/"));
        check("https://example.com:8080/a", "a", remote("example.com/a/"));
        check("file:///a/b", "b", remote("a/b/"));
    }

    #[test]
    fn odd_but_fine() {
        check("../lib.mcl", "lib", ImportKind::File("../lib.mcl".into()));
        check("../../side/", "side", ImportKind::Directory("../../side/".into()));
        check("../", "..", ImportKind::Directory("../".into()));
        check(".", ".", ImportKind::System);
        check("fmt?x=1", "fmt", ImportKind::System);
        check("x.mcl/", "x.mcl", ImportKind::Directory("x.mcl/".into()));
        check("v.w/", "v.w", ImportKind::Directory("v.w/".into()));
        check("lib_.mcl", "lib_", ImportKind::File("lib_.mcl".into()));
        check("https://git.example.com/", "", ImportKind::Remote("git.example.com/".into()));
    }

    #[test]
    fn refused() {
        let names = [
            "",
            "/foo",
            "?x",
            "a/../lib.mcl",
            "a/./lib.mcl",
            "a//lib.mcl",
            "./lib.mcl",
            "-lib/",
            "lib-/",
            "_lib/",
            "%zz",
            "https://git.example.com",
            "https://git.example.com/group//thing/",
            "git@git.example.com:group/thing",
            "https://[::1]:8/x",
        ];
        for name in names {
            assert!(parse(name).is_err(), "{name}");
        }
    }
}
