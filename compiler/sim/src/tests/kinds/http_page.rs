//! `http:server:ui` with its controls.

use super::{NOTHING, Run};
use crate::vocab::{Datum, KeyStore};

const PROGRAM: &str = r#"
    http:server "127.0.0.1:80" { }
    http:server:ui "/ui/" { data => struct{title => "<home>", head => "<meta name=\"x\">"}, }
    http:server:ui:input "volume" { type => "range://?max=10", store => "world://", sort => "b", }
    http:server:ui:input "greeting" { value => "hello", sort => "a", }
    http:server:ui:input "mode" { store => "local://?key=kept", sort => "c", }
    file "/t/greeting" { state => "exists", }
    Http:Server:Ui:Input["greeting"].value -> File["/t/greeting"].content
"#;

const WORLD: (KeyStore, &str) = (KeyStore::World, "strings/volume");
const LOCAL: (KeyStore, &str) = (KeyStore::Local, "kept");

fn get(run: &Run, path: &str) -> (u16, String) {
    let (status, body) = run.world().page(&format!("http://127.0.0.1/ui/{path}")).unwrap();
    (status, String::from_utf8(body).unwrap())
}

fn value(run: &Run, id: &str) -> String {
    get(run, &format!("list/{id}")).1
}

fn save(run: &mut Run, form: &str, status: u16) -> Vec<String> {
    run.change(|world| assert_eq!(world.post("http://127.0.0.1/ui/save/", form).unwrap(), status, "{form}"))
}

fn held(run: &Run, (store, key): (KeyStore, &str)) -> Option<Datum> {
    run.world().key(store, key).cloned()
}

fn begin() -> Run {
    Run::after(
        |world| {
            world.make_dir("/t").unwrap();
            world.set_key(KeyStore::Local, "kept", Some(Datum::text("auto")));
        },
        PROGRAM,
    )
}

#[test]
fn a_page_shows_its_controls_in_order() {
    let run = begin();
    assert_eq!(run.failures(), NOTHING);
    let (status, page) = get(&run, "index.html");
    assert_eq!(status, 200);
    for part in ["<title>&lt;home&gt;</title>", "<meta name=\"x\">", "max=\"10\"", "value=\"hello\"", "value=\"auto\""]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(get(&run, "").0, 302);
    assert_eq!(get(&run, "none").0, 404);
    let list: serde_json::Value = serde_json::from_str(&get(&run, "list/").1).unwrap();
    let ids: Vec<_> = list["elements"].as_array().unwrap().iter().map(|control| &control["id"]).collect();
    assert_eq!(ids, ["greeting", "volume", "mode"]);
    assert_eq!(run.read("/t/greeting"), "hello");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_saved_is_stored_and_sent_and_what_is_stored_is_shown() {
    let mut run = begin();
    assert_eq!(
        save(&mut run, "id=volume&value=7", 200),
        ["set strings/volume", "show the value of `volume` on the page 127.0.0.1:80/ui/: 7"]
    );
    assert_eq!(held(&run, WORLD), Some(Datum::text("7")));
    assert_eq!(save(&mut run, "id=volume&value=7", 200), NOTHING);
    // A foreign change comes back to the page, even a repeated one.
    for now in ["3", "7"] {
        let steps = run.change(|world| world.set_key(WORLD.0, WORLD.1, Some(Datum::text(now))));
        assert_eq!(steps, [format!("show the value of `volume` on the page 127.0.0.1:80/ui/: {now}")]);
        assert_eq!(value(&run, "volume"), format!("{{\"value\":\"{now}\"}}\n"));
    }
    run.change(|world| world.set_key(LOCAL.0, LOCAL.1, None));
    assert_eq!(value(&run, "mode"), "{\"value\":\"\"}\n");
    save(&mut run, "id=greeting&value=good+day", 200);
    assert_eq!(run.read("/t/greeting"), "good day");
    assert_eq!(run.failures(), NOTHING);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut run = begin();
    for form in ["id=volume&value=11", "id=volume&value=x", "id=other&value=1", "id=volume", "id=mode&value=a&value=b"]
    {
        assert_eq!(save(&mut run, form, 400), NOTHING, "{form}");
    }
    assert_eq!((held(&run, WORLD), held(&run, LOCAL)), (None, Some(Datum::text("auto"))));
}

#[test]
fn what_cannot_be_shown_is_reported() {
    for (fields, why) in [
        ("type => \"color://\",", "http:server:ui:input[a]: the type must be text:// or range://, found `color://`"),
        (
            "store => \"elsewhere://\",",
            "http:server:ui:input[a]: the store must be local:// or world://, found `elsewhere://`",
        ),
        ("id => \"b\",", "http:server:ui:input[a]: duplicate id `b` in http:server:ui[/ui/]"),
    ] {
        let program = format!(
            "http:server \":80\" {{ }}\nhttp:server:ui \"/ui/\" {{ }}\nhttp:server:ui:input \"a\" {{ {fields} }}\n\
             http:server:ui:input \"b\" {{ }}"
        );
        assert_eq!(Run::new(&program).failures()[..1], [why], "{fields}");
    }
    let odd =
        "http:server \":80\" { }\nhttp:server:ui \"/\" { }\nhttp:server:ui:input \"a\" { store => \"local://\", }";
    let run = Run::after(|world| world.set_key(KeyStore::Local, "a", Some(Datum::Int(1))), odd);
    assert_eq!(run.failures()[..1], ["the stored value of a control is not a string"]);
}

#[test]
fn another_title_is_shown_without_a_restart() {
    let mut run = begin();
    save(&mut run, "id=greeting&value=bye", 200);
    let run = run.becomes(&PROGRAM.replace("<home>", "other"));
    assert!(get(&run, "index.html").1.contains("<title>other</title>"));
    // A control alone, and a page without a server, have nothing to do.
    let alone = "http:server:ui \"/\" { }\nhttp:server:ui:input \"a\" { value => \"1\", }\nprint \"p\" { }\n\
                 Http:Server:Ui:Input[\"a\"].value -> Print[\"p\"].msg";
    assert_eq!(Run::new(alone).failures(), NOTHING);
}
