//! Spaces between two tokens of a line.

use crate::ast::{Definition, FileTree, Item};
use crate::lex::{Tok, Token};
use std::collections::BTreeSet;

/// For each token whether there is a space before it, unless it begins a line.
pub(super) fn blanks(tokens: &[Token], file: &FileTree) -> Vec<bool> {
    let marks = Marks::of(file);
    let mut blanks = Vec::with_capacity(tokens.len());
    let mut open: Vec<Bracket> = vec![Bracket::default()];
    let mut last: Option<Class> = None;
    for token in tokens {
        let level = open.len() - 1;
        let is_type = level == 0 && marks.is_type(token.span.start);
        let class = match token.tok {
            Tok::Sign('?') if is_type => Class::TypeMark,
            Tok::Sign('?') => {
                open[level].n_conditions += 1;
                Class::Operator
            }
            Tok::Sign(':') if open[level].n_conditions > 0 => {
                open[level].n_conditions -= 1;
                Class::Operator
            }
            Tok::Sign(':') if open[level].is_multiplicity => Class::Tight,
            Tok::Sign(':' | ',') => Class::After,
            Tok::Sign('=') if level > 0 => Class::Tight,
            Tok::Power if matches!(last, Some(Class::Open | Class::After)) => Class::Prefix,
            Tok::Sign('(' | '{') => Class::Open,
            Tok::Sign('[') => Class::Open,
            Tok::Sign(')' | ']' | '}') => Class::Close,
            Tok::Sign('.') | Tok::Path => Class::Tight,
            Tok::Id(_) | Tok::Cid(_) => Class::Name,
            _ => Class::Operator,
        };
        let is_multiplicity = marks.multiplicities.contains(&token.span.start);
        blanks.push(match (last, class) {
            (None, _) => false,
            (Some(Class::Open | Class::Tight | Class::Prefix), _) => false,
            (_, Class::Close | Class::After | Class::Tight | Class::TypeMark) => false,
            // A call, a lookup, the brackets of a type.
            (Some(Class::Name | Class::Close), Class::Open) => is_multiplicity || token.tok == Tok::Sign('{'),
            (Some(_), _) => true,
        });
        match class {
            Class::Open => open.push(Bracket { is_multiplicity, ..Bracket::default() }),
            Class::Close if open.len() > 1 => {
                open.pop();
            }
            _ => {}
        }
        last = Some(class);
    }
    blanks
}

/// The class of a token for spacing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Name,
    Open,
    Close,
    /// No space on either side.
    Tight,
    /// No space before it, one after it.
    After,
    /// A space before it, none after it.
    Prefix,
    /// The question mark of a nullable type.
    TypeMark,
    /// Words, literals, operators: spaces on both sides.
    Operator,
}

#[derive(Default)]
struct Bracket {
    /// The number of question marks still without a colon.
    n_conditions: u32,
    is_multiplicity: bool,
}

/// Information that only the tree has.
struct Marks {
    /// The starts of relation multiplicities.
    multiplicities: BTreeSet<u32>,
    /// The attributes of entities: from the type to the end.
    attributes: Vec<(u32, u32)>,
}

impl Marks {
    fn of(file: &FileTree) -> Marks {
        let (mut multiplicities, mut attributes) = (BTreeSet::new(), Vec::new());
        for item in &file.items {
            match item {
                Item::Define(Definition::Relation(def)) => {
                    let ends = std::iter::once(&def.left_end).chain(&def.right_end);
                    multiplicities.extend(ends.map(|end| end.multi_span.start));
                }
                Item::Define(Definition::Entity(def)) => {
                    attributes.extend(def.attributes.iter().map(|attr| (attr.span.start, attr.name_span.start)));
                }
                Item::Define(_) | Item::Stmt(_) => {}
            }
        }
        Marks { multiplicities, attributes }
    }

    fn is_type(&self, offset: u32) -> bool {
        let at = self.attributes.partition_point(|(start, _)| *start <= offset);
        at > 0 && offset < self.attributes[at - 1].1
    }
}
