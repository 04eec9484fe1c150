//! The examples of `host-agent/hosting` work.

use super::{Server, case};
use crate::case::{Case, cannot_look, until};
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn example(name: &str) -> String {
    std::fs::read_to_string(root().join("host-agent/hosting").join(name)).unwrap()
}

/// A certificate for `localhost`; `false` if openssl is missing.
pub(super) fn certificate(case: &Case) -> bool {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=CA:FALSE", "-keyout", "key.pem", "-out", "own.pem"])
        .current_dir(&case.root)
        .output();
    made.is_ok_and(|made| made.status.success())
}

/// Ends with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts nginx with an example as its site, on a port of this machine that is returned. The rest of its configuration is
/// the usual one.
fn nginx(case: &Case, site: &str) -> (Running, u16) {
    let port = mclive_kit::port::free();
    let path = |name: &str| case.path(name).display().to_string();
    let site = site
        .replace("listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl"))
        .replace("server_name play.example.org", "server_name localhost")
        .replace("/etc/letsencrypt/live/play.example.org/fullchain.pem", &path("own.pem"))
        .replace("/etc/letsencrypt/live/play.example.org/privkey.pem", &path("key.pem"));
    case.write("site.conf", &site);
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|part| format!("{part}_temp_path {};\n", path(&format!("temp-{part}"))))
        .concat();
    let whole = format!(
        "daemon off;\nmaster_process off;\npid {};\nerror_log {};\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}include {};\n}}\n",
        path("nginx.pid"),
        path("nginx.log"),
        path("site.conf"),
    );
    case.write("nginx.conf", &whole);
    let mut nginx = Command::new("nginx");
    nginx.args(["-c", &path("nginx.conf"), "-e", &path("nginx.log")]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut nginx = Running(nginx.spawn().unwrap());
    until("nginx answers", || {
        assert!(nginx.0.try_wait().unwrap().is_none(), "{:?}", case.read("nginx.log"));
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    (nginx, port)
}

fn has_nginx(case: &Case) -> bool {
    Command::new("nginx").arg("-v").output().is_ok() && certificate(case)
}

#[test]
fn the_example_of_a_proxy_works() {
    let case = case("nginx");
    if !has_nginx(&case) {
        return cannot_look("the example proxy configuration: nginx or openssl is not installed");
    }
    let server = Server::start(&case, &["--trusted-proxy", "127.0.0.1", "--access-log", "access.log"]);
    let site = example("nginx.conf").replace("127.0.0.1:8080", &format!("127.0.0.1:{}", server.port));
    let (_nginx, port) = nginx(&case, &site);
    let front = |path: &str| format!("https://localhost:{port}{path}");
    let run = |args: &[&str]| case.command(args).env("SSL_CERT_FILE", case.path("own.pem")).output().unwrap();
    let shared = run(&["share", "main.mcl", "--server", &front("")]);
    let link = String::from_utf8(shared.stdout).unwrap().trim().to_owned();
    // The proxy tells the server that clients use encryption.
    assert!(link.starts_with(&front("/s/")), "{link} {}", String::from_utf8_lossy(&shared.stderr));
    assert!(run(&["check", &link]).status.success());
    let is_logged = || case.read("access.log").is_some_and(|log| log.contains("\"path\":\"/api/v1/programs\""));
    until("the request is logged", is_logged);
}

/// The headers for these paths in the list of an export.
fn listed(list: &str, paths: &str) -> Vec<String> {
    let lines = list.lines().skip_while(|line| *line != paths).skip(1).take_while(|line| !line.starts_with('/'));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_example_for_an_export_sends_the_listed_headers() {
    let case = case("nginx-static");
    let list = std::fs::read_to_string(root().join("www/headers.txt")).unwrap();
    let example = example("nginx-static.conf");
    let added = |indent: &str| -> Vec<String> {
        let lines = example.lines().filter_map(|line| line.strip_prefix(indent)?.strip_prefix("add_header "));
        let parts = lines.map(|line| line.strip_suffix("\" always;").unwrap().split_once(" \"").unwrap());
        parts.map(|(name, value)| format!("{name}: {value}")).collect()
    };
    let (pages, frames) = (listed(&list, "/*"), listed(&list, "/embed/* /embed.js"));
    assert_eq!((added("    "), added("        ")), (pages.clone(), frames.clone()));
    if !has_nginx(&case) {
        return cannot_look("the example configuration for an export: nginx or openssl is not installed");
    }
    let exported = case.run(&["serve", "--site", "site", "--export", "public"]);
    assert!(exported.status.success(), "{exported:?}");
    let (_nginx, port) = nginx(&case, &example.replace("/srv/play", &case.path("public").display().to_string()));
    for (path, expected, others) in [
        ("", &pages, ""),
        ("app-0123456789.js", &pages, ""),
        ("nothing", &pages, ""),
        ("embed/", &frames, "x-frame-options"),
        ("embed/index.html", &frames, "x-frame-options"),
        ("embed.js", &frames, "x-frame-options"),
    ] {
        let url = format!("https://localhost:{port}/{path}");
        let asked = Command::new("curl").args(["-sk", "-D", "-", "-o", "/dev/null", &url]).output();
        let Ok(asked) = asked else { return cannot_look("the example configuration for an export: there is no curl") };
        let head = String::from_utf8_lossy(&asked.stdout).to_ascii_lowercase();
        for header in expected {
            assert!(head.lines().any(|line| line == header.to_ascii_lowercase()), "{path}: {header}\n{head}");
        }
        assert!(others.is_empty() || !head.contains(others), "{path}: {head}");
    }
}

/// A program contains only the site that was built before it.
#[test]
fn the_site_is_built_before_the_program() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    assert!(makefile.lines().any(|line| line.starts_with("agent: site ")), "{makefile}");
    for name in ["README.md", "Containerfile"] {
        assert!(example(name).contains("`make agent`"), "{name}");
    }
}

#[test]
fn the_examples_name_options_that_there_are() {
    let case = case("examples");
    let help = String::from_utf8(case.run(&["serve", "--help"]).stdout).unwrap();
    let mut n_options = 0;
    for name in ["README.md", "mclive-serve.service", "Containerfile", "nginx.conf", "nginx-static.conf"] {
        // Lines for other programs contain their options.
        let text: String = example(name).split_inclusive('\n').filter(|line| !line.starts_with("npx ")).collect();
        let words = text.split(|c: char| c.is_whitespace() || "`\",".contains(c)).filter(|word| word.starts_with("--"));
        // Options of the container's own program.
        for option in words.filter(|word| !["--read-only", "--cap-drop"].contains(word)) {
            assert!(help.contains(option), "{name}: {option}");
            n_options += 1;
        }
    }
    assert!(n_options > 20);
    case.write(
        "mclive-serve.service",
        &example("mclive-serve.service").replace("/usr/local/bin/mclive", env!("CARGO_BIN_EXE_mclive")),
    );
    let verified = Command::new("systemd-analyze")
        .args(["verify", "--man=no", "mclive-serve.service"])
        .current_dir(&case.root)
        .output();
    match verified {
        Ok(verified) => {
            let said = String::from_utf8_lossy(&verified.stderr).into_owned();
            let ours: Vec<&str> = said.lines().filter(|line| line.contains("mclive-serve")).collect();
            assert!(ours.is_empty(), "{ours:#?}");
        }
        Err(_) => cannot_look("the systemd unit of the server: systemd-analyze is not installed"),
    }
}
