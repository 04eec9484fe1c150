//! `docker:image`: pulls or removes a Docker image. Resource spec, 9.

use super::{claimed, image};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::known_state;
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Field, FieldDefault, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::container::{Step, Watch, tagged};
use crate::vocab::{Step as AnyStep, Watch as AnyWatch};

/// The kind `docker:image`.
pub(crate) struct DockerImage;

static DECL: KindDecl = KindDecl {
    name: "docker:image",
    doc: "Pulls or removes a Docker image.",
    fields: &[
        Field::str("state", "State", "`exists` or `absent`.").default(FieldDefault::Str("exists")),
        Field::str("apiversion", "APIVersion", "Docker API version; negotiated if empty."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Images)],
};

impl Kind for DockerImage {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        known_state(&want.text("state"), &["exists", "absent"])?;
        super::api_version(&want.text("apiversion"))
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::DockerImage(claimed(want.name))]
    }

    fn backend(&self) -> &'static str {
        "Docker or Podman through the Docker API: the socket in `DOCKER_HOST`, otherwise `/var/run/docker.sock` \
         (package `docker.io`), otherwise `/run/podman/podman.sock` (package `podman`). Changes are detected through \
         its events. An image that exists locally is not looked up in a registry. Registry credentials are read from \
         `~/.docker/config.json`."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<AnyWatch> {
        vec![Watch::Images.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (reference, version) = (tagged(want.name), want.text("apiversion").into_owned());
    let step: AnyStep = match (image(walk, &reference, &version)?, &*want.text("state")) {
        (None, "exists") => Step::Pull { reference, version }.into(),
        (Some(id), "absent") => Step::RemoveImage { reference, id: id.to_owned(), version }.into(),
        _ => return Ok(Decision::InState(Vec::new())),
    };
    walk.mend(vec![step])
}
