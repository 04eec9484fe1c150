//! `docker:image`: Pulls or removes a Docker image. Resource spec, 9.

use crate::kinds::rules::known_state;
use crate::kinds::{Claim, Field, FieldDefault, Kind, KindDecl, Traits, Want};

/// The kind `docker:image`.
pub(crate) struct DockerImage;

static DECL: KindDecl = KindDecl {
    name: "docker:image",
    doc: "Pulls or removes a Docker image.",
    fields: &[
        Field::str("state", "State", "exists or absent.").default(FieldDefault::Str("exists")),
        Field::str("apiversion", "APIVersion", "Docker API version; empty negotiates."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
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
        vec![Claim::DockerImage(super::tagged(want.name))]
    }
}
