//! Records and heads: their bytes, what they bring to which hosts, and what is refused.

use super::*;

fn file(path: &str, content: &str) -> Filed {
    Filed { path: path.into(), sha256: Sum::of(content.as_bytes()), size: content.len() as u64 }
}

fn targets(texts: &[&str]) -> Option<Targets> {
    Targets::new(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).ok()
}

fn record() -> Record {
    let files = vec![file("/a.mcl", "a"), file("/main.mcl", "b")];
    let first = Record { by: "alice@desk".into(), ..Record::after(None, "/main.mcl".into(), files).unwrap() };
    let next = Record::after(Some(&first), first.entry.clone(), first.files.clone()).unwrap();
    Record { at: 7, by: "bob@desk".into(), note: "näht".into(), ..next }
}

#[test]
fn a_record_comes_back_from_its_bytes_and_names_the_one_before() {
    let record = record();
    assert_eq!((record.id, record.previous.is_some()), (2, true));
    assert_eq!(Record::read(&record.bytes()), Ok(record.clone()));
    assert_eq!(Head::read(&Head::of(&record).bytes()), Ok(Head::of(&record)));
    let text = String::from_utf8(record.bytes()).unwrap();
    assert!(text.starts_with(r#"{"at":7,"by":"bob@desk","entry":"/main.mcl","files":[{"path":"/a.mcl","sha256":"#));
    assert!(text.ends_with(r#""v":1}"#), "{text}");
}

/// A record for all hosts is what it was before there were targets: its bytes are hashed, signed and stored.
#[test]
fn the_bytes_of_a_record_for_all_hosts_never_change() {
    let record = Record::after(None, "/main.mcl".into(), vec![file("/main.mcl", "x")]).unwrap();
    let sum = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let text = r#"{"at":0,"by":"","entry":"/main.mcl","files":[{"path":"/main.mcl","sha256":"SUM","size":1}],"id":1,"note":"","previous":null,"v":1}"#;
    let text = text.replace("SUM", sum);
    assert_eq!(String::from_utf8(record.bytes()).unwrap(), text);
    let targeted = record.clone().targeted(targets(&["web*", "10%"]));
    let with_targets = text.replace(r#""v":1"#, r#""targets":["10%","web*"],"v":3"#);
    assert_eq!(String::from_utf8(targeted.bytes()).unwrap(), with_targets);
    assert_eq!(Record::read(&targeted.bytes()), Ok(targeted.clone()));
    assert_eq!(targeted.targeted(None), record);
}

#[test]
fn a_spread_is_within_the_record_and_says_when_each_host_applies_it() {
    let spread = record().targeted(targets(&["web*"])).spread_over(Some(30));
    let text = String::from_utf8(spread.bytes()).unwrap();
    assert!(text.ends_with(r#""spread":30,"targets":["web*"],"v":11}"#), "{text}");
    assert_eq!(Record::read(&spread.bytes()), Ok(spread.clone()));
    assert!(spread.delay("web1", 0) < Duration::from_secs(30));
    assert!(spread.delay("web1", 0) != spread.delay("web2", 0));
    // Hosts that have the program need no other deploy, but some may still wait.
    let over = |seconds: Option<u64>| record().targeted(targets(&["web*"])).spread_over(seconds);
    let covered = [None, Some(29), Some(30), Some(31)].map(|seconds| spread.covers(&over(seconds)));
    assert_eq!(covered, [false, false, true, true]);
    assert!(over(None).covers(&spread));
    assert_eq!((record().delay("web1", 0), record().spread_over(None)), (Duration::ZERO, record()));
}

/// Otherwise a new host would have no program for as long, and one that is restarted often would never apply it.
#[test]
fn a_host_that_comes_after_the_time_of_a_spread_does_not_wait() {
    let spread = Record { at: 1_000_000, ..record() }.spread_over(Some(30));
    let waits = |now_s: u64| !spread.delay("web1", now_s).is_zero();
    assert!([0, 1_000_000, 1_000_030, 1_003_629].into_iter().all(waits));
    assert!(!waits(1_003_630) && !waits(u64::MAX));
    let forged = Record { at: u64::MAX, ..record() }.spread_over(Some(30));
    assert_eq!(forged.delay("web1", 0), spread.delay("web1", 0));
}

/// An agent that does not know partial exports must not apply the whole model without them.
#[test]
fn partial_exports_have_a_form_of_their_own() {
    for entry in ["/", "/main.cf"] {
        let files = vec![file("/main.cf", "a"), file("/partial/1/main.cf", "b"), file("/partial/parts.json", "c")];
        let record = Record::after(None, entry.into(), files).unwrap();
        let targeted = record.clone().targeted(targets(&["web1"]));
        assert_eq!((record.v, targeted.v), (5, 7));
        assert_eq!((Record::read(&record.bytes()), Record::read(&targeted.bytes())), (Ok(record), Ok(targeted)));
    }
    let other = Record::after(None, "/main.mcl".into(), vec![file("/files/partial/parts.json", "c")]).unwrap();
    assert_eq!(other.v, 1);
}

#[test]
fn a_record_covers_what_it_already_brings() {
    let to = |texts: &[&str]| record().targeted(if texts.is_empty() { None } else { targets(texts) });
    let other = Record { files: Vec::new(), ..to(&[]) };
    for (one, next, covers) in [
        (to(&[]), to(&[]), true),
        (to(&[]), to(&["web1"]), true),
        (to(&["web1"]), to(&[]), false),
        (to(&["100%"]), to(&[]), true),
        (to(&["web1", "web2"]), to(&["web1"]), true),
        (to(&["web1"]), to(&["web2"]), false),
        (to(&[]), other, false),
    ] {
        assert_eq!(one.covers(&next), covers, "{one:?}, {next:?}");
    }
    assert!(to(&["web1"]).is_for("web1") && !to(&["web1"]).is_for("web2") && to(&[]).is_for("web2"));
}

#[test]
fn what_is_not_a_record_is_refused_with_a_reason() {
    let good = String::from_utf8(record().bytes()).unwrap();
    let spoilt = |from: &str, to: &str| Record::read(good.replacen(from, to, 1).as_bytes()).unwrap_err();
    assert_eq!(Record::read(&vec![b' '; LARGEST_RECORD + 1]).unwrap_err(), "larger than 1024 KiB");
    for (from, to, why) in [
        ("{\"at\"", "[", "not JSON with a version"),
        ("\"v\":1", "\"v\":17", "in format 17, which needs a newer version of mclive"),
        ("\"v\":1", "\"v\":9", "its format requires a spread, but it has none"),
        ("\"v\":1", "\"spread\":30,\"v\":1", "its format does not support a spread, but it has one"),
        ("\"v\":1", "\"spread\":0,\"v\":9", "spread over 1 to 86400 seconds"),
        ("\"v\":1", "\"spread\":86401,\"v\":9", "spread over 1 to 86400 seconds"),
        ("\"v\":1", "\"v\":3", "its format requires targets, but it has none"),
        ("\"v\":1", "\"v\":5", "its format requires partial exports, but it has none"),
        ("/a.mcl", "/partial/parts.json", "its format does not support partial exports, but it has some"),
        ("\"v\":1", "\"targets\":[\"a\"],\"v\":1", "its format does not support targets, but it has some"),
        ("\"v\":1", "\"targets\":[\"b\",\"a\"],\"v\":3", "the targets are not sorted"),
        ("\"v\":1", "\"targets\":[],\"v\":3", "1 to 1000 targets"),
        ("\"v\":1", "\"targets\":[\"0%\"],\"v\":3", "is not a target"),
        ("\"v\":1", "\"targets\":null,\"v\":1", "not in the canonical form"),
        ("\"v\":1", "\"signature\":{\"key\":\"AAAA\",\"sig\":\"\"},\"v\":2", "an ed25519 public key in Base64"),
        ("\"id\":2", "\"id\":0", "numbered from 1"),
        ("\"id\":2", "\"id\":-2", "invalid"),
        ("\"id\":2", "\"id\": 2", "not in the canonical form"),
        ("\"/a.mcl\"", "\"a.mcl\"", "is not a path of a program"),
        ("\"/a.mcl\"", "\"/\\u001b[2J\"", "is not a path of a program"),
        ("\"/a.mcl\"", "\"/z.mcl\"", "not sorted"),
        ("\"size\":1", "\"size\":70000000", "at most 10000 files and 64 MiB"),
        ("\"note\"", "\"more\"", "unknown field"),
        ("bob@desk", "bob\\n", "its author or commit is not a valid name"),
    ] {
        let said = spoilt(from, to);
        assert!(said.contains(why), "{to}: {said}");
    }
}

#[test]
fn a_path_has_one_form_and_leaves_no_directory() {
    let read = |path: &str| {
        let record = Record::after(None, "/main.mcl".into(), vec![file(path, "x")]).unwrap();
        Record::read(&record.bytes())
    };
    for path in ["/main.mcl", "/lib/x/main.mcl", "/../beside/main.mcl", "/../../x", "/...", "/a..b/.c"] {
        assert!(read(path).is_ok(), "{path}");
    }
    for path in ["", "/", "//", "/..", "/../..", "/../../", "/a/../b", "/a/../../etc/x", "/./a", "/a//b", "//a", "/a/"]
    {
        let said = read(path).unwrap_err();
        assert_eq!(said, format!("invalid: {path:?} is not a path of a program"));
    }
    let of_dir = |entry: &str| Record::after(None, entry.into(), vec![file("/main.mcl", "x")]).unwrap();
    assert!(Record::read(&of_dir("/").bytes()).is_ok() && Record::read(&of_dir("/a/../").bytes()).is_err());
}

#[test]
fn keys_sort_by_number() {
    assert!(key(9) < key(10) && *key(u64::MAX) < *"deploy/head");
    assert_eq!(key(7), "deploy/00000000000000000007");
}
