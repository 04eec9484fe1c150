//! Connections over TLS, for those who run no proxy.

use super::hosting::certificate;
use super::{Server, case};
use crate::case::{cannot_look, until};

#[test]
fn connections_can_be_encrypted() {
    let case = case("tls");
    if !certificate(&case) {
        return cannot_look("HTTPS connections to `serve`: openssl cannot create a certificate here");
    }
    let server = Server::start(&case, &["--tls-certificate", "own.pem", "--tls-key", "key.pem"]);
    assert!(server.agent.said().contains("https://127.0.0.1:"), "{}", server.agent.said());
    let url = format!("https://localhost:{}", server.port);
    let run = |args: &[&str]| case.command(args).env("SSL_CERT_FILE", case.path("own.pem")).output().unwrap();
    let shared = run(&["share", "main.mcl", "--server", &url]);
    let link = String::from_utf8(shared.stdout).unwrap().trim().to_owned();
    assert!(link.starts_with(&format!("{url}/s/")), "{link} {}", String::from_utf8_lossy(&shared.stderr));
    assert!(run(&["check", &link]).status.success());
    assert!(!case.run(&["check", &link]).status.success(), "who does not trust the certificate opens nothing");
    // An unencrypted client is not answered, and occupies no seat.
    assert!(server.ask("GET", "/", "", b"").is_none());
    assert!(run(&["check", &link]).status.success());

    // A renewed certificate is used without a restart; one without its key is told, and the last one stays in use.
    let before = case.read("own.pem").unwrap();
    case.write("first.pem", &before);
    assert!(certificate(&case));
    let opened = |trusted: &str| {
        let mut check = case.command(&["check", &link]);
        check.env("SSL_CERT_FILE", case.path(trusted)).output().unwrap().status.success()
    };
    until("the new certificate is used", || opened("own.pem"));
    assert!(!opened("first.pem"));
    case.write("both.pem", &case.read("own.pem").unwrap());
    case.write("own.pem", &before);
    until("it is told", || {
        opened("both.pem") && server.agent.said().contains("not the key of the certificate in own.pem")
    });
    assert!(opened("both.pem") && !opened("first.pem"));

    case.write("key.pem", "no key");
    let wrong = case.run(&["serve", "--site", "site", "--tls-certificate", "own.pem", "--tls-key", "key.pem"]);
    assert!(wrong.status.code() == Some(2) && String::from_utf8_lossy(&wrong.stderr).contains("key.pem"), "{wrong:?}");
}
