//! Compares what is expected with what was found.

/// The lines that differ, or nothing.
pub(crate) fn difference(expected: &str, found: &str) -> Option<String> {
    if expected.lines().any(|line| line.starts_with("# err: internal:")) {
        // Any error is right there.
        let fails = found.lines().any(|line| line.starts_with("# err:"));
        return (!fails).then(|| format!("no error, but {}", expected.trim_end()));
    }
    let (expected_lines, found_lines) = (parts(expected), parts(found));
    if same(&expected_lines, &found_lines) {
        return None;
    }
    let strip = |lines: &[String]| {
        let mut lines: Vec<String> = lines.iter().map(|line| without_numbers(line)).collect();
        lines.sort();
        lines
    };
    if expected.contains('#') && same(&strip(&expected_lines), &strip(&found_lines)) && expected.contains("#1") {
        return None;
    }
    let missing: Vec<String> = expected_lines
        .iter()
        .filter(|line| !found_lines.iter().any(|other| matches(line, other)))
        .map(|line| format!("- {line}"))
        .collect();
    let extra: Vec<String> = found_lines
        .iter()
        .filter(|line| !expected_lines.iter().any(|other| matches(other, line)))
        .map(|line| format!("+ {line}"))
        .collect();
    let order = if missing.is_empty() && extra.is_empty() { "the order differs\n" } else { "" };
    Some(format!("{order}{}\n{}", missing.join("\n"), extra.join("\n")))
}

/// The lines, those of the model sorted: their order does not matter.
fn parts(text: &str) -> Vec<String> {
    let (mut model, mut rest) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let is_model = [
            "Instance:",
            "Attribute:",
            "Relation:",
            "Implementation:",
            "Variable:",
            "Resource:",
            "Field:",
            "Requires:",
        ]
        .iter()
        .any(|prefix| line.starts_with(prefix));
        if is_model { model.push(line.to_owned()) } else { rest.push(line.trim_end().to_owned()) }
    }
    model.sort();
    rest.extend(model);
    rest
}

fn same(expected: &[String], found: &[String]) -> bool {
    expected.len() == found.len() && expected.iter().zip(found).all(|(expected, found)| matches(expected, found))
}

fn without_numbers(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        out.push(char);
        if char == '#' {
            while chars.peek().is_some_and(char::is_ascii_digit) {
                chars.next();
            }
        }
    }
    out
}

/// Is it the line that is expected? What cannot be compared in it matches everything.
fn matches(expected: &str, found: &str) -> bool {
    if expected == found {
        return true;
    }
    if let Some((head, _)) = expected.split_once("not all statements executed: [") {
        return found.starts_with(head) && found.contains("not all statements executed: [");
    }
    if expected.contains("{lib}/") {
        return wild(&lib_free(expected), &lib_free(found));
    }
    wild(expected, found)
}

/// Numbers behind a place of installed modules do not compare.
fn lib_free(line: &str) -> String {
    let mut parts = line.split("{lib}/");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(".cf").map_or(0, |at| at + 3);
        let numbers = part[end..].bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b':').count();
        out += &part[end + numbers..];
    }
    out
}

fn wild(expected: &str, found: &str) -> bool {
    // `<... object at 0xHEXID>` is one thing that compares with anything.
    let mut pattern = String::new();
    let mut rest = expected;
    while let Some(at) = rest.find("HEXID") {
        let head = &rest[..at];
        let object = head.rfind('<').filter(|open| head[*open..].contains(" object at 0x"));
        match object {
            Some(open) => {
                pattern += &head[..open];
                rest = &rest[at + 5..];
                rest = rest.strip_prefix('>').unwrap_or(rest);
            }
            None => {
                pattern += head.strip_suffix("0x").unwrap_or(head);
                rest = &rest[at + 5..];
            }
        }
        pattern.push('\0');
    }
    pattern += rest;
    let mut pieces = pattern.split('\0');
    let first = pieces.next().unwrap_or_default();
    let Some(mut found) = found.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    for (nr, piece) in pieces.iter().enumerate() {
        if nr + 1 == pieces.len() {
            return found.ends_with(piece);
        }
        match found.find(piece) {
            Some(at) => found = &found[at + piece.len()..],
            None => return false,
        }
    }
    pieces.is_empty() && found.is_empty()
}
