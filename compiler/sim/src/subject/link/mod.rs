//! Network interfaces: the world's [`Links`](crate::Links). There is no systemd-networkd.

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, done, exists, hash, no_such};
use crate::World;
use crate::vocab::link::{Address, Fact, Finding, LinkState, Probe, Step, Watch};
use crate::vocab::subjects::Link;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};
use state::Interface;

impl Simulated for Link {
    type State = state::Links;
}

impl Play for Link {
    const TITLE: &'static str = "Network";
    const ADDS: Adds = &[("network interface", "", "eth1")];

    fn holds(world: &World) -> Vec<Thing> {
        let link = |link: &Interface| {
            let addresses: Vec<String> = link.state.addresses.iter().map(|address| address.to_string()).collect();
            let (state, verb) = if link.state.is_up { ("up", "set down") } else { ("down", "set up") };
            let thing = Thing::new(&link.name).fixed("state", state).field("addresses", addresses.join(" "));
            thing.verbs(&[verb]).verbs(if link.is_loopback { &[] } else { &["delete"] })
        };
        world.subjects.link.interfaces.iter().map(link).collect()
    }

    /// It is down and has no address.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        if world.subjects.link.interfaces.iter().any(|link| link.name == *thing) {
            return Err(exists(&format!("network interface {thing}")));
        }
        if !is_name(thing) {
            let rule = "up to 15 visible ASCII characters without `/` and `:`";
            let message = format!("`{thing}` is not a valid network interface name: {rule}");
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        let taken = |mac: &[u8]| world.subjects.link.interfaces.iter().any(|link| link.mac == mac);
        let free = (0..=u8::MAX).map(|last| vec![0x52, 0x54, 0, 0x12, 0x35, last]).find(|mac| !taken(mac));
        world.subjects.link.interfaces.push(Interface {
            name: thing.to_owned(),
            is_loopback: false,
            is_wireless: false,
            mac: free.unwrap_or_default(),
            state: LinkState::default(),
        });
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if matches!(how, Alteration::Do { verb } if verb == "delete") {
            let at = world.subjects.link.interfaces.iter().position(|link| link.name == *thing && !link.is_loopback);
            world.subjects.link.interfaces.remove(at.ok_or_else(|| no_such(thing, how))?);
            return Ok(());
        }
        let link = world.subjects.link.interfaces.iter_mut().find(|link| link.name == *thing);
        match (how, link) {
            (Alteration::Do { verb }, Some(link)) if verb == "set up" || verb == "set down" => {
                link.set(verb == "set up");
                Ok(())
            }
            (Alteration::Set { field, value }, Some(link)) if field == "addresses" => {
                let wanted = value.split_whitespace().map(address).collect::<Result<Vec<Address>, _>>()?;
                let held = link.state.addresses.clone();
                held.into_iter().filter(|held| !wanted.contains(held)).for_each(|gone| link.remove(gone));
                wanted.into_iter().for_each(|new| link.add(new));
                Ok(())
            }
            (Alteration::Do { .. } | Alteration::Set { .. }, _) => Err(no_such(thing, how)),
        }
    }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(match probe {
            Probe::State { link } => {
                let found = at.world.subjects.link.interfaces.iter().find(|interface| interface.name == *link);
                Finding::State(found.map(|interface| interface.state.clone()))
            }
            Probe::Manager => Finding::Manager(false),
        }))
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let name = step.link();
        let Some(link) = at.world.subjects.link.interfaces.iter_mut().find(|interface| interface.name == *name) else {
            let message = format!("cannot find network interface {name}");
            return Answer::Now(Err(HostError::new(HostErrorKind::NotFound, message)));
        };
        match step {
            Step::Set { up, .. } => link.set(*up),
            Step::Add { address, .. } => link.add(*address),
            Step::Remove { address, .. } => link.remove(*address),
            Step::Reach { address, .. } => link.reach(*address),
            Step::Gateway { gateway, now, .. } => return done(link.set_gateway(*gateway, now.as_ref())),
            Step::Unroute { route, .. } => link.state.routes.retain(|held| held != route),
            Step::Reconfigure { .. } => {}
        }
        Answer::Now(Ok(Outcome::Done))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        let concerns = |interface: &&Interface| match watch {
            Watch::All => true,
            Watch::One { link } => interface.name == *link,
        };
        Some(hash(&world.subjects.link.interfaces.iter().filter(concerns).collect::<Vec<_>>()))
    }

    fn fact(world: &mut World, _: u64, Fact::Interfaces: &Fact) -> Result<Datum, HostError> {
        Ok(Datum::List(world.subjects.link.interfaces.iter().map(Interface::datum).collect()))
    }
}

/// Whether the kernel takes it as a name.
fn is_name(name: &str) -> bool {
    let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'/' && byte != b':';
    !matches!(name, "" | "." | "..") && name.len() <= 15 && name.bytes().all(is_visible)
}

/// Parses an address with its prefix length. Errors: it is not one.
fn address(text: &str) -> Result<Address, HostError> {
    let parse = |(ip, length): (&str, &str)| Some(Address { ip: ip.parse().ok()?, length: length.parse().ok()? });
    let is_valid = |address: &Address| address.length <= if address.ip.is_ipv4() { 32 } else { 128 };
    let message = || format!("`{text}` is not an address with a prefix length, such as 192.0.2.10/24");
    let address = text.split_once('/').and_then(parse).filter(is_valid);
    address.ok_or_else(|| HostError::new(HostErrorKind::Other, message()))
}
