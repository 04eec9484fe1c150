//! Statements and blocks. Language spec, 13.2.

use super::printer::Printer;
use crate::ast::LoopOver;
use crate::ast::{Alias, Block, StmtId, StmtKind};

impl Printer<'_> {
    pub(super) fn stmts(&mut self, block: &Block) {
        for id in &block.stmts {
            let span = self.tree.stmts[*id].span;
            self.begin_line(self.start_row(span));
            self.stmt(*id);
            self.end_line(self.end_row(span));
        }
    }

    /// `{}` if it is empty, otherwise several lines.
    fn block(&mut self, block: &Block) {
        let close = self.end_row(block.span);
        self.text("{");
        if block.stmts.is_empty() && !self.comment_before(close) {
            self.closed_in(close);
        } else {
            self.open(self.start_row(block.span));
            self.stmts(block);
            self.begin_closing_line(close);
        }
        self.text("}");
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = &self.tree.stmts[id];
        let start = self.start_row(stmt.span);
        match &stmt.kind {
            StmtKind::Bind { name, ty, value, .. } => {
                self.text("$");
                self.text(name);
                self.type_note(ty);
                self.text(" = ");
                self.expr(*value);
            }
            StmtKind::Panic { args } => {
                self.text("panic");
                self.args(args, stmt.span.at_start(), self.end_row(stmt.span));
            }
            StmtKind::Resource(resource) => self.resource(resource),
            StmtKind::Edge { halves } => {
                for (at, half) in halves.iter().enumerate() {
                    self.text(if at > 0 { " -> " } else { "" });
                    self.half(half);
                }
            }
            StmtKind::If { cond, then, otherwise } => {
                self.text("if ");
                self.expr(*cond);
                self.text(" ");
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.text(" else ");
                    self.block(otherwise);
                }
            }
            StmtKind::For { over, first, second, subject, body } => {
                self.text(match over {
                    LoopOver::List => "for $",
                    LoopOver::Map => "forkv $",
                });
                self.text(&first.name);
                self.text(", $");
                self.text(&second.name);
                self.text(" in ");
                self.expr(*subject);
                self.text(" ");
                self.block(body);
            }
            StmtKind::Func { name, func, .. } => {
                self.text("func ");
                self.text(name);
                self.func(func, start);
            }
            StmtKind::Class { name, params, body, .. } => {
                self.text("class ");
                self.text(name);
                if let Some(params) = params {
                    self.params(params, start, self.start_row(body.span));
                }
                self.text(" ");
                self.block(body);
            }
            StmtKind::Include { class, class_span, args, alias } => {
                self.text("include ");
                self.text(class);
                if let Some(args) = args {
                    self.args(args, *class_span, self.end_row(stmt.span));
                }
                if let Some(alias) = alias {
                    self.text(" as ");
                    self.text(alias);
                }
            }
            StmtKind::Import { path_span, alias, .. } => {
                self.text("import ");
                self.verbatim(*path_span);
                match alias {
                    Alias::Default => {}
                    Alias::Name(name) => {
                        self.text(" as ");
                        self.text(name);
                    }
                    Alias::Star => self.text(" as *"),
                }
            }
            StmtKind::Error => self.verbatim(stmt.span),
        }
    }
}
