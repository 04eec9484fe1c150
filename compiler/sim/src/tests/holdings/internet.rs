//! Content at URLs of other hosts.

use super::{act, deploy, set, start};
use crate::brain::Brain;
use crate::{Sim, SimHost};
use mclive_base::shapes::host::{ADD, Alteration};

const URL: &str = "https://example.com/motd";
const MODIFIED: &str = "last modified (Unix time in seconds)";

fn alter(sim: &mut Sim<Brain>, how: &Alteration) {
    assert_eq!(sim.change(|world| world.alter("Request", URL, how)), Ok(()), "{how:?}");
    let until = sim.now().plus_ms(20_000);
    sim.advance(until, 100_000);
}

/// The value of a field that is shown.
fn field(sim: &Sim<Brain>, name: &str) -> String {
    let all = sim.host.world().holdings();
    let own = all.iter().filter(|holding| holding.subject == "Request").flat_map(|holding| &holding.things);
    let own = own.filter(|thing| thing.name == URL).flat_map(|thing| &thing.fields);
    let values: Vec<&str> = own.filter(|field| field.name == name).map(|field| field.value.as_str()).collect();
    assert_eq!(values.len(), 1, "{name}: {values:?}");
    values[0].to_owned()
}

#[test]
fn content_that_is_added_is_fetched_and_its_changes_are_followed() {
    let mut sim = start(&format!(
        "http:client \"/srv/motd\" {{\n\turl => \"{URL}\",\n\tMeta:poll => 5,\n\tMeta:retry => -1,\n\tMeta:delay => 500,\n}}\n"
    ));
    let file = |sim: &Sim<Brain>| {
        let text = sim.host.world().read("/srv/motd");
        text.map(|text| String::from_utf8_lossy(text).into_owned()).map_err(|_| ())
    };
    assert_eq!(file(&sim), Err(()), "nobody answers");
    alter(&mut sim, &act(ADD));
    assert_eq!(file(&sim), Ok(String::new()));
    alter(&mut sim, &set("content", "welcome\n"));
    assert_eq!(file(&sim), Ok("welcome\n".to_owned()));
    // An error and a lost server leave the file as it was.
    alter(&mut sim, &set("status", "503"));
    alter(&mut sim, &set("content", "busy\n"));
    assert_eq!(file(&sim), Ok("welcome\n".to_owned()));
    alter(&mut sim, &act("make unreachable"));
    assert_eq!(field(&sim, "server"), "unreachable");
    alter(&mut sim, &set("status", "200"));
    assert_eq!(file(&sim), Ok("welcome\n".to_owned()));
    alter(&mut sim, &act("make reachable"));
    assert_eq!((file(&sim), field(&sim, "server")), (Ok("busy\n".to_owned()), "reachable".to_owned()));
    alter(&mut sim, &act("delete"));
    assert!(sim.host.world().subjects.server.remotes.is_empty());
}

#[test]
fn changed_content_has_the_date_of_the_change_if_it_has_one() {
    let mut sim = start("");
    alter(&mut sim, &act(ADD));
    alter(&mut sim, &set("content", "one"));
    assert_eq!(field(&sim, MODIFIED), "");
    alter(&mut sim, &set(MODIFIED, "1700000000"));
    assert_eq!(field(&sim, MODIFIED), "1700000000");
    let now_s = sim.host.world().epoch_ns / 1_000_000_000 + (sim.now().0 / 1_000_000_000) as i64;
    alter(&mut sim, &set("content", "two"));
    assert_eq!(field(&sim, MODIFIED), now_s.to_string());
    alter(&mut sim, &set(MODIFIED, ""));
    assert_eq!(field(&sim, MODIFIED), "");
}

#[test]
fn bytes_that_are_not_text_are_counted() {
    let mut sim = start("");
    alter(&mut sim, &act(ADD));
    sim.change(|world| world.subjects.server.remotes.get_mut(URL).expect("it was added").body = vec![0xFF, 0xFE, 0xFD]);
    assert_eq!(field(&sim, "content"), "3 bytes");
}

#[test]
fn what_is_wrong_with_a_url_or_a_status_is_reported_in_words() {
    let mut host = SimHost::new("host1");
    let mut why = |thing: &str, how: &Alteration| {
        let done = host.change(|world| world.alter("Request", thing, how));
        done.expect_err("it is impossible").to_string()
    };
    for wrong in
        ["", "motd", "example.com/motd", "ftp://example.com/", "http://", "https:///motd", "http://a b/", "http://a/#b"]
    {
        assert_eq!(why(wrong, &act(ADD)), format!("`{wrong}` is not a URL, such as https://example.com/motd"));
    }
    assert_eq!(why(URL, &act("delete")), format!("cannot delete {URL}: no such object"));
    host.change(|world| world.alter("Request", URL, &act(ADD))).expect("it is a URL");
    let mut why = |how: &Alteration| {
        let done = host.change(|world| world.alter("Request", URL, how));
        done.expect_err("it is impossible").to_string()
    };
    assert_eq!(why(&act(ADD)), format!("{URL} already exists"));
    for wrong in ["", "OK", "99", "199", "600", "-1"] {
        assert_eq!(why(&set("status", wrong)), format!("`{wrong}` is not an HTTP status, such as 404"));
    }
    assert_eq!(why(&set("size", "1")), format!("cannot set size of {URL}: no such object"));
}

#[test]
fn commands_get_the_same_content() {
    let run = |command: &str, prepare: &[Alteration]| {
        let mut host = SimHost::new("host1");
        for how in prepare {
            host.change(|world| world.alter("Request", URL, how)).expect("it can be prepared");
        }
        let mut sim = Sim::new(Brain::new(), host);
        deploy(&mut sim, &format!("exec \"get\" {{\n\tcmd => \"{command}\",\n\tshell => \"/bin/sh\",\n}}\n"));
        String::from_utf8_lossy(sim.host.world().read("/srv/got").expect("the command wrote it")).into_owned()
    };
    let there = [act(ADD), set("content", "welcome")];
    assert_eq!(run(&format!("curl -s {URL} > /srv/got"), &there), "welcome");
    let fails = format!("curl -sf {URL} || echo $? > /srv/got");
    assert_eq!(run(&fails, &[act(ADD), set("status", "404")]), "22\n");
    assert_eq!(run(&fails, &[act(ADD), act("make unreachable")]), "7\n");
    assert_eq!(run(&fails, &[]), "1\n", "without content there is only http");
}
