//! The `docker` family.

pub(crate) mod container;
pub(crate) mod image;

use crate::kinds::Decision;
use crate::kinds::rules::ensure;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::Finding;
use crate::vocab::container::{Finding as Found, Probe};

/// `v1.40`, or empty.
fn api_version(text: &str) -> Result<(), String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_valid = |number: &str| {
        number
            .split_once('.')
            .is_some_and(|(major, minor)| digits(major) && major.len() == 1 && major != "0" && digits(minor))
    };
    let valid = text.is_empty() || text.strip_prefix('v').is_some_and(is_valid);
    ensure(
        valid,
        match is_valid(text) {
            true => format!("`apiversion` must be written as `v{text}`"),
            false => format!("`apiversion` must be a version such as `v1.40`, not `{text}`"),
        },
    )
}

/// The text by which a container finds the resource of its image: here any colon counts as that of a tag.
fn claimed(image: &str) -> String {
    if image.contains(':') { image.to_owned() } else { format!("{image}:latest") }
}

/// The id of a local image.
fn image<'a>(walk: &mut Walk<'a>, reference: &str, version: &str) -> Result<Option<&'a str>, Decision> {
    let probe = Probe::Image { reference: reference.to_owned(), version: version.to_owned() };
    match &walk.look(vec![probe.into()])?[0] {
        Finding::Container(Found::Image(id)) => Ok(id.as_deref()),
        other => Err(cannot_tell(other)),
    }
}
