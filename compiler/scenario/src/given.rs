//! Other values for variables of a program: `given $cores is 8`. A program that only works for the values that are
//! written in it fails with others.
//!
//! A type may follow the name, where the value alone has none: `given "$names []str" is "[]"`. In the same way, a
//! function or class can be replaced, to test that a program uses it:
//! `given page is "func($title, $text) { \"a page\" }"`, `given site is "class($name) { … }"`.

use crate::ast::StmtKind;
use crate::diag::Diags;
use crate::lex::lex;
use crate::parse::parse;
use crate::sort;
use crate::source::Source;
use crate::span::{FileId, Span};
use std::collections::BTreeMap;

/// The variables with other values.
#[derive(Clone, Default, Debug)]
pub struct Givens {
    /// By name: the type, if one is given, and the value.
    values: BTreeMap<String, (Option<String>, String)>,
}

impl Givens {
    /// Whether no variable has another value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Gives a variable another value; a type may follow the name.
    pub fn insert(&mut self, named: &str, value: String) {
        let (name, ty) = named.split_once(' ').map_or((named, None), |(name, ty)| (name, Some(ty.to_owned())));
        self.values.insert(name.to_owned(), (ty, value));
    }

    /// The files of a program, with the values in its main file. Errors: the file does not define one of the names outside
    /// of blocks.
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
        for (name, (ty, value)) in &self.values {
            let (func, class) = (value.strip_prefix("func"), value.strip_prefix("class"));
            let found = tree.root.stmts.iter().filter_map(|stmt| match &tree.stmts[*stmt].kind {
                StmtKind::Bind { name: bound, name_span, value: old, .. } if **bound == **name => {
                    let old = tree.exprs[*old].span;
                    Some(match ty {
                        Some(ty) => (Span { start: name_span.end, ..old }, format!(" {ty} = {}", literal(value))),
                        None => (old, literal(value)),
                    })
                }
                // From the parameters to the end of the body.
                StmtKind::Func { name: bound, name_span, func: old } if **bound == **name => {
                    Some((Span { start: name_span.end, ..old.body_span }, func?.to_owned()))
                }
                StmtKind::Class { name: bound, name_span, body, .. } if **bound == **name => {
                    Some((Span { start: name_span.end, ..body.span }, class?.to_owned()))
                }
                _ => None,
            });
            let mut found = found.peekable();
            if found.peek().is_none() {
                let what = match (func, class) {
                    (Some(_), _) => format!("function {name}"),
                    (_, Some(_)) => format!("class {name}"),
                    _ => format!("variable ${name}"),
                };
                return Err(format!("the program does not define the {what}"));
            }
            edits.extend(found);
        }
        sort::by_key(&mut edits, |(span, _)| std::cmp::Reverse(span.start));
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
        || ["[", "{", "struct{", "func("].iter().any(|begin| value.starts_with(begin))
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
        givens.insert(name, value.into());
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
        assert_eq!(changed(program, "workers float", "1.5"), Ok(program.replace("int = $cores * 2", "float = 1.5")));
        assert_eq!(changed(program, "other", "1"), Err("the program does not define the variable $other".into()));
    }

    #[test]
    fn a_model_has_no_variables_to_change() {
        let mut givens = Givens::default();
        givens.insert("x", "1".into());
        let why = givens.applied(&[("/main.cf".into(), b"x = 2\n".to_vec())], "/main.cf").unwrap_err();
        assert_eq!(why, "`given` changes variables of MCL programs; /main.cf is not one");
    }

    #[test]
    fn a_function_and_a_class_are_replaced_with_their_parameters() {
        let program = "func page($t str) str {\n\t$t + \"!\"\n}\nclass site($name) {\n\tprint $name {}\n}\n";
        let func = "func($a) { \"a page\" }";
        assert_eq!(
            changed(program, "page", func),
            Ok(program.replace("($t str) str {\n\t$t + \"!\"\n}", "($a) { \"a page\" }"))
        );
        let class = "class($n) { noop $n {} }";
        assert_eq!(
            changed(program, "site", class),
            Ok(program.replace("($name) {\n\tprint $name {}\n}", "($n) { noop $n {} }"))
        );
        assert_eq!(changed("$page = func($t) { $t }\n", "page", func), Ok(format!("$page = {func}\n")));
        assert_eq!(changed(program, "pages", func), Err("the program does not define the function pages".into()));
        assert_eq!(changed(program, "page", class), Err("the program does not define the class page".into()));
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
