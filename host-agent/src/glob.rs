//! Shell patterns: `*` (all but a slash), `**` (all), `?`, `[a-z]`, `[^a-z]`, `\` before a letter.
//!
//! Linear in practice: on a mismatch only the latest star is tried again.

/// Does the whole text match?
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // The latest star: where the pattern goes on behind it, where the text did, may it cross a slash?
    let mut star: Option<(usize, usize, bool)> = None;
    // The latest double star, tried again when the latest single one cannot be stretched.
    let mut wide: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p] == '*' {
            let double = pattern.get(p + 1) == Some(&'*');
            p += if double { 2 } else { 1 };
            star = Some((p, t, double));
            if double {
                wide = Some((p, t));
            }
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        if t < text.len()
            && let Some(after) = one(&pattern, p, text[t])
        {
            (p, t) = (after, t + 1);
            continue;
        }
        match (&mut star, &mut wide) {
            (Some((after, from, double)), _) if *from < text.len() && (*double || text[*from] != '/') => {
                *from += 1;
                (p, t) = (*after, *from);
            }
            (_, Some((after, from))) if *from < text.len() => {
                *from += 1;
                (p, t) = (*after, *from);
                star = Some((p, t, true));
            }
            _ => return false,
        }
    }
}

/// Matches one character; where the pattern goes on.
fn one(pattern: &[char], at: usize, c: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => (c != '/').then_some(at + 1),
        '[' => {
            let mut next = at + 1;
            let negated = matches!(pattern.get(next), Some('^' | '!'));
            next += usize::from(negated);
            let (mut found, first) = (false, next);
            loop {
                match pattern.get(next)? {
                    ']' if next > first => break,
                    _ => {
                        let (low, after) = literal(pattern, next)?;
                        let (high, after) = match pattern.get(after) {
                            Some('-') if pattern.get(after + 1).is_some_and(|end| *end != ']') => {
                                literal(pattern, after + 1)?
                            }
                            _ => (low, after),
                        };
                        found |= (low..=high).contains(&c);
                        next = after;
                    }
                }
            }
            (found != negated && c != '/').then_some(next + 1)
        }
        _ => literal(pattern, at).and_then(|(wanted, after)| (wanted == c).then_some(after)),
    }
}

fn literal(pattern: &[char], at: usize) -> Option<(char, usize)> {
    match pattern.get(at)? {
        '\\' => pattern.get(at + 1).map(|c| (*c, at + 2)),
        c => Some((*c, at + 1)),
    }
}

/// The existing paths that a pattern matches, sorted.
pub(crate) fn paths(pattern: &str) -> Vec<String> {
    let (base, rest) = match pattern.strip_prefix('/') {
        Some(rest) => ("/".to_owned(), rest),
        None => (String::new(), pattern),
    };
    let mut found = vec![base];
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for dir in found {
            if part.contains(['*', '?', '[', '\\']) {
                let read = std::fs::read_dir(if dir.is_empty() { "." } else { &dir });
                let names =
                    read.into_iter().flatten().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
                next.extend(names.filter(|name| matches(part, name)).map(|name| join(&dir, &name)));
            } else if std::fs::symlink_metadata(join(&dir, part)).is_ok() {
                next.push(join(&dir, part));
            }
        }
        found = next;
    }
    found.sort();
    found
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() || dir.ends_with('/') { format!("{dir}{name}") } else { format!("{dir}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stop_at_slashes_unless_doubled() {
        assert!(matches("/etc/*", "/etc/hosts") && !matches("/etc/*", "/etc/a/b") && matches("/etc/**", "/etc/a/b"));
        assert!(matches("/**/*.conf", "/a/b/c.conf") && !matches("*.conf", "a/c.conf"));
    }

    #[test]
    fn classes_and_escapes() {
        assert!(
            matches("f[0-9].?", "f7.x") && !matches("f[^0-9]", "f7") && matches(r"a\*", "a*") && !matches(r"a\*", "ab")
        );
    }

    #[test]
    fn many_stars_are_quick() {
        assert!(!matches(&"*a".repeat(40), &"b".repeat(4000)));
    }
}
