//! The `dhcp` family.

pub(crate) mod host;
pub(crate) mod range;
pub(crate) mod server;
mod serving;

use crate::kinds::rules::ensure;
use crate::kinds::url::Url;

/// A URL for network boot, or an empty text.
fn boot_url(nbp: &str) -> Result<(), String> {
    if nbp.is_empty() {
        return Ok(());
    }
    let url = Url::parse(nbp)?;
    ensure(!url.scheme.is_empty(), "`nbp` must begin with `tftp://`")?;
    ensure(url.scheme == "tftp", "the scheme of `nbp` must be `tftp`")
}
