//! Checks that defaults fit the types of their attributes. Spec, 6.2.

use super::{Done, Evaluator};
use crate::fault::{Class, Place, Within};
use crate::program::AttrKind;

impl Evaluator<'_> {
    pub(super) fn check_defaults(&mut self) -> Done {
        let program = self.program;
        for entity in program.entities.values() {
            for (name, attr) in &entity.own {
                let definition = &program.attrs[*attr];
                let AttrKind::Plain(ty) = &definition.kind else { continue };
                let Some(default) =
                    entity.slots.get_index_of(name).and_then(|slot| entity.defaults.get(slot)?.as_ref())
                else {
                    continue;
                };
                self.check(&default.value, ty).map_err(|mut fault| {
                    if matches!(fault.class, Class::Runtime | Class::Typing) && fault.message.starts_with("Invalid ") {
                        (fault.within, fault.place) = (None, None);
                    }
                    fault.within(Within::Text(definition.text.clone())).at(Place::Column(definition.span))
                })?;
            }
        }
        Ok(())
    }
}
