//! The commands that host and share programs: `serve`, `share`, `open`.

use super::Input;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Serve {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1:8080")]
    pub(crate) address: std::net::SocketAddr,
    /// Serve this site build instead of the embedded one
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
    /// Serve older site builds from DIR/VERSION under /v/VERSION/
    #[arg(long, value_name = "DIR")]
    pub(crate) versions: Option<PathBuf>,
    /// Export the site to an empty directory, ready for any web server, and exit
    #[arg(long, value_name = "DIR", conflicts_with_all = ["store", "versions"])]
    pub(crate) export: Option<PathBuf>,
    /// Store shared programs in this directory or S3-compatible bucket; without it, short links are disabled
    #[arg(long, value_name = "DIR|s3://BUCKET[/PREFIX]")]
    pub(crate) store: Option<PathBuf>,
    /// Allow the page to fetch programs from this server, such as raw.githubusercontent.com; can be repeated
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(crate) fetch_from: Vec<crate::server::Origin>,
    /// Base URL of short links [default: the address of the request]
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Trust X-Forwarded-For and X-Forwarded-Proto from this address or network; can be repeated
    #[arg(long, value_name = "ADDRESS[/BITS]")]
    pub(crate) trusted_proxy: Vec<crate::server::Range>,
    /// Serve HTTPS with this PEM certificate chain, the server's certificate first
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Private key for --tls-certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Log each request to a file as a line of JSON, without full addresses; the file is rotated
    #[arg(long, value_name = "FILE")]
    pub(crate) access_log: Option<PathBuf>,
    /// Expose Prometheus metrics on this address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics_address: Option<std::net::SocketAddr>,
    /// Requests per second per client, with bursts of up to 20 times as many; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 50.0, value_parser = rate)]
    pub(crate) limit_requests: f64,
    /// MiB per second to and from each client, with bursts of up to a minute's worth; 0 means no limit
    #[arg(long, value_name = "MIB", default_value_t = 4.0, value_parser = rate)]
    pub(crate) limit_mib: f64,
    /// Compiler seconds per minute per client, with bursts of up to a minute's worth; 0 means no limit
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = rate)]
    pub(crate) limit_compute: f64,
    /// Compiler time limit for an API request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub(crate) api_seconds: u64,
    /// Compiler memory limit for an API request, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(16..=2048))]
    pub(crate) api_memory: u64,
    /// Maximum number of concurrent API requests [default: the number of processors, at most 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) api_at_once: Option<u64>,
    /// Grace period for requests in progress when the server is stopped, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) grace: u64,
}

#[derive(Args)]
pub(crate) struct Share {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Store the program or run on this server and print a short link; otherwise, the link contains it
    #[arg(long, value_name = "URL", env = "MCLIVE_SERVER")]
    pub(crate) server: Option<String>,
}

#[derive(Args)]
pub(crate) struct Open {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Serve this site build instead of the embedded one
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
    /// Print the address without opening a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
}

/// Parses a rate: a count per unit of time.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.0..=1e9).contains(&rate) => Ok(rate),
        Ok(_) | Err(_) => Err("expected a number from 0 to 1000000000".into()),
    }
}
