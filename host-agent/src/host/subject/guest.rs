//! Machines of this host: systemd-machined reports them, systemd starts and stops them. Interface:
//! org.freedesktop.machine1(5).

mod stop;

use super::{Backend, Context, absent};
use crate::host::bus::{self, Daemon, Line};
use crate::host::{Host, Shared};
use crate::network::bus::{Message, OwnedObjectPath, OwnedVariant, Structure, read};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::guest::{Finding, Move, Probe, Step, Watch};
use mclive_base::vocab::subjects::{Guest, Unit};
use mclive_base::vocab::unit::{self, Active, Job};
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};

static MACHINED: Daemon = Daemon {
    service: "org.freedesktop.machine1",
    absent: "systemd-machined is not available: install the package `systemd-container`",
    comes_when_asked: true,
    topic,
};
const MANAGER: (&str, &str) = ("/org/freedesktop/machine1", "org.freedesktop.machine1.Manager");

impl Backend for Guest {
    type State = ();
    absent! { fact }

    fn probe(at: &Context, Probe { name }: &Probe) -> Result<Finding, HostError> {
        let name = name.clone();
        bus::speak(at, &MACHINED, |line| async move {
            Ok(Finding::Guest { state: state(&line, &name).await?, has_image: has_image(&line, &name).await? })
        })
    }

    fn step(at: &Context, Step { name, change, unit, .. }: &Step) -> Result<Outcome, HostError> {
        match change {
            Move::Start => {
                let unit = unit::Unit::new(unit.as_str(), false);
                // A failed unit is reset first.
                let now = match Unit::probe(at, &unit::Probe::State { unit: unit.clone(), settled: false })? {
                    unit::Finding::State(state) => state.active,
                    unit::Finding::Time(_) => Active::Inactive,
                };
                Unit::step(at, &unit::Step::Job { unit, job: Job::Start, now })
            }
            Move::Stop => stop::stop(at, name, unit).map(|()| Outcome::Done),
            Move::Terminate => {
                let name = name.clone();
                bus::speak(at, &MACHINED, |line| async move {
                    let what = format!("terminate the machine {name}");
                    line.ask(MANAGER, "TerminateMachine", &name.as_str(), &what).await
                })?;
                Ok(Outcome::Done)
            }
        }
    }

    fn watch(host: &mut Host, ticket: Ticket, Watch { name }: &Watch) -> Result<(), HostError> {
        host.hear_daemon(ticket, &MACHINED, name)
    }
}

/// The state of a machine; `None` if it is not running.
async fn state(line: &Line, name: &str) -> Result<Option<String>, HostError> {
    let what = format!("inspect the machine {name}");
    let Some(path) = object(line, "GetMachine", name, &what).await? else { return Ok(None) };
    let properties = (path.as_str(), "org.freedesktop.DBus.Properties");
    let asked = line.ask(properties, "Get", &("org.freedesktop.machine1.Machine", "State"), &what).await;
    let value: OwnedVariant = match asked {
        Ok(answer) => read(&answer, &what)?,
        // It ended in the meantime.
        Err(error) if error.kind == HostErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let odd = |_| HostError::new(HostErrorKind::Other, format!("{what}: its state is not a string"));
    String::try_from(value).map(Some).map_err(odd)
}

async fn has_image(line: &Line, name: &str) -> Result<bool, HostError> {
    let what = format!("inspect the image {name}");
    Ok(object(line, "GetImage", name, &what).await?.is_some())
}

async fn object(line: &Line, method: &str, name: &str, what: &str) -> Result<Option<OwnedObjectPath>, HostError> {
    match line.ask(MANAGER, method, &name, what).await {
        Ok(answer) => read(&answer, what).map(Some),
        Err(error) if error.kind == HostErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The machine of a signal.
fn topic(message: &Message) -> Option<String> {
    let header = message.header();
    let is_ours = matches!(header.member()?.as_str(), "MachineNew" | "MachineRemoved");
    let body = message.body();
    let fields = body.deserialize::<Structure>().ok().filter(|_| is_ours)?;
    fields.fields().first()?.downcast_ref::<String>().ok()
}
