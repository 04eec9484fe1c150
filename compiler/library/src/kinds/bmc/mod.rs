//! The `bmc` family.

pub(crate) mod firmware;
pub(crate) mod power;

use crate::kinds::made::hex;
use crate::kinds::rules::ensure;
use crate::kinds::url::{Url, decoded};
use crate::kinds::{Decision, Want};
use crate::vocab::controller::{Controller, Language, fingerprint};
use crate::vocab::password::Secret;

/// The name as a URL; empty if it is not one.
fn url<'a>(want: &Want<'a>) -> Url<'a> {
    Url::parse(want.name).unwrap_or_default()
}

/// The controller's host: the field, otherwise from the name.
fn hostname<'a>(want: &Want<'a>) -> std::borrow::Cow<'a, str> {
    let hostname = want.text("hostname");
    if hostname.is_empty() { url(want).hostname().into() } else { hostname }
}

/// Whether a driver uses TLS.
fn is_secure(driver: &str) -> bool {
    driver.ends_with('s')
}

/// The fingerprint of the only certificate to trust, at the end of the name: `#sha256=…`.
fn pinned(want: &Want, driver: &str) -> Result<Option<[u8; 32]>, String> {
    let text = match want.name.split_once('#') {
        // In other names this sign means nothing.
        Some((_, text)) if text.starts_with("sha256=") || !url(want).scheme.is_empty() => text,
        _ => return Ok(None),
    };
    let found = fingerprint(text)?;
    ensure(is_secure(driver), "a fingerprint needs TLS: use `gofishs`, `rpcs` or `https`")?;
    Ok(Some(found))
}

/// The controller from the fields, and from the name where they are unset. A password in the name must be allowed.
fn controller(want: &Want, driver: &str) -> Result<Controller, Decision> {
    let url = url(want);
    let (user, password) = url.user.unwrap_or_default();
    let field = |field: &str, named: &str| {
        let text = want.text(field);
        if text.is_empty() { decoded(named) } else { text.into_owned() }
    };
    if password.is_some() && want.text("password").is_empty() && !want.bool("insecure_password") {
        let help = "move it to `password`, or set `insecure_password => true`";
        return Err(Decision::CannotTell(format!(
            "the resource name contains a password, which is not kept secret \
                                                 there: {help}"
        )));
    }
    let port = match want.int("port") {
        0 => url.host.strip_prefix(url.hostname()).and_then(|port| port.strip_prefix(':')).unwrap_or("443").to_owned(),
        port => port.to_string(),
    };
    let scheme = if is_secure(driver) { "https" } else { "http" };
    let host = hostname(want);
    // An IPv6 address is in brackets, since its colons would begin the port.
    let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]").into() } else { host };
    let pinned = pinned(want, driver).map_err(Decision::CannotTell)?;
    let pinned = pinned.map_or_else(String::new, |sha256| format!("#sha256={}", hex(&sha256)));
    Ok(Controller {
        language: if driver.starts_with("rpc") { Language::Rpc } else { Language::Redfish },
        address: format!("{scheme}://{host}:{port}{pinned}"),
        user: field("username", user),
        password: Secret(field("password", password.unwrap_or_default())),
    })
}
