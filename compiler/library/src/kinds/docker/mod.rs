//! The `docker` family.

pub(crate) mod container;
pub(crate) mod image;

use crate::kinds::rules::ensure;

/// `v1.40`, or nothing.
fn api_version(text: &str) -> Result<(), String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let valid = text
        .strip_prefix('v')
        .and_then(|text| text.split_once('.'))
        .is_some_and(|(major, minor)| digits(major) && major.len() == 1 && major != "0" && digits(minor));
    ensure(text.is_empty() || valid, format!("invalid apiversion: {text}"))
}

/// The image with its tag.
fn tagged(image: &str) -> String {
    if image.contains(':') { image.to_owned() } else { format!("{image}:latest") }
}
