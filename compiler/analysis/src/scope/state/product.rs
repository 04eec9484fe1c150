//! [`Product`]: the result so far. What is added stays, and directories and core constants are added once.

use crate::hir;
use crate::ident::Name;
use crate::index::IndexVec;
use crate::scope::env::EnvId;
use crate::scope::linked::{
    Block, Def, DefId, DirId, Linked, Loop, LoopId, Node, NodeId, NodeKind, Param, ParamId, ParamRole, Use,
};
use crate::sort;
use crate::span::{FileId, Span};
use crate::types::Type;
use crate::value::Value;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(in crate::scope) struct Product {
    linked: Linked,
    /// Ids of directories by path.
    dirs: FxHashMap<String, DirId>,
    /// Definitions of core constants.
    constants: FxHashMap<(EnvId, Name), DefId>,
}

impl Product {
    /// Prepares for about this many nodes: growing would copy many, and temporarily need twice the memory.
    pub(in crate::scope) fn make_room(&mut self, n_nodes: usize) {
        if self.linked.nodes.is_empty() {
            self.linked.nodes = IndexVec::with_capacity(n_nodes);
        }
    }

    /// A node whose kind is set later.
    pub(in crate::scope) fn blank(&mut self, span: Span, known: Option<Type>) -> NodeId {
        self.linked.nodes.push(Node { kind: NodeKind::Error, span, known })
    }

    pub(in crate::scope) fn set(&mut self, node: NodeId, kind: NodeKind) {
        self.linked.nodes[node].kind = kind;
    }

    /// Errors report the node at this span.
    pub(in crate::scope) fn set_span(&mut self, node: NodeId, span: Span) {
        self.linked.nodes[node].span = span;
    }

    pub(in crate::scope) fn n_nodes(&self) -> usize {
        self.linked.nodes.len()
    }

    /// The id of a directory, with a trailing slash.
    pub(in crate::scope) fn dir(&mut self, base: &str) -> DirId {
        if let Some(dir) = self.dirs.get(base) {
            return *dir;
        }
        let dir = self.linked.dirs.push(base.to_owned());
        self.dirs.insert(base.to_owned(), dir);
        dir
    }

    pub(in crate::scope) fn add_def(&mut self, def: Def) -> DefId {
        self.linked.defs.push(def)
    }

    /// Declares a definition to be an argument of an include, with the type of the class parameter.
    pub(in crate::scope) fn set_class_param(&mut self, def: DefId, ty: Option<Type>) {
        self.linked.defs[def].class_param = Some(ty);
    }

    /// A constant of the core library, from this scope: one definition for all uses.
    pub(in crate::scope) fn constant(&mut self, owner: EnvId, name: &Name, value: Value, span: Span) -> DefId {
        let key = (owner, name.clone());
        if let Some(def) = self.constants.get(&key) {
            return *def;
        }
        let node = self.blank(span, None);
        self.set(node, NodeKind::Const(value));
        let def = self.add_def(Def { name: name.clone(), span, value: node, iterated: None, class_param: None });
        self.constants.insert(key, def);
        def
    }

    pub(in crate::scope) fn add_param(&mut self, param: &hir::Param, role: ParamRole) -> ParamId {
        let hir::Param { name, ty, span } = param;
        self.linked.params.push(Param { name: name.clone(), ty: ty.clone(), span: *span, role })
    }

    /// The id that the next loop will have: its parameters are added before it.
    pub(in crate::scope) fn next_loop(&self) -> LoopId {
        self.linked.loops.next_id()
    }

    pub(in crate::scope) fn add_loop(&mut self, each: Loop) -> LoopId {
        self.linked.loops.push(each)
    }

    /// Adds a use of a definition, for editors.
    pub(in crate::scope) fn add_use(&mut self, used: Use) {
        self.linked.uses.push(used);
    }

    /// Adds a use of an alias, for editors.
    pub(in crate::scope) fn add_alias(&mut self, used: Use) {
        self.linked.aliases.push(used);
    }

    /// Adds a use of `$hostname`.
    pub(in crate::scope) fn add_hostname(&mut self, span: Span) {
        self.linked.hostnames.insert(span);
    }

    /// Adds the file of an import by the span of the import's path.
    pub(in crate::scope) fn add_import(&mut self, path: Span, file: FileId) {
        self.linked.imports.push((path, file));
    }

    /// Adds the body of a class that nothing includes.
    pub(in crate::scope) fn add_aside(&mut self, body: Block) {
        self.linked.aside.push(body);
    }

    pub(in crate::scope) fn set_root(&mut self, root: Block) {
        self.linked.root = root;
    }

    /// The result so far.
    pub(in crate::scope) fn linked(&self) -> &Linked {
        &self.linked
    }

    /// The result, with the lists for editors in order.
    pub(in crate::scope) fn finish(self) -> Linked {
        let mut linked = self.linked;
        for uses in [&mut linked.uses, &mut linked.aliases] {
            sort::by_key(uses, |used| (used.span, used.definition));
            uses.dedup();
        }
        sort::items(&mut linked.imports);
        linked.imports.dedup();
        linked
    }
}
