//! `docker:container`: runs, stops or removes a container through the Docker API. Resource spec, 9.

use super::{claimed, image};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state, one_of};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{
    Claim, Decided, Decision, Direction, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Traits, Want, WantBatch,
    compare,
};
use crate::sort;
use crate::vocab::container::{self, Binding, Container, Phase, Probe, Spec, Step, Watch, aside, beside, tagged};
use crate::vocab::{Finding, Probe as AnyProbe, Step as AnyStep, Watch as AnyWatch};
use mclive_base::hash::sha256;
use std::borrow::Cow;

/// The kind `docker:container`.
pub(crate) struct DockerContainer;

static DECL: KindDecl = KindDecl {
    name: "docker:container",
    doc: "Runs, stops or removes a container.",
    fields: &[
        Field::str("state", "State", "`running`, `stopped` or `removed`.").default(FieldDefault::Str("running")),
        Field::str("image", "Image", "Image name.").required(),
        Field::strs("cmd", "Cmd", "Command and its arguments.").loosely(),
        Field::strs("env", "Env", "Environment variables as `NAME=value`.").secret(),
        Field::new(
            "ports",
            "Ports",
            HostType::Map(&HostType::Str, &HostType::Map(&HostType::Int64, &HostType::Int64)),
            "Ports as a map from protocol to `{host port: container port}`.",
        ),
        Field::str("apiversion", "APIVersion", "Docker API version such as `v1.40`; negotiated if empty."),
        Field::bool("force", "Force", "Replace a container whose image, command, environment or ports differ."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Containers),
        Required::list(PolicyList::Images),
        Required::list(PolicyList::Listen).case("published ports"),
    ],
};

impl Kind for DockerContainer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        known_state(&state, &["running", "stopped", "removed"])?;
        ensure(!want.text("image").is_empty(), "`image` is missing")?;
        for variable in want.texts("env") {
            let valid = variable.contains('=') && !variable.contains(' ');
            ensure(
                valid,
                format!("each entry of `env` must have the form `NAME=value`, without spaces, not `{variable}`"),
            )?;
        }
        for (protocol, ports) in want.map("ports").iter() {
            let protocol = protocol.as_text().unwrap_or_default();
            one_of(&protocol, &["tcp", "udp", "sctp"], || {
                format!("the keys of `ports` must be `tcp`, `udp` or `sctp`, not `{protocol}`")
            })?;
            let numbers =
                ports.as_map().into_iter().flat_map(|ports| ports.iter()).flat_map(|(host, inside)| [host, inside]);
            let valid = numbers.into_iter().all(|port| port.as_int().is_some_and(|port| (1..=65535).contains(&port)));
            ensure(valid, "the numbers in `ports` must be from 1 to 65535")?;
        }
        super::api_version(&want.text("apiversion"))
    }

    /// The order of the command's words and of the environment is ignored.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        for field in one.decl.fields {
            match field.name {
                "cmd" | "env" => compare::unordered(field.name, one, other)?,
                name => compare::field_equal(field, one.set(name), other.set(name))?,
            }
        }
        Ok(())
    }

    /// Which container has a port of the host. One that does not run has none.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        let published = if want.text("state") == "running" { bindings(want) } else { Vec::new() };
        let what = |port: &Binding| format!("the container that publishes port {}/{}", port.host, port.protocol);
        published.iter().map(|port| Decided::shown(what(port), want.name)).collect()
    }

    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let direction = if want.text("state") == "removed" { Direction::After } else { Direction::Before };
        let image = Claim::DockerImage(claimed(&want.text("image")));
        vec![WantBatch { claims: vec![(image, direction)], first_only: false }]
    }

    fn backend(&self) -> &'static str {
        "Docker or Podman through the Docker API, as for `docker:image`. A missing image is pulled, even if it is not \
         declared as `docker:image`. Changing the image, command, environment or ports of an existing container \
         requires `force`, which replaces it: the old container is kept until the new one runs, and is restored and \
         started if that fails. If the agent is killed in between, the next check completes the replacement; for a \
         container that should be stopped, removing the old one (`NAME.mclive-old`) needs `force`. Each attempt \
         interrupts the container, so it is only repeated after a change, or as `Meta:retry` says."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<AnyWatch> {
        vec![Watch::Container { name: want.name.to_owned() }.into(), Watch::Images.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (name, version, spec) = (want.name.to_owned(), want.text("apiversion").into_owned(), spec(want));
    // An agent that was killed while it replaced this container has left the others.
    let names = [name.clone(), beside(&name), aside(&name)];
    let probe = |name: &String| AnyProbe::from(Probe::Container { name: name.clone(), version: version.clone() });
    let mut found = Vec::new();
    for finding in walk.look(names.iter().map(probe).collect())? {
        match finding {
            Finding::Container(container::Finding::Container(it)) => found.push(it.as_deref()),
            other => return Err(cannot_tell(other)),
        }
    }
    let now = found[0];
    let state = want.text("state");
    if now.is_none() && state != "running" && found.iter().all(Option::is_none) {
        return Ok(Decision::InState(Vec::new()));
    }
    let local = image(walk, &spec.image, &version)?;
    let wrong = now.and_then(|now| difference(&name, now, local, &spec, state == "running"));
    if let Some(why) = wrong.as_ref().filter(|_| !want.bool("force")) {
        return Err(Decision::CannotTell(format!("{why}; set `force => true` to replace it")));
    }
    let mut steps: Vec<Step> = Vec::new();
    let unpause = || Step::Unpause { name: name.clone(), version: version.clone() };
    let stop = |name: &str, now| Step::Stop { name: name.to_owned(), now, version: version.clone() };
    let remove = |name: &str| Step::Remove { name: name.to_owned(), version: version.clone() };
    let start = || Step::Start { name: name.clone(), version: version.clone() };
    let stops = match now.map(|now| now.phase) {
        None | Some(Phase::Stopped) => Vec::new(),
        // Podman does not stop what is paused.
        Some(Phase::Paused) => vec![unpause(), stop(&name, Phase::Running)],
        Some(phase @ (Phase::Running | Phase::Restarting)) => vec![stop(&name, phase)],
    };
    // A replacement removes them itself.
    let removes_left = state != "running" || now.is_none() || wrong.is_none();
    // The new container has not run yet, or there is none: the old one may be the only one with the data.
    let keeps_old = state == "stopped" && !want.bool("force");
    match (&*state, now) {
        ("running", Some(now)) if wrong.is_none() => match now.phase {
            Phase::Running | Phase::Restarting => {}
            Phase::Paused => steps.push(unpause()),
            Phase::Stopped => steps.push(start()),
        },
        ("running", now) => {
            if local.is_none() {
                steps.push(Step::Pull { reference: spec.image.clone(), version: version.clone() });
            }
            let (name, spec, version) = (name.clone(), Box::new(spec), version.clone());
            match now {
                Some(now) => steps.push(Step::Replace { name, spec, now: now.phase, version }),
                None => steps.extend([Step::Create { name, spec, version }, start()]),
            }
        }
        ("stopped", _) => steps.extend(stops),
        _ => {
            steps.extend(stops);
            steps.extend(now.map(|_| remove(&name)));
        }
    }
    let n_removed = if keeps_old { 1 } else { 2 };
    for (name, left) in names.iter().zip(&found).skip(1).take(n_removed).filter(|_| removes_left) {
        let Some(left) = left else { continue };
        if left.phase != Phase::Stopped {
            steps.push(stop(name, left.phase));
        }
        steps.push(remove(name));
    }
    walk.mend(steps.into_iter().map(AnyStep::from).collect())
}

fn spec(want: &Want) -> Spec {
    let texts = |field| -> Vec<String> { want.texts(field).into_iter().map(Cow::into_owned).collect() };
    let (cmd, env) = (texts("cmd"), effective(texts("env")));
    Spec { image: tagged(&want.text("image")), cmd, env, ports: bindings(want) }
}

/// The published ports, sorted.
fn bindings(want: &Want) -> Vec<Binding> {
    let mut ports = Vec::new();
    for (protocol, pairs) in want.map("ports").iter() {
        let protocol = protocol.as_text().unwrap_or_default();
        for (host, inside) in pairs.as_map().into_iter().flat_map(|pairs| pairs.iter()) {
            let number = |port: &crate::value::Value| port.as_int().and_then(|port| u16::try_from(port).ok());
            // Validation has refused everything else.
            let (host, inside) = (number(host).unwrap_or_default(), number(inside).unwrap_or_default());
            ports.push(Binding { protocol: protocol.clone().into_owned(), host, inside });
        }
    }
    sort::items(&mut ports);
    ports
}

/// Of several values of a variable a container gets the last one.
fn effective(env: Vec<String>) -> Vec<String> {
    let variable = |entry: &str| entry.split('=').next().unwrap_or_default().to_owned();
    let mut kept: Vec<String> = Vec::new();
    for entry in env {
        kept.retain(|other| variable(other) != variable(&entry));
        kept.push(entry);
    }
    kept
}

/// Why a container differs from the wanted one. Unset fields are not compared, nor are properties of the image if it is
/// not to run.
fn difference(name: &str, now: &Container, local: Option<&str>, spec: &Spec, runs: bool) -> Option<String> {
    let is_image = match local {
        Some(id) => id == now.image,
        // It still runs, although its image lost that name.
        None => tagged(&now.image_name) == spec.image,
    };
    if !is_image {
        return Some(format!("{name} exists but has the wrong image: {}", now.image_name));
    }
    if !runs {
        return None;
    }
    if !spec.cmd.is_empty() && spec.cmd != now.cmd {
        return Some(format!("{name} exists but runs a different command: {}", now.cmd.join(" ")));
    }
    let told = |entry: &&String| !now.env.contains(&sha256(entry.as_bytes()));
    if let Some(entry) = spec.env.iter().find(told) {
        let variable = entry.split('=').next().unwrap_or_default();
        return Some(format!("{name} exists but {variable} is unset or has a different value"));
    }
    if !spec.ports.is_empty() && spec.ports != now.ports {
        let shown = |port: &Binding| format!("{}:{}/{}", port.host, port.inside, port.protocol);
        let shown: Vec<String> = now.ports.iter().map(shown).collect();
        let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        return Some(format!("{name} exists but has different ports: {shown}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::value::Value;

    #[test]
    fn the_last_value_of_a_variable_counts() {
        let env = ["A=1", "B=2", "AB=3", "A=4"].map(String::from).to_vec();
        assert_eq!(effective(env), ["B=2", "AB=3", "A=4"]);
    }

    #[test]
    fn a_container_that_runs_has_its_ports() {
        let ports = |ports: &[(i64, i64)]| {
            Value::map(ports.iter().map(|(host, inside)| (Value::Int(*host), Value::Int(*inside))))
        };
        let draft = |state: &str| {
            let both =
                Value::map([(Value::str("udp"), ports(&[(53, 5353)])), (Value::str("tcp"), ports(&[(80, 8080)]))]);
            Draft::new("docker:container", "web").text("image", "nginx").text("state", state).set("ports", both)
        };
        let says = |port: &str| format!("the container that publishes port {port}: web");
        assert_eq!(draft("running").decides(), [says("80/tcp"), says("53/udp")]);
        assert_eq!(draft("stopped").decides(), [""; 0]);
        assert_eq!(draft("removed").decides(), [""; 0]);
    }
}
