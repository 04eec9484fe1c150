//! Compiles nodes to a program for the matcher.

use super::parse::{BadPattern, Parsed};
use super::set::Set;
use super::{Mode, Node};

/// The maximum number of instructions of a program: counted repetitions are unrolled.
const MAX_INSTRUCTIONS: usize = 20_000;

#[derive(Debug)]
pub(super) enum Op {
    Char {
        char: char,
        folds: bool,
    },
    Any {
        newlines: bool,
    },
    Set {
        set: Set,
        folds: bool,
    },
    LineStart {
        each_line: bool,
    },
    LineEnd {
        each_line: bool,
    },
    TextStart,
    TextEnd,
    WordEdge {
        negated: bool,
    },
    /// Saves the position in a slot.
    Save(usize),
    Reference {
        group: usize,
        folds: bool,
    },
    /// Tries the first, then the other.
    Split {
        first: usize,
        other: usize,
    },
    Jump(usize),
    /// Leaves the loop if nothing was consumed since the slot was saved: no iteration follows an empty one.
    Progress {
        slot: usize,
        end: usize,
    },
    IfGroup {
        group: usize,
        no: usize,
    },
    /// Runs the program from here to its [`Op::Match`]; continues after it.
    Look {
        ahead: bool,
        negated: bool,
        width: usize,
        end: usize,
    },
    /// Runs the program from here to its [`Op::Match`], without backtracking into it.
    Atomic {
        end: usize,
    },
    Match,
}

#[derive(Debug)]
pub(super) struct Bytecode {
    pub(super) ops: Vec<Op>,
    pub(super) n_slots: usize,
}

struct Compiler {
    ops: Vec<Op>,
    n_slots: usize,
}

pub(super) fn compile(parsed: &Parsed) -> Result<Bytecode, BadPattern> {
    let mut compiler = Compiler { ops: Vec::new(), n_slots: (parsed.n_groups + 1) * 2 };
    compiler.node(&parsed.node)?;
    compiler.push(Op::Match)?;
    Ok(Bytecode { ops: compiler.ops, n_slots: compiler.n_slots })
}

impl Compiler {
    fn push(&mut self, op: Op) -> Result<usize, BadPattern> {
        if self.ops.len() >= MAX_INSTRUCTIONS {
            return Err(BadPattern::new("the expression is too large", None));
        }
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    fn node(&mut self, node: &Node) -> Result<(), BadPattern> {
        match node {
            Node::Empty => return Ok(()),
            Node::Char { char, folds } => self.push(Op::Char { char: *char, folds: *folds })?,
            Node::Any { newlines } => self.push(Op::Any { newlines: *newlines })?,
            Node::Set { set, folds } => self.push(Op::Set { set: (**set).clone(), folds: *folds })?,
            Node::LineStart { each_line } => self.push(Op::LineStart { each_line: *each_line })?,
            Node::LineEnd { each_line } => self.push(Op::LineEnd { each_line: *each_line })?,
            Node::TextStart => self.push(Op::TextStart)?,
            Node::TextEnd => self.push(Op::TextEnd)?,
            Node::WordEdge { negated } => self.push(Op::WordEdge { negated: *negated })?,
            Node::Reference { group, folds } => self.push(Op::Reference { group: *group, folds: *folds })?,
            Node::Group { number: None, node } => return self.node(node),
            Node::Group { number: Some(number), node } => {
                self.push(Op::Save(number * 2))?;
                self.node(node)?;
                self.push(Op::Save(number * 2 + 1))?
            }
            Node::Look { ahead, negated, node } => {
                let width = if *ahead { 0 } else { fixed_width(node)? };
                let at = self.push(Op::Look { ahead: *ahead, negated: *negated, width, end: 0 })?;
                self.node(node)?;
                let end = self.push(Op::Match)? + 1;
                self.ops[at] = Op::Look { ahead: *ahead, negated: *negated, width, end };
                at
            }
            Node::IfGroup { group, yes, no } => {
                let at = self.push(Op::IfGroup { group: *group, no: 0 })?;
                self.node(yes)?;
                let jump = self.push(Op::Jump(0))?;
                self.ops[at] = Op::IfGroup { group: *group, no: self.ops.len() };
                self.node(no)?;
                self.ops[jump] = Op::Jump(self.ops.len());
                at
            }
            Node::Sequence(nodes) => return nodes.iter().try_for_each(|node| self.node(node)),
            Node::Either(branches) => return self.either(branches),
            Node::Repeat { node, min, max, mode } => return self.repeat(node, *min, *max, *mode),
        };
        Ok(())
    }

    fn either(&mut self, branches: &[Node]) -> Result<(), BadPattern> {
        let mut jumps = Vec::new();
        for (nr, branch) in branches.iter().enumerate() {
            if nr + 1 == branches.len() {
                self.node(branch)?;
                break;
            }
            let split = self.push(Op::Split { first: 0, other: 0 })?;
            self.node(branch)?;
            jumps.push(self.push(Op::Jump(0))?);
            self.ops[split] = Op::Split { first: split + 1, other: self.ops.len() };
        }
        for jump in jumps {
            self.ops[jump] = Op::Jump(self.ops.len());
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, mode: Mode) -> Result<(), BadPattern> {
        if mode == Mode::Possessive {
            let at = self.push(Op::Atomic { end: 0 })?;
            self.repeat(node, min, max, Mode::Greedy)?;
            let end = self.push(Op::Match)? + 1;
            self.ops[at] = Op::Atomic { end };
            return Ok(());
        }
        let split = |body: usize, end: usize| match mode {
            Mode::Lazy => Op::Split { first: end, other: body },
            Mode::Greedy | Mode::Possessive => Op::Split { first: body, other: end },
        };
        for _ in 0..min {
            self.node(node)?;
        }
        match max {
            None => {
                let slot = self.n_slots;
                self.n_slots += 1;
                let start = self.push(Op::Jump(0))?;
                self.push(Op::Save(slot))?;
                self.node(node)?;
                let progress = self.push(Op::Progress { slot, end: 0 })?;
                let end = self.push(Op::Jump(start))? + 1;
                self.ops[progress] = Op::Progress { slot, end };
                self.ops[start] = split(start + 1, end);
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.push(Op::Jump(0))?);
                    self.node(node)?;
                }
                for at in splits {
                    self.ops[at] = split(at + 1, self.ops.len());
                }
            }
        }
        Ok(())
    }
}

/// The number of characters of a node, for lookbehind.
fn fixed_width(node: &Node) -> Result<usize, BadPattern> {
    let variable = || BadPattern::new("look-behind requires fixed-width pattern", None);
    Ok(match node {
        Node::Char { .. } | Node::Any { .. } | Node::Set { .. } => 1,
        Node::Empty
        | Node::LineStart { .. }
        | Node::LineEnd { .. }
        | Node::TextStart
        | Node::TextEnd
        | Node::WordEdge { .. }
        | Node::Look { .. } => 0,
        Node::Group { node, .. } => fixed_width(node)?,
        Node::Reference { .. } => return Err(variable()),
        Node::IfGroup { yes, no, .. } => {
            let width = fixed_width(yes)?;
            if fixed_width(no)? == width { width } else { return Err(variable()) }
        }
        Node::Either(branches) => {
            let widths = branches.iter().map(fixed_width).collect::<Result<Vec<_>, _>>()?;
            match widths.split_first() {
                Some((first, rest)) if rest.iter().all(|width| width == first) => *first,
                Some(_) => return Err(variable()),
                None => 0,
            }
        }
        Node::Sequence(nodes) => nodes.iter().map(fixed_width).sum::<Result<usize, _>>()?,
        Node::Repeat { node, min, max: Some(max), .. } if min == max => {
            fixed_width(node)?.checked_mul(*min as usize).ok_or_else(variable)?
        }
        Node::Repeat { .. } => return Err(variable()),
    })
}
