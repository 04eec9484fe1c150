//! `docker:container`: Runs, stops or removes a container through the Docker API. Resource spec, 9.

use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits};

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
}
