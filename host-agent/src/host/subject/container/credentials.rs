//! The user's credentials for registries, in `~/.docker/config.json`.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::{Value, json};

/// The header for a registry, if there is a login for it.
pub(super) fn of(image: &str) -> Option<String> {
    let home = std::env::var_os("HOME")?;
    let text = std::fs::read(std::path::Path::new(&home).join(".docker/config.json")).ok()?;
    in_file(&text, image)
}

fn in_file(text: &[u8], image: &str) -> Option<String> {
    const HUB: &str = "https://index.docker.io/v1/";
    // The first part is a registry if it could not be anything else.
    let first = image.split('/').next().filter(|first| first.len() < image.len());
    let registry = first.filter(|first| first.contains(['.', ':']) || *first == "localhost").unwrap_or(HUB);
    let file: Value = serde_json::from_slice(text).ok()?;
    let login = file.get("auths")?.get(registry)?.get("auth")?.as_str()?;
    let login = String::from_utf8(STANDARD.decode(login).ok()?).ok()?;
    let (user, password) = login.split_once(':')?;
    let header = json!({ "username": user, "password": password, "serveraddress": registry });
    Some(URL_SAFE.encode(header.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_for_its_registry() {
        let file = format!(r#"{{"auths":{{"h:5000":{{"auth":"{}"}}}}}}"#, STANDARD.encode("me:pw:1"));
        let header = in_file(file.as_bytes(), "h:5000/x").unwrap();
        let header: Value = serde_json::from_slice(&URL_SAFE.decode(header).unwrap()).unwrap();
        assert_eq!((header["username"].as_str(), header["password"].as_str()), (Some("me"), Some("pw:1")));
        assert!(in_file(file.as_bytes(), "x").is_none() && in_file(file.as_bytes(), "other/x").is_none());
        assert!(in_file(b"not json", "h:5000/x").is_none());
    }
}
