//! Attributes of a machine's firmware: files of sysfs, each written with one call.

use super::{Backend, Context, absent};
use crate::host::{Host, Shared, fs};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::attribute::Step;
use mclive_base::vocab::subjects::Attribute;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};

impl Backend for Attribute {
    type State = ();
    absent! { probe watch fact }

    fn step(at: &Context, Step { path, value, .. }: &Step) -> Result<Outcome, HostError> {
        let written = fs::write_whole(at.shared.policy.changes(), path, format!("{value}\n").as_bytes());
        written.map_err(|error| match error.kind {
            HostErrorKind::PermissionDenied => {
                let help = "if the firmware has an administrator password, pass it to the kernel first";
                HostError::new(error.kind, format!("{}: {help}", error.message))
            }
            _ => error,
        })?;
        Ok(Outcome::Done)
    }
}
