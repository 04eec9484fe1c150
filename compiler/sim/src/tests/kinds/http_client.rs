//! `http:client`.

use super::{NOTHING, Run};
use crate::{Remote, World};

const URL: &str = "https://example.org/page";

fn serves(text: &'static str) -> impl FnOnce(&mut World) {
    move |world| {
        let remote = Remote { status: 200, body: text.into(), modified_s: Some(1_700_000_000), ..Remote::default() };
        world.subjects.server.remotes.insert(URL.into(), remote);
    }
}

fn client(fields: &str) -> String {
    format!("http:client \"/srv/page\" {{ url => \"{URL}\", Meta:poll => 5, {fields} }}")
}

#[test]
fn a_page_is_fetched_and_followed() {
    let mut run = Run::after(serves("one"), &client(""));
    assert_eq!(run.steps(), ["write /srv/page (3 bytes of https://example.org/page)", "store placed.sha256"]);
    assert_eq!(run.read("/srv/page"), "one");
    // The server reports the same date as the local content.
    assert_eq!(run.change(|_| ()), NOTHING);
    let newer = run.change(|world| {
        let remote = world.subjects.server.remotes.get_mut(URL).unwrap();
        (remote.body, remote.modified_s) = ("two!".into(), Some(1_800_000_000));
    });
    assert_eq!(newer, ["write /srv/page (4 bytes of https://example.org/page)", "store placed.sha256"]);
    assert_eq!(run.change(|world| world.write("/srv/page", "spoilt").unwrap()).len(), 2);
    assert_eq!(run.change(|world| world.remove("/srv/page").unwrap()).len(), 2);
    assert_eq!(run.again().0, NOTHING);
}

/// The date of the file is then later than that on the server.
#[test]
fn what_was_changed_here_or_comes_from_another_url_is_fetched_whatever_its_date() {
    let mut run = Run::after(serves("one"), &client(""));
    run.change(|world| world.write("/srv/page", "spoilt").unwrap());
    assert_eq!(run.read("/srv/page"), "one");
    assert_eq!(run.again().0, NOTHING);
    for (program, path) in [(client(""), "/srv/page"), (private(), "/copy")] {
        let mut run = Run::after(serves("one"), &program);
        assert_eq!(run.read(path), "one");
        run.sim.change(|world| {
            let older = Remote { status: 200, body: "older".into(), modified_s: Some(1), ..Remote::default() };
            world.subjects.server.remotes.insert("https://example.org/older".into(), older);
        });
        run.deploy(&program.replace(URL, "https://example.org/older"));
        assert_eq!(run.read(path), "older");
    }
}

/// The date of the first URL is later than that of the change at the second one.
#[test]
fn the_same_content_from_another_url_gets_the_date_that_it_has_there() {
    const SAME: &str = "https://example.org/same";
    for (program, path) in [(client(""), "/srv/page"), (private(), "/copy")] {
        let mut run = Run::after(serves("one"), &program);
        run.sim.change(|world| {
            let same = Remote { modified_s: Some(1), ..world.subjects.server.remotes[URL].clone() };
            world.subjects.server.remotes.insert(SAME.into(), same);
        });
        let steps = run.switches(&program.replace(URL, SAME));
        assert!(steps.contains(&"store placed.sha256".to_owned()), "{steps:?}");
        let (steps, mut run) = run.again();
        assert_eq!(steps, NOTHING);
        run.change(|world| {
            let remote = world.subjects.server.remotes.get_mut(SAME).unwrap();
            (remote.body, remote.modified_s) = ("two!".into(), Some(2));
        });
        assert_eq!(run.read(path), "two!");
    }
}

#[test]
fn a_sum_that_is_right_needs_no_request() {
    let one = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    let mut run = Run::after(serves("one"), &client(&format!("sha256 => \"{one}\",")));
    assert_eq!(run.steps().len(), 2);
    // The server no longer answers, and is not asked.
    assert_eq!(run.change(|world| world.subjects.server.remotes.clear()), NOTHING);
    assert!(run.failures().is_empty());
    run.sim.change(|world| world.remove("/srv/page").unwrap());
    run.settle();
    assert!(run.failures()[0].contains("connection refused"), "{:?}", run.failures());
    let run = Run::after(serves("two"), &client(&format!("sha256 => \"{one}\",")));
    assert!(run.failures()[0].starts_with("sha256 mismatch: got "), "{:?}", run.failures());
}

#[test]
fn a_failure_is_reported_and_passed_to_functions() {
    let run = Run::new("http:client \"/srv/page\" { url => \"http://localhost/\", }");
    assert_eq!(run.failures(), ["must use Meta:poll when not using Longpoll"]);
    let asks = "import \"net/http\" as http\nimport \"fmt\"\nfile \"/status\" { state => \"exists\", content => fmt.printf(\"%d\", http.response(\"/srv/page\")->status), }";
    let missing = |world: &mut World| {
        world.subjects.server.remotes.insert(URL.into(), Remote { status: 404, ..Remote::default() });
    };
    let mut run = Run::after(missing, &format!("{asks}\n{}", client("")));
    assert_eq!(run.failures()[0], "unexpected status: 404 Not Found");
    assert_eq!(run.read("/status"), "404");
    run.change(serves("one"));
    assert_eq!((run.read("/status"), run.read("/srv/page")), ("200".into(), "one".into()));
}

/// A client without a path, whose content is copied to `/copy`.
fn private() -> String {
    format!(
        "http:client \"page\" {{ url => \"{URL}\", Meta:poll => 5, }}\nfile \"/copy\" {{ state => \"exists\", }}\nHttp:Client[\"page\"].content -> File[\"/copy\"].content"
    )
}

#[test]
fn a_private_destination_is_sent_on() {
    let run = Run::after(serves("one"), &private());
    assert_eq!(run.read("/copy"), "one");
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    assert_eq!(run.read("/copy"), "one");
}

/// The date of the content is the one reported by the server, not that of the download.
#[test]
fn an_update_that_is_older_than_the_download_is_fetched() {
    let mut run = Run::after(serves("one"), &private());
    let becomes = |body: &'static str, modified_s: Option<i64>| {
        move |world: &mut World| {
            let remote = world.subjects.server.remotes.get_mut(URL).unwrap();
            (remote.body, remote.modified_s) = (body.into(), modified_s);
        }
    };
    // Content the server calls not newer is not fetched.
    run.change(becomes("same date", Some(1_700_000_000)));
    assert_eq!(run.read("/copy"), "one");
    run.change(becomes("two", Some(1_700_000_001)));
    assert_eq!(run.read("/copy"), "two");
    run.change(becomes("undated", None));
    assert_eq!(run.read("/copy"), "undated");
    run.change(becomes("old", Some(1)));
    assert_eq!(run.read("/copy"), "old", "of what has no date none is known");
}

#[test]
fn a_request_that_is_held_is_answered_when_the_other_side_changes() {
    let client =
        format!("http:client \"/srv/page\" {{ url => \"{URL}\", longpoll => true, longpoll_redirect => true, }}");
    let mut run = Run::after(serves("one"), &client);
    assert_eq!(run.read("/srv/page"), "one");
    let newer = run.change(|world| world.subjects.server.remotes.get_mut(URL).unwrap().body = "two!".into());
    assert_eq!(newer, ["write /srv/page (4 bytes of https://example.org/page)", "store placed.sha256"]);
    assert_eq!(run.again().0, NOTHING);
    let post = Run::after(serves("one"), &client.replace("longpoll =>", "method => \"POST\", longpoll =>"));
    assert_eq!(post.failures(), ["`longpoll` only works with the methods GET and HEAD"]);
}
