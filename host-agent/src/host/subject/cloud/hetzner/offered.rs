//! What Hetzner Cloud offers for new servers: images, server types and places, each by its name or id.

use super::Hetzner;
use crate::network::http::Method;
use crate::network::http::talk::escaped;
use mclive_base::vocab::HostError;
use serde_json::Value;

impl Hetzner {
    /// Whether there is an image. A deprecated one, which lists leave out unless they are asked for it, can still be used
    /// for some time.
    pub(in super::super) async fn has_image(&self, image: &str) -> Result<bool, HostError> {
        Ok(self.offered("image", image, "include_deprecated=true&").await?.is_some())
    }

    /// Whether there is a server type, at this place unless it is empty.
    pub(in super::super) async fn has_server_type(&self, name: &str, place: &str) -> Result<bool, HostError> {
        let found = self.offered("server_type", name, "").await?;
        Ok(found.is_some_and(|found| place.is_empty() || is_sold(&found, place)))
    }

    pub(in super::super) async fn has_place(&self, place: &str) -> Result<bool, HostError> {
        Ok(self.offered(kind_of(place), place, "").await?.is_some())
    }

    /// What the API returns for it. The name of its list has an `s` at the end.
    async fn offered(&self, kind: &str, key: &str, query: &str) -> Result<Option<Value>, HostError> {
        let named = self.list(&format!("{kind}s"), &format!("name={}&{query}", escaped(key))).await?;
        let named = named.into_iter().find(|known| known["name"] == *key);
        if named.is_some() || !is_id(key) {
            return Ok(named);
        }
        let path = format!("{kind}s/{key}");
        match self.say(Method::GET, &path, &Value::Null).await? {
            Ok(answer) => Ok(Some(answer[kind].clone())),
            Err(denial) if denial.code == "not_found" => Ok(None),
            Err(denial) => Err(denial.error(&path)),
        }
    }
}

/// Whether a place is a datacenter or a location. Datacenters are deprecated, but accepted.
pub(super) fn kind_of(place: &str) -> &'static str {
    if place.contains("-dc") { "datacenter" } else { "location" }
}

fn is_id(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether a server type has a price at a place, as it has at each location that offers it. Without prices, or with the id of
/// a place, this is unknown until a server is created.
fn is_sold(server_type: &Value, place: &str) -> bool {
    let location = place.split("-dc").next().unwrap_or(place);
    let prices = server_type["prices"].as_array().map(Vec::as_slice).unwrap_or_default();
    is_id(place) || prices.is_empty() || prices.iter().any(|price| price["location"] == *location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::password::Secret;
    use serde_json::json;
    use std::io::{BufRead, BufReader, Write};
    use tokio::runtime::{Builder, Runtime};

    /// The answer to a path, with an empty list or a refusal for everything that is not known.
    fn answer(path: &str) -> (&'static str, Value) {
        let server_type = json!({ "name": "cx22", "prices": [{ "location": "fsn1" }, { "location": "nbg1" }] });
        let known = [
            ("/images/7", json!({ "image": { "id": 7 } })),
            ("/images?name=debian-12&", json!({ "images": [{ "name": "debian-12" }] })),
            ("/images?name=debian-10&include_deprecated=true&", json!({ "images": [{ "name": "debian-10" }] })),
            ("/server_types/22", json!({ "server_type": server_type })),
            ("/server_types?name=cx22&", json!({ "server_types": [server_type] })),
            ("/server_types?name=old&", json!({ "server_types": [{ "name": "old" }] })),
            ("/locations?name=fsn1&", json!({ "locations": [{ "name": "fsn1" }] })),
            ("/locations/3", json!({ "location": { "id": 3 } })),
            ("/datacenters?name=fsn1-dc14&", json!({ "datacenters": [{ "name": "fsn1-dc14" }] })),
        ];
        let is_list = path.contains('?');
        let found = known.into_iter().find(|(key, _)| if is_list { path.starts_with(key) } else { path == *key });
        match (found, path.trim_start_matches('/').split_once('?')) {
            (Some((_, body)), _) => ("200 OK", body),
            (None, Some((list, _))) => ("200 OK", json!({ list: [] })),
            (None, None) => ("404 Not Found", json!({ "error": { "code": "not_found", "message": "not found" } })),
        }
    }

    fn hetzner() -> (Hetzner, Runtime) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let head = BufReader::new(&stream).lines().map_while(Result::ok);
                let head: Vec<String> = head.take_while(|line| !line.is_empty()).collect();
                let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
                let (status, body) = answer(path);
                let body = body.to_string();
                let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
            }
        });
        let runtime = Builder::new_current_thread().enable_io().enable_time().build().unwrap();
        (Hetzner { base, token: Secret("t".into()) }, runtime)
    }

    #[test]
    fn an_image_has_a_name_or_an_id() {
        let (hetzner, runtime) = hetzner();
        for (image, expect) in
            [("debian-12", true), ("debian-10", true), ("7", true), ("debian-99", false), ("8", false)]
        {
            assert_eq!(runtime.block_on(hetzner.has_image(image)), Ok(expect), "{image}");
        }
    }

    #[test]
    fn a_server_type_is_offered_where_it_has_a_price() {
        let (hetzner, runtime) = hetzner();
        for (name, place, expect) in [
            ("cx22", "", true),
            ("cx22", "fsn1", true),
            ("cx22", "nbg1-dc3", true),
            ("cx22", "hil", false),
            ("22", "hil", false),
            ("cx22", "3", true),
            ("old", "hil", true),
            ("cx99", "", false),
            ("99", "", false),
        ] {
            assert_eq!(runtime.block_on(hetzner.has_server_type(name, place)), Ok(expect), "{name} in {place}");
        }
    }

    #[test]
    fn a_place_is_a_location_or_a_datacenter() {
        let (hetzner, runtime) = hetzner();
        for (place, expect) in
            [("fsn1", true), ("fsn1-dc14", true), ("3", true), ("fsn9", false), ("fsn1-dc99", false), ("4", false)]
        {
            assert_eq!(runtime.block_on(hetzner.has_place(place)), Ok(expect), "{place}");
        }
    }
}
