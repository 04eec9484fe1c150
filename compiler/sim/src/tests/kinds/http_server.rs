//! `http:server` with its grouped children.

use super::{NOTHING, Run};
use crate::{Remote, World};

const PROGRAM: &str = r#"
    http:server "127.0.0.1:80" { }
    http:server:proxy "/debian/" {
        sub => "/debian/",
        head => "http://mirror.example/d/",
        cache => "/var/cache/mirror/",
    }
    http:server:proxy "/kept/" { cache => "/srv/", }
    http:server:file "/held" { path => "/srv/held", longpoll => true, }
"#;

fn mirror(world: &mut World) {
    let remote = |status, body: &str| Remote { status, body: body.into(), ..Remote::default() };
    world.subjects.server.remotes.insert("http://mirror.example/d/a%20b".into(), remote(200, "package"));
    world.subjects.server.remotes.insert("http://mirror.example/d/broken".into(), remote(503, "busy"));
    world.write("/srv/held", "as it is").unwrap();
}

#[test]
fn a_proxy_pulls_through_and_keeps() {
    let mut run = Run::after(mirror, PROGRAM);
    assert_eq!(run.failures(), NOTHING);
    let get = |run: &Run, path: &str| {
        let (status, body) = run.world().page(&format!("http://127.0.0.1{path}")).unwrap();
        (status, String::from_utf8(body).unwrap())
    };
    let answer = |status: u16, body: &str| (status, body.to_owned());
    assert_eq!(get(&run, "/debian/a%20b"), answer(200, "package"));
    assert_eq!(get(&run, "/debian/broken"), answer(404, "404 page not found\n"));
    assert_eq!(get(&run, "/debian/down"), answer(502, "502 Bad Gateway\n"));
    assert_eq!(get(&run, "/debian/a/"), answer(404, "404 page not found\n"));
    assert_eq!(get(&run, "/kept/held"), answer(200, "as it is"));
    assert_eq!(get(&run, "/kept/none"), answer(500, "can't proxy\n"));
    assert_eq!(get(&run, "/held"), answer(200, "as it is"));
    // Reading leaves no trace; a request does.
    assert!(run.world().stat("/var/cache/mirror/a b").is_none());
    run.change(|world| {
        world.make_dir("/var/cache/mirror").unwrap();
        world.write("/var/cache/mirror/down", "kept").unwrap();
    });
    assert_eq!(get(&run, "/debian/down"), answer(200, "kept"));
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_a_command_pulls_through_is_kept() {
    let program = format!(
        "{PROGRAM}\nexec \"curl -s http://127.0.0.1/debian/a%20b\" {{ Depend => Http:Server[\"127.0.0.1:80\"], }}"
    );
    let run = Run::after(mirror, &program);
    assert_eq!(run.failures(), NOTHING);
    assert_eq!(run.read("/var/cache/mirror/a b"), "package");
}
