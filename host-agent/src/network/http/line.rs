//! [`Line`]: a connection to a server, for one request after the other.

use super::client::{SILENCE, failed, silent, words};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use mclive_base::vocab::HostError;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

const LARGEST_HEAD: usize = 64 << 10;

/// A request that is ready to be sent.
pub(super) type Asked = Request<Full<Bytes>>;

/// A connection. Dropping it closes it once an answer that is being received is complete.
pub(super) struct Line(SendRequest<Full<Bytes>>);

/// Why a request has no answer.
pub(super) enum Unanswered {
    /// The connection was closed before anything of the request was sent.
    Unsent(Box<Asked>, HostError),
    /// The connection was closed. The server may have received the request.
    Cut(HostError),
    /// The time limit was reached.
    Silent(HostError),
}

impl Line {
    pub(super) async fn open(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        url: &str,
    ) -> Result<Line, HostError> {
        let mut http = Builder::new();
        http.max_buf_size(LARGEST_HEAD).title_case_headers(true);
        let made = timeout(SILENCE, http.handshake(TokioIo::new(stream))).await.map_err(|_| silent(url, SILENCE))?;
        let (sender, connection) = made.map_err(|error| failed(url, &words(&error)))?;
        // It ends with the line and the body, or when the server closes it.
        tokio::spawn(connection);
        Ok(Line(sender))
    }

    /// Sends a request; returns when the answer starts. The next one can be sent when its body has been read.
    pub(super) async fn send(
        &mut self,
        asked: Asked,
        url: &str,
        patience: Duration,
    ) -> Result<Response<Incoming>, Unanswered> {
        let answered = timeout(patience, self.0.try_send_request(asked)).await;
        let mut error = match answered {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => error,
            Err(_) => return Err(Unanswered::Silent(silent(url, patience))),
        };
        let why = failed(url, &words(error.error()));
        Err(match error.take_message() {
            Some(asked) => Unanswered::Unsent(Box::new(asked), why),
            None => Unanswered::Cut(why),
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl From<Unanswered> for HostError {
    fn from(unanswered: Unanswered) -> HostError {
        match unanswered {
            Unanswered::Unsent(_, why) | Unanswered::Cut(why) | Unanswered::Silent(why) => why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use hyper::client::conn::http1::handshake;
    use tokio::io::duplex;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_request_that_was_not_sent_is_given_back() {
        let asks = async {
            let (ours, _theirs) = duplex(1 << 10);
            let (sender, connection) = handshake(TokioIo::new(ours)).await.unwrap();
            drop(connection);
            let mut line = Line(sender);
            assert!(line.is_closed());
            let asked = Request::new(Full::new(Bytes::from("asked")));
            line.send(asked, "http://h/", LONG).await
        };
        let Err(Unanswered::Unsent(asked, why)) = Network::default().wait(LONG, asks, |_| {}).unwrap() else {
            panic!("it is given back")
        };
        let body = Network::default().wait(LONG, http_body_util::BodyExt::collect(asked.into_body()), |_| {}).unwrap();
        assert_eq!(body.unwrap().to_bytes(), "asked");
        assert!(why.message.starts_with("http://h/: "), "{}", why.message);
    }
}
