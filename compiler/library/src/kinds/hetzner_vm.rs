//! `hetzner:vm`: manages a Hetzner Cloud server by name; polling only. Resource spec, 9.

use crate::kinds::rented::Rented;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state, one_of};
use crate::kinds::walk::Walk;
use crate::kinds::{Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::cloud::{Action, Cloud, Machine, Order, Probe, Stand, Wait};
use crate::vocab::password::Secret;

/// The kind `hetzner:vm`.
pub(crate) struct HetznerVm;

static DECL: KindDecl = KindDecl {
    name: "hetzner:vm",
    doc: "Manages a Hetzner Cloud server by name. Polling only.",
    fields: &[
        Field::str("apitoken", "APIToken", "API token.").required().secret(),
        Field::str("state", "State", "`exists`, `running`, `off`, `absent` or empty."),
        Field::str(
            "allowrebuild",
            "AllowRebuild",
            "What to do if a change requires a rebuild, which destroys all data: empty fails, `ignore` skips the \
             change, `ifneeded` rebuilds.",
        ),
        Field::str("servertype", "ServerType", "Server type."),
        Field::str("datacenter", "Datacenter", "Datacenter."),
        Field::str("image", "Image", "OS image."),
        Field::str("userdata", "UserData", "User data for the first boot.").secret(),
        Field::str("serverrescuemode", "ServerRescueMode", "`linux32`, `linux64`, `freebsd64` or empty."),
        Field::strs("serverrescuekeys", "ServerRescueSSHKeys", "Names of SSH keys for rescue mode."),
        Field::int("waitinterval", "WaitInterval", HostType::Uint32, "Seconds between polls while waiting.")
            .default(FieldDefault::Int(5)),
        Field::int("waittimeout", "WaitTimeout", HostType::Uint32, "Maximum number of seconds to wait.")
            .default(FieldDefault::Int(300)),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Hosts).entry("`api.hetzner.cloud:443`")],
};

impl Kind for HetznerVm {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.text("apitoken").is_empty(), "`apitoken` is empty")?;
        let state = want.text("state");
        known_state(&state, &["", "exists", "running", "off", "absent"])?;
        let rebuild = want.text("allowrebuild");
        one_of(&rebuild, &["", "ignore", "ifneeded"], || {
            format!("`allowrebuild` must be `ignore` or `ifneeded`, not `{rebuild}`")
        })?;
        let rescue = want.text("serverrescuemode");
        one_of(&rescue, &["", "linux32", "linux64", "freebsd64"], || {
            format!("`serverrescuemode` must be `linux32`, `linux64` or `freebsd64`, not `{rescue}`")
        })?;
        ensure(want.meta.poll >= 1, "`Meta:poll` must be at least 1")
    }

    fn backend(&self) -> &'static str {
        "the Hetzner Cloud API. `HCLOUD_ENDPOINT` overrides the endpoint. The server is polled every `Meta:poll` \
         seconds, and each action is followed to completion. Before a server is created or rebuilt, its image, server \
         type and location are looked up, so nothing is deleted for a server that cannot be created. A rebuilt server \
         keeps its server type, image and location where these fields are unset."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }
}

fn walk<'a>(want: &Want, walk: &mut Walk<'a>) -> Result<Decision, Decision> {
    let token = Secret(want.text("apitoken").into_owned());
    let machine = Machine { cloud: Cloud::Hetzner { token }, name: want.name.to_owned() };
    let ms = |field: &str| want.int(field).unsigned_abs() * 1000;
    let wait = Wait { interval_ms: ms("waitinterval"), limit_ms: ms("waittimeout") };
    let mut server = Rented::look(walk, machine, wait)?;
    let state = want.text("state");
    let is_new = server.now.is_none();
    match (&*state, is_new) {
        ("absent", false) => server.change(vec![Action::Delete])?,
        ("absent" | "", true) => {}
        (_, true) => {
            let order = order(want, &mut server, state == "off")?;
            server.change(vec![order])?;
        }
        ("running", false) if server.is(Stand::Off) => server.change(vec![Action::Start])?,
        ("off", false) if server.is(Stand::On) => server.change(vec![Action::Stop])?,
        (_, false) => {}
    }
    let Some(now) = server.now else { return Ok(server.over()) };
    let differs = [("servertype", &now.model), ("datacenter", &now.place), ("image", &now.image)]
        .into_iter()
        .filter_map(|(field, names)| difference(field, &want.text(field), names));
    let differs = differs.collect::<Vec<_>>().join(", ");
    if !is_new && !differs.is_empty() {
        match &*want.text("allowrebuild") {
            "ignore" => {}
            "ifneeded" => {
                let off = state == "off" || state != "running" && server.is(Stand::Off);
                // Nothing is deleted for a server that cannot be created.
                let order = order(want, &mut server, off)?;
                server.change(vec![Action::Delete, order])?;
            }
            _ => {
                let how = "set `allowrebuild => \"ifneeded\"` to delete and recreate it, or \"ignore\" to keep it";
                return Err(Decision::CannotTell(format!("the server {} differs: {differs}; {how}", want.name)));
            }
        }
    }
    let system = want.text("serverrescuemode");
    if !system.is_empty() && server.now.is_some_and(|now| !now.rescue) {
        let keys = want.texts("serverrescuekeys").into_iter().map(|key| key.into_owned()).collect();
        server.change(vec![Action::Rescue { system: system.into_owned(), keys }])?;
    }
    Ok(server.over())
}

/// The difference to the wanted value, if known, in words.
fn difference(field: &str, want: &str, names: &[String]) -> Option<String> {
    let is_other = !want.is_empty() && !names.is_empty() && !names.iter().any(|name| name == want);
    is_other.then(|| format!("{field} {} → {want}", names[0]))
}

/// The order for a new server, of parts that the cloud has. In place of one that exists, it gets the parts of that one where
/// the program sets none.
fn order(want: &Want, server: &mut Rented, off: bool) -> Result<Action, Decision> {
    let now = server.now;
    let (lacks, fails) = match now {
        None => ("does not exist and cannot be created", "created"),
        Some(_) => ("cannot be rebuilt", "rebuilt"),
    };
    let chosen = |field: &str, kept: Option<&String>| match (want.text(field), kept) {
        (text, Some(kept)) if text.is_empty() => kept.clone(),
        (text, _) => text.into_owned(),
    };
    let needed = |field: &str, kept: Option<&String>| {
        let text = chosen(field, kept);
        let missing = || format!("the server {} {lacks} without `{field}`", want.name);
        if text.is_empty() { Err(Decision::CannotTell(missing())) } else { Ok(text) }
    };
    let order = Order {
        model: needed("servertype", now.and_then(|now| now.model.first()))?,
        // Its id, which it has even without a name.
        image: needed("image", now.and_then(|now| now.image.last()))?,
        // The location, where there may be room in another datacenter.
        place: chosen("datacenter", now.and_then(|now| now.place.last())),
        user_data: Secret(want.text("userdata").into_owned()),
        start: !off,
    };
    if let Some(what) = server.missing(parts(want, &order))? {
        let why = format!("cannot find {what}, so the server {} is not {fails}", want.name);
        return Err(Decision::CannotTell(why));
    }
    Ok(Action::Create(order))
}

/// What the cloud must have to create a server, with its words in a message.
fn parts(want: &Want, Order { model, image, place, .. }: &Order) -> Vec<(Probe, String)> {
    let token = Secret(want.text("apitoken").into_owned());
    let cloud = Cloud::Hetzner { token: token.clone() };
    let mut parts = vec![(Probe::Image { cloud, image: image.clone() }, format!("image `{image}`"))];
    if !place.is_empty() {
        let probe = Probe::Place { token: token.clone(), name: place.clone() };
        parts.push((probe, format!("location `{place}`")));
    }
    let at = if place.is_empty() { String::new() } else { format!(" in `{place}`") };
    let probe = Probe::ServerType { token, name: model.clone(), place: place.clone() };
    parts.push((probe, format!("server type `{model}`{at}")));
    parts
}
