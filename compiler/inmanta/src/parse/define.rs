//! Definitions. Spec, 3.1 and 6.

use super::unexpected::syntax;
use super::{Parsed, Parser};
use crate::ast::{
    AttributeDef, Default, Definition, EntityDef, ExprId, ExprKind, ImplementDef, ImplementationDef, ImportDef,
    IndexDef, Item, Multi, Path, RelationDef, RelationEnd, TypeText, TypedefDef,
};
use crate::fault::{Class, Failure, Fault, Location, Within};
use crate::lex::{Keyword, Tok};
use mclive_base::ident::Name;
use mclive_base::span::Span;

const CAPITAL: &str = "Invalid identifier: Entity names must start with a capital";

/// The name of an entity in lower case.
fn lower_case(name: &str, span: Span) -> Failure {
    let (module, short) = name.rsplit_once("::").map_or(("", name), |(module, short)| (module, short));
    let (first, rest) = short.split_at(short.chars().next().map_or(0, char::len_utf8));
    let join = if module.is_empty() { "" } else { "::" };
    syntax(CAPITAL, span).help(format!("write `{module}{join}{}{rest}`", first.to_uppercase()))
}

impl Parser<'_> {
    /// A definition or a statement.
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let definition = match self.tok() {
            Tok::Keyword(Keyword::Entity) => Definition::Entity(self.entity()?),
            Tok::Keyword(Keyword::Implementation) => Definition::Implementation(self.implementation()?),
            Tok::Keyword(Keyword::Implement) => Definition::Implement(self.implement()?),
            Tok::Keyword(Keyword::Typedef) => Definition::Typedef(self.typedef()?),
            Tok::Keyword(Keyword::Index) => Definition::Index(self.index()?),
            Tok::Keyword(Keyword::Import) => Definition::Import(self.import()?),
            _ => match self.relation()? {
                Some(relation) => Definition::Relation(relation),
                None => return self.stmt().map(Item::Stmt),
            },
        };
        Ok(Item::Define(definition))
    }

    /// The name of an entity; if it ends in lower case, `lower` makes the error from the words so far.
    fn class_ref(&mut self, lower: fn(&mut Self, Vec<Name>, Span) -> Failure) -> Parsed<Path> {
        let start = self.span();
        let mut words: Vec<Name> = Vec::new();
        loop {
            match self.tok() {
                Tok::Cid(name) => {
                    words.push(name.clone());
                    self.at += 1;
                    return Ok(self.path(words, start));
                }
                Tok::Id(name) => {
                    words.push(name.clone());
                    self.at += 1;
                }
                _ => return Err(self.unexpected()),
            }
            if *self.tok() != Tok::Path {
                return Err(lower(self, words, start));
            }
            self.at += 1;
        }
    }

    fn class_path(&mut self) -> Parsed<Path> {
        self.class_ref(|parser, _, _| parser.unexpected())
    }

    /// The parent of an entity. Dots in place of colons and lower case have specific messages.
    fn parent(&mut self) -> Parsed<Path> {
        self.class_ref(|parser, words, start| match parser.tok() {
            Tok::Sign('.') => parser.dotted_parent(words, start),
            _ => lower_case(&words.join("::"), start),
        })
    }

    fn dotted_parent(&mut self, words: Vec<Name>, start: Span) -> Failure {
        let mut written = words.join("::");
        while self.eat_sign('.') {
            let (Tok::Id(name) | Tok::Cid(name)) = self.tok() else { return self.unexpected() };
            written = format!("{written}.{name}");
            self.at += 1;
        }
        self.dots_for_colons(&written, start)
    }

    fn entity(&mut self) -> Parsed<EntityDef> {
        let at = self.advance().span;
        let (name, name_span) = match self.tok() {
            Tok::Cid(name) => (name.clone(), self.span()),
            Tok::Id(name) => return Err(lower_case(name, self.span())),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        let mut parents = Vec::new();
        if self.eat_keyword(Keyword::Extends) {
            parents.push(self.parent()?);
            while self.eat_sign(',') {
                parents.push(self.parent()?);
            }
        }
        self.expect_sign(':')?;
        let doc = self.doc()?;
        let mut attributes = Vec::new();
        while !self.eat_keyword(Keyword::End) {
            let outside = self.outside();
            match self.attribute() {
                Ok(attribute) => attributes.push(attribute),
                Err(fault) => self.after_inner(outside, fault)?,
            }
        }
        self.no_dash(&name, name_span)?;
        Ok(EntityDef { name, name_span, parents, doc, attributes, at, span: self.since(at) })
    }

    fn attribute(&mut self) -> Parsed<AttributeDef> {
        let start = self.span();
        if self.eat_keyword(Keyword::Dict) {
            return self.dict_attribute(start);
        }
        let path = self.namespace_path().map_err(|fault| self.about_reference(start, fault))?;
        let is_list = self.eat_sign('[');
        if is_list {
            self.expect_sign(']')?;
        }
        let is_nullable = self.eat_sign('?');
        let (name, name_span) = self.attribute_name()?;
        let default = if self.eat_sign('=') { Some(self.default()?) } else { None };
        self.no_dash(&name, name_span)?;
        let ty = TypeText { path, is_list, is_nullable };
        Ok(AttributeDef { ty, name, name_span, default, span: self.since(start) })
    }

    fn attribute_name(&mut self) -> Parsed<(Name, Span)> {
        if let Tok::Cid(name) = self.tok() {
            let message = "Invalid identifier: attribute names must start with a lower case character";
            return Err(syntax(message, self.span()).help(format!("write `{}`", name.to_lowercase())));
        }
        self.expect_id()
    }

    fn dict_attribute(&mut self, start: Span) -> Parsed<AttributeDef> {
        let path = Path { namespace: None, name: self.names.intern("dict"), span: start };
        let is_nullable = self.eat_sign('?');
        let (name, name_span) = self.attribute_name()?;
        let default = if self.eat_sign('=') {
            if *self.tok() == Tok::Keyword(Keyword::Null) {
                if !is_nullable {
                    let message = format!("null can not be assigned to dict, did you mean \"dict? {name} = null\"");
                    return Err(syntax(message, name_span));
                }
                self.literal()?.map(Default::Value)
            } else {
                Some(Default::Value(self.map()?))
            }
        } else {
            None
        };
        self.no_dash(&name, name_span)?;
        let ty = TypeText { path, is_list: false, is_nullable };
        Ok(AttributeDef { ty, name, name_span, default, span: self.since(start) })
    }

    /// A constant, a list of constants, or `undef`.
    fn default(&mut self) -> Parsed<Default> {
        if self.eat_keyword(Keyword::Undef) {
            return Ok(Default::Removed);
        }
        let at = self.span();
        if !self.eat_sign('[') {
            return self.constant().map(Default::Value);
        }
        let mut items = Vec::new();
        while !self.eat_sign(']') {
            items.push(self.constant()?);
            if !self.eat_sign(',') {
                self.expect_sign(']')?;
                break;
            }
        }
        let span = self.since(at);
        self.expr(ExprKind::List(items), span, at, false).map(Default::Value)
    }

    fn constant(&mut self) -> Parsed<ExprId> {
        self.literal()?.ok_or_else(|| self.unexpected())
    }

    fn implementation(&mut self) -> Parsed<ImplementationDef> {
        let start = self.advance().span;
        let (name, name_span) = self.expect_id()?;
        self.expect_keyword(Keyword::For)?;
        let entity = self.class_path()?;
        self.expect_sign(':')?;
        let doc = self.doc()?;
        let body = self.block()?;
        self.expect_keyword(Keyword::End)?;
        self.no_dash(&name, name_span)?;
        Ok(ImplementationDef { name, name_span, entity, doc, body, span: self.since(start) })
    }

    fn implement(&mut self) -> Parsed<ImplementDef> {
        let start = self.advance().span;
        let entity = self.class_path()?;
        self.expect_keyword(Keyword::Using)?;
        let mut implementations = Vec::new();
        let mut parents = None;
        loop {
            let span = self.span();
            if self.eat_keyword(Keyword::Parents) {
                parents.get_or_insert(span);
            } else {
                implementations.push(self.namespace_path()?);
            }
            if !self.eat_sign(',') {
                break;
            }
        }
        let condition = if self.eat_keyword(Keyword::When) { Some(self.expression()?) } else { None };
        let is_true = |condition: ExprId| {
            self.tree.exprs[condition].constant.as_ref().and_then(crate::value::Value::as_bool) == Some(true)
        };
        if parents.is_some() && condition.is_some_and(|condition| !is_true(condition)) {
            let within = Within::Text(format!("Implement({})", entity.text()));
            return Err(Fault::new(Class::Runtime, "Conditional implementation with parents not allowed")
                .within(within)
                .at(Location::Column(entity.span)));
        }
        let doc = self.doc()?;
        Ok(ImplementDef { entity, implementations, parents, condition, doc, span: self.since(start) })
    }

    fn typedef(&mut self) -> Parsed<TypedefDef> {
        let start = self.advance().span;
        if let Tok::Cid(_) = self.tok() {
            let span = self.advance().span;
            self.expect_keyword(Keyword::As)?;
            let constructor = self.expression()?;
            if !matches!(self.tree.exprs[constructor].kind, ExprKind::Construct { .. }) {
                return Err(self.unexpected());
            }
            return Err(syntax("The use of default constructors is no longer supported", span));
        }
        let (name, name_span) = self.expect_id()?;
        self.expect_keyword(Keyword::As)?;
        let base = self.namespace_path()?;
        let regex_span = self.span();
        let condition = if *self.tok() == Tok::Regex {
            self.regex(regex_span)?
        } else {
            self.expect_keyword(Keyword::Matching)?;
            self.expression()?
        };
        self.no_dash(&name, name_span)?;
        if !self.mentions_self(condition, &name) {
            // It could be read, so that nothing else of the file need be left out.
            let fault = Fault::new(Class::Typing, "typedef expressions should reference the self variable");
            self.tell(fault.within(Within::Text(format!("Type({name})"))).at(Location::Column(name_span)));
        }
        let doc = self.doc()?;
        Ok(TypedefDef { name, name_span, base, condition, doc, span: self.since(start) })
    }

    /// Whether a condition mentions `self`, or the type's own name (spec, 6.1).
    fn mentions_self(&self, expr: ExprId, own: &Name) -> bool {
        match &self.tree.exprs[expr].kind {
            ExprKind::Regex(_) => true,
            ExprKind::Var(path) => path.namespace.is_none() && (&*path.name == "self" || path.name == *own),
            ExprKind::IsDefined(_) => false,
            kind => {
                let mut found = false;
                kind.for_each_child(|child| found = found || self.mentions_self(child, own));
                found
            }
        }
    }

    fn index(&mut self) -> Parsed<IndexDef> {
        let at = self.advance().span;
        let entity = self.class_path()?;
        self.expect_sign('(')?;
        let mut attributes = vec![self.expect_id()?];
        while self.eat_sign(',') {
            attributes.push(self.expect_id()?);
        }
        self.expect_sign(')')?;
        Ok(IndexDef { entity, attributes, at, span: self.since(at) })
    }

    fn import(&mut self) -> Parsed<ImportDef> {
        let at = self.advance().span;
        let path = self.namespace_path()?;
        let alias = if self.eat_keyword(Keyword::As) { Some(self.expect_id()?) } else { None };
        if let Some((alias, span)) = &alias {
            self.no_dash(alias, *span)?;
        }
        let text = path.text();
        if text.contains('-') {
            let message =
                format!("{text} is not a valid module name: hyphens are not allowed, please use underscores instead.");
            return Err(Fault::new(Class::Compiler, message).also(path.span, "this name"));
        }
        let module = self.names.intern(&text);
        Ok(ImportDef { module, module_span: path.span, alias, at, span: self.since(at) })
    }

    /// A relation, if one begins here: a class and a dot.
    fn relation(&mut self) -> Parsed<Option<RelationDef>> {
        let mut n = 0;
        while matches!((self.ahead(n), self.ahead(n + 1)), (Tok::Id(_), Tok::Path)) {
            n += 2;
        }
        if !matches!((self.ahead(n), self.ahead(n + 1)), (Tok::Cid(_), Tok::Sign('.'))) {
            return Ok(None);
        }
        let start = self.span();
        let left = self.class_path()?;
        let left_end = self.relation_end()?;
        let mut annotations = Vec::new();
        let arrow = (*self.tok() == Tok::Arrow).then(|| self.advance().span);
        if arrow.is_none() {
            annotations.push(self.expression()?);
            while self.eat_sign(',') {
                annotations.push(self.expression()?);
            }
        }
        let right = self.class_ref(|parser, _, _| parser.lower_case_side())?;
        let right_end = if *self.tok() == Tok::Sign('.') { Some(self.relation_end()?) } else { None };
        for end in std::iter::once(&left_end).chain(&right_end) {
            self.no_dash(&end.name, end.name_span)?;
        }
        let doc = self.doc()?;
        Ok(Some(RelationDef { left, left_end, right, right_end, annotations, arrow, doc, span: self.since(start) }))
    }

    /// After a name in lower case: if it reads like an attribute, the error is at the bracket after it.
    fn lower_case_side(&mut self) -> Failure {
        while self.eat_sign('.') {
            if !matches!(self.tok(), Tok::Id(_)) {
                return self.unexpected();
            }
            self.at += 1;
        }
        self.unexpected()
    }

    fn relation_end(&mut self) -> Parsed<RelationEnd> {
        self.expect_sign('.')?;
        let (name, name_span) = self.expect_id()?;
        let (multi, multi_span) = self.multi()?;
        Ok(RelationEnd { name, name_span, multi, multi_span })
    }

    fn multi(&mut self) -> Parsed<(Multi, Span)> {
        let start = self.expect_sign('[')?;
        let multi = if self.eat_sign(':') {
            Multi { low: 0, high: Some(self.bound()?) }
        } else {
            let low = self.bound()?;
            if !self.eat_sign(':') {
                Multi { low, high: Some(low) }
            } else if *self.tok() == Tok::Sign(']') {
                Multi { low, high: None }
            } else {
                Multi { low, high: Some(self.bound()?) }
            }
        };
        self.expect_sign(']')?;
        Ok((multi, self.since(start)))
    }

    fn bound(&mut self) -> Parsed<i64> {
        let span = self.span();
        if *self.tok() != Tok::Int {
            return Err(self.unexpected());
        }
        self.at += 1;
        let text = self.inside(span, 0, 0);
        // Larger numbers are as good as unbounded.
        Ok(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
    }
}
