//! Suggestions for an import that cannot be found: a file of the program, or the same path in the form that MCL has.

use super::module::import_name::clean;
use crate::corelib;
use crate::diag::suggest;
use crate::source::ProgramFiles;

/// The maximum number of files of a program that are compared with a name.
const MOST: usize = 200;

/// The help for a name that cannot be imported: a path from the root, one with redundant parts, or the address of a
/// repository for SSH.
pub(super) fn for_name(name: &str) -> Option<String> {
    if name.starts_with('/') {
        let path = name.trim_start_matches('/');
        let help = || format!("paths are relative to the directory of this file: `import \"{path}\"`");
        return (!path.is_empty()).then(help);
    }
    if let Some(help) = for_redundant(name) {
        return Some(help);
    }
    let (user, rest) = name.split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    let is_ssh = !user.contains(['/', ':']) && host.contains('.') && !path.is_empty();
    is_ssh.then(|| format!("import a repository by its URL: `import \"git://{host}/{path}\"`"))
}

/// The help for a path such as `./lib.mcl`.
fn for_redundant(name: &str) -> Option<String> {
    let cleaned = clean(name);
    if name.contains("://") || cleaned == "." || cleaned == name || format!("{cleaned}/") == name {
        return None;
    }
    if cleaned.ends_with(".mcl") {
        return Some(format!("write `import \"{cleaned}\"`"));
    }
    if name.ends_with('/') {
        return Some(format!("write `import \"{cleaned}/\"`"));
    }
    Some(format!("import a file as `import \"{cleaned}.mcl\"`, and a directory as `import \"{cleaned}/\"`"))
}

/// The help for a file or directory that does not exist: a core module has no ending.
pub(super) fn for_missing(name: &str) -> String {
    let module = name.trim_end_matches('/').trim_end_matches(".mcl");
    match corelib::module(module) {
        Some(_) => format!("import a core module by its name only: `import \"{module}\"`"),
        None => "create it, or correct the path, which is relative to the directory of this file".to_owned(),
    }
}

/// A name and its version, as in `example.com/web@v1.2`.
pub(super) fn versioned(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() && !version.contains('/') => (name, Some(version)),
        _ => (name, None),
    }
}

/// The file `lib.mcl` or the directory `lib/` below `base` for a name without its ending, or with the other one.
pub(super) fn beside(world: &dyn ProgramFiles, base: &str, name: &str) -> Option<String> {
    let stem = name.trim_end_matches('/').trim_end_matches(".mcl");
    let has = |path: &str| world.read(&format!("{base}{path}")).is_some();
    let (file, directory) = (format!("{stem}.mcl"), format!("{stem}/"));
    if file != name && has(&file) {
        return Some(file);
    }
    let is_module = ["main.mcl", "metadata.yaml"].iter().any(|main| has(&format!("{directory}{main}")));
    (directory != name && is_module).then_some(directory)
}

/// The file or directory below `base` whose path is nearest to a name.
pub(super) fn near(world: &dyn ProgramFiles, base: &str, name: &str) -> Option<String> {
    let below = world.list(base);
    let importable = below.iter().take(MOST).filter_map(|path| {
        let path = path.strip_prefix(base)?;
        match path.strip_suffix("/main.mcl").or_else(|| path.strip_suffix("/metadata.yaml")) {
            Some(directory) => Some(format!("{directory}/")),
            None => (path.ends_with(".mcl") && path != "main.mcl").then(|| path.to_owned()),
        }
    });
    let names: Vec<String> = importable.collect();
    suggest::closest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemoryWorld;

    #[test]
    fn what_is_meant_by_an_import() {
        let mut world = MemoryWorld::single("");
        for path in ["/lib.mcl", "/web/main.mcl", "/domain.mcl"] {
            world.insert(path, &b""[..]);
        }
        let beside = |name| beside(&world, "/", name);
        assert_eq!(beside("lib").as_deref(), Some("lib.mcl"));
        assert_eq!(beside("lib/").as_deref(), Some("lib.mcl"));
        assert_eq!(beside("web").as_deref(), Some("web/"));
        assert_eq!(beside("web.mcl").as_deref(), Some("web/"));
        assert_eq!(beside("lib.mcl"), None);
        assert_eq!(near(&world, "/", "libs.mcl").as_deref(), Some("lib.mcl"));
        assert_eq!(near(&world, "/", "domian.mcl").as_deref(), Some("domain.mcl"));
        assert_eq!(near(&world, "/", "other.mcl"), None);
        assert_eq!(versioned("example.com/a@v1"), ("example.com/a", Some("v1")));
        assert_eq!(versioned("git@example.com/a"), ("git@example.com/a", None));
        let ssh = for_name("git@example.com:group/thing");
        assert_eq!(ssh.as_deref(), Some("import a repository by its URL: `import \"git://example.com/group/thing\"`"));
        assert_eq!(for_name("a b"), None);
        assert_eq!(for_name("./lib.mcl").as_deref(), Some("write `import \"lib.mcl\"`"));
        assert_eq!(for_name("web//").as_deref(), Some("write `import \"web/\"`"));
        let other = for_name("./other");
        assert_eq!(
            other.as_deref(),
            Some("import a file as `import \"other.mcl\"`, and a directory as `import \"other/\"`")
        );
        assert!(for_missing("strings.mcl").contains("`import \"strings\"`"));
        assert!(for_missing("lib/web.mcl").starts_with("create it"));
    }
}
