//! A store that is encrypted and asks its clients for certificates, on a real etcd.

use crate::case::{Agent, Case, stderr, until};
use crate::fleet::{KEYS, file};
use crate::tunnels;
use mclive_kit::etcd::Etcd;
use mclive_kit::link::Link;
use mclive_kit::pki::{Pki, Purpose, text};
use std::path::PathBuf;
use std::process::Output;

/// In place of `ssh`: what is to run on the other host runs here, with a home and its own certificates.
const THERE: &str = r#"#!/bin/sh
for word in "$@"; do command=$word; done
export HOME=@HOME@ MCLIVE_WORLD_CA=@CA@ MCLIVE_WORLD_CERT=@CERT@ MCLIVE_WORLD_KEY=@KEY@
exec sh -c "$command"
"#;

struct Secured {
    pki: Pki,
    etcd: Etcd,
    case: Case,
    client: (PathBuf, PathBuf),
}

impl Secured {
    /// `None`: there is no etcd or no openssl here.
    fn new(name: &str) -> Option<Secured> {
        let pki = Pki::new()?;
        let etcd = Etcd::secured(&pki.authority(), &pki.make("server", Purpose::Both))?;
        let client = pki.make("client", Purpose::Client);
        Some(Secured { etcd, case: Case::new(name, ""), client, pki })
    }

    fn world(&self, url: &str, ca: &str) -> Vec<String> {
        let (certificate, key) = (text(&self.client.0), text(&self.client.1));
        let all = ["--world", url, "--world-ca", ca, "--world-cert", certificate, "--world-key", key];
        all.map(str::to_owned).to_vec()
    }

    /// `mclive world status` with these options.
    fn status(&self, options: &[&str]) -> Output {
        self.case.run(&[&["world", "status"], options].concat())
    }
}

/// Asserts that a command ends with this status and says why.
#[track_caller]
fn ends(output: &Output, status: i32, words: &str) {
    let said = stderr(output);
    assert!(output.status.code() == Some(status) && said.contains(words), "expected {words:?}: {output:?}");
    assert!(!said.contains("PRIVATE KEY"), "{said}");
}

#[test]
fn a_store_with_certificates_is_used_by_clients_that_have_one() {
    let Some(secured) = Secured::new("secured-certificates") else { return };
    let Secured { pki, etcd, case, client } = &secured;
    let (url, authority) = (etcd.secured_url(), pki.authority());
    let authority = text(&authority);
    let all = secured.world(&url, authority);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    etcd.put(&format!("{KEYS}strings/k"), "one");
    let good = secured.status(&all);
    assert!(good.status.success(), "{good:?}");
    let program = format!("import \"world\"\n{}", file("k", "world.getval(\"k\")->value"));
    case.program(&program);
    let deployed = case.run(&[&["deploy", "main.mcl"], &all[..]].concat());
    assert!(deployed.status.success(), "{deployed:?}");
    let mut agent = Agent::spawn(case.command(&[&["run", "--prefix", "state", "--hostname", "h1"], &all[..]].concat()));
    case.holds("out/k", "one");
    etcd.put(&format!("{KEYS}strings/k"), "two");
    case.holds("out/k", "two");
    assert!(agent.stop().success());

    let none = "the server's certificate is not signed by a trusted authority: use --world-ca FILE with the certificate \
                of the authority that issued it";
    // The system's authorities, of which there may be none here, do not know this one.
    let own = case.command(&["world", "status", "--world", &url]).env("SSL_CERT_FILE", &client.0).output().unwrap();
    ends(&own, 1, none);
    let other = Pki::new().unwrap();
    let wrong =
        format!("check that {} contains the certificate of the authority that issued it", other.authority().display());
    ends(&secured.status(&["--world", &url, "--world-ca", text(&other.authority())]), 1, &wrong);
    let required = "the store requires a client certificate: use --world-cert FILE and --world-key FILE";
    ends(&secured.status(&["--world", &url, "--world-ca", authority]), 1, required);
    let foreign = other.make("client", Purpose::Client);
    let with = |(certificate, key): &(PathBuf, PathBuf), port: &str| {
        let pair = ["--world-cert", text(certificate), "--world-key", text(key)];
        secured.status(&[&["--world", port, "--world-ca", authority], &pair[..]].concat())
    };
    ends(&with(&foreign, &url), 1, &format!("the store does not accept {}", foreign.0.display()));
    let mixed = (client.0.clone(), foreign.1.clone());
    ends(&with(&mixed, &url), 2, "the key does not belong to the certificate in ");
    let name = url.replace("127.0.0.1", "localhost");
    ends(
        &with(client, &name),
        1,
        "the server's certificate is not valid for `localhost`, only for 127.0.0.1: use a name",
    );
    ends(&with(client, &etcd.url()), 2, "require an https URL");
    ends(&with(client, &etcd.url().replace("http:", "https:")), 1, "check the port");
    ends(&secured.status(&["--world", &url.replace("https:", "http:")]), 1, "if the store uses TLS, use https");
    case.write("empty.pem", "nothing\n");
    ends(
        &secured.status(&["--world", &url, "--world-ca", "empty.pem"]),
        2,
        "empty.pem: it contains no PEM certificate",
    );
    ends(&secured.status(&["--world", "http://10.0.0.1:2379"]), 2, "http://10.0.0.1:2379 is not encrypted");
}

#[test]
fn the_gateway_of_etcd_needs_a_certificate_that_allows_client_authentication() {
    let Some(pki) = Pki::new() else { return };
    let Some(etcd) = Etcd::secured(&pki.authority(), &pki.make("server", Purpose::Server)) else { return };
    let client = pki.make("client", Purpose::Client);
    let case = Case::new("secured-purpose", "");
    let authority = pki.authority();
    let world = ["world", "status", "--world", &etcd.secured_url(), "--world-ca", text(&authority)];
    let pair = ["--world-cert", text(&client.0), "--world-key", text(&client.1)];
    ends(&case.run(&[&world[..], &pair].concat()), 1, "its own certificate must also allow client authentication");
}

#[test]
fn renewed_certificates_are_taken_in_at_the_next_connection() {
    let Some(secured) = Secured::new("secured-renewed") else { return };
    let Secured { pki, etcd, case, client } = &secured;
    let link = Link::to(etcd.secured_url().trim_start_matches("https://"));
    let authority = pki.authority();
    // What the agent reads.
    let own = ["ca.pem", "own.pem", "own.key"].map(|name| case.path(name));
    let copy = |from: [&PathBuf; 3]| {
        for (from, to) in from.into_iter().zip(&own) {
            std::fs::copy(from, to).unwrap();
        }
    };
    copy([&authority, &client.0, &client.1]);
    case.program(&format!("import \"world\"\n{}", file("k", "world.getval(\"k\")->value")));
    etcd.put(&format!("{KEYS}strings/k"), "one");
    let url = format!("https://{}", link.address());
    let files = ["--world-ca", "ca.pem", "--world-cert", "own.pem", "--world-key", "own.key"];
    let args = ["run", "--prefix", "state", "--hostname", "h1", "--world", &url, "--world-ttl", "5", "main.mcl"];
    let mut agent = Agent::spawn(case.command(&[&args[..], &files].concat()));
    case.holds("out/k", "one");
    // A file in the middle of its replacement: the certificates before are still good.
    case.write("own.pem", "half of it");
    agent.says("own.pem: it contains no PEM certificate; still using the previous certificates");
    etcd.put(&format!("{KEYS}strings/k"), "two");
    case.holds("out/k", "two");
    // The store moves to another authority.
    let other = Pki::new().unwrap();
    let theirs = other.make("client", Purpose::Client);
    let moved = Etcd::secured(&other.authority(), &other.make("server", Purpose::Both)).unwrap();
    moved.put(&format!("{KEYS}strings/k"), "three");
    link.cut();
    agent.says("the shared store is unreachable");
    link.leads_to(moved.secured_url().trim_start_matches("https://"));
    copy([&other.authority(), &theirs.0, &theirs.1]);
    link.heal();
    case.holds("out/k", "three");
    until("it is there", || moved.get(&format!("{KEYS}agent/h1/live")).is_some());
    assert!(agent.runs());
}

/// The certificate of the store is valid for the end of the tunnel on the other host.
#[test]
fn an_agent_on_another_host_reaches_the_store_through_a_tunnel_with_its_own_certificates() {
    let Some(secured) = Secured::new("secured-tunnel") else { return };
    let Secured { pki, etcd, case, .. } = &secured;
    // The tunnel, which `ssh` would open.
    let link = Link::to(etcd.secured_url().trim_start_matches("https://"));
    case.program(&format!(
        "if $hostname == \"far\" {{\n\tkv \"place\" {{\n\t\tvalue => \"there\",\n\t\tmapped => true,\n\t}}\n}} else {{\n\t\
         remote \"root@h\" {{\n\t\thostname => \"far\",\n\t\tcaching => false,\n\t\tconverger_timeout => 5,\n\t\t\
         tunnel_addr => \"{}\",\n\t}}\n}}\n",
        link.address()
    ));
    let (home, authority, theirs) = (case.path("there"), pki.authority(), pki.make("far", Purpose::Client));
    std::fs::create_dir(&home).unwrap();
    let files = [("@HOME@", &home), ("@CA@", &authority), ("@CERT@", &theirs.0), ("@KEY@", &theirs.1)];
    let script = files.into_iter().fold(THERE.to_owned(), |script, (name, path)| script.replace(name, text(path)));
    let options = secured.world(&etcd.secured_url(), text(&authority));
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let Some(mut agent) = tunnels::start(case, "secured-tunnel", &script, &options) else { return };
    until("the other agent has set its value", || {
        etcd.get(&format!("{KEYS}strings/place/far")).as_deref() == Some("there")
    });
    agent.stop();
}
