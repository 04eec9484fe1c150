//! Modules `sys` and `sys/fwupd`: the machine and the environment. Functions spec, 7.17.

mod cpu;
mod env;
mod fwupd;
mod host;

pub(super) static DEFS: &[&super::FnDef] =
    &[&cpu::DEF, &env::GET, &env::HAS, &env::ALL, &host::HOSTNAME, &host::LOAD, &host::UPTIME, &fwupd::DEF];
