//! What other hosts export comes into the graph if it can be used. Otherwise it is left out with a warning, and the
//! rest is applied: no host can stop the program of another one. World spec, 15.

use super::{NONE, graph};
use crate::react::check::Running;
use crate::rgraph::{Interpreter, Meta, Record, ResGraph, Resource, text_for_people};
use crate::vocab::{Datum, FactSpec, export, store};
use std::sync::Arc;

/// The record of a resource with these fields.
pub(super) fn record(kind: &str, name: &str, fields: &str) -> String {
    let graph = graph(&format!("{kind} \"{name}\" {{ {fields} }}\n"), NONE).expect("a graph");
    let resource = graph.resources.values().next().expect("one resource");
    String::from_utf8(Record::of(resource).to_bytes()).expect("JSON is text")
}

/// The record of `test[a]` with a number.
fn number(number: u32) -> String {
    record("test", "a", &format!("int64 => {number},"))
}

/// A program on the host `own`, and what is exported.
pub(super) struct Host(Running);

impl Host {
    #[track_caller]
    pub(super) fn new(program: &str) -> Host {
        let mut running = Running::new(&format!("{program}\n"));
        running.interpreter = Interpreter::on("own");
        Host(running)
    }

    /// These are exported, by name and host.
    pub(super) fn hears(&mut self, kind: &str, exported: &[(&str, &str, &str)]) {
        let entry = |(name, host, data): &(&str, &str, &str)| {
            let fields = [("name", name), ("host", host), ("data", data)];
            Datum::Struct(fields.iter().map(|(field, text)| ((*field).to_owned(), Datum::text(**text))).collect())
        };
        let exported = Datum::List(exported.iter().map(entry).collect());
        self.0.tell(FactSpec::Store(store::Fact::Exported { kind: kind.to_owned() }), exported);
        self.0.run();
        // A change of fields alone makes no new graph.
        let _ = self.0.interpreter.update(&mut self.0.react);
    }

    /// The vertices and numbers of the graph after these were exported; or the first error.
    pub(super) fn sees(&mut self, kind: &str, exported: &[(&str, &str, &str)]) -> String {
        self.hears(kind, exported);
        let graph = self.0.graph();
        let shown = |line: &str| {
            let number = line.strip_prefix("Field: ").filter(|field| field.contains(".Int64 = "));
            let shown = line.strip_prefix("Vertex: ").or(number).or(line.starts_with("E0").then_some(line));
            shown.map(str::to_owned)
        };
        graph.lines().filter_map(shown).collect::<Vec<_>>().join(", ")
    }

    /// The warnings since the last time.
    pub(super) fn warnings(&mut self) -> Vec<String> {
        self.0.interpreter.take_warnings().into_iter().map(|warning| warning.message).collect()
    }
}

#[test]
fn what_cannot_be_read_is_left_out_and_reported_once() {
    let mut host = Host::new("collect test [\"a\", \"b\", \"c\", \"d\", \"e\"] {}\ntest \"own\" { int64 => 5, }");
    let (good, own) = ("test[a].Int64 = 1, test[own].Int64 = 5, test[a], test[own]", "test[own].Int64 = 5, test[own]");
    let right = number(1);
    let later = right.replace("\"version\":1", "\"version\":3");
    let other = right.replace("\"kind\":\"test\"", "\"kind\":\"later\"");
    let large = record("test", "e", "int8 => 1,").replace("{\"Int\":1}", "{\"Int\":300}");
    let exported = [
        ("a", "web1", &*right),
        ("b", "web2", "nonsense"),
        ("c", "web2", &*later),
        ("d", "web3", &*other),
        ("e", "web3", &*large),
    ];
    assert_eq!(host.sees("test", &exported), good);
    let told = host.warnings();
    let reasons = [
        ("test[b]` of host `web2", ""),
        ("test[c]` of host `web2", "it was written by a newer version (3)"),
        ("test[d]` of host `web3", "unknown resource kind `later`"),
        ("test[e]` of host `web3", "invalid value for field `int8`: expected -128 to 127, found 300"),
    ];
    assert_eq!(told.len(), reasons.len(), "{told:?}");
    for (told, (which, why)) in told.iter().zip(reasons) {
        assert!(told.starts_with(&format!("exported resource `{which}` is left out: {why}")), "{told}");
    }
    assert_eq!(host.sees("test", &exported[1..]), own);
    assert!(host.warnings().is_empty(), "what stays is not told again");
    assert_eq!(host.sees("test", &[]), own);
    assert_eq!(host.sees("test", &exported[..2]), good);
    assert_eq!(host.warnings().len(), 1);
}

#[test]
fn what_is_not_valid_is_left_out_unless_the_statement_makes_it_so() {
    let right = record("file", "/a", "mode => \"0600\",");
    let wrong = record("file", "/a", "mode => \"9\", Meta:hidden => true,");
    let mut host = Host::new("collect file \"/a\" {}");
    assert_eq!(host.sees("file", &[("/a", "web1", &*right)]), "file[/a]");
    assert_eq!(host.sees("file", &[("/a", "web1", &*wrong)]), "");
    let told = host.warnings();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("exported resource `file[/a]` of host `web1` is left out: "), "{told:?}");
    let mut host = Host::new("collect file \"/a\" { mode => \"0600\", }");
    assert_eq!(host.sees("file", &[("/a", "web1", &*wrong)]), "file[/a]");
    for own in ["mode => \"9\",", "Meta:sema => [\"5\"],"] {
        let mut host = Host::new(&format!("collect file \"/a\" {{ {own} }}"));
        assert!(host.sees("file", &[("/a", "web1", &*right)]).starts_with("E0705 "), "an error of the program");
    }
}

#[test]
fn of_what_hosts_export_differently_none_counts_and_what_was_there_stays() {
    let program = "collect test \"a\" { Before => Test[\"own\"], }\ntest \"own\" {}";
    let (one, two) = (number(1), number(2));
    let both = [("a", "web1", &*one), ("a", "web2", &*two)];
    let mut host = Host::new(program);
    assert_eq!(host.sees("test", &both), "test[own]");
    let how = "the hosts `web1` and `web2` export it with a different `int64`";
    assert_eq!(host.warnings(), [format!("exported resource `test[a]` is left out: {how}")]);
    let heals = "test[a].Int64 = 2, test[a], test[own]";
    assert_eq!(host.sees("test", &both[1..]), heals);
    assert_eq!(host.sees("test", &both), heals);
    assert_eq!(host.warnings(), [format!("exported resource `test[a]` is not updated: {how}")]);
    let three = number(3);
    assert_eq!(host.sees("test", &both[1..]), heals);
    host.hears("test", &[("a", "web2", &*three)]);
    let changed = [both[0], ("a", "web2", &*three)];
    assert_eq!(host.sees("test", &changed), "test[a].Int64 = 3, test[a], test[own]");
    let same = [("a", "web1", &*one), ("a", "web2", &*one)];
    assert_eq!(host.sees("test", &same), "test[a].Int64 = 1, test[a], test[own]");
    assert_eq!(host.warnings().len(), 1);
}

/// As errors, they would be a way to stop the program of another host.
#[test]
fn an_edge_of_what_is_left_out_is_left_out_as_well() {
    let program = "collect test [\"a\", \"b\"] {}\ntest \"own\" { Listen => Test[\"b\"], }\n\
                   Test[\"a\"] -> Test[\"own\"]";
    let (first, second) = ("test[a] -> test[own]", "test[b] -> test[own]");
    let edges = |host: &mut Host, exported: &[(&str, &str, &str)]| -> String {
        host.hears("test", exported);
        let graph = host.0.graph();
        let shown = |line: &str| {
            let edge = line.strip_prefix("Edge: ").and_then(|edge| edge.split_once(" # ")).map(|(edge, _)| edge);
            edge.or(line.starts_with("E0").then_some(line)).map(str::to_owned)
        };
        graph.lines().filter_map(shown).collect::<Vec<_>>().join(", ")
    };
    let (one, two, b) = (number(1), number(2), record("test", "b", ""));
    let all = [("a", "web1", &*one), ("b", "web1", &*b)];
    let mut host = Host::new(program);
    assert_eq!(edges(&mut host, &all), format!("{first}, {second}"));
    assert!(host.warnings().is_empty());
    // A record that cannot be read.
    assert_eq!(edges(&mut host, &[all[0], ("b", "web2", "nonsense")]), first);
    let told = host.warnings();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("exported resource `test[b]` of host `web2` is left out: "), "{told:?}");
    assert_eq!(told[1], format!("edge `{second}` is left out: {}", told[0]));
    // It is also exported by a host whose record can be read.
    assert_eq!(edges(&mut host, &[all[0], all[1], ("b", "web2", "nonsense")]), format!("{first}, {second}"));
    // Records that contradict each other, from the start.
    let mut host = Host::new(program);
    assert_eq!(edges(&mut host, &[all[0], ("a", "web2", &*two), all[1]]), second);
    let told = host.warnings();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[1], format!("edge `{first}` is left out: {}", told[0]));
    // An edge to a resource that is not exported, or not collected, is an error of the program.
    assert_eq!(edges(&mut host, &all[..1]), "E0708 cannot find resource `test[b]`");
    let mut host = Host::new("collect test \"a\" {}\nTest[\"a\"] -> Test[\"c\"]");
    assert_eq!(edges(&mut host, &[all[0], ("b", "web2", "nonsense")]), "E0708 cannot find resource `test[c]`");
}

#[test]
fn the_program_counts_more_than_what_is_exported() {
    let mut host = Host::new("test \"a\" { int64 => 5, Meta:export => [\"*\"], }\ncollect test \"a\" {}");
    let (five, six) = (number(5), number(6));
    let own = "test[a].Int64 = 5, test[a]";
    assert_eq!(host.sees("test", &[("a", "own", &*five), ("a", "web1", &*five)]), own);
    assert_eq!(host.sees("test", &[("a", "own", &*six)]), own, "what it has exported before its last change");
    assert!(host.warnings().is_empty());
    assert_eq!(host.sees("test", &[("a", "web1", &*six)]), own);
    let why = "the program defines it with a different `int64`";
    assert_eq!(host.warnings(), [format!("exported resource `test[a]` of host `web1` is left out: {why}")]);
}

#[test]
fn a_host_may_export_to_all_and_to_this_host_one_after_the_other() {
    let (one, two) = (number(1), number(2));
    let exported = [("a", "web1", &*one), ("a", "web1", &*two)];
    let mut host = Host::new("collect test \"a\" {}");
    assert_eq!(host.sees("test", &exported), "test[a].Int64 = 2, test[a]");
    assert!(host.warnings().is_empty());
    let mut host = Host::new("collect test \"a\" {}\ncollect test \"a\" { int64 => 7, }");
    assert!(host.sees("test", &exported[..1]).starts_with("E0706 "), "the program contradicts itself");
}

#[test]
fn a_marked_secret_is_exported_to_named_hosts_only() {
    let exported = |fields: &str| format!("consul:kv \"k\" {{ key => \"k\", {fields} }}\n");
    let error = |fields: &str| graph(&exported(fields), NONE).unwrap_err();
    assert_eq!(
        error("token => \"hush-hush\", Meta:export => [\"web1\", \"*\"],"),
        "E0715 errInterpret cannot export `consul:kv[k]`: its field `token` contains a secret, which can only be sealed for \
         named hosts"
    );
    assert_eq!(
        error("token => \"hunter2\", Meta:export => [\"web1\"],"),
        "E0715 errInterpret cannot export `consul:kv[k]`: the secret in its field `token` cannot be sealed: it must be \
         at least 8 bytes long, without null bytes"
    );
    assert!(graph(&exported("token => \"hush-hush\", Meta:export => [\"web1\"],"), NONE).is_ok());
    assert!(graph(&exported("token => \"hunter2\","), NONE).is_ok(), "it is not exported");
    assert!(graph(&exported("token => \"\", Meta:export => [\"*\"],"), NONE).is_ok(), "it is empty");
    let mut host = Host::new("collect consul:kv \"k\" { token => \"hunter2\", }");
    let open = record("consul:kv", "k", "key => \"k\", Meta:export => [\"*\"],");
    assert_eq!(host.sees("consul:kv", &[("k", "web1", &*open)]), "consul:kv[k]");
    let again = "collect consul:kv \"k\" { token => \"hunter2\", Meta:export => [\"*\"], }";
    assert!(Host::new(again).sees("consul:kv", &[("k", "web1", &*open)]).starts_with("E0715 "));
}

/// What a host gets to seal, and what it hands over after it has opened it.
#[test]
fn the_secrets_of_an_exported_resource_stand_after_its_record() {
    let program = "consul:kv \"k\" { key => \"k\", token => \"hush-hush\", Meta:export => [\"web1\", \"web2\"], }\n";
    let graph = graph(program, NONE).expect("a graph");
    let exported = Record::exported(graph.resources.values().next().expect("one resource")).expect("it can be sealed");
    let (open, secrets) = export::split(&exported).expect("a secret");
    assert_eq!(secrets, b"hush-hush");
    let text = String::from_utf8(open.to_vec()).expect("JSON is text");
    let start =
        r#"{"version":2,"kind":"consul:kv","name":"k","fields":[["key",{"Bytes":[107]}],["token",{"Bytes":[]}]],"#;
    assert!(text.starts_with(start) && text.ends_with(r#","secrets":[["token",0]]}"#), "{text}");
    assert!(export::sealed(&export::seal(open, b"{}")).is_some(), "{text}");
    let again = Record::read(&exported).and_then(|record| record.resource()).expect("a resource");
    assert_eq!(again.want().text("token"), "hush-hush");
    let mut host = Host::new("collect consul:kv \"k\" {}");
    let mut sees = |data: Vec<u8>| {
        let data = String::from_utf8(data).expect("it is text");
        let seen = host.sees("consul:kv", &[("k", "db1", &*data)]);
        (seen, host.warnings())
    };
    assert_eq!(sees(exported.clone()), ("consul:kv[k]".to_owned(), Vec::new()));
    for (data, why) in [
        (open.to_vec(), "its secrets cannot be read: they are sealed"),
        (export::join(open, b"hush-hush\0hush-hush"), "its secrets do not fit its fields"),
        (export::unopened(open, "it is for web3"), "its secrets cannot be read: it is for web3"),
        (export::join(text.replace("0]]}", "1]]}").as_bytes(), b"hush-hush"), "its secrets do not fit its fields"),
    ] {
        let warning = format!("exported resource `consul:kv[k]` of host `db1` is left out: {why}");
        assert_eq!(sees(data), (String::new(), vec![warning]));
    }
}

/// On the host that exports it, a secret was sent to the field. Its kind does not mark it.
#[test]
fn a_sealed_secret_stays_one_where_it_is_collected() {
    let open = record("file", "/a", "state => \"exists\", content => \"\",").replace("\"version\":1", "\"version\":2");
    let open = format!("{},\"secrets\":[[\"content\",0]]}}", open.strip_suffix('}').expect("it is an object"));
    let stored = String::from_utf8(export::join(open.as_bytes(), b"hush-hush")).expect("it is text");
    let resource = Record::read(stored.as_bytes()).and_then(|record| record.resource()).expect("a resource");
    assert_eq!(resource.want().text("content"), "hush-hush");
    let shared = Resource { meta: Meta { export: vec!["web1".into()], ..Meta::default() }.into(), ..resource.clone() };
    let exported = Record::exported(&shared).expect("it can be sealed");
    assert_eq!(export::split(&exported).map(|(_, secrets)| secrets), Some(&b"hush-hush"[..]));
    let graph = ResGraph { resources: [Arc::new(resource)].into_iter().collect(), ..ResGraph::default() };
    let shown = text_for_people(&graph);
    assert!(shown.contains("file[/a].Content") && !shown.contains("hush"), "{shown}");
    let again = |fields: &str| {
        let mut host = Host::new(&format!("collect file \"/a\" {{ {fields} }}"));
        (host.sees("file", &[("/a", "db1", &*stored)]), host.warnings())
    };
    let why =
        "it cannot be exported again: its field `content` contains a secret, which can only be sealed for named hosts";
    let warning = format!("exported resource `file[/a]` of host `db1` is left out: {why}");
    assert_eq!(again("Meta:export => [\"*\"],"), (String::new(), vec![warning]));
    for fields in ["", "Meta:export => [\"web1\"],", "content => \"open\", Meta:export => [\"*\"],"] {
        assert_eq!(again(fields), ("file[/a]".to_owned(), Vec::new()), "{fields}");
    }
}

/// Hosts of several versions share a store: these bytes stay as they are, and what later versions add is passed over.
#[test]
fn the_bytes_of_an_exported_resource_never_change() {
    let expect = concat!(
        r#"{"version":1,"kind":"test","name":"a","fields":[["int64",{"Int":7}],["stringptr",{"Bytes":[104,105]}]],"#,
        r#""meta":{"noop":false,"retry":0,"retryreset":false,"delay":0,"timeout":0,"poll":0,"burst":0,"reset":false,"#,
        r#""sema":["s:2"],"rewatch":false,"realize":false,"dollar":false,"hidden":true,"export":["web1"],"#,
        r#""reverse":false,"autoedge":true,"autogroup":true}}"#
    );
    let fields =
        "int64 => 7, stringptr => \"hi\", Meta:sema => [\"s:2\"], Meta:hidden => true, Meta:export => [\"web1\"],";
    assert_eq!(record("test", "a", fields), expect);
    let later = expect
        .replace("\"noop\":false,", "\"noop\":false,\"later\":[1],")
        .replace("[[\"int64\"", "[[\"later\",{\"Int\":1}],[\"int64\"");
    let mut host = Host::new("collect test \"a\" {}");
    for record in [expect, &*later] {
        assert_eq!(host.sees("test", &[("a", "web1", record)]), "test[a].Int64 = 7, test[a]");
    }
    assert!(host.warnings().is_empty());
}
