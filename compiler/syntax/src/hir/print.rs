//! The printed form of nodes, used in messages and to order statements (language spec, 6.7). Every block is printed as
//! `prog`, so the form of a statement is short; that of an expression is as long as the expression.

use super::{Block, Call, Callee, ExprId, ExprKind, Func, ItemKind, LoopOver, Module, Stmt, StmtKind};
use crate::hir::EdgeProperty;
use crate::value::quote;
use std::fmt::Write;

/// The printed form of a statement.
pub fn stmt(module: &Module, stmt: &Stmt) -> String {
    let mut printer = Printer { module, out: String::new() };
    printer.stmt(stmt);
    printer.out
}

/// The printed form of an expression.
pub fn expr(module: &Module, id: ExprId) -> String {
    let mut printer = Printer { module, out: String::new() };
    printer.expr(id);
    printer.out
}

/// The printed form of a resource's item.
pub fn item(kind: &ItemKind) -> String {
    match kind {
        ItemKind::Field { name, .. } => format!("resfield({name})"),
        ItemKind::Edge { property, .. } => format!("resedge({})", edge_name(*property)),
        ItemKind::Meta { property, .. } => format!("resmeta({})", property.name()),
        ItemKind::MetaStruct { .. } => "resmeta(meta)".to_owned(),
    }
}

/// The word of an edge, in lower case.
pub fn edge_name(property: EdgeProperty) -> &'static str {
    match property {
        EdgeProperty::Before => "before",
        EdgeProperty::Notify => "notify",
        EdgeProperty::Depend => "depend",
        EdgeProperty::Listen => "listen",
    }
}

struct Printer<'a> {
    module: &'a Module,
    out: String,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn named(&mut self, word: &str, name: &str) {
        let _ = write!(self.out, "{word}({name})");
    }

    fn list<T>(&mut self, items: &[T], separator: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text(separator);
            }
            each(self, item);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind(bind) => self.named("bind", &bind.name),
            StmtKind::Resource(resource) => self.named("res", &resource.kind),
            StmtKind::Edge(_) => self.text("edge"),
            StmtKind::If { cond, then, otherwise } => {
                self.text("if( ");
                self.expr(*cond);
                self.text(" ) { ");
                self.then(*cond, then);
                self.text(" }");
                if otherwise.is_some() {
                    self.text(" else { prog }");
                }
            }
            StmtKind::For(each) => {
                let word = match each.over {
                    LoopOver::List => "for",
                    LoopOver::Map => "forkv",
                };
                let _ = write!(self.out, "{word}(${}, ${}) in ", each.first.name, each.second.name);
                self.expr(each.subject);
                self.text(" { prog }");
            }
            StmtKind::Func { name, .. } => self.named("func", name),
            StmtKind::Class(class) => self.named("class", &class.name),
            StmtKind::Include(include) => self.named("include", &include.class),
            StmtKind::Import(import) => self.named("import", &import.path),
            StmtKind::Error => self.text("error"),
        }
    }

    /// Prints a block as `prog`; but the resource of a `panic` has no block around it.
    fn then(&mut self, cond: ExprId, then: &Block) {
        match then.stmts.as_slice() {
            [only] if only.span == self.module.exprs[cond].span => self.stmt(only),
            _ => self.text("prog"),
        }
    }

    /// Chains of operators are as long as a line: walks down the left operands, then back.
    fn expr(&mut self, id: ExprId) {
        let module = self.module;
        let mut links = Vec::new();
        let mut at = id;
        loop {
            at = match &module.exprs[at].kind {
                ExprKind::Call(Call { callee: Callee::Hidden(name @ "_operator"), args, .. }) if args.len() == 3 => {
                    let _ = write!(self.out, "call:{name}(");
                    self.operand(args[0]);
                    self.text(", ");
                    links.push((", ", args[2], ")"));
                    args[1]
                }
                ExprKind::Except { main, fallback } => {
                    self.text("except( ");
                    links.push((" <|> ", *fallback, " )"));
                    *main
                }
                _ => break,
            };
        }
        self.operand(at);
        for (before, right, after) in links.into_iter().rev() {
            self.text(before);
            self.expr(right);
            self.text(after);
        }
    }

    fn operand(&mut self, id: ExprId) {
        let module = self.module;
        match &module.exprs[id].kind {
            ExprKind::Bool(value) => self.named("bool", &value.to_string()),
            ExprKind::Int(value) => self.named("int", &value.to_string()),
            ExprKind::Float(value) => self.named("float", &general(*value)),
            ExprKind::Str(text) => self.named("str", &quote(text)),
            ExprKind::List(items) => {
                self.text("list(");
                self.list(items, ", ", |p, item| p.expr(*item));
                self.text(")");
            }
            ExprKind::Map(pairs) => {
                self.text("map(");
                self.list(pairs, ", ", |p, (key, value)| {
                    p.expr(*key);
                    p.text(": ");
                    p.expr(*value);
                });
                self.text(")");
            }
            ExprKind::Struct(fields) => {
                self.text("struct(");
                self.list(fields, "; ", |p, (name, value)| {
                    p.text(name);
                    p.text(": ");
                    p.expr(*value);
                });
                self.text(")");
            }
            ExprKind::Var(name) => self.named("var", name),
            ExprKind::Call(call) => {
                self.text("call:");
                match &call.callee {
                    Callee::Hidden(name) => self.text(name),
                    Callee::Named(name) | Callee::Var(name) => self.text(name),
                    Callee::Func(_) => self.text("<anon>"),
                }
                self.text("(");
                self.list(&call.args, ", ", |p, arg| p.expr(*arg));
                self.text(")");
            }
            ExprKind::Func(func) => self.func(func),
            ExprKind::If { cond, then, otherwise } => {
                self.text("if( ");
                self.expr(*cond);
                self.text(" ) { ");
                self.expr(*then);
                self.text(" } else { ");
                self.expr(*otherwise);
                self.text(" }");
            }
            ExprKind::Except { main, fallback } => {
                self.text("except( ");
                self.expr(*main);
                self.text(" <|> ");
                self.expr(*fallback);
                self.text(" )");
            }
            ExprKind::Error => self.text("error"),
        }
    }

    fn func(&mut self, func: &Func) {
        self.text("func(");
        self.list(&func.params, ", ", |p, param| {
            p.text(&param.name);
            if let Some(ty) = &param.ty {
                let _ = write!(p.out, " {ty}");
            }
        });
        self.text(")");
        if let Some(ret) = &func.ret {
            let _ = write!(self.out, " {ret}");
        }
        self.text(" { ");
        self.expr(func.body);
        self.text(" }");
    }
}

/// A float in C's `%g` style, with as many digits as needed to parse to the same value.
fn general(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) && value != 0.0 => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => format!("{value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diags;
    use crate::front::read_module;
    use crate::source::Source;
    use crate::span::FileId;

    fn check(src: &str, expect: &str) {
        let mut diags = Diags::default();
        let module = read_module(&Source::new("/main.mcl", src.as_bytes()), FileId(0), &mut diags);
        assert!(diags.is_empty(), "{diags:?}");
        assert_eq!(stmt(&module, &module.root.stmts[0]), expect);
    }

    fn check_expr(src: &str, expect: &str) {
        check(&format!("if {src} {{\n}}\n"), &format!("if( {expect} ) {{ prog }}"));
    }

    #[test]
    fn statements() {
        check("$x = 1\n", "bind(x)");
        check("http:server \":80\" {}\n", "res(http:server)");
        check("Noop[\"a\"] -> Noop[\"b\"]\n", "edge");
        check("for $i, $v in [1] {\n}\n", "for($i, $v) in list(int(1)) { prog }");
        check("forkv $k, $v in $m {\n} \n", "forkv($k, $v) in var(m) { prog }");
        check("func f($x) { $x }\n", "func(f)");
        check("class a:b {\n}\n", "class(a:b)");
        check("include m.c(1) as x\n", "include(m.c)");
        check("import \"fmt\" as *\n", "import(fmt)");
        check("if true {\n} else {\n}\n", "if( bool(true) ) { prog } else { prog }");
        check("panic(true)\n", "if( call:panic(bool(true)) ) { res(_panic) }");
    }

    #[test]
    fn expressions() {
        check_expr("1 + 2.5", "call:_operator(str(\"+\"), int(1), float(2.5))");
        check_expr("{\"a\" => [1, 2]}", "map(str(\"a\"): list(int(1), int(2)))");
        check_expr("struct{a => 1, b => $c.d}", "struct(a: int(1); b: var(c.d))");
        check_expr("func($x, $y int) str { $x }(1, 2)", "call:<anon>(int(1), int(2))");
        check_expr("[func($x, $y int) str { $x }]", "list(func(x, y int) str { var(x) })");
        check_expr("$f(1) <|> 2", "except( call:f(int(1)) <|> int(2) )");
        check_expr("if true { 1 } else { 2 }", "if( bool(true) ) { int(1) } else { int(2) }");
        check_expr("\"a${b}\"", "call:concat(str(\"a\"), var(b))");
        check_expr(
            "$s->f <|> not $m[1]",
            concat!(
                "call:_struct_lookup_optional(var(s), str(\"f\"), ",
                "call:_operator(str(\"not\"), call:_lookup(var(m), int(1))))"
            ),
        );
    }

    #[test]
    fn floats_are_in_general_style() {
        check_expr("1000000.0", "float(1e+06)");
        check_expr("0.00001", "float(1e-05)");
        check_expr("123456.5", "float(123456.5)");
    }
}
