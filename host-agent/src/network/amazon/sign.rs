//! Signatures for Amazon's interfaces, version 4.

use super::Credentials;
use crate::network::http::Method;
use crate::network::http::talk::Message;
use crate::network::mac::{hex, hmac};
use crate::utc::utc;
use mclive_base::hash::sha256;
use mclive_base::vocab::request;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// The scope of a signature.
pub(crate) struct Scope<'a> {
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
}

/// A request to sign. The path of its URL needs no escapes, and there is no query.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn signed(self, keys: &Credentials, scope: &Scope) -> Message {
        let Request { method, url, mut headers, body } = self;
        let date = date(SystemTime::now());
        headers.extend([("host", host(&url)), ("x-amz-date", date.clone())]);
        // S3 requires it as a header, too.
        if scope.service == "s3" {
            headers.push(("x-amz-content-sha256", hex(&sha256(&body))));
        }
        headers.extend(keys.token.clone().map(|token| ("x-amz-security-token", token)));
        headers.sort();
        let asked = Asked { method: method.as_str(), path: path(&url), headers: &headers, body: &body };
        let authorization = asked.sign(&date, keys, scope);
        let mut message = Message::new(method, url).header("Authorization", authorization);
        message.headers.extend(headers.into_iter().filter(|(name, _)| *name != "host"));
        message.body = body;
        message
    }
}

/// `/` if a URL has none.
fn path(url: &str) -> &str {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// As the client sends it: without the default port.
fn host(url: &str) -> String {
    let authority = request::authority(url);
    let usual = if url.starts_with("https:") { ":443" } else { ":80" };
    authority.strip_suffix(usual).unwrap_or(&authority).to_owned()
}

/// The parts of a request that are signed, with sorted headers.
struct Asked<'a> {
    method: &'a str,
    path: &'a str,
    headers: &'a [(&'static str, String)],
    body: &'a [u8],
}

impl Asked<'_> {
    /// The value of `Authorization`.
    fn sign(&self, date: &str, keys: &Credentials, scope: &Scope) -> String {
        let Asked { method, path, headers, body } = self;
        let mut asked = format!("{method}\n{path}\n\n");
        for (name, value) in *headers {
            writeln!(asked, "{name}:{value}").expect("a text takes all");
        }
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        write!(asked, "\n{names}\n{}", hex(&sha256(body))).expect("a text takes all");
        let Scope { region, service } = scope;
        let day = &date[..8];
        let scope = format!("{day}/{region}/{service}/aws4_request");
        let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex(&sha256(asked.as_bytes())));
        let key = format!("AWS4{}", keys.secret).into_bytes();
        let key = [day, region, service, "aws4_request"]
            .into_iter()
            .fold(key, |key, part| hmac(&key, part.as_bytes()).to_vec());
        let signature = hex(&hmac(&key, text.as_bytes()));
        format!("AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}", keys.id)
    }
}

/// `20150830T123600Z`.
fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    utc(seconds, 0).replace(['-', ':'], "").replace(".000", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SCOPE: Scope = Scope { region: "us-east-1", service: "service" };

    fn keys() -> Credentials {
        let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned();
        Credentials { id: "AKIDEXAMPLE".into(), secret, token: None }
    }

    /// The published test vectors `post-vanilla` and `post-x-www-form-urlencoded`.
    #[test]
    fn signatures_are_those_that_are_published() {
        let date = "20150830T123600Z";
        let mut headers = vec![("host", "example.amazonaws.com".to_owned()), ("x-amz-date", date.to_owned())];
        let sign = |headers: &[(&'static str, String)], body: &[u8]| {
            Asked { method: "POST", path: "/", headers, body }.sign(date, &keys(), &SCOPE)
        };
        let plain = sign(&headers, b"");
        assert!(plain.ends_with("=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"), "{plain}");
        headers.insert(0, ("content-type", "application/x-www-form-urlencoded".to_owned()));
        let form = sign(&headers, b"Param1=value1");
        assert!(form.ends_with("=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"), "{form}");
    }

    #[test]
    fn dates() {
        for (seconds, expect) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expect);
        }
    }

    /// The example of a signed request for an object in the documentation of S3.
    #[test]
    fn an_object_is_asked_for_as_documented() {
        let date = "20130524T000000Z";
        let headers = [
            ("host", "examplebucket.s3.amazonaws.com".to_owned()),
            ("range", "bytes=0-9".to_owned()),
            ("x-amz-content-sha256", hex(&sha256(b""))),
            ("x-amz-date", date.to_owned()),
        ];
        let asked = Asked { method: "GET", path: "/test.txt", headers: &headers, body: b"" };
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned();
        let keys = Credentials { id: "AKIAIOSFODNN7EXAMPLE".into(), secret, token: None };
        let signed = asked.sign(date, &keys, &Scope { region: "us-east-1", service: "s3" });
        assert!(signed.ends_with("=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"), "{signed}");
        assert_eq!(path("http://127.0.0.1:9000/links/p/taken-down"), "/links/p/taken-down");
        assert_eq!(path("https://example.org"), "/");
    }

    #[test]
    fn the_host_is_signed_as_it_is_sent() {
        assert_eq!(host("https://ec2.eu-west-1.amazonaws.com"), "ec2.eu-west-1.amazonaws.com");
        assert_eq!(host("http://127.0.0.1:5000"), "127.0.0.1:5000");
    }
}
