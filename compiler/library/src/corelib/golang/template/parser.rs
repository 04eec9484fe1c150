//! Parses templates: actions, blocks and named templates. Functions spec, 9.1.
//!
//! Names of functions and variables are checked here, even in branches that never run.

use super::lexer::{Kind, Token, lex};
use super::node::{Node, NodeKind, Nodes, Pipe, Templates};
use super::{MAIN, MAX_DEPTH};

pub(super) struct Parser<'t> {
    /// The text.
    pub text: &'t [u8],
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Index of the next token.
    pub at: usize,
    /// The variables in scope.
    pub vars: Vec<String>,
    /// The number of open blocks and parentheses.
    pub depth: usize,
    n_ranges: usize,
    templates: Templates,
}

/// What ended a list of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    End,
    Else,
}

pub(super) type Parsed<T> = Result<T, String>;

/// Why a text is not a template.
pub(super) struct Refused {
    /// The message from `template:LINE:` on.
    pub message: String,
    /// Offset of the token that is wrong.
    pub place: usize,
}

pub(super) fn parse(text: &[u8]) -> Result<Templates, Refused> {
    let vars = vec!["$".to_string()];
    let tokens = lex(text);
    let mut parser = Parser { text, tokens, at: 0, vars, depth: 0, n_ranges: 0, templates: Templates::new() };
    parser.main().map_err(|message| {
        let place = parser.tokens[parser.at.min(parser.tokens.len() - 1)].start;
        Refused { message: format!("template: template:{}: {message}", super::line(text, place)), place }
    })?;
    Ok(parser.templates)
}

impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> &Kind {
        self.tokens.get(self.at).map_or(&Kind::Eof, |token| &token.kind)
    }

    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn text_of(&self, token: &Token) -> &'t [u8] {
        &self.text[token.start..token.end]
    }

    pub(super) fn word(&self) -> &'t str {
        std::str::from_utf8(self.text_of(self.token())).unwrap_or_default()
    }

    pub(super) fn skip_space(&mut self) {
        while *self.peek() == Kind::Space {
            self.at += 1;
        }
    }

    pub(super) fn unexpected<T>(&self, context: &str) -> Parsed<T> {
        Err(self.surprise(context))
    }

    fn surprise(&self, context: &str) -> String {
        let shown = String::from_utf8_lossy(self.text_of(self.token()));
        match self.peek() {
            Kind::Error(message) => message.clone(),
            Kind::Eof => "unexpected EOF".into(),
            Kind::Dot | Kind::Field | Kind::Word => format!("unexpected <{shown}> in {context}"),
            _ => format!("unexpected {shown:?} in {context}"),
        }
    }

    fn close(&mut self, context: &str) -> Parsed<()> {
        self.skip_space();
        if *self.peek() != Kind::Close {
            return self.unexpected(context);
        }
        self.at += 1;
        Ok(())
    }

    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Whether the action that begins here has this keyword; skips it if so.
    fn opens(&mut self, keyword: &str) -> bool {
        let from = self.at;
        if *self.peek() == Kind::Open {
            self.at += 1;
            self.skip_space();
            if *self.peek() == Kind::Word && self.word() == keyword {
                self.at += 1;
                return true;
            }
        }
        self.at = from;
        false
    }

    fn main(&mut self) -> Parsed<()> {
        let mut nodes = Vec::new();
        while *self.peek() != Kind::Eof {
            if self.opens("define") {
                self.define()?;
                continue;
            }
            match self.node()? {
                Ok(node) => nodes.push(node),
                Err(Ending::End) => return Err("unexpected {{end}}".into()),
                Err(Ending::Else) => return Err("unexpected {{else}}".into()),
            }
        }
        self.add(MAIN.to_vec(), nodes)
    }

    /// A space body is replaced by one with content; two with content are an error.
    fn add(&mut self, name: Vec<u8>, nodes: Vec<Node>) -> Parsed<()> {
        match self.templates.get(&*name) {
            Some(known) if !is_empty(known) => {
                if is_empty(&nodes) {
                    return Ok(());
                }
                Err(format!("multiple definition of template {}", crate::value::quote(&name)))
            }
            _ => {
                self.templates.insert(name.into(), nodes.into());
                Ok(())
            }
        }
    }

    fn name(&mut self, context: &str) -> Parsed<Vec<u8>> {
        self.skip_space();
        if !matches!(self.peek(), Kind::Str | Kind::Raw) {
            return self.unexpected(context);
        }
        let name = super::super::strconv::unquote::unquote(self.text_of(self.token())).ok_or("invalid syntax")?;
        self.at += 1;
        Ok(name)
    }

    fn define(&mut self) -> Parsed<()> {
        let name = self.name("define clause")?;
        self.close("define clause")?;
        self.body(name, "define clause")
    }

    /// The body of a named template, which sees no outer variables.
    fn body(&mut self, name: Vec<u8>, context: &str) -> Parsed<()> {
        let vars = std::mem::replace(&mut self.vars, vec!["$".into()]);
        let n_ranges = std::mem::take(&mut self.n_ranges);
        let listed = self.deeper(Self::list);
        (self.vars, self.n_ranges) = (vars, n_ranges);
        let (nodes, ending) = listed?;
        if ending == Ending::Else {
            return Err(format!("unexpected {{{{else}}}} in {context}"));
        }
        self.add(name, nodes)
    }

    /// Nodes up to the `else` or `end` of the enclosing block; only the word `else` itself is consumed.
    fn list(&mut self) -> Parsed<(Vec<Node>, Ending)> {
        let mut nodes = Vec::new();
        loop {
            match self.node()? {
                Ok(node) => nodes.push(node),
                Err(ending) => return Ok((nodes, ending)),
            }
        }
    }

    fn node(&mut self) -> Parsed<Result<Node, Ending>> {
        let token = self.token().clone();
        match token.kind {
            Kind::Text => {
                self.at += 1;
                let what = NodeKind::Text(self.text_of(&token).to_vec());
                return Ok(Ok(Node { span: token.start..token.end, what }));
            }
            Kind::Open => self.at += 1,
            _ => return self.unexpected("input"),
        }
        self.skip_space();
        let keyword = if *self.peek() == Kind::Word { self.word() } else { "" };
        let what = match keyword {
            "end" => {
                self.at += 1;
                self.close("end")?;
                return Ok(Err(Ending::End));
            }
            "else" => {
                self.at += 1;
                return Ok(Err(Ending::Else));
            }
            "if" | "with" => {
                let (branches, otherwise) = self.deeper(|parser| parser.branches(keyword))?;
                if keyword == "if" { NodeKind::If(branches, otherwise) } else { NodeKind::With(branches, otherwise) }
            }
            "range" => self.deeper(Self::range)?,
            "break" | "continue" => {
                self.at += 1;
                if self.n_ranges == 0 {
                    return Err(format!("{{{{{keyword}}}}} outside {{{{range}}}}"));
                }
                self.close(keyword)?;
                if keyword == "break" { NodeKind::Break } else { NodeKind::Continue }
            }
            "template" => {
                self.at += 1;
                let name = self.name("template clause")?;
                self.skip_space();
                let pipe = if *self.peek() == Kind::Close { None } else { Some(self.pipe("template clause")?) };
                self.close("template clause")?;
                NodeKind::Template { name, pipe }
            }
            "block" => {
                self.at += 1;
                let name = self.name("block clause")?;
                let pipe = self.pipe("block clause")?;
                self.close("block clause")?;
                self.body(name.clone(), "block clause")?;
                NodeKind::Template { name, pipe: Some(pipe) }
            }
            _ => {
                let pipe = self.pipe("command")?;
                self.close("command")?;
                NodeKind::Action(pipe)
            }
        };
        let end = self.tokens[self.at - 1].end;
        Ok(Ok(Node { span: token.start..end, what }))
    }

    /// `if` and `with`: their variables live until the last `end`.
    fn branches(&mut self, keyword: &str) -> Parsed<(Vec<(Pipe, Nodes)>, Nodes)> {
        let n_vars = self.vars.len();
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            self.at += 1;
            let pipe = self.pipe(keyword)?;
            self.close(keyword)?;
            let (nodes, ending) = self.list()?;
            branches.push((pipe, nodes.into()));
            if ending == Ending::End {
                break;
            }
            self.skip_space();
            if *self.peek() == Kind::Word && self.word() == keyword {
                continue;
            }
            otherwise = self.otherwise()?;
            break;
        }
        self.vars.truncate(n_vars);
        Ok((branches, otherwise.into()))
    }

    fn range(&mut self) -> Parsed<NodeKind> {
        let n_vars = self.vars.len();
        self.at += 1;
        let pipe = self.pipe("range")?;
        self.close("range")?;
        self.n_ranges += 1;
        let listed = self.list();
        self.n_ranges -= 1;
        let (body, ending) = listed?;
        let otherwise = if ending == Ending::Else { self.otherwise()? } else { Vec::new() };
        self.vars.truncate(n_vars);
        Ok(NodeKind::Range { pipe: pipe.into(), body: body.into(), otherwise: otherwise.into() })
    }

    /// From the word `else` to the end of the block.
    fn otherwise(&mut self) -> Parsed<Vec<Node>> {
        self.skip_space();
        if *self.peek() == Kind::Word && matches!(self.word(), "if" | "with") {
            return self.unexpected("input");
        }
        self.close("else")?;
        let (nodes, ending) = self.list()?;
        if ending == Ending::Else {
            return Err("expected end; found {{else}}".into());
        }
        Ok(nodes)
    }
}

/// Only Unicode white space. Comments leave no node.
fn is_empty(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| match &node.what {
        NodeKind::Text(text) => String::from_utf8_lossy(text).trim().is_empty(),
        NodeKind::Action(_)
        | NodeKind::If(..)
        | NodeKind::With(..)
        | NodeKind::Range { .. }
        | NodeKind::Template { .. }
        | NodeKind::Break
        | NodeKind::Continue => false,
    })
}
