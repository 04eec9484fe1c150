//! [`Etcd`]: a member of a real etcd on loopback ports with its own data, for tests of hosts that share a store. It ends
//! with its value.
//!
//! The program is Debian's, unpacked by `make installed` and not installed, so that no service is started.
//! `MCLIVE_ETCD=FILE` names another one, for tests of another version.

mod members;
mod space;

use crate::link::Link;
use crate::port::free as free_port;
use crate::{left_out, pki, until};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How often to start with other ports.
const TRIES: usize = 10;
/// The limit of one request, and of its repetitions.
const LIMIT: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(240);

/// A store with one member, or a member of a store.
pub struct Etcd {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    /// Its name, and how the members find each other.
    member: Vec<String>,
    /// The port of encrypted connections.
    secured: Option<u16>,
    /// Who the test is, once the store has users, with the password.
    user: Option<(String, String)>,
    child: Option<Child>,
    /// How the other members reach it. `None`: directly.
    way: Option<Link>,
}

/// The program: the one that a variable names, the unpacked one, or that in `PATH`. `None`: there is none here, which is
/// reported.
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("MCLIVE_ETCD").map(PathBuf::from).into_iter();
    let cache = std::env::var_os("MCLIVE_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/mclive")));
    let unpacked = cache.map(|cache| cache.join("etcd/usr/bin/etcd")).into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = std::env::split_paths(&path).map(|folder| folder.join("etcd")).collect::<Vec<_>>();
    let found = named.chain(unpacked).chain(installed).find(|file| file.is_file());
    if found.is_none() {
        left_out("tests of a shared store: etcd is missing; run `make installed`");
    }
    found
}

impl Etcd {
    /// Starts a store and waits until it answers. `None`: there is no etcd here, which is reported.
    pub fn start() -> Option<Etcd> {
        Etcd::start_with(&[])
    }

    /// Starts a store with room for this many bytes.
    pub fn small(n_bytes: u64) -> Option<Etcd> {
        Etcd::start_with(&["--quota-backend-bytes", &n_bytes.to_string()])
    }

    fn start_with(options: &[&str]) -> Option<Etcd> {
        let member = ["--name", "test", "--listen-peer-urls", "http://127.0.0.1:0"];
        // A free port may be taken by another test before etcd has it.
        for _ in 0..TRIES {
            let mut etcd = Etcd::new(member.iter().chain(options).map(|word| (*word).to_owned()))?;
            etcd.spawn();
            if etcd.answers() {
                return Some(etcd);
            }
        }
        panic!("etcd does not start");
    }

    /// Starts a store that requires certificates of its clients, signed by an authority. `own`: its own certificate and
    /// key. The test itself uses a port without encryption.
    pub fn secured(authority: &Path, own: &(PathBuf, PathBuf)) -> Option<Etcd> {
        for _ in 0..TRIES {
            let member = ["--name", "test", "--listen-peer-urls", "http://127.0.0.1:0", "--client-cert-auth"];
            let files = [("--trusted-ca-file", authority), ("--cert-file", &own.0), ("--key-file", &own.1)];
            let files = files.into_iter().flat_map(|(option, path)| [option, pki::text(path)]);
            let mut etcd = Etcd::new(member.into_iter().chain(files).map(String::from))?;
            etcd.secured = Some(free_port());
            etcd.spawn();
            if etcd.answers() {
                return Some(etcd);
            }
        }
        panic!("etcd does not start");
    }

    fn new(member: impl IntoIterator<Item = String>) -> Option<Etcd> {
        static N_STARTED: AtomicU32 = AtomicU32::new(0);
        let program = program()?;
        let number = N_STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("etcd-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for etcd");
        let (port, member) = (free_port(), member.into_iter().collect());
        Some(Etcd { program, folder, port, member, secured: None, user: None, child: None, way: None })
    }

    /// The URL of its clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The URL of its clients with certificates.
    pub fn secured_url(&self) -> String {
        format!("https://127.0.0.1:{}", self.secured.expect("it was started with certificates"))
    }

    /// From now on the test is this user.
    pub fn log_in(&mut self, user: &str, password: &str) {
        self.user = Some((user.to_owned(), password.to_owned()));
    }

    /// The address of its clients, without the scheme.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn spawn(&mut self) {
        let log = File::options().create(true).append(true).open(self.folder.join("log")).expect("a log for etcd");
        let url = self.url();
        let mut command = Command::new(&self.program);
        command.args(&self.member).args(["--log-level", "warn", "--logger", "zap"]);
        command.arg("--data-dir").arg(self.folder.join("data"));
        // The identity of a store follows from this and from its members, which are all called alike.
        if !self.member.iter().any(|word| word == "--initial-cluster") {
            command.arg("--initial-cluster-token").arg(&self.folder);
        }
        let all = match self.secured {
            Some(_) => format!("{url},{}", self.secured_url()),
            None => url.clone(),
        };
        // A low cost, so that users log in quickly.
        command.args(["--listen-client-urls", &all, "--advertise-client-urls", &url, "--bcrypt-cost", "4"]);
        // It ends with its value, not by a ^C that the value's owner may handle otherwise.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
        self.child = Some(command.spawn().expect("etcd is a program"));
    }

    /// Waits until it answers; `false`: it has ended.
    fn answers(&mut self) -> bool {
        let child = self.child.as_mut().expect("it was started");
        let mut ended = false;
        let address = format!("127.0.0.1:{}", self.port);
        until(
            "etcd answers",
            || {
                ended = child.try_wait().expect("its state").is_some();
                let told = ask(&address, "kv/range", &json!({ "key": "YQ==" }), None);
                ended || told.is_ok() || told.is_err_and(|why| why.contains("user name is empty"))
            },
            String::new,
        );
        !ended
    }

    /// Kills it; its data stay.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again with its data, at the same address.
    pub fn start_again(&mut self) {
        self.launch();
        assert!(self.answers(), "etcd does not start again");
    }

    /// The same, without waiting for an answer: it needs a majority of the members.
    pub fn launch(&mut self) {
        self.kill();
        self.spawn();
    }

    /// Replaces it by an empty one at the same address.
    pub fn start_empty(&mut self) {
        self.kill();
        fs::remove_dir_all(self.folder.join("data")).expect("its data");
        self.start_again();
    }

    /// Stores a copy of its data, and starts again.
    pub fn back_up(&mut self) {
        self.kill();
        copy(&self.folder.join("data"), &self.folder.join("backup"));
        self.start_again();
    }

    /// Goes back to the data of the backup: it has the same identity and an earlier revision.
    pub fn restore(&mut self) {
        self.kill();
        copy(&self.folder.join("backup"), &self.folder.join("data"));
        self.start_again();
    }

    /// Stops its process, as a hung machine would, or lets it go on.
    pub fn freeze(&self, is_frozen: bool) {
        let child = self.child.as_ref().expect("it runs");
        let signal = if is_frozen { Signal::STOP } else { Signal::CONT };
        kill_process(Pid::from_child(child), signal).expect("it is ours");
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<String> {
        let told = self.ask("kv/range", &json!({ "key": STANDARD.encode(key) }));
        let entry = told["kvs"].get(0)?;
        Some(String::from_utf8_lossy(&decoded(&entry["value"])).into_owned())
    }

    /// The number of the change that made a key. A key that was gone in between has another one.
    pub fn created(&self, key: &str) -> Option<u64> {
        let told = self.ask("kv/range", &json!({ "key": STANDARD.encode(key), "keys_only": true }));
        told.pointer("/kvs/0/create_revision")?.as_str()?.parse().ok()
    }

    /// All keys with a prefix, sorted.
    pub fn keys(&self, prefix: &str) -> Vec<String> {
        let mut range = below(prefix);
        range["keys_only"] = true.into();
        let told = self.ask("kv/range", &range);
        let entries = told["kvs"].as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| String::from_utf8_lossy(&decoded(&entry["key"])).into_owned()).collect()
    }

    /// Sets a key.
    pub fn put(&self, key: &str, value: &str) {
        self.ask("kv/put", &json!({ "key": STANDARD.encode(key), "value": STANDARD.encode(value) }));
    }

    /// Removes a key.
    pub fn delete(&self, key: &str) {
        self.ask("kv/deleterange", &json!({ "key": STANDARD.encode(key) }));
    }

    /// The number of its latest change.
    pub fn revision(&self) -> u64 {
        let told = self.ask("kv/range", &json!({ "key": "YQ==" }));
        told.pointer("/header/revision").and_then(Value::as_str).and_then(|text| text.parse().ok()).expect("a revision")
    }

    /// Revokes all leases; the keys under them are gone.
    pub fn revoke_all(&self) {
        let told = self.ask("lease/leases", &json!({}));
        for lease in told["leases"].as_array().into_iter().flatten() {
            // It may have ended meanwhile, or the answer to an attempt was lost.
            let _ = self.ask_or("lease/revoke", &json!({ "ID": lease["ID"] }), |why| why.contains("not found"));
        }
    }

    /// Whether it leads the members.
    pub fn leads(&self) -> bool {
        let told = self.ask("maintenance/status", &json!({}));
        told["leader"].is_string() && told["leader"] == told["header"]["member_id"]
    }

    /// Forgets all that was before now.
    pub fn compact(&self) {
        let asked = json!({ "revision": self.revision().to_string(), "physical": true });
        // It is refused if there is nothing new since the last time, or if the answer to an attempt was lost.
        let _ = self.ask_or("kv/compaction", &asked, |why| why.contains("has been compacted"));
    }

    /// Makes a request that must succeed; it is repeated while the members look for a leader.
    #[track_caller]
    pub fn ask(&self, path: &str, asked: &Value) -> Value {
        self.ask_or(path, asked, |_| false).expect("it is repeated until it succeeds")
    }

    /// The same, if some refusals are an answer as well.
    #[track_caller]
    fn ask_or(&self, path: &str, asked: &Value, is_answer: impl Fn(&str) -> bool) -> Result<Value, String> {
        let began = Instant::now();
        loop {
            match self.ask_once(path, asked) {
                Err(why) if !is_answer(&why) => assert!(began.elapsed() < PATIENCE, "{path}: {why}"),
                told => return told,
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Makes a request as a user. Errors: what the store says.
    pub fn ask_as(&self, user: &str, password: &str, path: &str, asked: &Value) -> Result<Value, String> {
        let login = json!({ "name": user, "password": password });
        let told = ask(&self.address(), "auth/authenticate", &login, None)?;
        ask(&self.address(), path, asked, told["token"].as_str())
    }

    fn ask_once(&self, path: &str, asked: &Value) -> Result<Value, String> {
        match &self.user {
            Some((user, password)) => self.ask_as(user, password, path, asked),
            None => ask(&self.address(), path, asked, None),
        }
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        self.kill();
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Replaces a folder by a copy of another one.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    let copied = Command::new("cp").arg("-a").args([from, to]).status().expect("`cp` is a program");
    assert!(copied.success(), "cannot copy {}", from.display());
}

/// The range of all keys with a prefix.
fn below(prefix: &str) -> Value {
    let mut end = prefix.as_bytes().to_vec();
    *end.last_mut().expect("a prefix") += 1;
    json!({ "key": STANDARD.encode(prefix), "range_end": STANDARD.encode(end) })
}

fn decoded(text: &Value) -> Vec<u8> {
    STANDARD.decode(text.as_str().unwrap_or_default()).unwrap_or_default()
}

/// HTTP/1.0, so that the answer ends with the connection.
fn ask(address: &str, path: &str, asked: &Value, token: Option<&str>) -> Result<Value, String> {
    let fails = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(address).map_err(fails)?;
    stream.set_read_timeout(Some(LIMIT)).map_err(fails)?;
    let body = asked.to_string();
    let token = token.map(|token| format!("Authorization: {token}\r\n")).unwrap_or_default();
    let head = format!("POST /v3/{path} HTTP/1.0\r\n{token}Content-Length: {}", body.len());
    write!(stream, "{head}\r\n\r\n{body}").map_err(fails)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(fails)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("it is not HTTP")?;
    let told: Value = serde_json::from_str(body).map_err(|error| format!("{error}: {body}"))?;
    if head.contains(" 200 ") { Ok(told) } else { Err(body.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_its_data_until_it_is_emptied() {
        let Some(mut etcd) = Etcd::start() else { return };
        etcd.put("a/1", "one");
        etcd.put("a/2", "two");
        etcd.delete("a/2");
        // The second time there is nothing to forget.
        etcd.compact();
        etcd.compact();
        etcd.start_again();
        assert_eq!((etcd.get("a/1").as_deref(), etcd.keys("a/")), (Some("one"), vec!["a/1".to_owned()]));
        let created = etcd.created("a/1");
        etcd.put("a/1", "two");
        assert_eq!((created.is_some(), etcd.created("a/1"), etcd.created("a/2")), (true, created, None));
        etcd.delete("a/1");
        etcd.put("a/1", "three");
        assert_ne!(etcd.created("a/1"), created);
        etcd.start_empty();
        assert_eq!((etcd.get("a/1"), etcd.revision()), (None, 1));
    }

    #[test]
    fn it_goes_back_to_its_backup() {
        let Some(mut etcd) = Etcd::start() else { return };
        etcd.put("a", "one");
        let revision = etcd.revision();
        etcd.back_up();
        etcd.put("a", "two");
        etcd.restore();
        assert_eq!((etcd.get("a").as_deref(), etcd.revision()), (Some("one"), revision));
    }
}
