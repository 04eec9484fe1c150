//! The golden links: links that were given out, which open forever. `tests/links/VERSION/` may only grow.

use super::{Server, case};
use mclive_base::hash::sha256;
use mclive_base::protocol::trace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many links each release has at least: a link cannot be removed together with its line in the manifest. The
/// number grows with the folder.
const PUBLISHED: &[(&str, usize)] = &[("0.1.0", 46)];

fn links() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/links")
}

/// The files of all releases, by `VERSION/NAME.json`.
fn files() -> BTreeMap<String, Vec<u8>> {
    let entries = |path: &Path| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let releases = entries(&links()).into_iter().filter(|path| path.is_dir());
    let paths = releases.flat_map(|release| entries(&release));
    paths
        .map(|path| (path.strip_prefix(links()).unwrap().display().to_string(), std::fs::read(&path).unwrap()))
        .collect()
}

/// `tests/links/SHA256SUMS` has a line for each file, in the form of `sha256sum`.
#[test]
fn golden_links_are_added_and_never_change() {
    let manifest = std::fs::read_to_string(links().join("SHA256SUMS")).unwrap();
    let lines = manifest.lines().map(|line| line.split_once("  ").unwrap_or_else(|| panic!("{line}")));
    let published: BTreeMap<&str, &str> = lines.map(|(hash, name)| (name, hash)).collect();
    assert_eq!(published.len(), manifest.lines().count(), "a file has one line");
    let files = files();
    for (name, hash) in &published {
        let content = files.get(*name).unwrap_or_else(|| panic!("{name} is gone: links open for ever; restore it"));
        let have: String = sha256(content).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(have, *hash, "{name} has changed: links never change; restore it, and add a new file");
    }
    let new: Vec<&String> = files.keys().filter(|name| !published.contains_key(name.as_str())).collect();
    assert!(new.is_empty(), "add them: (cd tests/links && sha256sum FILE >>SHA256SUMS), for each of {new:?}");
    for (version, least) in PUBLISHED {
        let n_links = files.keys().filter(|name| name.split('/').next() == Some(*version)).count();
        assert!(n_links >= *least, "{version} has {n_links} links, and had {least}");
    }
}

/// Each opens in the agent, with the files that it was made from.
#[test]
fn golden_links_open() {
    let case = case("golden");
    let read = |(name, content): (String, Vec<u8>)| (name, serde_json::from_slice(&content).unwrap());
    let cases: Vec<(String, Value)> = files().into_iter().map(read).collect();
    // As an operator would restore a store.
    for (_, golden) in cases.iter().filter(|(_, golden)| golden["stored"].is_string()) {
        let id = golden["link"].as_str().unwrap().strip_prefix("/s/").unwrap();
        let shelf = format!("store/programs/{}", &id[..2]);
        std::fs::create_dir_all(case.path(&shelf)).unwrap();
        case.write(&format!("{shelf}/{id}"), golden["stored"].as_str().unwrap());
    }
    let server = Server::start(&case, &[]);
    let (mut languages, mut n_recordings, mut n_embeds) = (BTreeSet::new(), 0, 0);
    for (name, golden) in &cases {
        let link = golden["link"].as_str().unwrap();
        let link = if link.starts_with('/') { server.url() + link } else { link.to_owned() };
        n_embeds += usize::from(link.contains("/embed/"));
        // The agent opens it, and stores the content.
        let opened = case.run(&["share", &link, "--server", &server.url()]);
        let again = String::from_utf8(opened.stdout).unwrap();
        let id = again.trim().rsplit('/').next().unwrap_or_default();
        assert!(opened.status.success(), "{name}: {}", String::from_utf8_lossy(&opened.stderr));
        let stored = server.get(&format!("/api/v1/programs/{id}")).json();
        assert_eq!(stored["files"], golden["files"], "{name}");
        if let Some(bytes) = golden["stored"].as_str() {
            let path = golden["link"].as_str().unwrap().replace("/s/", "/api/v1/programs/");
            assert_eq!(server.get(&path).text(), bytes, "{name}");
        }
        if golden["recorded"].is_null() {
            languages.insert(stored["entry"].as_str().unwrap().rsplit('.').next().unwrap().to_owned());
        } else {
            replays(&case, name, &link, golden["recorded"].as_u64().unwrap());
            n_recordings += 1;
        }
    }
    assert_eq!(languages.into_iter().collect::<Vec<_>>(), ["cf", "mcl"]);
    assert!(n_recordings >= 3 && n_embeds >= 2, "{n_recordings} recordings, {n_embeds} frames");
}

/// A recorded run is replayed, or is told to be of another version of the format.
fn replays(case: &crate::case::Case, name: &str, link: &str, format: u64) {
    let replayed = case.run(&["replay", link, "--show", "events"]);
    let (told, errors) = (String::from_utf8_lossy(&replayed.stdout), String::from_utf8_lossy(&replayed.stderr));
    if format == u64::from(trace::VERSION) {
        assert!(replayed.status.success() && told.lines().count() >= 3, "{name}: {told}{errors}");
    } else {
        assert!(errors.contains(&format!("(format version {format})")), "{name}: {told}{errors}");
    }
}
