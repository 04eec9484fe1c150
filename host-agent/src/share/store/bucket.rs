//! [`Bucket`]: programs as objects of an S3-compatible store, which any number of servers can share.
//!
//! ```text
//! s3://BUCKET/PREFIX     PREFIX/programs/abcdefghij, PREFIX/taken-down
//! AWS_ACCESS_KEY_ID …    keys and region, as for every tool for S3
//! AWS_ENDPOINT_URL_S3    a store that is not Amazon's: http://127.0.0.1:9000
//! ```
//!
//! An object is written on the condition that it does not exist. A store without conditional writes replaces it; the
//! name is a prefix of the content's hash and was free a moment before, so the replaced object is the same program.

use super::{Answer, Blobs, Created};
use crate::lock::Mutex;
use crate::network::amazon::{self, Credentials, Request, Scope};
use crate::network::http::talk::{self, Message};
use crate::network::http::{Bytes, Method};
use crate::share::Id;
use mclive_base::vocab::HostError;
use std::time::{Duration, Instant};

/// The limit of a request with its whole answer, since a client waits.
const PATIENCE: Duration = Duration::from_secs(10);
const TAKEN_DOWN: &str = "taken-down";
/// The pause between two looks for other keys: the service that has them must not be asked at each request.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

pub(crate) struct Bucket {
    /// Up to the bucket, whose name is in the path: stores at a custom address have no subdomains.
    url: String,
    /// Empty, or with a trailing slash.
    prefix: String,
    region: String,
    keys: Keys,
    patience: Duration,
}

/// The keys, and when they were looked up after the store had refused them.
struct Keys {
    now: Mutex<Credentials>,
    looked: tokio::sync::Mutex<Option<Instant>>,
}

impl Keys {
    fn new(now: Credentials) -> Keys {
        Keys { now: Mutex::new(now), looked: tokio::sync::Mutex::default() }
    }

    fn get(&self) -> Credentials {
        self.now.lock().clone()
    }

    /// Others than these, which the store has refused. `find` looks them up, unless that was done a short time ago. `None`:
    /// there are no others yet.
    async fn instead_of(
        &self,
        refused: &Credentials,
        find: impl Future<Output = Result<Credentials, HostError>>,
    ) -> Option<Credentials> {
        // Of several requests at a time one looks, and the others wait for what it finds.
        let mut looked = self.looked.lock().await;
        let now = self.get();
        if now != *refused {
            return Some(now);
        }
        if looked.is_some_and(|at| at.elapsed() < BETWEEN_LOOKS) {
            return None;
        }
        *looked = Some(Instant::now());
        let found = find.await.ok().filter(|found| found != refused)?;
        *self.now.lock() = found.clone();
        Some(found)
    }
}

impl Bucket {
    /// From `s3://BUCKET` or `s3://BUCKET/PREFIX`, and the environment. Errors: what is missing.
    pub(crate) async fn open(name: &str) -> Result<Bucket, String> {
        let rest = name.strip_prefix("s3://").unwrap_or(name).trim_end_matches('/');
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte));
        if bucket.is_empty() || !is_plain(rest) {
            return Err("expected a bucket such as s3://links or s3://links/playground".into());
        }
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")).unwrap_or("us-east-1".into());
        let endpoint = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
        let endpoint = endpoint.unwrap_or_else(|| format!("https://s3.{region}.amazonaws.com"));
        if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
            return Err(format!("the endpoint {endpoint} does not begin with http:// or https://"));
        }
        let keys = Credentials::find(Ok(amazon::METADATA.into())).await.map_err(|error| error.message)?;
        Ok(Bucket {
            url: format!("{}/{bucket}", endpoint.trim_end_matches('/')),
            prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") },
            region,
            keys: Keys::new(keys),
            patience: PATIENCE,
        })
    }

    fn program(&self, id: &Id) -> String {
        format!("{}/{}programs/{id}", self.url, self.prefix)
    }

    async fn say(&self, method: Method, url: String, body: Vec<u8>, is_first: bool) -> Result<talk::Answer, String> {
        let headers = if is_first { vec![("if-none-match", "*".to_owned())] } else { Vec::new() };
        let request = Request { method, url: url.clone(), headers, body };
        // The patience of a message is for each silence: a store that drips would hold up a client for hours.
        match tokio::time::timeout(self.patience, self.say_signed(request)).await {
            Ok(said) => said.map_err(|error| error.message),
            Err(_) => Err(format!("{url}: no response within {} s", self.patience.as_secs())),
        }
    }

    /// The keys of an instance are valid for some hours, and others may be renewed: then the new ones are found.
    async fn say_signed(&self, request: Request) -> Result<talk::Answer, HostError> {
        let scope = Scope { region: &self.region, service: "s3" };
        let keys = self.keys.get();
        let message = |keys: &Credentials| Message { patience: PATIENCE, ..request.clone().signed(keys, &scope) };
        let answer = talk::say(None, message(&keys)).await?;
        if !is_of_old_keys(&answer) {
            return Ok(answer);
        }
        match self.keys.instead_of(&keys, Credentials::find(Ok(amazon::METADATA.into()))).await {
            Some(others) => talk::say(None, message(&others)).await,
            None => Ok(answer),
        }
    }

    async fn get(&self, url: String) -> Result<Option<Bytes>, String> {
        let answer = self.say(Method::GET, url.clone(), Vec::new(), false).await?;
        match answer.status.as_u16() {
            200 => Ok(Some(answer.body.into())),
            // Without the right to list a bucket, a missing object is a 403; wrong keys are reported in the body.
            404 => match reason(&answer.body) {
                Some(code) if code == "NoSuchBucket" => Err(format!("{url}: no such bucket")),
                _ => Ok(None),
            },
            _ => Err(refused(&url, &answer)),
        }
    }

    async fn put(&self, url: String, content: Bytes) -> Result<Created, String> {
        self.write(url, content, &[true, false]).await
    }

    /// Tries to write, on the condition that nothing is there or without one.
    async fn write(&self, url: String, content: Bytes, is_first: &[bool]) -> Result<Created, String> {
        for is_first in is_first.iter().copied() {
            let answer = self.say(Method::PUT, url.clone(), content.to_vec(), is_first).await?;
            match answer.status.as_u16() {
                200 => return Ok(Created::New),
                409 | 412 => return Ok(Created::NameTaken),
                // It has no conditional writes.
                501 if is_first => {}
                _ => return Err(refused(&url, &answer)),
            }
        }
        Err(format!("{url}: cannot write to it"))
    }
}

/// Whether a request was refused because its keys are no longer valid.
fn is_of_old_keys(answer: &talk::Answer) -> bool {
    let codes = ["ExpiredToken", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId"];
    answer.status.is_client_error() && reason(&answer.body).is_some_and(|code| codes.contains(&&*code))
}

/// The code of an error in S3's XML.
fn reason(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    code.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| code.to_owned())
}

fn refused(url: &str, answer: &talk::Answer) -> String {
    let code = reason(&answer.body).map(|code| format!(" ({code})")).unwrap_or_default();
    format!("{url}: the store returned {}{code}", answer.status.as_u16())
}

impl Blobs for Bucket {
    fn read<'a>(&'a self, id: &'a Id) -> Answer<'a, Option<Bytes>> {
        Box::pin(self.get(self.program(id)))
    }

    fn create<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, Created> {
        Box::pin(self.put(self.program(id), content))
    }

    fn replace<'a>(&'a self, id: &'a Id, content: Bytes) -> Answer<'a, ()> {
        Box::pin(async move { self.write(self.program(id), content, &[false]).await.map(drop) })
    }

    /// An object is there once it is safe.
    fn sync<'a>(&'a self, _: &'a Id) -> Answer<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn place(&self, id: &Id) -> String {
        self.program(id)
    }

    fn taken_down(&self) -> Answer<'_, Option<Bytes>> {
        Box::pin(self.get(format!("{}/{}{TAKEN_DOWN}", self.url, self.prefix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn keys_that_the_store_refuses_are_looked_up_once_in_a_while() {
        let (old, new) = (Credentials::nobody(), Credentials::named("new"));
        let (keys, n_looked) = (Keys::new(old.clone()), Cell::new(0));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let others = |there: &Credentials| {
            let find = async {
                n_looked.set(n_looked.get() + 1);
                Ok(there.clone())
            };
            runtime.block_on(keys.instead_of(&old, find))
        };
        assert!(others(&old).is_none());
        assert!(others(&new).is_none() && n_looked.get() == 1, "it was looked a moment ago");
        *keys.looked.try_lock().unwrap() = None;
        assert!(others(&new) == Some(new.clone()) && n_looked.get() == 2);
        // Another request that was refused with the old ones.
        assert!(others(&old) == Some(new.clone()) && n_looked.get() == 2);
    }

    #[test]
    fn a_store_that_drips_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/links", listener.local_addr().unwrap());
        let dripping = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n");
            // The other end closes the connection when it has waited long enough.
            let mut n_left = 3000;
            while n_left > 0 && stream.write_all(b"x").is_ok() {
                n_left -= 1;
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let (prefix, region, keys) = (String::new(), "us-east-1".to_owned(), Keys::new(Credentials::nobody()));
        let bucket = Bucket { url, prefix, region, keys, patience: Duration::from_secs(1) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
        let read = runtime.block_on(bucket.read(&Id::parse("abcdefghij").unwrap()));
        assert!(read.as_ref().is_err_and(|why| why.contains("no response within 1 s")), "{read:?}");
        // With it goes the connection.
        drop(runtime);
        dripping.join().unwrap();
    }
}
