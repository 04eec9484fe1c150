//! Requests and answers of the gateway, as bytes.

use super::*;
use crate::network::Network;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};

fn gateway() -> Gateway {
    let urls = vec!["http://a:1".into(), "http://b:2".into()];
    Gateway::new(Cluster { urls, name: "main".into(), credentials: Arc::default() })
}

#[test]
fn a_failure_moves_on_to_the_next_endpoint() {
    let gateway = gateway();
    let urls = [(), (), ()].map(|()| {
        let url = gateway.url().to_owned();
        gateway.turn();
        url
    });
    assert_eq!(urls, ["http://a:1", "http://b:2", "http://a:1"]);
}

#[test]
fn hosts_begin_with_different_endpoints() {
    let begins = |hostname: &str| {
        let gateway = gateway();
        gateway.begin_for(hostname);
        gateway.url().to_owned()
    };
    assert_eq!([begins("web1"), begins("web2"), begins("web1")], ["http://b:2", "http://a:1", "http://b:2"]);
}

#[test]
fn a_store_that_is_full_is_reported_with_what_to_do() {
    let told = gateway().refusal("etcdserver: mvcc: database space exceeded", String::new).map(Failure::words);
    let expected = "http://a:1: the store is full: compact its history, run `etcdctl defrag` on each member, then `etcdctl \
                    alarm disarm`";
    assert_eq!(told.as_deref(), Some(expected));
}

#[test]
fn a_message_of_a_watch_tells_changes_up_to_its_last_event() {
    let key = |key: &str| STANDARD.encode(key);
    let events = json!([
        { "kv": { "key": key("/mclive/main/strings/a"), "mod_revision": "7", "value": key("x"), "lease": "3" } },
        { "type": "DELETE", "kv": { "key": key("/mclive/main/strings/b"), "mod_revision": "8" } },
        { "kv": { "key": key("/mclive/other/strings/a"), "mod_revision": "9" } },
    ]);
    let header = json!({ "cluster_id": "1", "revision": "12" });
    let told = |message: Value| gateway().told(&json!({ "result": message }));
    let Ok(Told::Changes(9, changes)) = told(json!({ "header": header.clone(), "events": events })) else {
        panic!("it tells changes")
    };
    let changes: Vec<_> = changes.into_iter().map(|change| (change.key, change.revision, change.held)).collect();
    let held = Held { value: mclive_base::vocab::Datum::text("x"), modified: 7, lease: 3 };
    assert_eq!(changes, [("strings/a".to_owned(), 7, Some(held)), ("strings/b".to_owned(), 8, None)]);
    assert!(matches!(told(json!({ "header": header.clone() })), Ok(Told::Changes(12, changes)) if changes.is_empty()));
    assert!(matches!(told(json!({ "header": header.clone(), "created": true })), Ok(Told::Begun(12))));
    let compacted = json!({ "header": header.clone(), "canceled": true, "compact_revision": "9" });
    assert!(matches!(told(compacted), Ok(Told::Compacted)));
    let ended = |why: &str| told(json!({ "header": header, "canceled": true, "cancel_reason": why })).map(drop);
    let denied = "http://a:1: permission denied: this client needs permission to read /mclive/main/*; ";
    assert!(matches!(ended("code = 7: permission denied"), Err(Failure::Refused(why)) if why.starts_with(denied)));
    let no_user = "http://a:1: the store requires a user: use --world-user NAME and --world-password-file FILE";
    assert!(matches!(ended("user name is empty"), Err(Failure::Refused(why)) if why == no_user));
    assert!(matches!(ended("no leader"), Err(Failure::Away(why)) if why == "http://a:1: no leader"));
    let forged = "http://a:1: no\\nmclive: error";
    assert!(matches!(ended("no\nmclive: error"), Err(Failure::Away(why)) if why == forged));
}

/// A store that answers everything with its identity. Returns its URL, and how many connections there were.
fn store() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let n_opened = Arc::new(AtomicUsize::new(0));
    let counts = n_opened.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            counts.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || while answers(&stream) {});
        }
    });
    (url, n_opened)
}

/// Answers a request. `false`: there is none any more.
fn answers(mut stream: &TcpStream) -> bool {
    let (mut reader, mut line, mut length) = (BufReader::new(stream), String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
        if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse::<usize>().unwrap();
        }
        line.clear();
    }
    let is_whole = length > 0 && reader.read_exact(&mut vec![0; length]).is_ok();
    let told = json!({ "header": { "cluster_id": "1", "revision": "7" } }).to_string();
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{told}", told.len());
    is_whole && stream.write_all(answer.as_bytes()).is_ok()
}

#[test]
fn requests_share_a_connection_and_the_next_endpoint_has_another_one() {
    let (url, n_opened) = store();
    let cluster = Cluster { urls: vec![url], name: "main".into(), credentials: Arc::default() };
    let (gateway, network) = (Arc::new(Gateway::new(cluster)), Network::default());
    let state = || {
        let gateway = gateway.clone();
        network.wait(Duration::from_secs(30), async move { gateway.state().await }, |_| {}).unwrap()
    };
    let opened_by_three = |_| {
        gateway.turn();
        let before = n_opened.load(Ordering::SeqCst);
        // One that gets no processor for long has no answer: all are asked again.
        let told = [(), (), ()].map(|()| state());
        told.iter().all(Result::is_ok).then(|| n_opened.load(Ordering::SeqCst) - before)
    };
    let opened: Vec<usize> = (0..10).filter_map(opened_by_three).take(2).collect();
    assert_eq!(opened, [1, 1]);
}
