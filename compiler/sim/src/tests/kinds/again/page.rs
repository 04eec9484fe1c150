//! [`Page`]: a program whose first resource of a kind gets other fields.

/// A program, cut at the body of that resource.
pub(super) struct Page<'a> {
    before: &'a str,
    body: &'a str,
    after: &'a str,
}

impl Page<'_> {
    /// The first resource of a kind in a program.
    pub(super) fn of<'a>(program: &'a str, kind: &str) -> Page<'a> {
        let start = program.find(&format!("{kind} \"")).expect("the program has such a resource");
        let open = start + program[start..].find('{').expect("it has a body") + 1;
        let close = open + length(&program[open..]);
        Page { before: &program[..open], body: &program[open..close], after: &program[close..] }
    }

    /// The program with these fields and values; other fields stay.
    pub(super) fn with(&self, fields: &[(&str, &str)]) -> String {
        let is_set = |line: &str| fields.iter().any(|(name, _)| line.trim_start().starts_with(&format!("{name} =>")));
        let kept: Vec<&str> = self.body.split('\n').filter(|line| !is_set(line)).collect();
        let given: String = fields.iter().map(|(name, value)| format!("\n\t{name} => {value},")).collect();
        format!("{}{given}{}{}", self.before, kept.join("\n"), self.after)
    }
}

/// The length of a body, up to the brace that closes it.
fn length(text: &str) -> usize {
    let (mut depth, mut in_text, mut before) = (0, false, ' ');
    let close = text.find(|c: char| {
        in_text ^= c == '"' && before != '\\';
        before = c;
        match c {
            '{' if !in_text => depth += 1,
            '}' if !in_text => depth -= 1,
            _ => {}
        }
        depth < 0
    });
    close.expect("the body is closed")
}

#[test]
fn only_the_fields_that_are_given_change() {
    let program = "one \"a\" {}\ntwo \"b\" {\n\tstate => \"exists\",\n\tcontent => \"}\",\n}\n";
    let page = Page::of(program, "one");
    assert_eq!(page.with(&[]), program);
    assert!(page.with(&[("format", "2")]).starts_with("one \"a\" {\n\tformat => 2,}\ntwo"));
    let other = Page::of(program, "two").with(&[("state", "\"absent\"")]);
    assert!(other.ends_with("two \"b\" {\n\tstate => \"absent\",\n\tcontent => \"}\",\n}\n"), "{other}");
}
