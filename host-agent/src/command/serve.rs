//! `serve`: the playground for this machine or a community: the built site, short links and the API. `open`: the same
//! for one program or recorded run, and one user.

use super::compile::load;
use super::{Done, GOOD, unusable};
use crate::cli::{self, Serve};
use crate::embed::Sandbox;
use crate::host::io_words;
use crate::network::http::{self, Bytes, Secrets};
use crate::network::{Network, NoAnswer};
use crate::output::{print, tell};
use crate::process::{Purpose, Start};
use crate::program::Failure;
use crate::rotate::Bounds;
use crate::server::{
    AccessLog, Compute, ComputeBounds, Figures, Files, Headers, Local, Origin, Playground, Previews, Rate, Rates,
    admitted,
};
use crate::share::{Bucket, Folder, Store, is_version};
use crate::show::counted;
use mclive_base::short;
use mclive_base::vocab::request;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/site.rs"));

    pub(super) fn files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
        FILES.iter().copied()
    }
}

pub(super) fn serve(args: &Serve) -> Done {
    if let Some(dir) = &args.export {
        return export(args, dir);
    }
    let network = Network::default();
    let playground = Arc::new(playground(args, &network)?);
    let secrets = match (&args.tls_certificate, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(Secrets::read(certificate, key).map_err(unusable)?),
        (None | Some(_), None | Some(_)) => None,
    };
    let scheme = if secrets.is_some() { "https" } else { "http" };
    // Before the address is printed: a signal from then on means a graceful stop.
    let signals = Signals::new([SIGINT, SIGTERM])?;
    let metrics = args.metrics_address.map(listen).transpose()?;
    let metrics =
        metrics.map(|listener| http::serve(&network, listener, Arc::new(Figures(playground.metrics.clone()))));
    let _metrics = metrics.transpose()?;
    let listener = listen(args.address)?;
    let address = listener.local_addr()?;
    let server = http::serve_with(&network, listener, secrets, playground.clone())?;
    print(&format!("serving the playground on {scheme}://{address}/\n"));
    wait_for_end(signals);
    server.finish(&network, Duration::from_secs(args.grace));
    if let Some(log) = &playground.log {
        log.finish();
    }
    Ok(GOOD)
}

/// Serves a program or a recorded run in the playground on a temporary address. It is kept in memory and ends with the
/// server.
pub(super) fn open(args: &cli::Open) -> Done {
    let shared = match crate::program::recorded(&args.input.input)? {
        Some(recording) => recording,
        None => crate::program::shared(&load(&args.input, &mut Sandbox::start()?)?.program)?,
    };
    let site = Files::new(files(args.site.as_deref())?);
    let signals = Signals::new([SIGINT, SIGTERM])?;
    let network = Network::default();
    let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let address = listener.local_addr()?;
    let server = http::serve(&network, listener, Arc::new(Local(Playground::local(site))))?;
    let link = crate::share::send(&format!("http://{address}"), &shared).map_err(unusable)?;
    print(&format!("{link}\n"));
    // The opener's output is discarded: the address is printed.
    let browser = || Start::new("xdg-open", Purpose::Person).args([&link]).inherits().hand_over();
    if !args.no_browser
        && let Err(error) = browser()
    {
        tell(&format!("mclive: cannot open a browser ({error}); open the address above"));
    }
    wait_for_end(signals);
    server.finish(&network, Duration::from_secs(1));
    Ok(GOOD)
}

/// Waits for a signal. Another one ends the process at once, whatever is in progress.
fn wait_for_end(mut signals: Signals) {
    let Some(_) = signals.forever().next() else { return };
    let impatient = move || {
        if let Some(signal) = signals.forever().next() {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    // Without it the grace period is waited for.
    let _ = std::thread::Builder::new().name("signals".into()).spawn(impatient);
}

fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| unusable(format!("cannot listen on {address}: {}", io_words(&error))))
}

/// The limit for opening a store: the keys to a bucket may come from the metadata service of the instance.
const TO_OPEN: Duration = Duration::from_secs(20);

/// A folder or a bucket. Faults in its list of removed programs are reported to the operator.
fn store(path: &Path, network: &Network) -> Result<Store, Failure> {
    let fails = |why: String| unusable(format!("cannot use the store {}: {why}", path.display()));
    let bucket = path.to_str().filter(|name| name.starts_with("s3://")).map(str::to_owned);
    if bucket.is_none() && path.to_str().is_some_and(|name| name.contains("://")) {
        return Err(fails("expected a directory, or a bucket such as s3://links".into()));
    }
    let folder = match &bucket {
        Some(_) => None,
        None => Some(Folder::open(path).map_err(|error| fails(io_words(&error)))?),
    };
    let opening = async move {
        let store = match (folder, bucket) {
            (Some(folder), _) => Store::new(folder),
            (None, bucket) => Store::new(Bucket::open(&bucket.unwrap_or_default()).await?),
        };
        let looked = store.look_over().await;
        Ok((store, looked))
    };
    match network.wait(TO_OPEN, opening, |_| {}) {
        Ok(Ok((store, looked))) => {
            if let Err(why) = looked {
                tell(&format!("mclive: error: {why}; no stored program is served until this is corrected"));
            }
            Ok(store)
        }
        Ok(Err(why)) => Err(fails(why)),
        Err(NoAnswer::Unavailable(error)) => Err(fails(error.to_string())),
        Err(NoAnswer::TimedOut | NoAnswer::Ended) => Err(fails("it does not respond".into())),
    }
}

/// Reads and opens everything that is served.
fn playground(args: &Serve, network: &Network) -> Result<Playground, Failure> {
    let log = args.access_log.as_deref().map(|path| {
        let opened = AccessLog::open(path, Bounds::default());
        opened
            .map_err(|error| unusable(format!("cannot write the access log {}: {}", path.display(), io_words(&error))))
    });
    let store = args.store.as_deref().map(|path| store(path, network)).transpose()?;
    let public_url = match &args.public_url {
        // It begins every link, so it has no place for a password.
        Some(url) if !short::is_site(url) || url.contains('@') => {
            let (url, form) = (request::shown(url), "http:// or https://, and a host without a user name");
            return Err(unusable(format!("--public-url {url}: expected {form}, such as https://play.example.org")));
        }
        Some(url) => Some(url.trim_end_matches('/').to_owned()),
        None => None,
    };
    let at_once = args.api_at_once.and_then(|n| usize::try_from(n).ok());
    let n_cores = || std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let bounds = ComputeBounds {
        memory: usize::try_from(args.api_memory).unwrap_or(256) << 20,
        time: Duration::from_secs(args.api_seconds),
    };
    Ok(Playground {
        site: Files::new(admitted(files(args.site.as_deref())?, &args.fetch_from)),
        headers: Headers::new(&args.fetch_from),
        versions: args
            .versions
            .as_deref()
            .map_or_else(|| Ok(BTreeMap::new()), |dir| versions(dir, &args.fetch_from))?,
        store,
        compute: Compute::new(at_once.unwrap_or_else(n_cores), bounds),
        previews: Previews::default(),
        rates: rates(args),
        proxies: args.trusted_proxy.clone(),
        has_warned: AtomicBool::new(false),
        public_url,
        log: log.transpose()?,
        metrics: Arc::default(),
    })
}

fn rates(args: &Serve) -> Rates {
    let mib = f64::from(1 << 20);
    let rate =
        |per_second: f64, seconds: f64| (per_second > 0.0).then_some(Rate { per_second, burst: per_second * seconds });
    Rates::new(rate(args.limit_requests, 20.0), rate(args.limit_mib * mib, 60.0), rate(args.limit_compute / 60.0, 60.0))
}

/// The files of the site, from a directory or embedded in this program.
fn files(dir: Option<&Path>) -> Result<Vec<(String, Bytes)>, Failure> {
    let files = match dir {
        Some(dir) => read(dir)?,
        None => embedded::files().map(|(path, bytes)| (path.to_owned(), Bytes::from_static(bytes))).collect(),
    };
    if files.is_empty() {
        return Err(unusable(
            "this build does not include the site (www/dist did not exist at build time); use --site DIR".into(),
        ));
    }
    Ok(files)
}

fn read(dir: &Path) -> Result<Vec<(String, Bytes)>, Failure> {
    crate::server::read_files(dir)
        .map_err(|error| unusable(format!("cannot read the site {}: {}", dir.display(), io_words(&error))))
}

/// The sites of older versions, each in the folder named after its version.
fn versions(dir: &Path, fetch_from: &[Origin]) -> Result<BTreeMap<String, Files>, Failure> {
    let entries = std::fs::read_dir(dir)
        .map_err(|error| unusable(format!("cannot read the versions in {}: {}", dir.display(), io_words(&error))))?;
    let mut versions = BTreeMap::new();
    for path in entries.map(|entry| entry.map(|entry| entry.path())) {
        let path = path?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !path.is_dir() || name.starts_with('.') {
            continue;
        }
        // Programs carry versions, and no address could have another name.
        if !is_version(&name) {
            return Err(unusable(format!("{} is not named after a version such as 0.1.0", path.display())));
        }
        let files = read(&path)?;
        if !files.iter().any(|(path, _)| path == "index.html") {
            return Err(unusable(format!("{} is not a site build: it has no index.html", path.display())));
        }
        versions.insert(name, Files::new(admitted(files, fetch_from)));
    }
    Ok(versions)
}

/// Writes the site for use with any web server: all of it or nothing.
fn export(args: &Serve, dir: &Path) -> Done {
    let failed = |error: std::io::Error| unusable(format!("cannot export to {}: {}", dir.display(), io_words(&error)));
    let files = admitted(files(args.site.as_deref())?, &args.fetch_from);
    let is_new = !dir.exists();
    std::fs::create_dir_all(dir).map_err(failed)?;
    if std::fs::read_dir(dir).map_err(failed)?.next().is_some() {
        return Err(unusable(format!("{} is not empty; export to a new directory", dir.display())));
    }
    if let Err(error) = write(&files, dir) {
        clear(dir, is_new);
        return Err(failed(error));
    }
    tell(&format!(
        "wrote {} to {}; serve them with the headers listed in headers.txt",
        counted(files.len(), "file"),
        dir.display()
    ));
    Ok(GOOD)
}

fn write(files: &[(String, Bytes)], dir: &Path) -> std::io::Result<()> {
    for (path, bytes) in files {
        let place = dir.join(path);
        place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(&place, bytes)?;
    }
    Ok(())
}

/// Removes what a failed export wrote to a directory, which was empty before. The failure itself is reported.
fn clear(dir: &Path, is_new: bool) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let _ = if is_dir { std::fs::remove_dir_all(entry.path()) } else { std::fs::remove_file(entry.path()) };
    }
    if is_new {
        let _ = std::fs::remove_dir(dir);
    }
}
