//! Passwords: generated from the kernel's randomness, kept in the state directory of their resource.

use super::{Backend, Context, absent, program};
use crate::host::watch::Listener;
use crate::host::{Host, Shared};
use mclive_base::protocol::{ResourceId, Ticket};
use mclive_base::vocab::password::{Finding, Probe, Secret, Step, Watch, password};
use mclive_base::vocab::subjects::Password;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};

/// The token's name in the state directory.
const TOKEN: &str = "password";

impl Backend for Password {
    type State = ();
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        match probe {
            Probe::Token => match at.shared.state.read(at.id, TOKEN) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    Ok(Finding::Token(Some(Secret(text.trim_end_matches('\n').to_owned()))))
                }
                Err(error) if error.kind == HostErrorKind::NotFound => Ok(Finding::Token(None)),
                Err(error) => Err(error),
            },
            Probe::Draw { length } => {
                // A fifth of the bytes are discarded, on average.
                let n_bytes = *length as usize * 2 + 64;
                loop {
                    if let Some(drawn) = password(*length, program::random(n_bytes)?) {
                        return Ok(Finding::Drawn(drawn));
                    }
                }
            }
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        at.shared.state.write(at.id, TOKEN, format!("{}\n", step.token.0).as_bytes())?;
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let file = host.shared.state.place(&ResourceId::new("password", watch.name.as_str()), TOKEN)?;
        host.shared.watcher.add(Listener(ticket.0), &file.to_string_lossy(), false);
        Ok(())
    }
}
