//! Queries of an editor and their answers, in transfer form: one query, one answer, both JSON.
//!
//! Offsets are in the unit that the query names: UTF-8 bytes, or UTF-16 code units as in JavaScript and editors. A
//! position may also be a line and a column (from 1, in code points), as printed by compilers.

mod scale;

use crate::editor::{Position, Services};
use crate::language::{FrontEnd, language_of};
use crate::source::MemoryWorld;
use crate::span::Span;
use mclive_base::shapes::editor::{Answer, At, Completion, Form, Hint, Hover, Query, Renamable, Service, Signature};
use mclive_base::shapes::to_json;
use scale::Scales;

/// Answers a query given as JSON text, with a new analysis. Errors: why it cannot be read.
pub fn answer_text(
    languages: &[&dyn FrontEnd],
    world: MemoryWorld,
    entry: &str,
    hostname: &str,
    query: &str,
) -> Result<String, String> {
    let query: Query = serde_json::from_str(query).map_err(|error| format!("invalid request: {error}"))?;
    let language = language_of(languages, &world, entry).ok_or("unknown language")?;
    let opened = language.open(world, entry, hostname);
    answer(opened.services(), &query, &|_| Vec::new()).map(|answer| to_json(&answer))
}

/// Answers a query. `values` returns the current values of the expressions at a place. Errors: the file is not part of
/// the program.
pub fn answer(analysis: &dyn Services, query: &Query, values: &dyn Fn(Span) -> Vec<String>) -> Result<Answer, String> {
    let Some(file) = analysis.file(&query.file) else {
        return Err(format!("`{}` is not part of the program", query.file));
    };
    let mut scales = Scales::new(analysis, query.units);
    let source = analysis.sources().get(file);
    let position = |scales: &mut Scales<'_>, at: At| Position { file, offset: scales.offset(file, source, at) };
    Ok(match &query.service {
        Service::Tokens { from, to } => {
            let (start, end) = (scales.byte(file, *from), scales.byte(file, *to));
            let tokens = analysis.tokens(Span { file, start, end });
            Answer::Tokens(tokens.into_iter().map(|token| scales.token(token)).collect())
        }
        Service::Hover { at } => {
            let at = position(&mut scales, *at);
            Answer::Hover(analysis.hover(at).map(|hover| {
                let mut now: Vec<String> = Vec::new();
                for value in hover.values.iter().flat_map(|span| values(*span)) {
                    if !now.contains(&value) {
                        now.push(value);
                    }
                }
                let (head, doc, page) = (hover.head, hover.doc, hover.page);
                Hover { range: scales.range(hover.span), head, doc, values: now, page }
            }))
        }
        Service::Completion { at } => {
            let at = position(&mut scales, *at);
            let found = analysis.complete(at);
            let candidates = found.candidates.into_iter().map(|candidate| scales.candidate(candidate)).collect();
            Answer::Completion(Completion { replace: scales.range(found.replace), candidates })
        }
        Service::Signature { at } => {
            let at = position(&mut scales, *at);
            Answer::Signature(analysis.signature(at).map(|help| Signature {
                paren: scales.unit(file, help.paren),
                forms: help.forms.into_iter().map(|form| Form { label: form.label, params: form.params }).collect(),
                active: help.active,
                doc: help.doc,
            }))
        }
        Service::Definition { at } => {
            let at = position(&mut scales, *at);
            Answer::Places(analysis.definition(at).into_iter().map(|span| scales.range(span)).collect())
        }
        Service::Uses { at } => {
            let at = position(&mut scales, *at);
            Answer::Places(analysis.uses(at).into_iter().map(|span| scales.range(span)).collect())
        }
        Service::Renamable { at } => {
            let at = position(&mut scales, *at);
            let found = analysis.renamable(at);
            Answer::Renamable(found.map(|(span, name)| Renamable { range: scales.range(span), name }))
        }
        Service::Rename { at, name } => {
            let at = position(&mut scales, *at);
            match analysis.rename(at, name) {
                Ok(edits) => Answer::Edits(edits.into_iter().map(|edit| scales.edit(edit)).collect()),
                Err(refused) => Answer::Refused(refused.0),
            }
        }
        Service::Symbols => {
            Answer::Symbols(analysis.symbols(file).into_iter().map(|symbol| scales.symbol(symbol)).collect())
        }
        Service::Hints { from, to } => {
            let (start, end) = (scales.byte(file, *from), scales.byte(file, *to));
            let hints = analysis.hints(Span { file, start, end }).into_iter();
            Answer::Hints(hints.map(|hint| Hint { at: scales.unit(file, hint.at), text: hint.text }).collect())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, query: &str, expect: &str) {
        let told = answer_text(&crate::language::ALL, MemoryWorld::single(text), "/main.mcl", "host1", query).unwrap();
        assert!(told.contains(expect), "{query}\n{told}");
    }

    #[test]
    fn questions_and_answers_are_json() {
        let text = "$a = 1\n";
        check(
            "$a = 1\n$b = $a\n",
            r#"{"file":"/main.mcl","ask":"hover","at":{"line":2,"col":7}}"#,
            r#""head":["$a int"]"#,
        );
        check(
            "$a = 1\n$b = $a\n",
            r#"{"file":"/main.mcl","ask":"definition","at":13}"#,
            r#"{"places":[{"file":"/main.mcl","from":0,"to":2,"line":1,"col":1}]}"#,
        );
        check("$a = 1\n", r#"{"file":"/main.mcl","ask":"rename","at":1,"name":"if"}"#, r#"{"refused":"#);
        check(text, r#"{"file":"/main.mcl","ask":"symbols"}"#, r#"{"symbols":["#);
        check(
            "print \"é\" {}\n",
            r#"{"file":"/main.mcl","units":"utf16","ask":"tokens","from":0,"to":99}"#,
            r#"{"from":6,"to":9,"is":"string"}"#,
        );
        check(
            "# é\n$a = [1]\n",
            r#"{"file":"/main.mcl","units":"utf16","ask":"hints","from":0,"to":99}"#,
            r#"{"hints":[{"at":6,"text":" []int"}]}"#,
        );
    }

    #[test]
    fn what_is_no_question_is_refused() {
        let refused = |query: &str| {
            answer_text(&crate::language::ALL, MemoryWorld::single("$a = 1\n"), "/main.mcl", "host1", query)
                .unwrap_err()
        };
        assert!(refused("{").starts_with("invalid request"));
        assert!(refused(r#"{"file":"/other.mcl","ask":"symbols"}"#).contains("not part"));
    }
}
