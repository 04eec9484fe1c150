//! Module `os`: the host's system. Functions spec, 7.14.

mod distro;
mod family;
mod file;
mod machine;
mod process;
mod user;

pub(super) static DEFS: &[&super::FnDef] = &[
    &process::ARGS,
    &distro::PARSE_UID,
    &distro::RELEASE,
    &user::EXPAND_HOME,
    &family::FAMILY,
    &family::IS_REDHAT,
    &family::IS_DEBIAN,
    &family::IS_ARCHLINUX,
    &file::EXISTS,
    &user::HOME,
    &machine::IS_VIRTUAL,
    &machine::MODINFO_LOADED,
    &file::READFILE,
    &process::SYSTEM,
    &user::UID,
    &user::EXISTS,
];
