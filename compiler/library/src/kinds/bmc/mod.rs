//! The `bmc` family.

pub(crate) mod firmware;
pub(crate) mod power;

use crate::kinds::url::{Url, decoded};
use crate::kinds::{Decision, Want};
use crate::vocab::controller::{Controller, Language};
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
    let scheme = if driver.ends_with('s') { "https" } else { "http" };
    Ok(Controller {
        language: if driver.starts_with("rpc") { Language::Rpc } else { Language::Redfish },
        address: format!("{scheme}://{}:{port}", hostname(want)),
        user: field("username", user),
        password: Secret(field("password", password.unwrap_or_default())),
    })
}
