//! The metrics of a run over HTTP, for Prometheus: `GET /metrics`.

use crate::network::Network;
use crate::network::http::{self, Body, Bytes, Limits, Method, Request, Response, Server, Site, StatusCode, header};
use crate::show::Show;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves until the server is dropped. Returns the bound address.
pub(crate) fn serve(network: &Network, address: SocketAddr, show: Arc<Show>) -> std::io::Result<(Server, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    Ok((http::serve(network, listener, Arc::new(Figures(show)))?, bound))
}

struct Figures(Arc<Show>);

impl Site for Figures {
    fn limits(&self) -> Limits {
        Limits::READ_ONLY
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let (status, body) = match (request.method(), request.uri().path()) {
            (&Method::GET | &Method::HEAD, "/metrics") => (StatusCode::OK, self.0.metrics_text().into()),
            (&Method::GET | &Method::HEAD, "/") => (StatusCode::OK, "mclive: see /metrics\n".into()),
            (&Method::GET | &Method::HEAD, _) => (StatusCode::NOT_FOUND, "not found; see /metrics\n".into()),
            _ => (StatusCode::METHOD_NOT_ALLOWED, "".into()),
        };
        let answer = Response::builder().status(status).header(header::CONTENT_TYPE, TEXT);
        answer.body(body).expect("the header is well formed")
    }
}
