//! `docker:container`: Runs, stops or removes a container through the Docker API. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::{known_state, one_of};
use crate::kinds::{Claim, Direction, Field, FieldDefault, HostType, Kind, KindDecl, Traits, Want, WantBatch, compare};

/// The kind `docker:container`.
pub(crate) struct DockerContainer;

static DECL: KindDecl = KindDecl {
    name: "docker:container",
    doc: "Runs, stops or removes a container through the Docker API.",
    fields: &[
        Field::str("state", "State", "running, stopped or removed.").default(FieldDefault::Str("running")),
        Field::str("image", "Image", "Image name (mandatory).").required(),
        Field::strs("cmd", "Cmd", "Command vector."),
        Field::strs("env", "Env", "NAME=value entries."),
        Field::new(
            "ports",
            "Ports",
            HostType::Map(&HostType::Str, &HostType::Map(&HostType::Int64, &HostType::Int64)),
            "protocol to {host port: container port}.",
        ),
        Field::str("apiversion", "APIVersion", "Docker API version such as v1.40; empty negotiates."),
        Field::bool("force", "Force", "Replace a container that uses a different image."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for DockerContainer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        known_state(&state, &["running", "stopped", "removed"])?;
        ensure(!want.text("image").is_empty(), "image must be specified")?;
        for variable in want.texts("env") {
            let valid = variable.contains('=') && !variable.contains(' ');
            ensure(valid, format!("invalid environment variable: {variable}"))?;
        }
        for (protocol, ports) in want.map("ports").iter() {
            let protocol = protocol.as_text().unwrap_or_default();
            one_of(&protocol, &["tcp", "udp", "sctp"], || "ports primary key should be tcp, udp or sctp".into())?;
            let numbers =
                ports.as_map().into_iter().flat_map(|ports| ports.iter()).flat_map(|(host, inside)| [host, inside]);
            let valid = numbers.into_iter().all(|port| port.as_int().is_some_and(|port| (1..=65535).contains(&port)));
            ensure(valid, "ports must be between 1 and 65535")?;
        }
        super::api_version(&want.text("apiversion"))
    }

    /// The order of the command's words and of the environment does not count.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        for field in one.decl.fields {
            match field.name {
                "cmd" | "env" => compare::unordered(field.name, one, other)?,
                name => compare::field_equal(field, one.set(name), other.set(name))?,
            }
        }
        Ok(())
    }

    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let direction = if want.text("state") == "removed" { Direction::After } else { Direction::Before };
        let image = Claim::DockerImage(super::tagged(&want.text("image")));
        vec![WantBatch { claims: vec![(image, direction)], first_only: false }]
    }
}
