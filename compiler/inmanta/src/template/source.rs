//! Preparing the text of a template for rendering.

use super::budget::{Budget, NODE};
use super::{environment, tree};
use minijinja::machinery::{CodeGenerator, Instructions, Span, Token, make_string_output, parse, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Value};
use std::collections::BTreeMap;

/// The name of a template in errors of minijinja.
const NAME: &str = "template";

/// The cost of making an environment, in nodes.
const ENVIRONMENT: u64 = 100;

/// Maximum nesting of operators, and of `elif` after an `if`: each is a level of the tree, which is walked recursively.
const MAX_CHAIN: u32 = 200;

/// A prepared template.
pub(super) struct Prepared<'s> {
    instructions: Instructions<'s>,
    blocks: BTreeMap<&'s str, Instructions<'s>>,
    /// The nodes entered with the template itself.
    n_nodes: u64,
}

impl<'s> Prepared<'s> {
    pub(super) fn new(text: &'s str, budget: &Budget) -> Result<Prepared<'s>, Error> {
        // The tree and its copy take a multiple of the text.
        budget.look((text.len() as u64).saturating_mul(8))?;
        check_chains(text)?;
        let parsed = parse(text, NAME, SyntaxConfig::default())?;
        check_names(text)?;
        let (counted, n_nodes) = tree::counted(&parsed);
        let mut generator = CodeGenerator::new(NAME, text);
        generator.compile_stmt(&counted);
        let (instructions, blocks) = generator.finish();
        Ok(Prepared { instructions, blocks, n_nodes })
    }

    /// The resulting text, with these names.
    pub(super) fn render(&self, environment: &Environment<'s>, budget: &Budget, names: Value) -> Result<String, Error> {
        budget.look((ENVIRONMENT + self.n_nodes).saturating_mul(NODE))?;
        let mut text = String::new();
        let mut output = make_string_output(&mut text);
        let (instructions, blocks) = (&self.instructions, &self.blocks);
        minijinja::machinery::eval(environment, instructions, names, blocks, &mut output, AutoEscape::None)?;
        Ok(text)
    }
}

/// Errors: operators, or branches of an `if`, are nested too deeply.
///
/// The tree of a chain is as deep as it is long, and its parser has no limit. So this checks the tokens first, up to text
/// that is not a token: the parser stops there, and may find an error before it.
fn check_chains(text: &str) -> Result<(), Error> {
    let mut tags = Chains::default();
    let mut branches: Vec<u32> = Vec::new();
    let mut is_first_word = false;
    let mut assigning = None;
    for (token, span) in tokenize(text, false, SyntaxConfig::default()).map_while(Result::ok) {
        let word = std::mem::replace(&mut is_first_word, matches!(token, Token::BlockStart));
        // minijinja takes no name at all for an empty list of names.
        assigning = match (assigning, &token) {
            (_, Token::Ident("set")) if word => Some("set"),
            (_, Token::Ident("for")) if word => Some("for"),
            (Some("set" | "for"), Token::BlockEnd) => {
                return Err(wrong("Expected an expression, got 'end of statement block'", span));
            }
            // It may be a name itself.
            (Some("for"), Token::Ident("in")) => Some("in"),
            (Some("in"), Token::Ident("in") | Token::Comma) => None,
            (Some("in"), token) => {
                let got = written(token, span, text);
                return Err(wrong(&format!("expected token 'in', got '{got}'"), span));
            }
            _ => None,
        };
        match token {
            // Only an extension of Jinja2 has it.
            Token::Ident("do") if word => return Err(Error::new(ErrorKind::SyntaxError, "unknown statement do")),
            Token::Ident("if") if word => branches.push(0),
            Token::Ident("elif") if word => {
                let n_branches = branches.last_mut().map_or(0, |n| {
                    *n += 1;
                    *n
                });
                if n_branches > MAX_CHAIN {
                    return Err(too_long("an `if` has more than 200 branches", span));
                }
            }
            Token::Ident("endif") if word => {
                branches.pop();
            }
            _ => {}
        }
        tags.add(&token);
        if tags.depth() > MAX_CHAIN {
            return Err(too_long("more than 200 operators are nested", span));
        }
    }
    Ok(())
}

/// Errors: a filter or test does not exist, wherever it is used. Within an `if`, Jinja2 looks for it when it is used.
fn check_names(text: &str) -> Result<(), Error> {
    let mut n_open = 0u32;
    let mut tag = Tag::default();
    for token in tokenize(text, false, SyntaxConfig::default()) {
        let (token, span) = token?;
        match token {
            Token::BlockStart | Token::VariableStart => {
                tag = Tag { is_block: matches!(token, Token::BlockStart), ..Tag::default() };
            }
            Token::BlockEnd | Token::VariableEnd => {
                if n_open == 0
                    && !tag.has_condition
                    && let Some((kind, name, line)) = tag.missing()
                {
                    let text = format!("No {kind} named '{name}'. (line {line})");
                    return Err(Error::new(ErrorKind::SyntaxError, text));
                }
                match tag.word {
                    Some("if") => n_open += 1,
                    Some("endif") => n_open = n_open.saturating_sub(1),
                    _ => {}
                }
            }
            token => tag.add(&token, span),
        }
    }
    Ok(())
}

/// What a tag uses.
#[derive(Default)]
struct Tag<'s> {
    is_block: bool,
    /// The first word of a block.
    word: Option<&'s str>,
    /// Whether it is an `if`, or there is one in it.
    has_condition: bool,
    /// The filters and tests, with their lines.
    names: Vec<(&'static str, &'s str, u16)>,
    /// What the next word is the name of.
    next: Option<&'static str>,
    /// Whether the last token was such a name.
    is_named: bool,
    is_attribute: bool,
    is_begun: bool,
}

impl<'s> Tag<'s> {
    fn add(&mut self, token: &Token<'s>, span: Span) {
        let next = self.next.take();
        let is_attribute = std::mem::replace(&mut self.is_attribute, matches!(token, Token::Dot));
        let is_named = std::mem::take(&mut self.is_named);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        match (token, next) {
            (Token::Ident(word), _) if is_first && self.is_block => {
                self.word = Some(*word);
                self.has_condition = matches!(*word, "if" | "elif");
            }
            (Token::Ident("not"), Some("test")) => self.next = next,
            (Token::Ident(word), Some(kind)) => {
                self.names.push((kind, *word, span.start_line));
                self.is_named = true;
            }
            (Token::Ident(_), _) if is_attribute => {}
            (Token::Ident("is"), _) => self.next = Some("test"),
            (Token::Ident("if"), _) => self.has_condition = true,
            (Token::Pipe, _) => self.next = Some("filter"),
            // The name of a function, which has several parts.
            (Token::Dot, _) if is_named => {
                self.names.pop();
            }
            _ => {}
        }
    }

    /// The first that does not exist.
    fn missing(&self) -> Option<(&'static str, &'s str, u16)> {
        self.names.iter().find(|(kind, name, _)| !environment::has(*kind == "filter", name)).copied()
    }
}

/// A token as Jinja2 names it.
fn written<'t>(token: &Token<'_>, span: Span, text: &'t str) -> &'t str {
    match token {
        Token::BlockEnd => "end of statement block",
        Token::Int(_) | Token::Int128(_) => "integer",
        Token::Float(_) => "float",
        Token::Str(_) | Token::String(_) => "string",
        _ => text.get(span.start_offset as usize..span.end_offset as usize).unwrap_or_default(),
    }
}

/// The error of Jinja2 for a template that it cannot parse.
fn wrong(text: &str, span: Span) -> Error {
    Error::new(ErrorKind::SyntaxError, format!("{text} (line {})", span.start_line))
}

fn too_long(what: &str, span: Span) -> Error {
    Error::new(
        ErrorKind::SyntaxError,
        format!("{what}: assign intermediate results to variables (line {})", span.start_line),
    )
}

/// The maximum nesting of operators in a tag.
#[derive(Default)]
struct Chains {
    /// For each open bracket, the operators since the last comma.
    open: Vec<u32>,
    sum: u32,
}

impl Chains {
    fn add(&mut self, token: &Token<'_>) {
        match token {
            Token::BlockStart | Token::VariableStart => *self = Chains { open: vec![0], sum: 0 },
            Token::BracketOpen | Token::ParenOpen | Token::BraceOpen => {
                self.grow();
                self.open.push(0);
            }
            Token::BracketClose | Token::ParenClose | Token::BraceClose => self.sum -= self.open.pop().unwrap_or(0),
            Token::Comma | Token::Colon | Token::Assign => {
                let chain = self.open.last_mut().map_or(0, std::mem::take);
                self.sum -= chain;
            }
            Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::FloorDiv
            | Token::Pow
            | Token::Mod
            | Token::Dot
            | Token::Tilde
            | Token::Pipe
            | Token::Eq
            | Token::Ne
            | Token::Gt
            | Token::Gte
            | Token::Lt
            | Token::Lte
            | Token::Ident("and" | "or" | "not" | "in" | "is" | "if" | "else") => self.grow(),
            _ => {}
        }
    }

    fn grow(&mut self) {
        if let Some(chain) = self.open.last_mut() {
            *chain += 1;
            self.sum += 1;
        }
    }

    fn depth(&self) -> u32 {
        self.sum
    }
}
