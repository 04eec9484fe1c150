//! Preparing the text of a template for rendering.

use super::budget::{Budget, NODE};
use super::tree;
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
/// The tree of a chain is as deep as it is long, and its parser has no limit. So this checks the tokens first.
fn check_chains(text: &str) -> Result<(), Error> {
    let mut tags = Chains::default();
    let mut branches: Vec<u32> = Vec::new();
    let mut is_first_word = false;
    for token in tokenize(text, false, SyntaxConfig::default()) {
        let (token, span) = token?;
        let word = std::mem::replace(&mut is_first_word, matches!(token, Token::BlockStart));
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
