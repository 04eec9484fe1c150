//! Module `datetime`. Functions spec, 7.2: whole seconds since 1970, shown in the host's time zone.

pub(crate) mod civil;
mod format;
mod now;
mod parts;
mod weekday_fast;
pub(crate) mod zone;

pub(super) static DEFS: &[&super::FnDef] =
    &[&now::DEF, &now::TEXT, &weekday_fast::DEF, &parts::WEEKDAY, &parts::HOUR, &parts::PRINT, &format::DEF];
