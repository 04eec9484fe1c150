//! Parses pipelines: declarations, commands, operands and constants. Functions spec, 9.1.

use super::super::strconv::{int, unquote};
use super::builtins::Builtin;
use super::lexer::{Kind, Token};
use super::library;
use super::node::{Command, Expr, ExprKind, Number, Pipe};
use super::parser::{Parsed, Parser};
use crate::corelib::bytes::chars;
use crate::corelib::convert::number::parse_float;

impl Parser<'_> {
    /// A pipeline up to the delimiter or parenthesis that ends it, which is not consumed.
    pub(super) fn pipe(&mut self, context: &str) -> Parsed<Pipe> {
        let (vars, assigns) = self.declarations(context)?;
        let mut commands: Vec<Command> = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Kind::Close | Kind::RightParen => break,
                Kind::Word | Kind::Field | Kind::Variable | Kind::Dot | Kind::Number | Kind::Char => {}
                Kind::Str | Kind::Raw | Kind::LeftParen => {}
                Kind::Text | Kind::Open | Kind::Space | Kind::Pipe | Kind::Declare | Kind::Assign => {
                    return self.unexpected(context);
                }
                Kind::Other | Kind::Eof | Kind::Error(_) => return self.unexpected(context),
            }
            let command = self.command(context)?;
            if !commands.is_empty() && !is_executable(&command.args[0]) {
                return Err(format!("non executable command in pipeline stage {}", commands.len() + 1));
            }
            commands.push(command);
        }
        if commands.is_empty() {
            return Err(format!("missing value for {context}"));
        }
        Ok(Pipe { vars, assigns, commands })
    }

    fn declarations(&mut self, context: &str) -> Parsed<(Vec<String>, bool)> {
        let mut vars = Vec::new();
        loop {
            self.skip_space();
            let from = self.at;
            if *self.peek() != Kind::Variable {
                if vars.is_empty() {
                    return Ok((vars, false));
                }
                return Err("range can only initialize variables".into());
            }
            let name = self.word().to_string();
            self.at += 1;
            self.skip_space();
            let is_comma = *self.peek() == Kind::Other && self.word() == ",";
            match self.peek() {
                Kind::Declare | Kind::Assign => {
                    let assigns = *self.peek() == Kind::Assign;
                    self.at += 1;
                    vars.push(name);
                    self.vars.extend(vars.iter().cloned());
                    return Ok((vars, assigns));
                }
                _ if is_comma => {
                    vars.push(name);
                    if context != "range" || vars.len() > 1 {
                        return Err(format!("too many declarations in {context}"));
                    }
                    self.at += 1;
                }
                // No declaration, or one variable of the range `$x, $list`: this is its list.
                _ => {
                    self.at = from;
                    self.vars.extend(vars.iter().cloned());
                    return Ok((vars, false));
                }
            }
        }
    }

    fn command(&mut self, context: &str) -> Parsed<Command> {
        let start = self.token().start;
        let mut args = Vec::new();
        let mut end;
        loop {
            self.skip_space();
            end = self.tokens[self.at - 1].end;
            match self.operand(context)? {
                Some(operand) => {
                    end = operand.span.end;
                    args.push(operand);
                    match self.peek() {
                        Kind::Space => continue,
                        Kind::Close | Kind::RightParen => {}
                        Kind::Pipe => self.at += 1,
                        _ => return self.unexpected("operand"),
                    }
                }
                None => match self.peek() {
                    Kind::Close | Kind::RightParen => {}
                    Kind::Pipe => self.at += 1,
                    _ => return self.unexpected("operand"),
                },
            }
            break;
        }
        if args.is_empty() {
            return Err("empty command".into());
        }
        end = end.min(args.last().map_or(end, |last| last.span.end)).max(start);
        Ok(Command { span: start..end, args })
    }

    /// A term and the adjacent fields.
    fn operand(&mut self, context: &str) -> Parsed<Option<Expr>> {
        let Some(mut term) = self.term(context)? else { return Ok(None) };
        let mut fields = Vec::new();
        while *self.peek() == Kind::Field {
            fields.push(self.word()[1..].to_string());
            term.span.end = self.token().end;
            self.at += 1;
        }
        if fields.is_empty() {
            return Ok(Some(term));
        }
        match &mut term.what {
            ExprKind::Field(own) | ExprKind::Variable(_, own) | ExprKind::Chain(_, own) => own.extend(fields),
            // The result of a call without arguments.
            ExprKind::Function(name) => {
                let what = ExprKind::Function(std::mem::take(name));
                let call = Expr { span: term.span.clone(), what };
                let command = Command { span: term.span.clone(), args: vec![call] };
                let pipe = Pipe { vars: Vec::new(), assigns: false, commands: vec![command] };
                term.what = ExprKind::Chain(Box::new(pipe), fields);
            }
            ExprKind::Dot | ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Str(_) => {
                let shown = String::from_utf8_lossy(&self.text[term.span.clone()]).into_owned();
                return Err(format!("unexpected . after term {shown:?}"));
            }
        }
        Ok(Some(term))
    }

    fn term(&mut self, _context: &str) -> Parsed<Option<Expr>> {
        let token = self.token().clone();
        let span = token.start..token.end;
        let what = match token.kind {
            Kind::Word => self.named()?,
            Kind::Dot => ExprKind::Dot,
            Kind::Variable => {
                let name = self.word().to_string();
                if !self.vars.contains(&name) {
                    return Err(format!("undefined variable {name:?}"));
                }
                ExprKind::Variable(name, Vec::new())
            }
            Kind::Field => ExprKind::Field(vec![self.word()[1..].to_string()]),
            Kind::Number => ExprKind::Number(self.number(&token)?),
            Kind::Char => ExprKind::Number(self.character(&token)?),
            Kind::Str | Kind::Raw => ExprKind::Str(unquote::unquote(self.text_of(&token)).ok_or("invalid syntax")?),
            Kind::LeftParen => return self.deeper(Self::parenthesis).map(Some),
            Kind::Text | Kind::Open | Kind::Close | Kind::Space | Kind::Pipe | Kind::RightParen => return Ok(None),
            Kind::Declare | Kind::Assign | Kind::Other | Kind::Eof | Kind::Error(_) => return Ok(None),
        };
        self.at += 1;
        Ok(Some(Expr { span, what }))
    }

    fn parenthesis(&mut self) -> Parsed<Expr> {
        let start = self.token().start;
        self.at += 1;
        let n_vars = self.vars.len();
        let pipe = self.pipe("parenthesized pipeline")?;
        // Variables declared in parentheses are visible after them.
        debug_assert!(self.vars.len() >= n_vars);
        if *self.peek() != Kind::RightParen {
            return self.unexpected("parenthesized pipeline");
        }
        self.at += 1;
        let end = self.tokens[self.at - 1].end;
        Ok(Expr { span: start..end, what: ExprKind::Chain(Box::new(pipe), Vec::new()) })
    }

    fn named(&self) -> Parsed<ExprKind> {
        Ok(match self.word() {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "nil" => ExprKind::Nil,
            "block" | "break" | "continue" | "define" | "else" | "end" | "if" | "range" | "template" | "with" => {
                return self.unexpected("command");
            }
            name if Builtin::named(name).is_some() || library::lookup(name).is_some() => {
                ExprKind::Function(name.to_string())
            }
            name => return Err(format!("function {name:?} not defined")),
        })
    }

    fn number(&self, token: &Token) -> Parsed<Number> {
        let text = self.text_of(token);
        let shown = String::from_utf8_lossy(text);
        if text.ends_with(b"i") {
            return complex(&text[..text.len() - 1]).ok_or_else(|| format!("illegal number syntax: {shown:?}"));
        }
        let unsigned = text.strip_prefix(b"+").unwrap_or(text);
        let is_hex = matches!(unsigned.strip_prefix(b"-").unwrap_or(unsigned), [b'0', b'x' | b'X', ..]);
        let is_float = if is_hex {
            text.iter().any(|byte| b".pP".contains(byte))
        } else {
            text.iter().any(|byte| b".eE".contains(byte))
        };
        if !is_float {
            return match int::parse(text, 0, 64) {
                Ok(int) => Ok(Number { int: Some(int), float: Some(int as f64), complex: None, is_float }),
                Err(int::IntError::Range) => match int::parse_unsigned(text) {
                    Some(large) => Ok(Number { int: None, float: Some(large as f64), complex: None, is_float }),
                    None => Err(format!("integer overflow: {shown:?}")),
                },
                Err(_) => Err(format!("illegal number syntax: {shown:?}")),
            };
        }
        let float = parse_float(text).map_err(|_| format!("illegal number syntax: {shown:?}"))?;
        Ok(Number { int: fits(float).then_some(float as i64), float: Some(float), complex: None, is_float })
    }

    fn character(&self, token: &Token) -> Parsed<Number> {
        let text = self.text_of(token);
        let malformed = || format!("malformed character constant: {}", String::from_utf8_lossy(text));
        let content = unquote::unquote(text).ok_or_else(malformed)?;
        let mut found = chars(&content);
        let code = match (found.next(), found.next()) {
            (Some(Ok(c)), None) => i64::from(c as u32),
            (Some(Err(byte)), None) => i64::from(byte),
            _ => return Err(malformed()),
        };
        Ok(Number { int: Some(code), float: Some(code as f64), complex: None, is_float: false })
    }
}

/// Whether it is a 64-bit int. The upper limit itself is 2^63, one too many.
fn fits(float: f64) -> bool {
    float.trunc() == float && (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&float)
}

/// `2i` or `1+2i`, without the final `i`; also a plain number if the imaginary part is zero.
fn complex(text: &[u8]) -> Option<Number> {
    // The sign between the parts is neither the first byte nor that of an exponent.
    let is_sign = |at: &usize| b"+-".contains(&text[*at]) && !b"eEpP".contains(&text[*at - 1]);
    let (real, imaginary) = match (1..text.len()).rev().find(is_sign) {
        Some(at) => (parse_float(&text[..at]).ok()?, parse_float(&text[at..]).ok()?),
        None => (0.0, parse_float(text).ok()?),
    };
    let float = (imaginary == 0.0).then_some(real);
    let int = float.filter(|float| fits(*float)).map(|float| float as i64);
    Some(Number { int, float, complex: Some((real, imaginary)), is_float: true })
}

/// Whether it can take the value of the previous stage. Constants and the dot cannot.
fn is_executable(first: &Expr) -> bool {
    match first.what {
        ExprKind::Dot | ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Str(_) => false,
        ExprKind::Field(_) | ExprKind::Variable(..) | ExprKind::Function(_) | ExprKind::Chain(..) => true,
    }
}
