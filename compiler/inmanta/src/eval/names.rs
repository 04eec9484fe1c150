//! Instances in texts. Spec, 2.6.

use super::Evaluator;
use crate::fault::Location;
use crate::value::{InstId, Namer};

impl Namer for Evaluator<'_> {
    fn instance(&self, instance: InstId) -> String {
        let known = &self.store.instances[instance];
        let mut places: Vec<String> = Vec::new();
        for construct in &known.constructs {
            let place = self.texts().place(self.place(*construct));
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let name = &self.program.entities[known.entity].full_name;
        format!("{name} (instantiated at {})", places.join(","))
    }

    fn instance_inside(&self, instance: InstId) -> String {
        let name = &self.program.entities[self.store.instances[instance].entity].full_name;
        format!("{name} {:x}", instance.0)
    }
}

impl Evaluator<'_> {
    /// The last construction of an instance.
    pub(super) fn instance_place(&self, instance: InstId) -> Option<Location> {
        self.store.instances[instance].constructs.last().map(|construct| self.place(*construct))
    }
}
