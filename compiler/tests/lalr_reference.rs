//! Our parser against a generated LALR(1) parser: on programs that were damaged at random both
//! find the first syntax error at the same token. Language spec, 3.3 and 3.4.

#![allow(clippy::disallowed_methods, reason = "a long run is asked for from outside")]

mod lalr;

use mclive_compiler::diag::{Diags, codes};
use mclive_compiler::lex::{Token, TokenKind, lex};
use mclive_compiler::parse::parse;
use mclive_compiler::source::Source;
use mclive_compiler::span::FileId;

/// Programs that use every construct.
const PROGRAMS: &[&str] = &[
    "import \"fmt\"\nimport \"a/\" as b\nimport \"c.mcl\" as *\n$x = 1\n$y int = 2 + 3 * -4 - 5 / 6\n",
    "$f func(int, $a str) []map{str: struct{a int; b float}} = func($a, $b str) str { \"x\" }\n",
    "$z = if $a == 1 and not $b or $c in [1, 2] { $a[0]->f <|> 3 } else { ($s->f->g) <|> 1 <|> 2 }\n",
    "$m = {\"a\" => 1, \"b\" => f.g($x, 1)(\n)}\n$l = [\n1,\n\n[],\n{},\n]\n$n = {\n\"k\" => 1,\n}\n",
    "$s = struct{a => 1, b => struct{}}\n$t = struct{\na => 1,\n}\n$g = $f.g(1)\n$h = func() { 1 }()\n$i = f(\n1,\n)\n",
    "file \"/tmp/a\" {\ncontent => \"x\",\nmode => $a ?: \"y\",\nMeta:noop => true,\nMeta => $a ?: struct{},\nBefore => Noop[\"x\"],\nNotify => $a ?: Http:Server[\"y\"],\n}\n",
    "collect virt:builder \"x\" { a => 1, }\nA[\"x\"] -> B:C[\"y\"] -> D[\"z\"]\nA[\"x\"].f -> B[\"y\"].g\n",
    "if $x {\nnoop \"a\" {}\n} else {\n$a == 1\n}\nfor $i, $v in [1] {\npanic(true, \"x\")\n}\nforkv $k, $v in {} {\n}\n",
    "func f($a, $b int) str {\n\"x\"\n}\nclass c {\n}\nclass c:d($a, $b str) {\ninclude c\n}\ninclude a.c(1) as x\ninclude c as y\n",
    "func g(\n$a func(\nint,\n) str,\n) {\n1\n}\n$p = 1 < 2 <= 3\n$q = a == b\n$r bool = true >= 1.5\n$collect.map = map.collect()\n",
    "$w variant = not not $x->f <|> $y->g <|> not 3 == 4 != 5\n$map []float = [1,]\n",
];

/// The terminal of the reference grammar.
fn terminal(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Newline => "NL",
        TokenKind::BoolType => "BOOLT",
        TokenKind::StrType => "STRT",
        TokenKind::IntType => "INTT",
        TokenKind::FloatType => "FLOATT",
        TokenKind::Str => "STRING",
        TokenKind::Int => "INTEGER",
        TokenKind::Ident => "ID",
        TokenKind::CapIdent => "CAP",
        TokenKind::If => "IF",
        TokenKind::Else => "ELSE",
        TokenKind::And => "AND",
        TokenKind::Or => "OR",
        TokenKind::Not => "NOT",
        TokenKind::In => "IN",
        TokenKind::For => "FOR",
        TokenKind::ForKv => "FORKV",
        TokenKind::Map => "MAP",
        TokenKind::Struct => "STRUCT",
        TokenKind::Func => "FUNC",
        TokenKind::Class => "CLASS",
        TokenKind::Include => "INCLUDE",
        TokenKind::Import => "IMPORT",
        TokenKind::As => "AS",
        TokenKind::Variant => "VARIANT",
        TokenKind::Bool => "BOOL",
        TokenKind::Panic => "PANIC",
        TokenKind::Collect => "COLLECT",
        TokenKind::Float => "FLOAT",
        // All others are spelled as they are shown, between backticks.
        kind => kind.shown().trim_matches('`'),
    }
}

/// A small generator of numbers: the damage is the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % sides
    }
}

fn lexed(text: &[u8]) -> (Source, Vec<Token>) {
    let source = Source::new("/main.mcl", text);
    let mut diags = Diags::default();
    let tokens = lex(&source, FileId(0), &mut diags);
    assert!(tokens.problems.is_empty(), "{:?}", tokens.problems);
    (source, tokens.tokens)
}

/// The index of the token at which our parser finds the first syntax error.
fn our_error(source: &Source) -> Option<usize> {
    let mut diags = Diags::default();
    let tokens = lex(source, FileId(0), &mut diags);
    parse(&tokens, source, &mut diags);
    let semantic =
        [codes::UNKNOWN_ITEM_WORD, codes::REPEATED_TYPE_FIELD, codes::REPEATED_TYPE_PARAM, codes::TYPED_BIND];
    let error = diags.iter().find(|error| error.is_error() && !semantic.contains(&error.code))?;
    // Some errors point elsewhere than at their token; a label or an edit of theirs tells where.
    let at = match error.code {
        codes::ADDITIONAL_EQUALS => error.secondary[0].span.start,
        codes::MISSING_COMMA => error.edits[0].span.start,
        _ => {
            let span = error.judged_span().expect("a place");
            // The end of a file is reported at its first character.
            if span.end == 0 {
                return Some(tokens.tokens.len() - 1);
            }
            span.start
        }
    };
    tokens.tokens.iter().position(|token| token.start >= at)
}

/// Damages a program: a few tokens are removed, doubled, swapped or replaced.
fn damaged(words: &[String], vocabulary: &[String], dice: &mut Dice) -> Vec<String> {
    let mut words = words.to_vec();
    for _ in 0..=dice.roll(3) {
        if words.is_empty() {
            break;
        }
        let at = dice.roll(words.len());
        let other = vocabulary[dice.roll(vocabulary.len())].clone();
        match dice.roll(5) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 => words[at] = other,
            3 => words.insert(at, other),
            _ => words.truncate(at),
        }
    }
    words
}

#[test]
fn the_first_error_is_at_the_token_of_the_reference() {
    let reference = lalr::Parser::new(include_str!("lalr/grammar.txt"));
    let n_rounds: usize = std::env::var("MCLIVE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(6_000);
    let programs: Vec<Vec<String>> = PROGRAMS
        .iter()
        .map(|program| {
            let (source, tokens) = lexed(program.as_bytes());
            let text = |token: &Token| &source.text[token.start as usize..token.end as usize];
            let words = tokens.iter().map(|token| String::from_utf8_lossy(text(token)).into_owned());
            words.filter(|word| !word.is_empty()).collect()
        })
        .collect();
    let vocabulary: Vec<String> = programs.iter().flatten().cloned().collect();
    let mut dice = Dice(1);
    let mut n_refused = 0;
    for round in 0..n_rounds {
        let words = match programs.get(round) {
            Some(program) => program.clone(),
            None => damaged(&programs[dice.roll(programs.len())], &vocabulary, &mut dice),
        };
        let text = words.join(" ");
        let (source, tokens) = lexed(text.as_bytes());
        let names: Vec<&str> =
            tokens.iter().filter(|token| token.kind != TokenKind::End).map(|token| terminal(token.kind)).collect();
        let expected = reference.error_at(&names);
        n_refused += usize::from(expected.is_some());
        let ours = our_error(&source);
        let shown = |at: Option<usize>| at.map(|at| (at, tokens[at].kind.name()));
        assert_eq!(shown(ours), shown(expected), "round {round}:\n{text}");
    }
    assert!(n_refused > n_rounds / 2, "the damage is too small to test anything: {n_refused} of {n_rounds}");
}
