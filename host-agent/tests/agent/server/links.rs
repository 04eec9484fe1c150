//! Short links: a shared program opens forever, whatever happens to the server.

use super::{Server, case, program};
use crate::case::{Case, until};
use crate::chance::{Chance, times};
use rustix::process::Signal;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[test]
fn a_program_is_shared_and_opens_again() {
    let case = case("links");
    let server = Server::start(&case, &[]);
    let first = server.post("/api/v1/programs", &program("$a = 1\n"));
    assert_eq!(first.status, 201, "{first:?}");
    let id = first.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(first.json()["url"], format!("http://h.example/s/{id}"));
    assert_eq!((id.len(), first.header("location")), (10, format!("http://h.example/s/{id}").as_str()));
    let again = server.post("/api/v1/programs", &program("$a = 1\n"));
    assert_eq!((again.status, &again.json()["id"]), (200, &json!(id)), "the same program has the same ID");
    assert_ne!(server.share("$a = 2\n"), id);

    let stored = server.get(&format!("/api/v1/programs/{id}"));
    assert_eq!(
        stored.json(),
        json!({ "mclive": 1, "version": "0.1.0", "entry": "main.mcl", "files": { "main.mcl": "$a = 1\n" } })
    );
    let known = format!("If-None-Match: {}\r\n", stored.header("etag"));
    assert_eq!(server.ask("GET", &format!("/api/v1/programs/{id}"), &known, b"").unwrap().status, 304);
    for (path, to) in [(format!("/s/{id}/"), format!("../{id}")), ("/embed".into(), "embed/".into())] {
        let moved = server.get(&path);
        assert_eq!((moved.status, moved.header("location")), (308, to.as_str()), "{path}");
    }
    let embed = server.get(&format!("/embed/{id}"));
    assert_eq!((embed.status, embed.header("location")), (302, format!("./#s={id}").as_str()));

    let mut shown = program("$a = 1\n");
    shown["view"] = json!({ "theme": "dark", "read_only": true });
    let shown = server.post("/api/v1/programs", &shown).json()["id"].as_str().unwrap().to_owned();
    assert_ne!(shown, id, "how it is shown is part of what is shared");
    assert_eq!(
        server.get(&format!("/embed/{shown}")).header("location"),
        format!("./#s={shown}&theme=dark&readonly=1")
    );

    // Another server on the same store, at the same time.
    let other = Server::start(&case, &["--public-url", "https://play.example/"]);
    assert_eq!(other.get(&format!("/api/v1/programs/{id}")).body, stored.body);
    let there = other.post("/api/v1/programs", &program("$a = 1\n"));
    assert_eq!((there.status, &there.json()["url"]), (200, &json!(format!("https://play.example/s/{id}"))));
    drop((server, other));
    let server = Server::start(&case, &[]);
    assert_eq!(server.get(&format!("/api/v1/programs/{id}")).body, stored.body);
}

#[test]
fn a_short_link_shows_what_it_leads_to() {
    let case = case("landing");
    let server = Server::start(&case, &["--versions", "versions"]);
    let id = server.share("# Keeps a <b>greeting</b>\nfile \"/tmp/a\" { content => \"<script>\", }\n");
    let page = server.get(&format!("/s/{id}")).text();
    for expected in [
        "<title>Keeps a &lt;b&gt;greeting&lt;/b&gt; · mclive</title>".to_owned(),
        format!("<meta property=\"og:image\" content=\"http://h.example/preview/{id}.png\">"),
        "content=\"file &quot;/tmp/a&quot; { content =&gt; &quot;&lt;script&gt;&quot;, }\"".to_owned(),
        format!("content=\"0; url=../#s={id}\""),
    ] {
        assert!(page.contains(&expected), "{expected}\n{page}");
    }
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    let preview = server.get(&format!("/preview/{id}.svg"));
    assert_eq!((preview.status, preview.header("content-type")), (200, "image/svg+xml"));
    assert!(preview.text().contains(">/tmp/a</text>") && preview.text().contains("1 resource<"), "{}", preview.text());
    let picture = server.get(&format!("/preview/{id}.png"));
    assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"));
    assert!(picture.body.starts_with(b"\x89PNG\r\n\x1a\n"));
    // The second time it is the one that was kept.
    assert_eq!(server.get(&format!("/preview/{id}.png")).body, picture.body);
    // A refused program has a picture as well.
    let broken = server.share("$a = \n");
    for form in ["svg", "png"] {
        let empty = server.get(&format!("/preview/{broken}.{form}"));
        assert!(empty.status == 200 && empty.body != picture.body, "{form}");
    }

    // A program opens with the version that wrote it, if it is available.
    let mut old = program("$a = 1\n");
    old["version"] = "0.0.9".into();
    let id = server.post("/api/v1/programs", &old).json()["id"].as_str().unwrap().to_owned();
    assert!(server.get(&format!("/s/{id}")).text().contains(&format!("content=\"0; url=../v/0.0.9/#s={id}\"")));
    assert_eq!(server.get("/v/0.0.9/").text(), "<!doctype html>the old page");
    assert_eq!(server.get("/v/0.0.9").header("location"), "0.0.9/");
    // So does its frame, unless that version had none.
    let framed = |server: &Server| server.get(&format!("/embed/{id}")).header("location").to_owned();
    assert_eq!(framed(&server), format!("../v/0.0.9/embed/#s={id}"));
    std::fs::remove_dir_all(case.path("versions/0.0.9/embed")).unwrap();
    let other = Server::start(&case, &["--versions", "versions"]);
    assert_eq!(framed(&other), format!("./#s={id}"));
    assert_eq!(server.get(&format!("/v/0.0.9/api/v1/programs/{id}")).status, 200);
}

#[test]
fn what_was_taken_down_is_gone_with_its_reason() {
    let case = case("taken-down");
    let server = Server::start(&case, &[]);
    let id = server.share("$a = 1\n");
    case.write("store/taken-down", &format!("{id} a court order\n"));
    until("it is gone", || server.get(&format!("/s/{id}")).status == 410);
    for path in [
        format!("/s/{id}"),
        format!("/preview/{id}.svg"),
        format!("/preview/{id}.png"),
        format!("/api/v1/programs/{id}"),
    ] {
        let answer = server.get(&path);
        assert!(answer.status == 410 && answer.text().contains("a court order"), "{path}: {answer:?}");
    }
    assert_eq!(server.post("/api/v1/programs", &program("$a = 1\n")).status, 410);
    // For people, the link is a page that says why, and leads to the playground.
    for (id, why) in [(&*id, "This program has been taken down: a court order."), ("abcdefghij", "No program found")] {
        let page = server.get(&format!("/s/{id}")).text();
        assert!(page.contains(&format!("<p>{why}")) && page.contains("<a href=\"../\">"), "{page}");
    }
    let plan = case.run(&["plan", &format!("{}/s/{id}", server.url())]);
    assert!(String::from_utf8_lossy(&plan.stderr).contains("a court order"), "{plan:?}");
    // A link names a program as well, and a line that names none is told, while it runs and at a start.
    let other = server.share("$a = 2\n");
    case.write("store/taken-down", &format!("\u{feff}{id} a court order\n{}/s/{other}?x spam\nnobody\n", server.url()));
    until("it is gone", || server.get(&format!("/s/{other}")).status == 410);
    server.agent.says("line 3 of the list `taken-down`");
    std::fs::remove_file(case.path("store/taken-down")).unwrap();
    std::fs::create_dir(case.path("store/taken-down")).unwrap();
    until("it is told", || {
        server.get(&format!("/s/{other}"));
        server.agent.said().contains("still applies")
    });
    assert_eq!(server.get(&format!("/s/{other}")).status, 410);
    std::fs::remove_dir(case.path("store/taken-down")).unwrap();
    case.write("store/taken-down", &format!("{id}0\n"));
    Server::start(&case, &[]).agent.says("line 1 of the list `taken-down`");
}

/// A server that returns another program than the link names.
#[test]
fn a_link_opens_what_was_shared_or_nothing() {
    let case = case("forged");
    let server = Server::start(&case, &[]);
    let (id, other) = (server.share("$a = 1\n"), server.share("$a = 2\n"));
    let place = |id: &str| case.path("store/programs").join(&id[..2]).join(id);
    std::fs::copy(place(&other), place(&id)).unwrap();
    let answer = server.get(&format!("/api/v1/programs/{id}"));
    assert!(answer.status == 500 && answer.text().contains("damaged"), "{answer:?}");
    assert!(!answer.text().contains("programs/"), "where it is, is for the operator: {answer:?}");
    let shown = format!("store/programs/{}/{id} is damaged in the store", &id[..2]);
    server.agent.says(&shown);
    // Whoever shares the same program again repairs it.
    assert_eq!(server.share("$a = 1\n"), id);
    server.agent.says("has been repaired");
    let stored = server.get(&format!("/api/v1/programs/{id}"));
    assert_eq!((stored.status, stored.json()["files"]["main.mcl"].as_str()), (200, Some("$a = 1\n")));
}

/// Writers while the server is killed between any two system calls.
#[test]
fn what_was_answered_survives_every_kill() {
    let (case, n_kills) = (case("kills"), times("MCLIVE_KILLS", 30));
    let answered: Mutex<BTreeMap<String, String>> = Mutex::default();
    let (n_programs, mut chance) = (AtomicU64::new(0), Chance::new(16));
    for _ in 0..n_kills {
        let server = Server::start(&case, &[]);
        assert_eq!(names(&case.path("store/incoming")), [""; 0], "a start leaves no litter");
        // At a random moment after some answers, however fast this machine is.
        let (enough, pause) = (1 + chance.below(8), Duration::from_micros(chance.below(3_000)));
        let n_answers = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let n = n_programs.fetch_add(1, Ordering::Relaxed);
                        // Every third one needs more than one write.
                        let text = format!("$a = {n}\n{}", "# x\n".repeat(if n % 3 == 0 { 20_000 } else { 0 }));
                        let asked = server.ask("POST", "/api/v1/programs", "", program(&text).to_string().as_bytes());
                        let Some(answer) = asked.filter(|answer| answer.body.ends_with(b"}")) else { return };
                        assert_eq!(answer.status, 201, "{answer:?}");
                        let id = answer.json()["id"].as_str().unwrap().to_owned();
                        answered.lock().unwrap().insert(id, text);
                        n_answers.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            until("some are answered", || n_answers.load(Ordering::Relaxed) >= enough);
            std::thread::sleep(pause);
            server.agent.signal(Signal::KILL);
        });
    }
    let server = Server::start(&case, &[]);
    let answered = answered.into_inner().unwrap();
    assert!(answered.len() as u64 >= n_kills, "{} programs were stored", answered.len());
    for (id, text) in &answered {
        let stored = server.get(&format!("/api/v1/programs/{id}"));
        assert_eq!((stored.status, stored.json()["files"]["main.mcl"].as_str()), (200, Some(text.as_str())), "{id}");
    }
    assert_eq!(names(&case.path("store/incoming")), [""; 0]);
    let all = stored(&case);
    assert!(all.len() >= answered.len());
    // Programs whose answer was lost are complete as well.
    for id in &all {
        assert_eq!(server.get(&format!("/api/v1/programs/{id}")).status, 200, "{id}");
    }
    println!("{n_kills} kills, {} programs answered, {} stored", answered.len(), all.len());
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.into_string().unwrap()).collect()
}

/// Every name in the store.
fn stored(case: &Case) -> Vec<String> {
    let programs = case.path("store/programs");
    names(&programs).iter().flat_map(|shelf| names(&programs.join(shelf))).collect()
}
