//! The site as files for any web server.

use super::{Server, case};
use crate::case::{Case, cannot_look, until};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn the_site_can_be_exported_for_any_host() {
    let case = case("export");
    let export = || case.run(&["serve", "--site", "site", "--export", "public"]);
    assert!(export().status.success());
    assert_eq!(case.read("public/embed/index.html").as_deref(), Some("<!doctype html>the frame"));
    let again = export();
    assert!(
        again.status.code() == Some(2) && String::from_utf8_lossy(&again.stderr).contains("not empty"),
        "{again:?}"
    );
    // All of it or nothing: here files can be created, but not filled.
    for (dir, is_there) in [("other", false), ("empty", true)] {
        if is_there {
            std::fs::create_dir(case.path(dir)).unwrap();
        }
        let limited = format!(
            "trap '' XFSZ; ulimit -f 0; exec {} serve --site site --export {dir}",
            env!("CARGO_BIN_EXE_mclive")
        );
        let failed = Command::new("sh").args(["-c", &limited]).current_dir(&case.root).output().unwrap();
        assert!(!failed.status.success(), "{failed:?}");
        let left = std::fs::read_dir(case.path(dir)).map_or(0, Iterator::count);
        assert_eq!((left, case.path(dir).exists()), (0, is_there), "{failed:?}");
    }
}

/// A site of the real shells, with files of the names that the build gives them.
fn built(case: &Case) {
    std::fs::create_dir_all(case.path("built/embed")).unwrap();
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/web");
    for (page, to, up) in [("index", "index", ""), ("reference", "reference", ""), ("index", "embed/index", "../")] {
        let shell = std::fs::read_to_string(web.join(format!("{page}.html"))).unwrap();
        let mut html = String::new();
        for (at, part) in shell.split("{{").enumerate() {
            let Some((name, rest)) = part.split_once("}}").filter(|_| at > 0) else {
                html += part;
                continue;
            };
            let ending = match name {
                "ENTRIES" | "CONTENT" | "POLICY" => None,
                "ICON" => Some("svg"),
                "STYLE" | "REFERENCE_STYLE" => Some("css"),
                _ if name.ends_with("WASM") => Some("wasm"),
                _ => Some("js"),
            };
            if let Some(ending) = ending {
                let file = format!("{}-0123456789.{ending}", name.to_ascii_lowercase());
                case.write(&format!("built/{file}"), &format!("the content of {file}"));
                html += &format!("{up}{file}");
            }
            html += rest;
        }
        case.write(&format!("built/{to}.html"), &html);
    }
}

/// The files that a page names: scripts, styles, modules, icons.
fn named(html: &str) -> Vec<String> {
    let values = ["src=\"", "href=\""].iter().flat_map(|attribute| html.split(attribute).skip(1));
    let values = values.map(|rest| rest.split('"').next().unwrap().to_owned());
    values.filter(|path| !path.is_empty() && !path.ends_with('/') && !path.contains([':', '#'])).collect()
}

/// A server of plain files, which knows nothing of mclive.
#[test]
fn a_plain_file_server_serves_the_export() {
    let case = case("export-served");
    built(&case);
    let mut sites = vec![case.path("built")];
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/dist");
    sites.extend(dist.join("index.html").is_file().then_some(dist));
    for (n, site) in sites.iter().enumerate() {
        let public = format!("public{n}");
        let exported = case.run(&["serve", "--site", site.to_str().unwrap(), "--export", &public]);
        assert!(exported.status.success(), "{exported:?}");
        let mut python = Command::new("python3");
        python.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"]).arg(case.path(&public));
        if Command::new("python3").arg("--version").output().is_err() {
            return cannot_look("the export on a plain file server: python3 is not installed");
        }
        let files = crate::case::Agent::spawn(python);
        until("the file server listens", || files.said().contains("Serving HTTP on 127.0.0.1 port "));
        let said = files.said();
        let port = said.split("127.0.0.1 port ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let server = Server { agent: files, port };
        let mut kinds = BTreeSet::new();
        for page in ["", "reference.html", "embed/"] {
            let html = server.get(&format!("/{page}"));
            assert!(html.status == 200 && html.header("content-type").starts_with("text/html"), "{page}: {html:?}");
            for name in named(&html.text()) {
                let (folder, name) = match name.strip_prefix("../") {
                    Some(name) => ("", name.to_owned()),
                    None => (if page.ends_with('/') { page } else { "" }, name.trim_start_matches("./").to_owned()),
                };
                let path = format!("{folder}{name}");
                let answer = server.get(&format!("/{path}"));
                assert_eq!(answer.status, 200, "{page} names {path}");
                assert_eq!(answer.body, std::fs::read(site.join(&path)).unwrap(), "{path}");
                let (_, ending) = name.rsplit_once('.').unwrap();
                let expected: &[&str] = match ending {
                    "js" | "mjs" => &["text/javascript", "application/javascript"],
                    "css" => &["text/css"],
                    "wasm" => &["application/wasm"],
                    "svg" => &["image/svg+xml"],
                    "html" => &["text/html"],
                    _ => panic!("{page} names {path}, whose type is unknown"),
                };
                let kind = answer.header("content-type");
                assert!(expected.iter().any(|expected| kind.starts_with(expected)), "{path}: {kind}");
                kinds.insert(ending.to_owned());
            }
        }
        for kind in ["js", "css", "wasm", "svg"] {
            assert!(kinds.contains(kind), "no page names a file of this kind: {kind}");
        }
    }
}
