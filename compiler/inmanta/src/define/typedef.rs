//! Typedefs and the types of attributes. Spec, 6.1 and 5.2.

use super::{Defined, Definer, TypeLookup, find_type};
use crate::ast::{Definition, ExprKind, Path, TypeText, TypedefDef};
use crate::fault::{Class, Fault, Location, Sought, Warning, Within};
use crate::program::{Base, Def, NsId, Primitive, Type, Typedef, TypedefId};
use mclive_base::ident::Name;

const NUMBER: &str = "Type 'number' is deprecated, use 'float' or 'int' instead";

impl Definer {
    pub(super) fn new_typedef(&mut self, ns: NsId, def: &TypedefDef, full_name: Name) -> TypedefId {
        let pattern = match &self.program.tree.exprs[def.condition].kind {
            ExprKind::Regex(pattern) => Some(pattern.clone()),
            _ => None,
        };
        self.program.typedefs.push(Typedef {
            ns,
            full_name,
            name_span: def.name_span,
            base: Type::plain(Base::Any),
            condition: def.condition,
            pattern,
            doc: def.doc,
        })
    }

    pub(super) fn typedefs(&mut self) {
        self.each_definition(|definer, ns, definition| match definition {
            Definition::Typedef(def) => definer.typedef(ns, def),
            _ => Ok(()),
        });
    }

    fn typedef(&mut self, ns: NsId, def: &TypedefDef) -> Defined<()> {
        let found = self.program.namespaces[ns].types.get(&def.name).copied();
        // The second typedef of a name is an error by itself.
        let Some(Def::Typedef(id)) = found else { return Ok(()) };
        if self.program.typedefs[id].name_span != def.name_span {
            return Ok(());
        }
        let within = || Within::Text(format!("Type({})", def.name));
        let base = self.base_type(ns, &def.base).map_err(|fault| fault.within(within()))?;
        if let Base::Typedef(below) = base
            && self.lowest_typedef(below) == id
        {
            let message = format!("typedef {} is based on itself", def.name);
            return Err(Fault::new(Class::Typing, message).within(within()).at(Location::Column(def.name_span)));
        }
        if let Base::Typedef(below) = base {
            self.typedefs_below.insert(id, below);
        }
        self.program.typedefs[id].base = Type::plain(base);
        Ok(())
    }

    /// The end of the chain of what a typedef is based on, as far as it is known. Each search halves the way of the next
    /// one, so that long chains take linear time.
    fn lowest_typedef(&mut self, mut id: TypedefId) -> TypedefId {
        while let Some(&below) = self.typedefs_below.get(&id) {
            if let Some(&further) = self.typedefs_below.get(&below) {
                self.typedefs_below.insert(id, further);
            }
            id = below;
        }
        id
    }

    /// A primitive type or a typedef.
    fn base_type(&mut self, ns: NsId, path: &Path) -> Defined<Base> {
        Ok(match find_type(&self.program, ns, path, Sought::Type)? {
            TypeLookup::Primitive(primitive) => {
                if primitive == Primitive::Number {
                    number_warning(&mut self.warnings);
                }
                Base::Primitive(primitive)
            }
            TypeLookup::Def(Def::Typedef(id)) => Base::Typedef(id),
            TypeLookup::Def(Def::Entity(id)) => Base::Entity(id),
            TypeLookup::Def(Def::Implementation(_) | Def::Function(_)) => {
                let message = format!("{} is not a type", path.text());
                return Err(Fault::new(Class::Typing, message).at(Location::Column(path.span)));
            }
        })
    }

    /// The type of an attribute.
    pub(super) fn attribute_type(&mut self, ns: NsId, text: &TypeText) -> Defined<Type> {
        let base = self.base_type(ns, &text.path)?;
        Ok(Type { base, is_list: text.is_list, is_nullable: text.is_nullable })
    }
}

pub(super) fn number_warning(warnings: &mut Vec<Warning>) {
    if !warnings.iter().any(|warning| warning.message == NUMBER) {
        warnings.push(Warning { class: "TypeDeprecationWarning", message: NUMBER.into(), span: None });
    }
}
