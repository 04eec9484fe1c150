//! Checks that defaults fit the types of their attributes. Spec, 6.2.

use super::Evaluator;
use crate::fault::{Class, Failure, Location, Within};
use crate::program::AttrKind;

impl Evaluator<'_> {
    /// Checks all defaults. Those that do not fit are not assigned later.
    pub(super) fn check_defaults(&mut self) -> Vec<Failure> {
        let program = self.program;
        let mut faults = Vec::new();
        for entity in program.entities.values() {
            for (name, attr) in &entity.own {
                let definition = &program.attrs[*attr];
                let AttrKind::Plain(ty) = &definition.kind else { continue };
                let Some(default) =
                    entity.slots.get_index_of(name).and_then(|slot| entity.defaults.get(slot)?.as_ref())
                else {
                    continue;
                };
                if let Err(mut fault) = self.check(&default.value, ty) {
                    if matches!(fault.class, Class::Runtime | Class::Typing) && fault.message.starts_with("Invalid ") {
                        (fault.within, fault.place) = (None, None);
                    }
                    let is_end = fault.class == Class::Limit;
                    let within = Within::Text(definition.text.clone());
                    faults.push(fault.within(within).at(Location::Column(definition.span)));
                    self.bad_defaults.insert(*attr);
                    if is_end {
                        return faults;
                    }
                }
            }
        }
        faults
    }
}
