//! `sys/fwupd.reboot_needed`.

use crate::corelib::facts::{ask, known};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, machine};

pub(super) static DEF: FnDef = FnDef {
    path: "sys/fwupd.reboot_needed",
    sig: Sig::Fixed("func() bool"),
    doc: "Reports whether a firmware update needs a reboot to complete.\n\nReturns false if no firmware service is \
          running.",
    examples: &[
        Example { call: "fwupd.reboot_needed()", gives: "false" },
        Example { call: "not fwupd.reboot_needed()", gives: "true" },
        Example { call: "fwupd.reboot_needed() == false", gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let fail = |error: FnError| FnError::fatal(format!("could not check the device states: {}", error.message));
        let states = known!(ask(world, &FactSpec::Machine(machine::Fact::FirmwareUpdates)).map_err(fail));
        let needs_reboot = |state: &Value| state.as_int() == Some(4);
        Ok(Some(Value::Bool(states.as_list().is_some_and(|states| states.iter().any(needs_reboot)))))
    }),
};
