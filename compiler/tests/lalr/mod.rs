//! A slow and obvious LALR(1) parser generator: the reference for where a syntax error is.
//!
//! It reads productions as text, builds the automaton by merging LR(1) closures over LR(0) states,
//! and resolves conflicts by precedence as yacc does. It only tells whether a sequence of tokens is
//! a program, and if not, which token cannot follow.

use std::collections::{BTreeMap, BTreeSet};

/// Operators by how strong they bind, weakest first. `%below` is below all.
const LEVELS: &[(&[&str], Assoc)] = &[
    (&["%below"], Assoc::None),
    (&["<|>"], Assoc::Left),
    (&["OR"], Assoc::Left),
    (&["AND"], Assoc::Left),
    (&["<", ">", "<=", ">=", "==", "!=", "IN"], Assoc::None),
    (&["+", "-"], Assoc::Left),
    (&["*", "/"], Assoc::Left),
    (&["NOT"], Assoc::Right),
    (&["->", "["], Assoc::None),
];

#[derive(Clone, Copy, PartialEq)]
enum Assoc {
    Left,
    Right,
    None,
}

type Symbol = usize;

struct Production {
    head: Symbol,
    body: Vec<Symbol>,
    /// The name of the terminal that gives it its precedence.
    precedence: Option<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Action {
    Shift(usize),
    Reduce(usize),
    Accept,
    /// Not associative: an error even though a rule would allow it.
    Refuse,
}

pub(crate) struct Parser {
    symbols: BTreeMap<String, Symbol>,
    productions: Vec<Production>,
    actions: Vec<BTreeMap<Symbol, Action>>,
    gotos: Vec<BTreeMap<Symbol, usize>>,
}

/// A production and how much of it was read.
type Item = (usize, usize);

impl Parser {
    pub(crate) fn new(grammar: &str) -> Parser {
        let mut builder = Builder::read(grammar);
        builder.find_firsts();
        builder.build()
    }

    /// The index of the first token that cannot follow, if there is one. `tokens` are names of
    /// terminals, the end is implied.
    pub(crate) fn error_at(&self, tokens: &[&str]) -> Option<usize> {
        let mut states = vec![0];
        let mut at = 0;
        loop {
            let name = tokens.get(at).copied().unwrap_or("$end");
            let symbol = *self.symbols.get(name).unwrap_or_else(|| panic!("no terminal named {name}"));
            match self.actions[*states.last().expect("a state")].get(&symbol) {
                Some(Action::Shift(next)) => {
                    states.push(*next);
                    at += 1;
                }
                Some(Action::Reduce(production)) => {
                    let production = &self.productions[*production];
                    states.truncate(states.len() - production.body.len());
                    let top = *states.last().expect("a state");
                    states.push(self.gotos[top][&production.head]);
                }
                Some(Action::Accept) => return None,
                Some(Action::Refuse) | None => return Some(at),
            }
        }
    }
}

struct Builder {
    symbols: BTreeMap<String, Symbol>,
    names: Vec<String>,
    productions: Vec<Production>,
    by_head: BTreeMap<Symbol, Vec<usize>>,
    nullable: BTreeSet<Symbol>,
    firsts: BTreeMap<Symbol, BTreeSet<Symbol>>,
}

impl Builder {
    fn read(grammar: &str) -> Builder {
        let mut builder = Builder {
            symbols: BTreeMap::new(),
            names: Vec::new(),
            productions: Vec::new(),
            by_head: BTreeMap::new(),
            nullable: BTreeSet::new(),
            firsts: BTreeMap::new(),
        };
        let heads: BTreeSet<&str> = grammar.lines().filter_map(|line| line.split_whitespace().next()).collect();
        let (start, end) = (builder.symbol("$start"), builder.symbol("$end"));
        let prog = builder.symbol("prog");
        builder.add(Production { head: start, body: vec![prog, end], precedence: None });
        for line in grammar.lines() {
            let (head, bodies) = line.split_once(" :").expect("a production");
            let head = builder.symbol(head.trim());
            // The bar that separates stands alone; the one of `<|>` does not.
            for body in bodies.split(" |").map(|body| body.split_whitespace().collect::<Vec<_>>()) {
                let precedence = body.iter().rev().find(|name| !heads.contains(**name)).map(|name| name.to_string());
                let body = body.iter().filter(|name| **name != "%below").map(|name| builder.symbol(name)).collect();
                builder.add(Production { head, body, precedence });
            }
        }
        builder
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        self.names.push(name.to_owned());
        self.symbols.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn add(&mut self, production: Production) {
        self.by_head.entry(production.head).or_default().push(self.productions.len());
        self.productions.push(production);
    }

    fn find_firsts(&mut self) {
        loop {
            let before = (self.nullable.len(), self.firsts.values().map(BTreeSet::len).sum::<usize>());
            for production in &self.productions {
                let mut all_nullable = true;
                for symbol in &production.body {
                    let first = match self.by_head.contains_key(symbol) {
                        true => self.firsts.get(symbol).cloned().unwrap_or_default(),
                        false => BTreeSet::from([*symbol]),
                    };
                    self.firsts.entry(production.head).or_default().extend(first);
                    if !self.nullable.contains(symbol) {
                        all_nullable = false;
                        break;
                    }
                }
                if all_nullable {
                    self.nullable.insert(production.head);
                }
            }
            if before == (self.nullable.len(), self.firsts.values().map(BTreeSet::len).sum()) {
                return;
            }
        }
    }

    /// What a sequence can begin with, if `after` follows it.
    fn first_of(&self, sequence: &[Symbol], after: &BTreeSet<Symbol>) -> BTreeSet<Symbol> {
        let mut first = BTreeSet::new();
        for symbol in sequence {
            match self.by_head.contains_key(symbol) {
                true => first.extend(self.firsts.get(symbol).into_iter().flatten().copied()),
                false => {
                    first.insert(*symbol);
                }
            }
            if !self.nullable.contains(symbol) {
                return first;
            }
        }
        first.extend(after);
        first
    }

    fn closure(&self, kernel: &BTreeMap<Item, BTreeSet<Symbol>>) -> BTreeMap<Item, BTreeSet<Symbol>> {
        let mut closure = kernel.clone();
        let mut work: Vec<Item> = kernel.keys().copied().collect();
        while let Some((production, dot)) = work.pop() {
            let body = &self.productions[production].body;
            let Some(next) = body.get(dot).and_then(|symbol| self.by_head.get(symbol)) else { continue };
            let lookahead = self.first_of(&body[dot + 1..], &closure[&(production, dot)]);
            for production in next {
                let item = (*production, 0);
                let is_new = !closure.contains_key(&item);
                let known = closure.entry(item).or_default();
                let before = known.len();
                known.extend(&lookahead);
                if is_new || known.len() > before {
                    work.push(item);
                }
            }
        }
        closure
    }

    fn build(self) -> Parser {
        let start: BTreeMap<Item, BTreeSet<Symbol>> = BTreeMap::from([((0, 0), BTreeSet::new())]);
        let mut states = vec![start.clone()];
        let mut ids: BTreeMap<Vec<Item>, usize> = BTreeMap::from([(start.keys().copied().collect(), 0)]);
        let mut targets: Vec<BTreeMap<Symbol, usize>> = vec![BTreeMap::new()];
        let mut work = BTreeSet::from([0]);
        while let Some(state) = work.pop_first() {
            let mut kernels: BTreeMap<Symbol, BTreeMap<Item, BTreeSet<Symbol>>> = BTreeMap::new();
            for ((production, dot), lookahead) in self.closure(&states[state]) {
                if let Some(symbol) = self.productions[production].body.get(dot) {
                    kernels.entry(*symbol).or_default().insert((production, dot + 1), lookahead);
                }
            }
            for (symbol, kernel) in kernels {
                let key: Vec<Item> = kernel.keys().copied().collect();
                let target = *ids.entry(key).or_insert(states.len());
                if target == states.len() {
                    states.push(kernel);
                    targets.push(BTreeMap::new());
                    work.insert(target);
                } else {
                    for (item, lookahead) in kernel {
                        let known = states[target].get_mut(&item).expect("states with one key have one kernel");
                        let before = known.len();
                        known.extend(lookahead);
                        if known.len() > before {
                            work.insert(target);
                        }
                    }
                }
                targets[state].insert(symbol, target);
            }
        }
        let actions = (0..states.len()).map(|state| self.actions(&states[state], &targets[state])).collect();
        Parser { symbols: self.symbols, productions: self.productions, actions, gotos: targets }
    }

    fn actions(
        &self,
        kernel: &BTreeMap<Item, BTreeSet<Symbol>>,
        targets: &BTreeMap<Symbol, usize>,
    ) -> BTreeMap<Symbol, Action> {
        let mut actions: BTreeMap<Symbol, Action> = BTreeMap::new();
        for (symbol, target) in targets {
            if self.names[*symbol] == "$end" {
                actions.insert(*symbol, Action::Accept);
            } else if !self.by_head.contains_key(symbol) {
                actions.insert(*symbol, Action::Shift(*target));
            }
        }
        for ((production, dot), lookahead) in self.closure(kernel) {
            if dot < self.productions[production].body.len() {
                continue;
            }
            for symbol in lookahead {
                let action = match actions.get(&symbol) {
                    None => Action::Reduce(production),
                    Some(Action::Shift(target)) => self.resolve(production, symbol, *target),
                    Some(_) => panic!("two reductions on {}", self.names[symbol]),
                };
                actions.insert(symbol, action);
            }
        }
        actions
    }

    /// Shift or reduce, by precedence.
    fn resolve(&self, production: usize, symbol: Symbol, target: usize) -> Action {
        let level = |name: &str| LEVELS.iter().position(|(names, _)| names.contains(&name));
        let rule = self.productions[production].precedence.as_deref().and_then(level);
        let token = level(&self.names[symbol]);
        let (Some(rule), Some(token)) = (rule, token) else {
            panic!("a conflict that precedence does not resolve, on {}", self.names[symbol]);
        };
        match (rule.cmp(&token), LEVELS[token].1) {
            (std::cmp::Ordering::Greater, _) => Action::Reduce(production),
            (std::cmp::Ordering::Less, _) => Action::Shift(target),
            (std::cmp::Ordering::Equal, Assoc::Left) => Action::Reduce(production),
            (std::cmp::Ordering::Equal, Assoc::Right) => Action::Shift(target),
            (std::cmp::Ordering::Equal, Assoc::None) => Action::Refuse,
        }
    }
}
