//! Evaluates f-strings. Spec, 2.5.

use super::compute::Cursor;
use super::{Done, Evaluator, FrameId};
use crate::ast::{Format, FormatField, Ref};
use crate::fault::{Class, Failure, Fault};
use crate::value::{Spec, SpecError, Value, ascii, inner, integral, plain};

impl Evaluator<'_> {
    pub(super) fn format_string(&mut self, format: &Format, frame: FrameId, needs: &mut Cursor<'_>) -> Done<Value> {
        let mut out = String::new();
        let mut has_unknown = false;
        self.fields(&format.fields, &format.tail, frame, needs, &mut out, &mut has_unknown)?;
        Ok(if has_unknown { self.unknown() } else { Value::Str(out.into()) })
    }

    fn fields(
        &mut self,
        fields: &[FormatField],
        tail: &str,
        frame: FrameId,
        needs: &mut Cursor<'_>,
        out: &mut String,
        has_unknown: &mut bool,
    ) -> Done {
        for field in fields {
            out.push_str(&field.before);
            let value = match &field.reference {
                Ref::Expr(expr) => self.compute(*expr, frame, needs)?,
                Ref::Empty => {
                    let message = "f-strings do not support positional substitutions via '{}', use variable or attribute keys instead";
                    return Err(Fault::new(Class::Runtime, message));
                }
                Ref::Unseen(name) => {
                    return Err(Fault::new(Class::Runtime, format!("Invalid key in f-string: ''{name}''")));
                }
            };
            let mut spec = String::new();
            self.fields(&field.spec, &field.spec_tail, frame, needs, &mut spec, has_unknown)?;
            *has_unknown |= value.is_unknown();
            if !*has_unknown {
                self.write_out(&value)?;
                let text = self.field_text(&value, field.conversion.as_deref(), &spec)?;
                self.spend((text.len() + out.len()) as u64)?;
                out.push_str(&text);
            }
        }
        out.push_str(tail);
        Ok(())
    }

    fn field_text(&self, value: &Value, conversion: Option<&str>, spec: &str) -> Done<String> {
        // An integral float is first converted to a whole number.
        let whole = match value {
            Value::Float(float) => integral(*float).map(Value::Int),
            _ => None,
        };
        let value = whole.as_ref().unwrap_or(value);
        let converted = match conversion {
            None => None,
            Some("r") => Some(repr(self, value)),
            Some("s") => Some(plain(value, self)),
            Some("a") => Some(ascii(&repr(self, value))),
            Some(other) => return Err(invalid(format!("Unknown conversion specifier {other}"))),
        };
        let value = match &converted {
            Some(text) => &Value::str(text),
            None => value,
        };
        if spec.is_empty() {
            return Ok(plain(value, self));
        }
        match Spec::format(spec, value) {
            Ok(text) => Ok(text),
            Err(SpecError::Reason(reason)) => Err(invalid(reason)),
            Err(SpecError::Unsupported(kind)) => {
                let message = format!("TypeError: unsupported format string passed to {kind}.__format__");
                Err(Fault::new(Class::Internal, message))
            }
        }
    }
}

fn repr(evaluator: &Evaluator<'_>, value: &Value) -> String {
    match value {
        Value::Instance(_) => plain(value, evaluator),
        value => inner(value, evaluator),
    }
}

fn invalid(reason: impl std::fmt::Display) -> Failure {
    Fault::new(Class::Runtime, format!("Invalid f-string: {reason}"))
}
