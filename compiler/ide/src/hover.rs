//! Information about the thing at a position: its declaration, type and documentation, and the expressions with its
//! values at run time.

use super::Position;
use super::analysis::Analysis;
use super::manual;
use super::marks::{Mark, Role};
use super::resolve::{self, Member};
use super::words;
use crate::corelib::{self, FnDef};
use crate::ident::Name;
use crate::kinds::{self, MetaProperty};
use crate::lex::TokenKind;
use crate::scope::linked::{Callee, NodeId, NodeKind};
use crate::span::Span;

/// A tooltip's content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The span of the thing.
    pub span: Span,
    /// Lines in the language's own notation.
    pub head: Vec<String>,
    /// Markdown; may be empty.
    pub doc: String,
    /// The expressions that have its value.
    pub values: Vec<Span>,
    /// The manual page, if there is one.
    pub page: Option<String>,
}

impl Hover {
    fn new(span: Span, head: impl IntoIterator<Item = String>, doc: impl Into<String>) -> Hover {
        Hover { span, head: head.into_iter().collect(), doc: doc.into(), values: Vec::new(), page: None }
    }

    fn page(mut self, page: impl Into<String>) -> Hover {
        self.page = Some(page.into());
        self
    }

    fn values(mut self, values: Vec<Span>) -> Hover {
        self.values = values;
        self
    }
}

pub(super) fn at(analysis: &Analysis, at: Position) -> Option<Hover> {
    match analysis.mark_at(at) {
        Some(mark) => of_mark(analysis, mark, at),
        None => of_token(analysis, at),
    }
}

fn of_mark(analysis: &Analysis, mark: &Mark, at: Position) -> Option<Hover> {
    let span = mark.span;
    Some(match &mark.role {
        Role::Bind | Role::Param => {
            let doc = if mark.role == Role::Bind { comment_above(analysis, span) } else { String::new() };
            Hover::new(span, variable_heads(&mark.name, &analysis.types_defined_at(span)), doc)
                .values(values_of_definition(analysis, span))
        }
        Role::Var { .. } => variable(analysis, mark)?,
        Role::FuncDef => function_of(analysis, span, span)?,
        Role::Call => call(analysis, mark, at)?,
        Role::CallVar => {
            let definition = analysis.use_at(span)?.definition;
            Hover::new(span, variable_heads(&mark.name, &analysis.types_defined_at(definition)), "")
        }
        Role::ClassDef => class_of(analysis, span, span)?,
        Role::Class => class_of(analysis, analysis.use_at(span)?.definition, span)?,
        Role::Kind | Role::HalfKind { .. } => {
            let decl = kinds::lookup(&mark.name)?.decl();
            Hover::new(span, [decl.name.to_owned()], manual::kind(decl)).page(decl.name)
        }
        Role::Field { kind } => field(span, kind, &mark.name)?,
        Role::SentField { kind, is_sender } => {
            let decl = kinds::lookup(kind)?.decl();
            match decl.sendable(&mark.name).filter(|_| *is_sender) {
                Some(sent) => Hover::new(span, [format!("{} {}", sent.name, sent.ty())], format!("Sent by `{kind}`.")),
                None => field(span, kind, &mark.name)?,
            }
        }
        Role::EdgeWord => {
            let (word, doc) = words::EDGES.iter().find(|(word, _)| word.eq_ignore_ascii_case(&mark.name))?;
            Hover::new(span, [format!("{word} => Kind[\"name\"]")], *doc)
        }
        Role::Meta => match MetaProperty::named(&mark.name) {
            Some(property) => Hover::new(span, [manual::meta_head(property)], property.doc()),
            None if mark.name.is_empty() || &*mark.name == "meta" => {
                Hover::new(span, ["Meta => struct{…}".to_owned()], "Sets several meta parameters of this resource.")
            }
            None => return None,
        },
        Role::StructField => return None,
        Role::FieldAccess => {
            let nodes = analysis.linked().nodes.iter();
            let access = nodes.filter(|(_, node)| {
                node.span.file == span.file && node.span.end == span.end && node.span.start < span.start
            });
            let access = access.max_by_key(|(_, node)| node.span.start)?.1.span;
            let types = analysis.types_at(access);
            Hover::new(span, types.iter().map(|ty| format!("{} {ty}", mark.name)), "").values(vec![access])
        }
        Role::Import => import(analysis, mark),
        Role::Alias => return None,
        Role::Type => return of_token(analysis, at),
        Role::Operator => operator(analysis, mark)?,
    })
}

fn variable_heads(name: &str, types: &[String]) -> Vec<String> {
    match types {
        [] => vec![format!("${name}")],
        types => types.iter().map(|ty| format!("${name} {ty}")).collect(),
    }
}

/// A use of a variable or of a constant.
fn variable(analysis: &Analysis, mark: &Mark) -> Option<Hover> {
    let span = mark.span;
    if let Some(used) = analysis.use_at(span) {
        let mut types = analysis.types_at(span);
        if types.is_empty() {
            types = analysis.types_defined_at(used.definition);
        }
        let mut values = values_of_definition(analysis, used.definition);
        values.push(span);
        let doc = comment_above(analysis, used.definition);
        return Some(Hover::new(span, variable_heads(&mark.name, &types), doc).values(values));
    }
    let alias = analysis.alias_at(span);
    let module = alias.and_then(|alias| imported_path(analysis, alias.definition));
    let known = match (&module, alias) {
        (Some(module), Some(alias)) => {
            let rest = mark.name.get(alias.name.len() + 1..)?;
            corelib::module(module)?.variables.into_iter().find(|known| known.name == rest)?
        }
        _ => corelib::top_level_variables().find(|known| known.name == &*mark.name)?,
    };
    let prefix = known.module.map(|module| format!("{module}.")).unwrap_or_default();
    let entry = manual::symbol(&format!("${prefix}{}", known.name))?;
    let value = entry.value.map(|value| format!(" = {value}")).unwrap_or_default();
    let head = format!("{} {}{value}", entry.name, entry.signatures.first().copied().unwrap_or_default());
    Some(Hover::new(span, [head], entry.doc).page(entry.name.clone()).values(vec![span]))
}

/// The path of an import statement.
fn imported_path(analysis: &Analysis, stmt: Span) -> Option<Name> {
    let marks = &analysis.parsed(stmt.file).marks;
    let inside = |mark: &&Mark| mark.role == Role::Import && stmt.start <= mark.span.start && mark.span.end <= stmt.end;
    marks.iter().find(inside).map(|mark| mark.name.clone())
}

/// The call with this name span.
fn call_node(analysis: &Analysis, callee: Span) -> Option<NodeId> {
    let is_it = |kind: &NodeKind| matches!(kind, NodeKind::Call(call) if call.callee_span == callee);
    analysis.linked().nodes.iter().find(|(_, node)| is_it(&node.kind)).map(|(id, _)| id)
}

fn call(analysis: &Analysis, mark: &Mark, at: Position) -> Option<Hover> {
    let node = call_node(analysis, mark.span);
    let values = node.map(|node| vec![analysis.linked().nodes[node].span]).unwrap_or_default();
    if let Some(used) = analysis.use_at(mark.span) {
        return function_of(analysis, used.definition, mark.span).map(|hover| hover.values(values));
    }
    let builtin = node.and_then(|node| match &analysis.linked().nodes[node].kind {
        NodeKind::Call(call) => match call.callee {
            Callee::Builtin(def) => Some(def),
            Callee::Statement(_) | Callee::Value(_) | Callee::Literal(_) => None,
        },
        _ => None,
    });
    let def = match builtin {
        Some(def) => def,
        None => match resolve::function(analysis, at, &mark.name)? {
            Member::Function(def) => def,
            Member::Own(file, known) => {
                let head = resolve::own_head(analysis, file, &known);
                return Some(Hover::new(mark.span, [format!("func {head}")], comment_above(analysis, known.span)));
            }
            Member::Variable(_) => return None,
        },
    };
    Some(
        core_function(def, mark.span, node.and_then(|node| analysis.type_of(node)).map(|ty| ty.to_string()))
            .values(values),
    )
}

fn core_function(def: &'static FnDef, span: Span, result: Option<String>) -> Hover {
    let mut head = manual::signatures(def);
    if let Some(result) = result.filter(|result| !head.iter().any(|form| form.ends_with(&format!(") {result}")))) {
        head.push(format!("returns {result} here"));
    }
    Hover::new(span, head, manual::function(def)).page(def.path)
}

/// A function of the program, by the span of its name.
fn function_of(analysis: &Analysis, definition: Span, span: Span) -> Option<Hover> {
    let head = head_of(analysis, definition, "func ")?;
    let mut heads = vec![head];
    // The types of its copies show the types that are not written.
    let linked = analysis.linked();
    let is_it = |(id, node): &(NodeId, &crate::scope::linked::Node)| match &node.kind {
        NodeKind::Func(func) => {
            let inside = func.definition.file == definition.file
                && func.definition.start <= definition.start
                && definition.end <= func.definition.end;
            (inside && func.name.is_some()).then_some(*id)
        }
        _ => None,
    };
    for ty in linked.nodes.iter().filter_map(|node| is_it(&node)).filter_map(|id| analysis.type_of(id)) {
        let line = format!("// {ty}").replacen("// ", "", 1);
        if heads.len() < 4 && !heads.contains(&line) && !line.contains('?') {
            heads.push(line);
        }
    }
    Some(Hover::new(span, heads, comment_above(analysis, definition)))
}

fn class_of(analysis: &Analysis, definition: Span, span: Span) -> Option<Hover> {
    let head = head_of(analysis, definition, "class ")?;
    Some(Hover::new(span, [head], comment_above(analysis, definition)))
}

/// The start of a function or class, up to its body.
fn head_of(analysis: &Analysis, definition: Span, word: &str) -> Option<String> {
    let text = super::blocks::Text::of(analysis, Position { file: definition.file, offset: 0 });
    let tokens = &text.tokens.tokens;
    let at = tokens.partition_point(|token| token.start < definition.start);
    let known =
        super::blocks::defined(&text, at.checked_sub(1)?, at + 1).into_iter().find(|known| known.span == definition)?;
    Some(format!("{word}{}", resolve::own_head(analysis, definition.file, &known)))
}

fn field(span: Span, kind: &str, name: &str) -> Option<Hover> {
    let field = kinds::lookup(kind)?.decl().field(name)?;
    Some(Hover::new(span, [manual::field_head(field)], manual::field(field)).page(kind))
}

fn import(analysis: &Analysis, mark: &Mark) -> Hover {
    let mut doc = String::new();
    if let Some(module) = corelib::module(&mark.name) {
        let functions = module.functions.iter().map(|def| def.name()).filter(|name| !name.starts_with('_'));
        let names: Vec<String> = functions.map(|name| format!("`{name}`")).collect();
        doc = format!("A module of the core library: {}.", names.join(", "));
    } else if let Some(file) = analysis.imported(mark.span) {
        doc = format!("The file `{}`.", analysis.source(file).path);
    }
    let hover = Hover::new(mark.span, [format!("import \"{}\"", mark.name)], doc);
    if corelib::module(&mark.name).is_some() { hover.page(&*mark.name) } else { hover }
}

fn operator(analysis: &Analysis, mark: &Mark) -> Option<Hover> {
    // The expression of an operator is the smallest that contains it with text on both sides.
    let around = analysis.linked().nodes.values().map(|node| node.span).filter(|span| {
        span.file == mark.span.file && span.start <= mark.span.start && mark.span.end < span.end && *span != mark.span
    });
    let whole = around.min_by_key(|span| span.end - span.start);
    let values: Vec<Span> = whole.into_iter().collect();
    let types = whole.map(|span| analysis.types_at(span)).unwrap_or_default();
    let gives = types.iter().map(|ty| format!("returns {ty} here"));
    let hover = match manual::symbol(&mark.name) {
        Some(entry) => {
            let heads = entry.signatures.iter().map(|form| form.replacen("func", &format!("{} ", mark.name), 1));
            Hover::new(mark.span, heads.chain(gives), manual::operator(&entry)).page(entry.name.clone())
        }
        None => {
            let doc = words::doc(TokenKind::of_word(mark.name.as_bytes()))?;
            Hover::new(mark.span, std::iter::once(mark.name.to_string()).chain(gives), doc)
        }
    };
    Some(hover.values(values))
}

/// A keyword.
fn of_token(analysis: &Analysis, at: Position) -> Option<Hover> {
    let token = analysis.token_at(at)?;
    let span = Span { file: at.file, start: token.start, end: token.end };
    let doc = words::doc(token.kind)?;
    Some(Hover::new(span, [analysis.text(span)], doc))
}

/// The expressions that give a definition its value.
fn values_of_definition(analysis: &Analysis, name: Span) -> Vec<Span> {
    let linked = analysis.linked();
    let mut values = Vec::new();
    for def in linked.defs.values().filter(|def| def.span == name) {
        let mut value = def.value;
        // Definitions never refer to themselves.
        while let NodeKind::Def(next) = linked.nodes[value].kind {
            value = linked.defs[next].value;
        }
        let span = linked.nodes[value].span;
        if !values.contains(&span) {
            values.push(span);
        }
    }
    values
}

/// The comment on the lines directly above the statement of a name, without the comment signs.
pub(super) fn comment_above(analysis: &Analysis, name: Span) -> String {
    let source = analysis.source(name.file);
    let mut line = source.line_of(name.start);
    let mut lines: Vec<String> = Vec::new();
    while line > 1 {
        line -= 1;
        let text = String::from_utf8_lossy(source.line(line)).trim().to_owned();
        match text.strip_prefix('#') {
            Some(_) if text.starts_with("#!") => break,
            Some(comment) => lines.push(comment.strip_prefix(' ').unwrap_or(comment).to_owned()),
            None => break,
        }
    }
    lines.reverse();
    lines.join("\n").trim().to_owned()
}
