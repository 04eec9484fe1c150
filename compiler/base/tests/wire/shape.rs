//! [`Shapes`]: what types are as bytes, as a text that a reviewer reads. A type is a line unindented; below it each of its
//! variants, or its one form, with its fields in the order of their bytes. `never`: no value is of it yet.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Shapes(pub(crate) BTreeMap<String, Vec<Line>>);

/// A variant, or what a struct is, whose name is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Names and forms: `[unit::Load]`, `str?`, `(u64, bool)`. `None`: no value is of it.
    pub(crate) fields: Option<Vec<(String, String)>>,
}

impl Line {
    pub(crate) fn never(name: &str) -> Line {
        Line { name: name.to_owned(), fields: None }
    }

    fn to_text(&self) -> String {
        let fields = match &self.fields {
            None => "never".into(),
            Some(fields) => fields.iter().map(|(name, form)| format!("{name} {form}")).collect::<Vec<_>>().join("; "),
        };
        format!("{} = {fields}", self.name).trim().to_owned()
    }

    fn parse(line: &str) -> Line {
        let (name, fields) = line.split_once('=').unwrap_or((line, ""));
        let field = |field: &str| field.trim().split_once(' ').map(|(name, form)| (name.to_owned(), form.to_owned()));
        let fields = (fields.trim() != "never").then(|| fields.split("; ").filter_map(field).collect());
        Line { name: name.trim().to_owned(), fields }
    }
}

impl Shapes {
    pub(crate) fn to_text(&self) -> String {
        let lines = |lines: &[Line]| lines.iter().map(|line| format!("    {}\n", line.to_text())).collect::<String>();
        self.0.iter().map(|(name, of)| format!("{name}\n{}", lines(of))).collect()
    }

    pub(crate) fn parse(text: &str) -> Shapes {
        let mut shapes = Shapes::default();
        let mut name = String::new();
        for line in text.lines() {
            match line.strip_prefix("    ") {
                Some(line) => shapes.0.entry(name.clone()).or_default().push(Line::parse(line)),
                None => {
                    name = line.to_owned();
                    shapes.0.entry(name.clone()).or_default();
                }
            }
        }
        shapes
    }

    /// How these came to be those, from the type `root` on: what was read before must be read the same. Types are told
    /// by their place, so that they may be called otherwise.
    ///
    /// Errors: what is otherwise, a line each.
    pub(crate) fn grow_to(&self, now: &Shapes, root: &str) -> Result<(), Vec<String>> {
        let mut changed = Vec::new();
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![(root.to_owned(), root.to_owned())]);
        while let Some((old, new)) = ahead.pop() {
            if !seen.insert((old.clone(), new.clone())) {
                continue;
            }
            let (before, after) = (&self.0[&old], &now.0[&new]);
            if let Some(name) = moved(before.iter().map(|line| &line.name), after.iter().map(|line| &line.name)) {
                changed.push(format!("{old}: `{name}` stands at another place"));
            }
            for (at, line) in before.iter().enumerate() {
                let Some(after) = after.get(at) else {
                    changed.push(format!("{old}: `{}` is gone", line.to_text()));
                    continue;
                };
                match self.pairs(line, after, now) {
                    Some(pairs) => ahead.extend(pairs),
                    None => changed.push(format!("{old}: `{}` is now `{}`", line.to_text(), after.to_text())),
                }
            }
            // A struct has one form, and an enum without variants had no bytes.
            if after.len() > before.len() && before.first().is_some_and(|line| line.name.is_empty()) {
                changed.push(format!("{old}: a struct became an enum"));
            }
        }
        if changed.is_empty() { Ok(()) } else { Err(changed) }
    }

    /// The types that stand at the same places of two lines; `None`: they have other bytes.
    fn pairs(&self, before: &Line, after: &Line, now: &Shapes) -> Option<Vec<(String, String)>> {
        // No value was of it: it may become anything.
        let Some(old) = &before.fields else { return Some(Vec::new()) };
        let new = after.fields.as_ref().filter(|new| new.len() == old.len())?;
        if before.name.is_empty() != after.name.is_empty() {
            return None;
        }
        // Another name is no other place.
        if moved(old.iter().map(|(name, _)| name), new.iter().map(|(name, _)| name)).is_some() {
            return None;
        }
        let mut pairs = Vec::new();
        for ((_, old_form), (_, new_form)) in old.iter().zip(new) {
            let (old, new) = (words(old_form), words(new_form));
            if old.len() != new.len() {
                return None;
            }
            for (old, new) in old.into_iter().zip(new) {
                match (self.0.contains_key(&old), now.0.contains_key(&new)) {
                    (true, true) => pairs.push((old, new)),
                    (false, false) if old == new => {}
                    _ => return None,
                }
            }
        }
        Some(pairs)
    }
}

/// A name that stands at another place than before.
fn moved<'a>(before: impl Iterator<Item = &'a String>, after: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let after: Vec<&String> = after.collect();
    before
        .enumerate()
        .find(|(at, name)| after.iter().position(|other| other == name).is_some_and(|now| now != *at))
        .map(|(_, name)| name)
}

/// The names and the signs of a form.
fn words(form: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    // Serde's own types are names with signs in them.
    for char in form.chars() {
        if "[](){}?,".contains(char) {
            words.extend([char.to_string(), String::new()]);
        } else if let Some(word) = words.last_mut() {
            word.push(char);
        }
    }
    words.into_iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

fn grows(before: &str, after: &str) -> Result<(), Vec<String>> {
    Shapes::parse(before).grow_to(&Shapes::parse(after), "A")
}

const BEFORE: &str = "A\n    One = 0 B; 1 [u8]\n    Two\n    Three = never\nB\n    = x u32; y u32\n";

#[test]
fn what_is_added_at_the_end_is_growth() {
    let shapes = Shapes::parse(BEFORE);
    assert_eq!(Shapes::parse(&shapes.to_text()), shapes);
    assert_eq!(grows(BEFORE, BEFORE), Ok(()));
    for (from, to) in [
        ("Three = never\n", "Three = never\n    Four = 0 u8\n"),
        ("Three = never", "Three = a str"),
        // Names have no bytes.
        ("Two", "Zwei"),
        ("y u32", "z u32"),
    ] {
        assert_eq!(grows(BEFORE, &BEFORE.replace(from, to)), Ok(()), "{to}");
    }
    assert_eq!(grows(BEFORE, &BEFORE.replace("0 B", "0 C").replace("\nB\n", "\nC\n")), Ok(()));
}

#[test]
fn whatever_reads_old_bytes_otherwise_is_a_change() {
    for (from, to) in [
        ("    Two\n", ""),
        ("    Two\n", "    New\n    Two = 0 u8\n"),
        ("    Two\n", "    Two = a str\n"),
        ("    Two\n    Three = never", "    New\n    Two\n    Three = never"),
        ("    Two\n    Three = never", "    Three = never\n    Two"),
        ("y u32", "y u64"),
        ("y u32", "y u32; z u8"),
        ("x u32; y u32", "y u32; x u32"),
        ("[u8]", "[u8]?"),
        ("[u8]", "B"),
        ("\nB\n    = x u32; y u32", "\nB\n    Any = x u32; y u32"),
    ] {
        let changed = grows(BEFORE, &BEFORE.replace(from, to)).expect_err(to);
        assert!(!changed.is_empty() && changed[0].contains('`'), "{changed:?}");
    }
}
