//! Functions without a module: the targets of syntax, and those in scope everywhere. Functions
//! spec, sections 4, 5 and 6.

mod collect;
mod concat;
mod contains;
mod field;
mod history;
mod len;
mod lookup;
mod operator;
mod panic;
mod random;

pub(crate) use lookup::{LIST_RUN, MAP_RUN};

use super::{FnDef, FnError, World};

pub(super) static DEFS: &[&FnDef] = &[
    &operator::DEF,
    &lookup::SUBSCRIPT,
    &field::DEF,
    &field::OPTIONAL,
    &collect::DEF,
    &concat::DEF,
    &contains::DEF,
    &history::DEF,
    &len::DEF,
    &lookup::LIST,
    &lookup::MAP,
    &panic::DEF,
    &panic::DEBUG,
    &random::DEF,
];

/// A function with a key works with the first one that it gets. Functions spec, section 2.
///
/// Errors: fatal, when the key is another one than before.
pub(super) fn keep_first(world: &mut dyn World, key: &str, what: &str) -> Result<(), FnError> {
    let state = world.state();
    match state.as_ref().and_then(|state| state.downcast_ref::<String>()) {
        Some(known) if known == key => Ok(()),
        Some(known) => Err(FnError::fatal(format!("can't change {what}, previously: `{known}`"))),
        None => {
            *state = Some(Box::new(key.to_string()));
            Ok(())
        }
    }
}
