//! Hosts over a real etcd.

use super::gateway::Gateway;
use super::{Cluster, HEAD, Joining, SharedStore, VOTERS, is_reserved, statement};
use crate::host::contract::{Linux, linux_in};
use crate::host::scratch::Scratch;
use crate::network::Network;
use mclive_base::protocol::contract::{Body, run};
use mclive_base::protocol::{Input, Output, ResourceId, Ticket};
use mclive_base::vocab::{Datum, Finding, HostErrorKind, KeyStore, Outcome, store};
use mclive_kit::etcd::Etcd;
use mclive_kit::until;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

fn join(url: String, wait_s: u64, network: &Network) -> Result<Arc<SharedStore>, String> {
    let joining = Joining {
        cluster: Cluster { urls: vec![url], name: "main".into(), credentials: Arc::default() },
        ttl: 5,
        wait: Duration::from_secs(wait_s),
        hostname: "host1".into(),
        id: Some("1".into()),
        may_be_away: false,
        signer: None,
        opening: None,
        recipients: None,
        host_keys: None,
        operators: None,
    };
    joining.join(network)
}

/// Why a host does not join within a second. One that gets no processor for so long has not heard why: it tries again.
fn why_not(url: &str, is_heard: impl Fn(&str) -> bool) -> String {
    let mut attempts = (0..5).map(|_| join(url.to_owned(), 1, &Network::default()).map(drop).unwrap_err());
    attempts.find(|why| is_heard(why)).expect("it is told why")
}

fn host(name: &str, etcd: &Etcd) -> (Linux, Scratch) {
    let network = Network::default();
    let world = join(etcd.url(), 30, &network).unwrap();
    linux_in(name, network, Some(world))
}

#[test]
fn the_contract_of_both_bodies_holds_in_a_shared_store() {
    let Some(etcd) = Etcd::start() else { return };
    let files = Scratch::new("world-contract");
    let (mut linux, _state) = host("world-contract-state", &etcd);
    run(&mut linux, files.to_str().unwrap(), "host1");
}

#[test]
fn a_store_that_does_not_answer_is_an_error_after_the_stated_time() {
    let why = why_not("http://127.0.0.1:9", |why| why.ends_with("connection refused"));
    assert!(why.starts_with("cannot reach the shared store within 1 s: http://127.0.0.1:9"), "{why}");
}

/// Something that is not a store: every connection is answered with this, after its request was read.
fn serve(answer: impl Fn(TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let (mut reader, mut line, mut length) = (BufReader::new(&stream), String::new(), 0);
                while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
                    let of = line.to_ascii_lowercase();
                    length = of.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().unwrap());
                    line.clear();
                }
                let _ = reader.read_exact(&mut vec![0; length]);
                drop(reader);
                answer(stream);
            });
        }
    });
    url
}

#[test]
fn programs_write_neither_deploys_nor_what_hosts_say() {
    for key in
        ["agent/h1/live", HEAD, "deploy/lock", "deploy/00000000000000000001", "layout", "pool/web/chosen", VOTERS]
    {
        assert!(is_reserved(key), "{key}");
    }
    assert!(is_reserved(&statement::place("exported/*/h1/file//a").unwrap()));
    for key in ["strings/deploy/head", "exported/*/h1/file//a", "k/one"] {
        assert!(!is_reserved(key), "{key}");
    }
}

/// Never silent, and never done.
#[test]
fn a_store_that_drips_is_an_error_after_the_stated_time() {
    let url = serve(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let why = why_not(&url, |why| why.contains("the store has not sent all keys"));
    assert!(why.starts_with("cannot reach the shared store within 1 s: the store has not sent all keys"), "{why}");
}

#[test]
fn a_store_whose_pages_have_no_end_is_an_error() {
    let page =
        r#"{"header":{"cluster_id":"1","revision":"1"},"more":true,"kvs":[{"key":"L21jbGl2ZS9tYWluL2E=","value":""}]}"#;
    let url = serve(move |mut stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{page}", page.len());
    });
    let expected =
        format!("cannot reach the shared store within 1 s: {url}: the pages of its list of keys do not advance");
    assert_eq!(why_not(&url, |why| why == expected), expected);
}

#[test]
fn a_store_tells_how_many_keys_there_were_and_whether_one_was_set_since_then() {
    let Some(etcd) = Etcd::start() else { return };
    let (urls, credentials, network) = (vec![etcd.url()], Arc::default(), Network::default());
    let gateway = Arc::new(Gateway::new(Cluster { urls, name: "main".into(), credentials }));
    let after = |change: &dyn Fn()| {
        change();
        i64::try_from(etcd.revision()).unwrap()
    };
    let first = after(&|| etcd.put("/mclive/main/strings/a", "1"));
    let second = after(&|| etcd.put("/mclive/main/strings/b", "1"));
    let other = after(&|| etcd.put("/mclive/main/agent/h1/live", "{}"));
    let last = after(&|| etcd.delete("/mclive/main/strings/a"));
    let count = |revision, after| {
        let gateway = gateway.clone();
        network.wait(Duration::from_secs(30), async move { gateway.count_at(revision, after).await }, |_| {}).unwrap()
    };
    assert_eq!([count(other, second), count(other, first), count(last, second)], [Ok(Some(2)), Ok(None), Ok(Some(1))]);
}

#[test]
fn an_export_that_was_withdrawn_is_not_written_by_an_earlier_step() {
    const KEY: &str = "exported/*/host1/file//x";
    let Some(etcd) = Etcd::start() else { return };
    let network = Network::default();
    let store = join(etcd.url(), 30, &network).unwrap();
    let (_linux, _state) = linux_in("world-withdrawn", network.clone(), Some(store.clone()));
    // A busy host may not be connected in time.
    let set = |value: &'static [u8]| {
        let step = || {
            let (store, value) = (store.clone(), Some(value.to_vec()));
            network.wait(Duration::from_secs(60), async move { store.set(KEY, value, None).await }, |_| {}).unwrap()
        };
        until("the step is done", || step().is_ok(), String::new);
        etcd.get(&format!("/mclive/main/{KEY}"))
    };
    store.inside.lock().own.keep(KEY, Some(&b"new"[..]));
    assert_eq!(set(b"old").as_deref(), Some("new"));
    store.inside.lock().own.keep(KEY, None);
    assert_eq!(set(b"new"), None);
}

/// Both have started at the same moment, or this one was cut off when the other one started.
#[test]
fn a_host_does_not_take_its_name_from_another_agent() {
    const KEY: &str = "/mclive/main/agent/host1/live";
    const OTHER: &str = r#"{"id":"other","since":0,"v":1,"version":"0.1.0"}"#;
    let Some(etcd) = Etcd::start() else { return };
    let network = Network::default();
    let store = join(etcd.url(), 30, &network).unwrap();
    let put = || {
        let write = || {
            let store = store.clone();
            let again = async move { store.put_again(&store.live_key()).await };
            network.wait(Duration::from_secs(60), again, |_| {}).unwrap()
        };
        until("it is written, or not", || write().is_ok(), String::new);
        etcd.get(KEY).unwrap_or_default()
    };
    let own = put();
    assert!(own.contains(r#""id":"1""#), "{own}");
    etcd.put(KEY, OTHER);
    assert_eq!(put(), OTHER);
    // The other one has left.
    etcd.delete(KEY);
    assert_eq!(put(), own);
    // An earlier run of this one.
    etcd.put(KEY, &own.replace(r#""since":"#, r#""since":1"#));
    assert_eq!(put(), own);
}

#[test]
fn a_value_that_another_host_has_changed_since_the_check_is_not_overwritten() {
    const KEY: &str = "/mclive/main/strings/k";
    let Some(etcd) = Etcd::start() else { return };
    let (mut linux, _state) = host("world-race", &etcd);
    let id = ResourceId::new("kv", "k");
    let look = |linux: &mut Linux, ticket: u64| {
        let probe = store::Probe { store: KeyStore::World, key: "strings/k".into() };
        linux.take(Output::Probe(Ticket(ticket), id.clone(), vec![probe.into()]));
        loop {
            match linux.next().expect("an answer") {
                Input::Probed(of, findings) if of == Ticket(ticket) => return findings,
                _ => {}
            }
        }
    };
    let set = |linux: &mut Linux, ticket: u64| {
        let value = Some(Datum::text("mine"));
        let step = store::Step { store: KeyStore::World, key: "strings/k".into(), value };
        linux.take(Output::Apply(Ticket(ticket), id.clone(), vec![step.into()]));
        loop {
            match linux.next().expect("an answer") {
                Input::Applied(of, outcomes) if of == Ticket(ticket) => return outcomes,
                _ => {}
            }
        }
    };
    assert_eq!(look(&mut linux, 1), [Finding::Store(store::Finding::Held(None))]);
    etcd.put(KEY, "other");
    let Some(Outcome::Failed(error)) = set(&mut linux, 2).pop() else { panic!("it has overwritten the value") };
    assert_eq!(error.kind, HostErrorKind::NotFound);
    assert_eq!(etcd.get(KEY).as_deref(), Some("other"));
    // The mirror has it by now.
    assert_eq!(look(&mut linux, 3), [Finding::Store(store::Finding::Held(Some(Datum::text("other"))))]);
    assert_eq!(set(&mut linux, 4), [Outcome::Done]);
    assert_eq!(etcd.get(KEY).as_deref(), Some("mine"));
}
