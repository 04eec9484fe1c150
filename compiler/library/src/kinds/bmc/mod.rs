//! The `bmc` family.

pub(crate) mod firmware;
pub(crate) mod power;

use crate::kinds::Want;
use crate::kinds::url::Url;

/// The name as a URL; nothing when it is none.
fn url<'a>(want: &Want<'a>) -> Url<'a> {
    Url::parse(want.name).unwrap_or_default()
}

/// The controller's host: the field, else that of the name.
fn hostname<'a>(want: &Want<'a>) -> std::borrow::Cow<'a, str> {
    let hostname = want.text("hostname");
    if hostname.is_empty() { url(want).hostname().into() } else { hostname }
}
