//! The full report of a fault, in the original's words. Spec, 11.1 to 11.4.

use super::{Class, Fault, Location, PARSER_WARNING, Warning, Within};
use crate::ast::{self, Style, Tree};
use crate::lex;
use mclive_base::source::Sources;

/// The context for writing places and statements.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The syntax tree.
    pub tree: &'a Tree,
    /// Prefix of the paths of the program's own files.
    pub root: &'a str,
}

impl Texts<'_> {
    /// `FILE:LINE` or `FILE:LINE:COL`, with the column as the original counts it.
    pub fn place(&self, place: Location) -> String {
        let path = |file| {
            let path = &self.sources.get(file).path;
            if path.starts_with('/') { format!("{}{path}", self.root) } else { path.clone() }
        };
        match place {
            Location::Line(span) => {
                format!("{}:{}", path(span.file), self.sources.get(span.file).line_of(span.start))
            }
            Location::Column(span) => {
                let source = self.sources.get(span.file);
                let at = source.line_col(span.start);
                let col = at.col + lex::carried(&source.text, span.start as usize);
                format!("{}:{}:{col}", path(span.file), at.line)
            }
            Location::At { file, line, col, .. } => format!("{}:{line}:{col}", path(file)),
        }
    }

    /// A statement's text.
    pub fn within(&self, within: &Within) -> String {
        match within {
            Within::Expr(expr) => ast::expr_text(self.tree, *expr, Style::Alone),
            Within::Stmt(stmt) => ast::stmt_text(self.tree, *stmt),
            Within::Text(text) => text.clone(),
        }
    }
}

/// A warning in the original's words: those about syntax end with their place.
pub fn warning_report(warning: &Warning, texts: Texts<'_>) -> String {
    match warning.span {
        Some(span) if warning.class == PARSER_WARNING => {
            format!("{} ({})", warning.message, texts.place(Location::Line(span)))
        }
        _ => warning.message.clone(),
    }
}

/// The report, without a final newline.
pub fn report(fault: &Fault, texts: Texts<'_>) -> String {
    let mut out = String::new();
    write_fault(&mut out, fault, texts, 0);
    out
}

fn write_fault(out: &mut String, fault: &Fault, texts: Texts<'_>, indent: usize) {
    let blanks = " ".repeat(indent);
    if fault.class == Class::Multi {
        *out += &format!("{blanks}Reported {} errors", fault.causes.len());
        for (nr, cause) in fault.causes.iter().enumerate() {
            *out += &format!("\n{blanks}error {nr}:\n");
            write_fault(out, cause, texts, indent + 2);
        }
        return;
    }
    *out += &blanks;
    *out += &fault.message;
    if let Some((original, duplicate)) = fault.duplicate {
        *out += &format!(" (original at ({})) (duplicate at ({}))", texts.place(original), texts.place(duplicate));
    } else {
        match (&fault.within, fault.place) {
            (Some(within), Some(place)) => {
                *out += &format!(" (reported in {} ({}))", texts.within(within), texts.place(place));
            }
            (None, Some(place)) => *out += &format!(" ({})", texts.place(place)),
            (_, None) => {}
        }
    }
    if let Some(cause) = &fault.foreign_cause {
        *out += &format!("\n{blanks}caused by:\n{blanks}  {cause}\n");
    }
    for cause in &fault.causes {
        *out += &format!("\n{blanks}caused by:\n");
        write_fault(out, cause, texts, indent + 2);
    }
}
