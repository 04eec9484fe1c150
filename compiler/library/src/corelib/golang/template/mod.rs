//! `golang.template`: Go's template language. Functions spec, section 9; language spec, 9.7.
//!
//! The text is parsed at each evaluation, since it may be any value.

mod builtins;
mod compare;
mod data;
mod escape;
mod eval;
mod expr;
mod lexer;
mod library;
mod node;
mod number;
mod parser;
mod printf;
mod render;
mod terms;

use crate::corelib::{
    Args, CallContext, CallSite, Example, FnDef, FnError, Long, Progress, Run, Shape, Sig, Task, Work,
};
use crate::types::{FuncType, Type};
use crate::value::Value;
use data::{Data, GoType, convert, holds_function, title};
use eval::{Eval, EvalState, Stop};
use library::{Calls, Nested};
use parser::Refused;

pub(super) static DEFS: &[&FnDef] = &[&DEF];

/// The name of the main template.
const MAIN: &[u8] = b"template";

/// Maximum nesting of blocks and parentheses: parsing and evaluation recurse along them.
const MAX_DEPTH: usize = 100;
/// Maximum depth of template calls.
const MAX_CALLS: usize = 100_000;
/// The maximum number of actions, commands and loop iterations of one evaluation.
const MAX_STEPS: usize = 10_000_000;
/// The cost of each of them. Units: those of [`Work`].
const STEP: u64 = 100;
/// The maximum number of bytes of output, and of any intermediate text.
const MAX_OUTPUT: usize = crate::corelib::bytes::MAX_TEXT;

static DEF: FnDef = FnDef {
    path: "golang.template",
    sig: Sig::Inferred { infer, check, shown: &["func(template str) str", "func(template str, vars ?1) str"] },
    doc: "Renders a template in Go's `text/template` language.\n\nThe second argument is the dot; it may have any type \
          that contains no functions. A struct becomes a map whose keys are capitalized: the field `name` is `{{ .Name \
          }}`. An unknown name is an error. Functions with a fixed type can be called by their path with underscores, \
          as in `{{ strings_to_upper .Name }}`. `${name}` in the text is replaced before the template is \
          parsed.\n\nErrors are fatal, except catchable errors of functions that the template calls.",
    examples: &[
        Example { call: r#"golang.template("{{ . }}!", "hi")"#, gives: r#""hi!""# },
        Example {
            call: r#"golang.template("{{ range $i, $v := .L }}{{ $i }}={{ $v }};{{ end }}", struct{l => ["a", "b"]})"#,
            gives: r#""0=a;1=b;""#,
        },
        Example {
            call: r#"golang.template("{{ if gt .n 3 }}{{ printf \"%05.1f\" 2.25 }}{{ else }}few{{ end }}", {"n" => 5})"#,
            gives: r#""002.2""#,
        },
        Example { call: r#"golang.template("{{ strings_to_upper \"a\" | print . }}", 1.0)"#, gives: r#""1A""# },
        Example {
            call: r#"golang.template("{{ .port }}", struct{port => 80})"#,
            gives: r#"error: template: execution error: template: template:1:3: executing "template" at <.port>: map has no entry for key "port""#,
        },
        Example {
            call: r#"golang.template("{{ end }}")"#,
            gives: "error: template: parse error: template: template:1: unexpected {{end}}",
        },
        Example { call: "golang.template()", gives: "error: it takes 1 or 2 arguments" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Long(Long { begin, is_pure: false }),
};

/// The names of library functions in templates.
#[cfg(test)]
pub(in crate::corelib) fn names() -> impl Iterator<Item = &'static str> {
    library::by_name().keys().map(String::as_str)
}

fn infer(site: &CallSite) -> Result<Type, String> {
    let mut params = vec![("template".into(), Type::Str)];
    match site.args.len() {
        1 => {}
        2 => params.push(("vars".into(), site.ty(1).unwrap_or(Type::Var(1)))),
        _ => return Err("it takes 1 or 2 arguments".into()),
    }
    Ok(Type::func(params, Type::Str))
}

fn check(_site: &CallSite, _solved: &FuncType) -> Result<(), String> {
    Ok(())
}

fn begin(args: &Args) -> Result<Box<dyn Task>, FnError> {
    let text = args.shared_bytes(0)?;
    let dot = match (args.values.get(1), args.ty.params.get(1)) {
        (Some(_), Some((_, ty))) if holds_function(ty) => {
            return Err(FnError::fatal("a function cannot be passed to a template"));
        }
        (Some(value), Some((_, ty))) => convert(value, ty),
        _ => Data::Nil,
    };
    let refused = |Refused { message, place }: Refused| {
        let told = message.strip_prefix("template: template:").unwrap_or(&message);
        let said = format!("invalid template, line {told}");
        let error = FnError::fatal(format!("template: parse error: {message}")).said(said);
        match for_foreign(&text, place, &message).or_else(|| for_unknown(&text, place, &message, &dot)) {
            Some(help) => error.help(help),
            None => error,
        }
    };
    let templates = parser::parse(&text).map_err(refused)?;
    Ok(Box::new(Rendering { state: EvalState::new(text, templates, args.module_dir, dot), calls: None }))
}

/// The help for what another template language has: tags, loops, operators; and for a block that is not closed. `place`
/// is where the error is.
fn for_foreign(text: &[u8], place: usize, message: &str) -> Option<String> {
    const LOOP: &str = "write a loop as `{{ range .Names }}…{{ end }}`, in which `{{ . }}` is the element";
    const LOGIC: &str = "combine values with functions: `{{ if and .A .B }}`, `{{ if or .A .B }}`, `{{ if not .A }}`";
    let is_loop = ["for", "each", "foreach"].iter().any(|word| message.contains(&format!("function {word:?}")));
    let help = match () {
        () if is_among_tags(text, place) => {
            "`{% … %}` has no meaning here: write `{{ range .Names }}…{{ end }}` or `{{ if .Name }}…{{ end }}`"
        }
        () if is_loop => LOOP,
        () if message.ends_with("unexpected EOF") => {
            "`{{ if … }}`, `{{ range … }}` and `{{ with … }}` end with `{{ end }}`: one is missing"
        }
        () => {
            let sign = message.split_once("unexpected \"")?.1.split('"').next()?;
            // The message has the first character only.
            let double = format!("{sign}=");
            let is_double = text.get(place..).is_some_and(|rest| rest.starts_with(double.as_bytes()));
            match operator(if is_double { double.as_str() } else { sign })? {
                "" => LOGIC,
                name => return Some(format!("compare values with a function: `{{{{ if {name} .A .B }}}}`")),
            }
        }
    };
    Some(help.to_owned())
}

/// Whether a place has tags of another template language around it, or on its line: `{% if a %}`.
fn is_among_tags(text: &[u8], place: usize) -> bool {
    let before = &text[..place.min(text.len())];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let mut lines = text[start..].split(|byte| *byte == b'\n');
    if lines.next().is_some_and(|line| line.windows(2).any(|two| two == b"{%")) {
        return true;
    }
    let before = String::from_utf8_lossy(before);
    let words = before.split("{%").skip(1).map(|tag| tag.trim_start_matches(['-', ' ']));
    let n_open = words.fold(0usize, |n_open, tag| match tag.split([' ', '-', '%']).next() {
        Some("if" | "for" | "block" | "macro" | "call" | "filter" | "with") => n_open + 1,
        Some(word) if word.starts_with("end") => n_open.saturating_sub(1),
        Some(_) | None => n_open,
    });
    n_open > 0
}

/// The text of the action around a place, between `{{` and `}}`.
fn action(text: &[u8], place: usize) -> &[u8] {
    let place = place.min(text.len());
    let start = text[..place].windows(2).rposition(|two| two == b"{{").map_or(place, |open| open + 2);
    let rest = &text[start..];
    &rest[..rest.windows(2).position(|two| two == b"}}").unwrap_or(rest.len())]
}

/// The function for the sign of a comparison; empty for one of several functions.
fn operator(sign: &str) -> Option<&'static str> {
    Some(match sign {
        ">" => "gt",
        "<" => "lt",
        ">=" => "ge",
        "<=" => "le",
        "=" | "==" => "eq",
        "!=" => "ne",
        "!" | "&" | "|" => "",
        _ => return None,
    })
}

/// The help for a word that is not the name of a function: a value without its dot, or a function of another language.
fn for_unknown(text: &[u8], place: usize, message: &str, dot: &Data) -> Option<String> {
    let (_, rest) = message.split_once("function \"")?;
    let (name, _) = rest.split_once("\" not defined")?;
    let inside = String::from_utf8_lossy(action(text, place));
    Some(match inside.trim_matches(['-', ' ']) == name {
        true => {
            // The fields of a struct are capitalized.
            let capital = title(name);
            let field = if has_entry(dot, name) || !has_entry(dot, &capital) { name } else { &*capital };
            format!("a value begins with a dot: write `{{{{ .{field} }}}}`")
        }
        false => "an MCL function is written with its module, as in `{{ strings_to_upper .Name }}`".to_owned(),
    })
}

/// Whether this is a struct or a map with a field or an entry of this name.
fn has_entry(dot: &Data, name: &str) -> bool {
    matches!(dot, Data::Map(map) if map.key == GoType::Str && map.get(&Data::text(name)).is_some())
}

/// A template under way.
#[derive(Clone)]
struct Rendering {
    state: EvalState,
    /// Once it was begun.
    calls: Option<Calls>,
}

impl Task for Rendering {
    fn copy(&self) -> Box<dyn Task> {
        Box::new(self.clone())
    }

    fn resume(&mut self, world: &mut dyn CallContext, work: &Work) -> Result<Progress, FnError> {
        let mut calls = self.calls.take().unwrap_or_else(|| Calls::begin(world));
        let came = Eval { work, world: Nested::new(world, &mut calls), state: &mut self.state }.run();
        if matches!(came, Ok(None)) {
            self.calls = Some(calls);
            return Ok(Progress::Underway);
        }
        calls.end(world);
        match came {
            Ok(text) => Ok(Progress::Done(Value::from(text.unwrap_or_default()))),
            Err(Stop::NotYet) => Ok(Progress::NotYet),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

/// The line of a position in the text, from 1.
fn line(text: &[u8], place: usize) -> usize {
    1 + text[..place.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}
