//! Builds statements: the vertices they read, and the constructs of `if`, `for` and `forkv` (language spec, 10.7). A
//! block becomes a [`Scope`].

use super::build::Builder;
use super::env::{Env, EnvRef, Frame};
use super::graph::{FuncGraph, Scope, StmtInst, VertexId};
use super::ir::{BlockId, Ir, IrStmt};
use super::op::Op;
use crate::hir::LoopOver;
use crate::scope::linked::LoopId;
use std::sync::Arc;

/// Builds a block above a level.
pub(crate) fn block(ir: &Ir, graph: &mut FuncGraph, block: BlockId, env: &EnvRef, floor: u32) -> Scope {
    let mut builder = Builder::new(ir, graph, floor);
    let mut stmts = Vec::with_capacity(ir.blocks[block].len());
    for stmt in &ir.blocks[block] {
        if builder.graph.overflow {
            break;
        }
        let inst = statement(&mut builder, stmt, env);
        stmts.push(builder.graph.add_stmt(inst));
    }
    Scope { holds: builder.holds, stmts }
}

fn statement(builder: &mut Builder<'_>, stmt: &IrStmt, env: &EnvRef) -> StmtInst {
    match stmt {
        IrStmt::Resource(stmt) => {
            let name = builder.expr(stmt.name, env);
            let items = stmt.items.iter().map(|item| {
                let value = builder.expr(item.value, env);
                (value, item.cond.map(|cond| builder.expr(cond, env)))
            });
            let items = items.collect();
            let collect = stmt.collect.map(|collect| builder.expr(collect, env));
            StmtInst::Resource { stmt: stmt.clone(), items, name, collect }
        }
        IrStmt::Edge(stmt) => {
            let names = stmt.halves.iter().map(|half| builder.expr(half.name, env)).collect();
            StmtInst::Edge { stmt: stmt.clone(), names }
        }
        IrStmt::If { cond, then, otherwise, span } => {
            let cond = builder.expr(*cond, env);
            let op = Op::IfStmt { then: *then, otherwise: *otherwise, env: env.clone() };
            StmtInst::Parts(builder.add(op, *span, &[cond]))
        }
        IrStmt::For { id, subject, body, span } => {
            let subject = builder.expr(*subject, env);
            let map = builder.ir.loops[*id].over == LoopOver::Map;
            let op = Op::Loop { id: *id, body: *body, map, env: env.clone() };
            StmtInst::Parts(builder.add(op, *span, &[subject]))
        }
    }
}

/// Builds one iteration of a loop's body, for the vertices of its two variables.
pub(crate) fn iteration(
    ir: &Ir,
    graph: &mut FuncGraph,
    (id, body, env): (LoopId, BlockId, &EnvRef),
    (first, second): (VertexId, VertexId),
    floor: u32,
) -> Scope {
    let names = &ir.loops[id];
    let frame = Frame::Iteration {
        of: id,
        id: graph.new_iteration(),
        first: (names.first, graph.bound(first)),
        second: (names.second, graph.bound(second)),
    };
    let env = Some(Arc::new(Env { outer: env.clone(), frame }));
    graph.hold(first);
    graph.hold(second);
    let mut scope = block(ir, graph, body, &env, floor);
    scope.holds.extend([first, second]);
    scope
}
