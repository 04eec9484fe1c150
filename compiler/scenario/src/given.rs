//! Other values for variables of a program: `given $cores is 8`. A program that only works for the values that stand in it
//! does something wrong then.

use crate::ast::StmtKind;
use crate::diag::Diags;
use crate::lex::lex;
use crate::parse::parse;
use crate::source::Source;
use crate::span::FileId;
use std::collections::BTreeMap;

/// The variables with other values.
#[derive(Clone, Default, Debug)]
pub struct Givens {
    values: BTreeMap<String, String>,
}

impl Givens {
    /// Whether no variable has another value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Gives a variable another value.
    pub fn insert(&mut self, name: String, value: String) {
        self.values.insert(name, value);
    }

    /// The files of a program, with the values in its main file. Errors: the file does not define one of the variables
    /// outside of blocks.
    pub fn applied(&self, files: &[(String, Vec<u8>)], entry: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        let mut files = files.to_vec();
        if self.values.is_empty() {
            return Ok(files);
        }
        let inside = format!("{}/main.mcl", entry.trim_end_matches('/'));
        let main = files.iter_mut().find(|(path, _)| path == entry || *path == inside);
        let (path, text) = main.ok_or_else(|| format!("cannot find the main file of {entry}"))?;
        if !path.ends_with(".mcl") {
            return Err(format!("`given` changes variables of MCL programs; {path} is not one"));
        }
        let changed = self.changed(path, text)?;
        *text = changed;
        Ok(files)
    }

    fn changed(&self, path: &str, text: &[u8]) -> Result<Vec<u8>, String> {
        let source = Source::new(path, text);
        // Its errors are reported when it runs.
        let mut diags = Diags::default();
        let tree = parse(&lex(&source, FileId(0), &mut diags), &source, &mut diags);
        let mut edits = Vec::new();
        for (name, value) in &self.values {
            let binds = tree.root.stmts.iter().filter_map(|stmt| match &tree.stmts[*stmt].kind {
                StmtKind::Bind { name: bound, value, .. } if **bound == **name => Some(tree.exprs[*value].span),
                _ => None,
            });
            let mut spans = binds.peekable();
            if spans.peek().is_none() {
                return Err(format!("the program does not define the variable ${name}"));
            }
            edits.extend(spans.map(|span| (span, literal(value))));
        }
        edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut changed = text.to_vec();
        for (span, literal) in edits {
            changed.splice(span.start as usize..span.end as usize, literal.into_bytes());
        }
        Ok(changed)
    }
}

/// A value as it is written in a program: a string needs its quotes only if it looks like something else.
fn literal(value: &str) -> String {
    let is_code = matches!(value, "true" | "false")
        || value.parse::<i64>().is_ok()
        || value.parse::<f64>().is_ok() && value.contains('.')
        || ["[", "{", "struct{"].iter().any(|begin| value.starts_with(begin))
        || value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    match is_code {
        true => value.to_owned(),
        false => {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace("${", "\\${");
            format!("\"{escaped}\"")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(program: &str, name: &str, value: &str) -> Result<String, String> {
        let mut givens = Givens::default();
        givens.insert(name.into(), value.into());
        let files = [("/main.mcl".to_owned(), program.as_bytes().to_vec())];
        let mut files = givens.applied(&files, "/main.mcl")?;
        Ok(String::from_utf8(files.remove(0).1).expect("UTF-8"))
    }

    #[test]
    fn only_the_value_of_the_definition_changes() {
        let program = "$cores = 4 # real ones\n$workers int = $cores * 2\nif true {\n\t$cores = 5\n}\n";
        let expect = program.replacen("= 4", "= 8", 1);
        assert_eq!(changed(program, "cores", "8"), Ok(expect));
        assert_eq!(changed(program, "workers", "1"), Ok(program.replace("$cores * 2", "1")));
        assert_eq!(changed(program, "other", "1"), Err("the program does not define the variable $other".into()));
    }

    #[test]
    fn a_model_has_no_variables_to_change() {
        let mut givens = Givens::default();
        givens.insert("x".into(), "1".into());
        let why = givens.applied(&[("/main.cf".into(), b"x = 2\n".to_vec())], "/main.cf").unwrap_err();
        assert_eq!(why, "`given` changes variables of MCL programs; /main.cf is not one");
    }

    #[test]
    fn a_value_is_written_as_its_type_asks() {
        for (value, expect) in [
            ("8", "8"),
            ("1.5", "1.5"),
            ("true", "true"),
            ("[\"a\",]", "[\"a\",]"),
            ("blue team", "\"blue team\""),
            ("a \"b\"\n", "\"a \\\"b\\\"\\n\""),
            ("1.2.3", "\"1.2.3\""),
            ("\"8\"", "\"8\""),
            ("\"", "\"\\\"\""),
        ] {
            assert_eq!(literal(value), expect);
        }
    }
}
