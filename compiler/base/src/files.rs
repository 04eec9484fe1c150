//! Limits on the files of a program that comes from a link, a server or the page: number, size and names.

/// The maximum number of files of one program.
pub const MOST: usize = 200;
/// The maximum number of bytes of all names and contents together.
pub const LARGEST: usize = 1 << 20;
/// The file name of a recorded run that is shared as a program; it replaces the main file.
pub const RECORDED: &str = "run.trace";
/// The maximum number of bytes of one path.
pub const LONGEST_PATH: usize = 200;

/// Checks paths and sizes of all files of a program.
///
/// Errors: a sentence without a full stop.
pub fn check<'a>(files: impl IntoIterator<Item = (&'a str, usize)>) -> Result<(), String> {
    let mut paths = std::collections::BTreeSet::new();
    let mut size = 0_usize;
    for (path, bytes) in files {
        well_formed(path)?;
        if !paths.insert(path) {
            return Err(format!("duplicate file {path:?}"));
        }
        size = size.saturating_add(path.len()).saturating_add(bytes);
    }
    if paths.len() > MOST {
        return Err(format!("a shared program can have at most {MOST} files; this one has {}", paths.len()));
    }
    if size > LARGEST {
        return Err(format!(
            "a shared program can have at most {} KiB; this one has {} KiB",
            LARGEST >> 10,
            size.div_ceil(1 << 10)
        ));
    }
    for path in &paths {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        if let Some(both) = folders.find(|folder| paths.contains(folder)) {
            return Err(format!("`{both}` is both a file and a directory"));
        }
    }
    Ok(())
}

/// Checks that a path is relative, stays below the program's directory, and means the same on every system.
///
/// Errors: a sentence without a full stop.
pub fn well_formed(path: &str) -> Result<(), String> {
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    let is_bad =
        |c: char| c.is_control() || matches!(c, '\\' | ':' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if path.len() > LONGEST_PATH {
        let start: String = path.chars().take(40).collect();
        return Err(format!("{start:?}… is longer than {LONGEST_PATH} bytes, the maximum for a path"));
    }
    if !path.split('/').all(is_name) || path.contains(is_bad) {
        return Err(format!("{path:?} is not a relative path to a file of the program"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_program() {
        for good in ["main.mcl", "lib/a.mcl", "files/é", ".hidden", "a b", "..."] {
            assert_eq!(well_formed(good), Ok(()), "{good}");
        }
        for bad in
            ["", "/etc/passwd", "../x", "a/../b", "a/./b", "a//b", "a/", "a\\b", "c:x", "a\0", "a\n", "a\u{202e}b"]
        {
            assert!(well_formed(bad).unwrap_err().contains("relative path"), "{bad:?}");
        }
        assert!(well_formed(&"x".repeat(LONGEST_PATH + 1)).unwrap_err().contains("longer than 200"));
    }

    #[test]
    fn all_files_together_are_bounded() {
        let said = |files: &[(&str, usize)]| check(files.iter().copied()).unwrap_err();
        assert_eq!(check([("a", 1), ("b/c", LARGEST - 5)]), Ok(()));
        assert!(said(&[("a", 1), ("a", 2)]).contains("duplicate"));
        assert!(said(&[("a", 1), ("a/b", 2)]).contains("a file and a directory"));
        assert!(said(&[("a", LARGEST)]).contains("at most 1024 KiB; this one has 1025 KiB"));
        let names: Vec<String> = (0..=MOST).map(|n| n.to_string()).collect();
        assert!(check(names.iter().map(|name| (name.as_str(), 0))).unwrap_err().contains("201"));
    }
}
