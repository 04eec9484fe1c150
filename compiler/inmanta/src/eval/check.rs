//! Checks whether a value fits a type. Spec, 5.2 and 5.3.

use super::{Done, Evaluator};
use crate::fault::{Class, Failure, Fault, Location, Within};
use crate::program::{Base, End, EntityId, Primitive, Type, TypedefId};
use crate::value::{Int, NoInstances, Value, message, quoted, written};

impl Evaluator<'_> {
    pub(super) fn check(&mut self, value: &Value, ty: &Type) -> Done {
        if value.is_unknown() || (ty.is_nullable && matches!(value, Value::Null)) {
            return Ok(());
        }
        self.look_at(value)?;
        if ty.is_list {
            let Value::List(list) = value else {
                let expected = Type { is_nullable: false, ..ty.clone() };
                return Err(self.unfit(Class::Typing, value, &self.program.type_name(&expected)));
            };
            return list
                .items
                .iter()
                .try_for_each(|item| if item.is_unknown() { Ok(()) } else { self.check_base(item, &ty.base) });
        }
        self.check_base(value, &ty.base)
    }

    fn unfit(&self, class: Class, value: &Value, expected: &str) -> Failure {
        let message = format!("Invalid value '{}', expected {expected}", message(value, self));
        let fault = Fault::new(class, message).about(written(value, self));
        match instead(value, expected) {
            Some(help) => fault.help(help),
            None => fault,
        }
    }

    fn check_base(&mut self, value: &Value, base: &Base) -> Done {
        match base {
            Base::Any => Ok(()),
            Base::Primitive(primitive) => self.check_primitive(value, *primitive),
            Base::Typedef(typedef) => self.check_typedef(value, *typedef),
            Base::Entity(entity) => self.check_instance(value, *entity),
            Base::Null => match value {
                Value::Null => Ok(()),
                _ => Err(self.unfit(Class::Runtime, value, "null")),
            },
            Base::AnyList => match value {
                Value::List(_) => Ok(()),
                _ => Err(self.unfit(Class::Typing, value, "list")),
            },
            Base::AnyDict => match value {
                Value::Dict(_) => Ok(()),
                _ => Err(self.unfit(Class::Runtime, value, "dict")),
            },
            Base::DictOf(inner) => match value {
                Value::Dict(dict) => dict.entries.values().try_for_each(|value| self.check(value, inner)),
                _ => Err(self.unfit(Class::Runtime, value, &self.program.type_name(&Type::plain(base.clone())))),
            },
            Base::Union(members) => {
                if members.iter().any(|member| self.check(value, member).is_ok()) {
                    return Ok(());
                }
                Err(self.unfit(Class::Typing, value, &self.program.type_name(&Type::plain(base.clone()))))
            }
        }
    }

    fn check_primitive(&self, value: &Value, primitive: Primitive) -> Done {
        let fits = match primitive {
            Primitive::String => matches!(value, Value::Str(_)),
            Primitive::Int => matches!(value, Value::Int(_) | Value::Bool(_)),
            Primitive::Float => matches!(value, Value::Float(_)),
            Primitive::Number => matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_)),
            Primitive::Bool => matches!(value, Value::Bool(_)),
            Primitive::List => match value {
                Value::List(list) => return list.items.iter().try_for_each(|item| self.check_literal(item)),
                _ => false,
            },
            Primitive::Dict => match value {
                Value::Dict(dict) => return dict.entries.values().try_for_each(|item| self.check_literal(item)),
                _ => false,
            },
        };
        if fits {
            return Ok(());
        }
        let class = if primitive == Primitive::List { Class::Typing } else { Class::Runtime };
        Err(self.unfit(class, value, primitive.name()))
    }

    fn check_literal(&self, value: &Value) -> Done {
        match value {
            Value::Instance(_) => Err(self.unfit(Class::Typing, value, "Literal")),
            Value::List(list) => list.items.iter().try_for_each(|item| self.check_literal(item)),
            Value::Dict(dict) => dict.entries.values().try_for_each(|item| self.check_literal(item)),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Unknown(_) => {
                Ok(())
            }
        }
    }

    /// Checks what a typedef is based on first. Not recursive: a chain of typedefs can be as long as a model.
    fn check_typedef(&mut self, value: &Value, id: TypedefId) -> Done {
        let program = self.program;
        let mut chain = vec![id];
        let mut base = &program.typedefs[id].base.base;
        while let Base::Typedef(next) = base {
            self.look_at(value)?;
            chain.push(*next);
            base = &program.typedefs[*next].base.base;
        }
        self.check(value, &Type::plain(base.clone()))?;
        chain.into_iter().rev().try_for_each(|id| self.check_condition(value, id))
    }

    fn check_condition(&mut self, value: &Value, id: TypedefId) -> Done {
        let program = self.program;
        let typedef = &program.typedefs[id];
        let fits = match &typedef.pattern {
            Some(pattern) => match value {
                Value::Str(text) => self.matches(pattern, text)?,
                _ => {
                    return Err(Fault::new(
                        Class::Internal,
                        "AssertionError: a regular expression matches strings only",
                    ));
                }
            },
            None => {
                let answer = self.direct(typedef.condition, value)?;
                answer.is_truthy()
            }
        };
        if fits {
            return Ok(());
        }
        let constraint = crate::ast::expr_text(&program.tree, typedef.condition, crate::ast::Style::Inside);
        let message = format!("Invalid value {}, does not match constraint `{constraint}`", quoted(value, self));
        Err(Fault::new(Class::Runtime, message)
            .about(written(value, self))
            .within(Within::Text(typedef.full_name.to_string()))
            .at(Location::Column(typedef.name_span)))
    }

    fn check_instance(&self, value: &Value, entity: EntityId) -> Done {
        let full = &self.program.entities[entity].full_name;
        match value {
            Value::Instance(instance) if self.program.is_a(self.store.instances[*instance].entity, entity) => Ok(()),
            Value::Instance(_) => {
                let message = format!("Invalid class type for {}, should be {full}", message(value, self));
                Err(Fault::new(Class::Runtime, message).about(written(value, self)))
            }
            _ => {
                let message = format!("Invalid type for value '{}', should be type {full}", message(value, self));
                let fault = Fault::new(Class::Runtime, message).about(written(value, self));
                Err(match value {
                    Value::Str(_) => fault.help(format!("pass an instance of `{}`, not its name", short(full))),
                    _ => fault,
                })
            }
        }
    }

    pub(super) fn check_member(&self, value: &Value, end: &End) -> Done {
        if value.is_unknown() { Ok(()) } else { self.check_instance(value, end.target) }
    }
}

/// The name of an entity without the namespace of the main file.
fn short(full: &str) -> &str {
    full.strip_prefix("__config__::").unwrap_or(full)
}

/// What was probably meant by a value of another type.
fn instead(value: &Value, expected: &str) -> Option<String> {
    let (expected, is_list) = expected.strip_suffix("[]").map_or((expected, false), |element| (element, true));
    if is_list {
        let is_single = !matches!(value, Value::List(_) | Value::Dict(_) | Value::Null | Value::Instance(_));
        return is_single.then(|| format!("put it in a list: `[{}]`", written(value, &NoInstances)));
    }
    match (value, expected.trim_end_matches('?')) {
        (Value::Str(text), "int") if Int::parse(text).is_some() => Some(format!("write `{text}` without quotes")),
        (Value::Str(text), "float" | "number") if text.parse::<f64>().is_ok_and(f64::is_finite) => {
            Some(format!("write `{text}` without quotes"))
        }
        (Value::Str(text), "bool") => match &*text.to_lowercase() {
            "true" | "yes" | "on" => Some("write `true`, without quotes".to_owned()),
            "false" | "no" | "off" => Some("write `false`, without quotes".to_owned()),
            _ => None,
        },
        (Value::Int(_) | Value::Float(_) | Value::Bool(_), "string") => {
            let text = written(value, &NoInstances);
            Some(format!("write it in quotes, `\"{text}\"`, or convert a variable with `string(...)`"))
        }
        (Value::Instance(_), "Literal") => {
            Some("`list` and `dict` cannot hold instances: write a relation, `Entity.name [0:] -- Other`".to_owned())
        }
        (Value::Null, expected) => Some(format!("null is only allowed for the type `{expected}?`")),
        (Value::Int(int), "float") => Some(format!("write `{int}.0`")),
        (Value::Float(_), "int") => Some("convert it with `int(...)`: division returns a float".to_owned()),
        _ => None,
    }
}
