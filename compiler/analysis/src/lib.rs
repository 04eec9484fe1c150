//! The meaning of a program: its names ([`scope`]) and its types ([`unify`]).

use mclive_base::{define_id, diag, gather, ident, index, sort, source, span, types, value};
use mclive_library::{corelib, kinds};
use mclive_syntax::{front, hir, parse};

pub mod scope;

pub mod unify;

pub mod understand;

pub mod lint;
