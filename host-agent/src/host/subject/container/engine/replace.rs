//! Replaces a container by a new one of the same name. What may fail comes first: until the engine has made the new one, under
//! another name, the old one runs on.

use super::{Engine, LEAVING, PAUSE};
use crate::network::http::Method;
use mclive_base::vocab::container::{Phase, Spec};
use mclive_base::vocab::{HostError, HostErrorKind};
use tokio::time::Instant;

/// The end of the name of a container that has not taken its place yet.
const BESIDE: &str = ".mclive-new";

impl Engine {
    pub(in super::super) async fn create(&self, version: &str, name: &str, spec: &Spec) -> Result<(), HostError> {
        self.clear(version, name).await?;
        self.make_container(version, name, name, spec).await
    }

    pub(in super::super) async fn replace(
        &self,
        version: &str,
        name: &str,
        spec: &Spec,
        now: Phase,
    ) -> Result<(), HostError> {
        self.clear(version, name).await?;
        self.make_container(version, name, &beside(name), spec).await?;
        let taken = self.take_place(version, name, now).await;
        if taken.is_err() {
            // That it could not be replaced is reported in any case.
            let _ = self.clear(version, name).await;
        }
        taken
    }

    /// Removes what an agent left that was killed.
    async fn clear(&self, version: &str, name: &str) -> Result<(), HostError> {
        self.remove(version, &beside(name)).await
    }

    async fn take_place(&self, version: &str, name: &str, now: Phase) -> Result<(), HostError> {
        match now {
            Phase::Stopped => {}
            Phase::Running | Phase::Restarting => self.stop(version, name).await?,
            // Podman does not stop what is paused.
            Phase::Paused => {
                self.unpause(version, name).await?;
                self.stop(version, name).await?;
            }
        }
        self.remove(version, name).await?;
        let what = format!("rename the new container to {name}");
        let began = Instant::now();
        loop {
            let path = format!("/containers/{}/rename?name={name}", beside(name));
            let renamed = self.make(self.message(Method::POST, version, &path), &[204], &what).await;
            match renamed {
                // The name of a removed container becomes free a little later.
                Err(error) if error.kind != HostErrorKind::NotFound && began.elapsed() < LEAVING => {}
                renamed => return renamed.map(drop),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

fn beside(name: &str) -> String {
    format!("{name}{BESIDE}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::channel;

    /// The first line of a request, which is read to its end.
    fn request(stream: &TcpStream) -> String {
        let (mut reader, mut n_body) = (BufReader::new(stream), 0);
        let lines: Vec<String> =
            reader.by_ref().lines().map_while(Result::ok).take_while(|it| !it.is_empty()).collect();
        for (name, value) in lines.iter().filter_map(|line| line.split_once(": ")) {
            if name.eq_ignore_ascii_case("Content-Length") {
                n_body = value.parse::<u64>().unwrap();
            }
        }
        std::io::copy(&mut reader.take(n_body), &mut std::io::sink()).unwrap();
        lines[0].trim_end_matches(" HTTP/1.1").to_owned()
    }

    /// The result of replacing a paused container, and what the engine was asked, which answers the creation so.
    fn replaced(status: &'static str, body: &'static str) -> (Result<(), HostError>, Vec<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let engine = Engine::Net(format!("http://{}", listener.local_addr().unwrap()));
        let (send, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let asked = request(&stream);
                let answer = if asked.contains("/create?") {
                    format!("{status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
                } else {
                    "204 No Content\r\nConnection: close\r\n\r\n".to_owned()
                };
                send.send(asked).unwrap();
                let _ = (&stream).write_all(format!("HTTP/1.1 {answer}").as_bytes());
            }
        });
        let spec = Spec { image: "a:1".into(), cmd: Vec::new(), env: Vec::new(), ports: Vec::new() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
        let replaced = runtime.block_on(engine.replace("", "web", &spec, Phase::Paused));
        (replaced, asked.try_iter().collect())
    }

    const BEGIN: [&str; 2] = ["DELETE /containers/web.mclive-new", "POST /containers/create?name=web.mclive-new"];

    #[test]
    fn a_new_container_is_made_before_the_old_one_goes() {
        let (replaced, asked) = replaced("201 Created", "{}");
        let rest = [
            "POST /containers/web/unpause",
            "POST /containers/web/stop?t=10",
            "DELETE /containers/web",
            "POST /containers/web.mclive-new/rename?name=web",
        ];
        assert_eq!((replaced, asked), (Ok(()), [&BEGIN[..], &rest].concat().iter().map(|it| it.to_string()).collect()));
    }

    #[test]
    fn a_container_that_cannot_be_replaced_runs_on() {
        let (replaced, asked) = replaced("400 Bad Request", r#"{"message":"no command specified"}"#);
        assert_eq!(replaced.unwrap_err().message, "create the container web: no command specified");
        assert_eq!(asked, BEGIN);
    }
}
