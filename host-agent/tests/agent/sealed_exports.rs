//! Exported resources with a secret, in a real etcd that all hosts can read.

use crate::case::until;
use crate::fleet::{Fleet, file};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECRET: &str = "hush-my-token";
const KEY: &str = "exported/h2/h1/consul:kv/motd";
const COLLECTS: &str = "collect consul:kv \"motd\" {}\n";

/// A Consul server with one key.
struct Consul {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// In Base64.
    value: Option<String>,
    n_changes: u64,
    /// Those of its clients.
    tokens: Vec<String>,
}

impl Consul {
    fn start() -> Consul {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = shared.clone();
                std::thread::spawn(move || answer(&stream, &state));
            }
        });
        Consul { port, state }
    }

    /// Whether a client has sent this token.
    fn knows(&self, token: &str) -> bool {
        self.state.lock().unwrap().tokens.iter().any(|known| known == token)
    }

    fn forget_tokens(&self) {
        self.state.lock().unwrap().tokens.clear();
    }
}

fn answer(mut stream: &TcpStream, state: &Mutex<State>) {
    let (mut reader, mut head, mut line) = (BufReader::new(stream), String::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
        head.push_str(&line);
        line.clear();
    }
    let header = |name: &str| {
        let mut headers = head.lines().filter_map(|line| line.split_once(':'));
        headers.find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
    };
    let mut body = vec![0; header("content-length").map_or(0, |n| n.parse().unwrap())];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    // A request that is held until there is a change.
    if head.contains("?index=") {
        std::thread::sleep(Duration::from_secs(1));
    }
    let mut state = state.lock().unwrap();
    state.tokens.extend(header("x-consul-token"));
    let is_change = head.starts_with("PUT ");
    if is_change {
        state.value = Some(STANDARD.encode(&body));
        state.n_changes += 1;
    }
    let (status, said) = match &state.value {
        Some(_) if is_change => ("200 OK", "true".to_owned()),
        Some(value) => {
            let entry = json!([{ "Flags": 0, "ModifyIndex": state.n_changes, "Value": value }]);
            ("200 OK", entry.to_string())
        }
        None => ("404 Not Found", String::new()),
    };
    let (index, length) = (state.n_changes.max(1), said.len());
    drop(state);
    let text = format!(
        "HTTP/1.1 {status}\r\nX-Consul-Index: {index}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{said}"
    );
    let _ = stream.write_all(text.as_bytes());
}

/// A program that exports a key of a Consul server, with its token.
fn exports(port: u16, to: &str) -> String {
    format!(
        "consul:kv \"motd\" {{\n\tkey => \"motd\",\n\tvalue => \"welcome\",\n\tscheme => \"http\",\n\
         \taddress => \"127.0.0.1:{port}\",\n\ttoken => \"{SECRET}\",\n\tMeta:hidden => true,\n\
         \tMeta:export => [\"{to}\"],\n}}\n"
    )
}

#[test]
fn an_exported_secret_is_read_by_its_receiver_only_and_told_by_none() {
    let Some(fleet) = Fleet::new("sealed-export") else { return };
    let consul = Consul::start();
    fleet.has_sealing_keys(&["h2", "h3"]);
    let url = fleet.etcd.url();
    // What it exports must not end during the test, also if it gets no processor for many seconds.
    let lasts = ["--host-keys", "hosts", "--world-ttl", "600"];
    let one = fleet.start_with("h1", &url, &lasts, &exports(consul.port, "h2"));
    let mut two = fleet.opens("h2", COLLECTS);
    until("the receiver uses the token", || consul.knows(SECRET));
    // Neither as a text nor as the bytes of a record.
    let bytes = SECRET.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
    let is_clear = |key: &String| {
        let value = fleet.etcd.get(key).unwrap_or_default();
        value.contains(SECRET) || value.contains(&bytes)
    };
    let in_the_clear: Vec<String> = fleet.keys("").into_iter().filter(is_clear).collect();
    assert!(in_the_clear.is_empty(), "{in_the_clear:?}");
    let exports = fleet.case.run(&["world", "exports", "--world", &url]);
    let expect = "{\"from\":\"h1\",\"kind\":\"consul:kv\",\"name\":\"motd\",\"sealed\":[\"token\"],\"to\":\"h2\"}\n";
    assert_eq!(String::from_utf8(exports.stdout).unwrap(), expect);
    // It is not sealed repeatedly.
    until("nothing is written", || {
        let before = fleet.etcd.revision();
        std::thread::sleep(Duration::from_secs(2));
        fleet.etcd.revision() == before
    });
    // Someone copies it for another host.
    let stored = fleet.get(KEY).unwrap();
    fleet.put("exported/h3/h1/consul:kv/motd", &stored);
    let three = fleet.opens("h3", COLLECTS);
    three.says("its secrets cannot be read: they are sealed for another host");
    // The receiver gets another key.
    let created = fleet.case.run(&["key", "new", "new.key", "--name", "h2", "--sealing"]);
    assert!(created.status.success(), "{created:?}");
    fleet.case.write("hosts", &String::from_utf8(created.stdout).unwrap());
    until("it is sealed to the new key", || fleet.get(KEY).is_some_and(|now| now != stored));
    two.says("its secrets cannot be read: they are not sealed to the key of this host");
    assert!(two.stop().success());
    consul.forget_tokens();
    let _two = fleet.start_with("h2", &url, &["--host-key", "new.key"], COLLECTS);
    until("the receiver opens it with the new key", || consul.knows(SECRET));
    // What tells of the runs does not have it.
    for agent in [&one, &two, &three] {
        assert!(!agent.said().contains(SECRET), "{}", agent.said());
    }
    for file in ["log-h2", "trace-h2", "state-h2/audit.log"] {
        let told = std::fs::read(fleet.case.path(file)).unwrap();
        assert!(!told.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "{file}");
    }
}

#[test]
fn an_export_to_a_host_without_a_key_is_reported_and_written_when_it_has_one() {
    let Some(fleet) = Fleet::new("sealed-export-keyless") else { return };
    fleet.has_sealing_keys(&["h2"]);
    let url = fleet.etcd.url();
    let program = exports(9, "h9") + &file("own", "\"hello\"");
    let one = fleet.start_with("h1", &url, &["--host-keys", "hosts"], &program);
    one.says("could not export: cannot use the keys of hosts in hosts: it has no sealing key of h9; add the line");
    fleet.holds("own", "hello");
    let three = fleet.start("h3", &exports(9, "h2"));
    three.says("could not export: its secrets cannot be sealed: run this agent with --host-keys FILE");
    assert!(fleet.keys("exported/").is_empty());
    let created = fleet.case.run(&["key", "new", "h9.key", "--name", "h9", "--sealing"]);
    assert!(created.status.success(), "{created:?}");
    fleet.case.write("hosts", &String::from_utf8(created.stdout).unwrap());
    until("it is exported", || fleet.get("exported/h9/h1/consul:kv/motd").is_some());
}

#[test]
fn a_secret_that_cannot_be_sealed_for_a_host_reaches_the_others_and_the_own_file() {
    let Some(fleet) = Fleet::new("sealed-export-own") else { return };
    fleet.has_sealing_keys(&["h2"]);
    let program = "password \"pw\" { length => 16, }\n\
                   file \"@OUT@/pw\" { state => \"exists\", Meta:export => [\"h0\", \"h2\"], }\n\
                   Password[\"pw\"].password -> File[\"@OUT@/pw\"].content\n";
    let one = fleet.start_with("h1", &fleet.etcd.url(), &["--host-keys", "hosts"], program);
    one.says("could not export: cannot use the keys of hosts in hosts: it has no sealing key of h0; add the line");
    until("its own file has the password", || fleet.read("pw").len() == 16);
    until("the other receiver gets it", || fleet.keys("exported/h2/h1/file/").len() == 1);
    assert!(fleet.keys("exported/h0/").is_empty());
    let created = fleet.case.run(&["key", "new", "h0.key", "--name", "h0", "--sealing"]);
    assert!(created.status.success(), "{created:?}");
    let known = fleet.case.read("hosts").unwrap();
    fleet.case.write("hosts", &(known + &String::from_utf8(created.stdout).unwrap()));
    until("it is exported to all", || fleet.keys("exported/h0/h1/file/").len() == 1);
    let secret = fleet.read("pw");
    let all = fleet.keys("").into_iter().filter_map(|key| fleet.etcd.get(&key));
    assert!(all.chain([one.said()]).all(|text| !text.contains(&secret)));
}
