//! Information about a name: its declaration, documentation and value.

use super::models::Lookup;
use super::names::{self, Target};
use crate::library::{Function, ParamKind};
use crate::manual::{doc_text, member_text, typedef_text};
use crate::model::{Names, View};
use crate::program::Program;
use mclive_base::span::Span;
use mclive_ide::{Form, Hover, Position, SignatureHelp};

/// The maximum number of characters of a value.
const MAX_VALUE: usize = 200;
/// The namespace of the main file, which models do not write.
const MAIN: &str = "__config__::";

pub(super) fn at(lookup: Lookup<'_>, at: Position) -> Option<Hover> {
    let mark = lookup.marks.at(at)?;
    let (head, doc) = told(lookup, &mark.target);
    Some(Hover { span: mark.span, head, doc, values: Vec::new(), page: page(lookup, &mark.target) })
}

/// The declaration of a target in the model's own words, and its documentation.
pub(super) fn told(lookup: Lookup<'_>, target: &Target) -> (Vec<String>, String) {
    let (mut head, doc) = declaration(lookup, target);
    // A value is shown as it is.
    if !matches!(target, Target::Variable(_)) {
        head.iter_mut().for_each(|line| *line = line.replace(MAIN, ""));
    }
    (head, doc)
}

fn declaration(lookup: Lookup<'_>, target: &Target) -> (Vec<String>, String) {
    let model = lookup.model();
    let program = &model.program;
    let line = |text: String| vec![text];
    match target {
        Target::Entity(id) => {
            let entity = &program.entities[*id];
            let parents: Vec<&str> =
                entity.parents.iter().map(|parent| &*program.entities[*parent].full_name).collect();
            let mut head = line(match parents.as_slice() {
                [] => format!("entity {}", entity.full_name),
                parents => format!("entity {} extends {}", entity.full_name, parents.join(", ")),
            });
            head.extend(entity.own.values().map(|attr| member_text(program, *attr)));
            (head, doc_text(&model.sources, entity.doc))
        }
        Target::Attr(id) => {
            let owner = &program.entities[program.attrs[*id].entity].full_name;
            (line(format!("{owner}: {}", member_text(program, *id))), String::new())
        }
        Target::Typedef(id) => {
            let typedef = &program.typedefs[*id];
            let text = typedef_text(program, typedef);
            (line(text), doc_text(&model.sources, typedef.doc))
        }
        Target::Implementation(id) => {
            let implementation = &program.implementations[*id];
            let entity = &program.entities[implementation.entity].full_name;
            let text = format!("implementation {} for {entity}", implementation.full_name);
            (line(text), doc_text(&model.sources, implementation.doc))
        }
        Target::Function(id) => {
            let function = &program.functions[*id];
            let mut doc = function.doc.to_owned();
            if let Some(deprecation) = function.deprecation() {
                doc += &format!(" {deprecation}");
            }
            (line(signature_text(function)), doc)
        }
        Target::Namespace(id) => (line(format!("module {}", program.namespaces[*id].name)), String::new()),
        Target::Variable(first) => (line(variable(lookup, program, *first)), String::new()),
    }
}

/// `name = value`, as far as it is known.
fn variable(lookup: Lookup<'_>, program: &Program, first: Span) -> String {
    let model = lookup.model();
    let name = String::from_utf8_lossy(model.sources.slice(first)).into_owned();
    let of = |(ns, namespace): (crate::program::NsId, &crate::program::Namespace)| {
        let slot = namespace.vars.values().position(|signs| lookup.marks.first(signs) == Some(first))?;
        let start = model.globals.get(ns.0 as usize)?;
        let view = View { compilation: model };
        let value = view.value(crate::eval::VarId(start.0 + slot as u32))?;
        let mut text = Names::new(view).value(&value);
        if let Some((at, _)) = text.char_indices().nth(MAX_VALUE) {
            text.truncate(at);
            text.push('…');
        }
        Some(text)
    };
    let value = program.namespaces.iter().find_map(of);
    match (value, lookup.marks.entity_of(first)) {
        (Some(value), _) => format!("{name} = {value}"),
        (None, Some(entity)) => format!("{name}: {}", program.entities[entity].full_name.replace(MAIN, "")),
        (None, None) => name,
    }
}

/// The name of the manual's page.
fn page(lookup: Lookup<'_>, target: &Target) -> Option<String> {
    let program = &lookup.model().program;
    let builtin = |name: &str, ns: crate::program::NsId| program.namespaces[ns].is_builtin.then(|| name.to_owned());
    match target {
        Target::Entity(id) => builtin(&program.entities[*id].full_name, program.entities[*id].ns),
        Target::Namespace(id) => builtin(&program.namespaces[*id].name, *id),
        Target::Function(id) => Some(program.functions[*id].name.to_string()),
        Target::Typedef(id) => builtin(&program.typedefs[*id].full_name, program.typedefs[*id].ns),
        // That of the entity that declares it.
        Target::Attr(id) => page(lookup, &Target::Entity(program.attrs[*id].entity)),
        Target::Implementation(_) | Target::Variable(_) => None,
    }
}

fn signature_text(function: &Function) -> String {
    match function.signature.contains("::") {
        true => function.signature.to_string(),
        false => {
            let module = function.name.rsplit_once("::").map_or("", |(module, _)| module);
            format!("{module}::{}", function.signature)
        }
    }
}

/// The parameters of the call, or the attributes of the constructor, around a position.
pub(super) fn signature(lookup: Lookup<'_>, at: Position) -> Option<SignatureHelp> {
    let own = lookup.own(at.file)?;
    let before: Vec<_> = own.lexed.tokens.iter().take_while(|token| token.span.end <= at.offset).collect();
    let (mut depth, mut n_commas) = (0i32, 0);
    let mut open = None;
    for (nr, token) in before.iter().enumerate().rev() {
        match token.tok {
            crate::lex::Tok::Sign(')' | ']' | '}') => depth += 1,
            crate::lex::Tok::Sign('(') if depth == 0 => {
                open = Some(nr);
                break;
            }
            crate::lex::Tok::Sign('(' | '[' | '{') if depth > 0 => depth -= 1,
            crate::lex::Tok::Sign('[' | '{') => return None,
            crate::lex::Tok::Sign(',') if depth == 0 => n_commas += 1,
            _ => {}
        }
    }
    let open = open?;
    let name = before.get(open.checked_sub(1)?)?;
    let program = &lookup.model().program;
    let marked = lookup.marks.starting(at.file, name.span.start).map(|mark| mark.target.clone());
    let target = marked.or_else(|| {
        let word = own.text.get(name.span.start as usize..name.span.end as usize)?;
        by_name(program, word)
    })?;
    let paren = before[open].span.start;
    let (label, params, doc) = match &target {
        Target::Function(id) => {
            let function = &program.functions[*id];
            let label = signature_text(function);
            let named = function.params().iter().map(|param| {
                let stars = match param.kind {
                    ParamKind::Rest => "*",
                    ParamKind::Keywords => "**",
                    ParamKind::Plain | ParamKind::KeywordOnly => "",
                };
                format!("{stars}{}", param.name)
            });
            (label, named.collect::<Vec<_>>(), function.doc.to_owned())
        }
        Target::Entity(id) => {
            let entity = &program.entities[*id];
            let member = |attr| member_text(program, attr).replace(MAIN, "");
            let members: Vec<String> = entity.slots.values().copied().map(member).collect();
            let doc = doc_text(&lookup.model().sources, entity.doc);
            (format!("{}({})", entity.full_name.replace(MAIN, ""), members.join(", ")), members, doc)
        }
        _ => return None,
    };
    let mut from = label.find('(').unwrap_or(0);
    let params = params.iter().map(|param| {
        let start = label[from..].find(param.as_str()).map_or(from, |at| from + at);
        from = start + param.len();
        (start as u32, from as u32)
    });
    let params = params.collect();
    Some(SignatureHelp { forms: vec![Form { label, params }], active: n_commas, doc, paren })
}

/// The possible meaning of a short name in a line that does not parse yet.
pub(super) fn by_name(program: &Program, word: &str) -> Option<Target> {
    let entity = program.entities.iter().find(|(_, entity)| *entity.name == *word).map(|(id, _)| Target::Entity(id));
    let function = || program.functions.iter().find(|(_, function)| function.short_name() == word);
    entity.or_else(|| function().map(|(id, _)| Target::Function(id)))
}

/// The documentation of a target in one line, for lists.
pub(super) fn summary(lookup: Lookup<'_>, target: &names::Target) -> (String, String) {
    let (head, doc) = told(lookup, target);
    (head.into_iter().next().unwrap_or_default(), doc)
}
