//! Paths as text, following Go. Functions spec, 15.7. The standard library's paths keep `..`, these do not.

/// The lexical normal form: no empty or `.` elements, and `..` resolved where possible.
pub(crate) fn clean(path: &[u8]) -> Vec<u8> {
    let is_rooted = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => match parts.last() {
                Some(last) if *last != b".." => {
                    parts.pop();
                }
                _ if is_rooted => {}
                _ => parts.push(part),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join(&b'/');
    match (is_rooted, joined.is_empty()) {
        (true, _) => [b"/", &*joined].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}

/// [`clean`] for text, with a trailing slash kept.
pub(crate) fn clean_keep_slash(path: &str) -> String {
    let cleaned = String::from_utf8_lossy(&clean(path.as_bytes())).into_owned();
    if path.ends_with('/') && !cleaned.ends_with('/') { cleaned + "/" } else { cleaned }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        for (path, expect) in [
            ("", "."),
            ("/../a//b/./c/..", "/a/b"),
            ("../../a", "../../a"),
            ("a/..", "."),
            ("//a", "/a"),
            ("a/../..", ".."),
            ("...", "..."),
            ("./a/", "a"),
            ("/..", "/"),
            ("/", "/"),
        ] {
            assert_eq!(String::from_utf8_lossy(&clean(path.as_bytes())), expect, "{path}");
        }
    }
}
