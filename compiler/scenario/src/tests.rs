//! Scenarios that pass, and near misses that fail with the reason.

use super::{Program, play, read};
use crate::shapes::scenario::Tested;

const MOTD: &str = r#"
$text = "welcome\n"
file "/etc/motd" {
	state => "exists",
	content => $text,
	mode => "0644",
}
if $text == "" {
	noop "empty" {}
} else {
	exec "tell" {
		cmd => "announce now",
		creates => "/var/announced",
	}
}
File["/etc/motd"] -> Exec["tell"]
"#;

fn tested(program: &str, scenario: &str) -> Tested {
    let program = Program { files: vec![("/main.mcl".into(), program.into())] };
    play("test", &program, &read(scenario).expect("it can be read"))
}

/// Why it fails, and at which line.
fn failure(program: &str, scenario: &str) -> (u32, String) {
    let failure = tested(program, scenario).failure.expect("it fails");
    (failure.line, failure.why)
}

#[track_caller]
fn passes(program: &str, scenario: &str) -> Tested {
    let tested = tested(program, scenario);
    assert_eq!(tested.failure, None);
    tested
}

#[test]
fn a_host_is_brought_in_line_and_kept_so() {
    let tested = passes(
        MOTD,
        r#"
        # The message of the day comes back.
        write /etc/motd "old"
        command "announce now" prints "told"
        run
        expect file /etc/motd holds "welcome\n"
        expect file /etc/motd has mode 0644
        expect command "announce now" ran 1 time
        expect value $text is "welcome\n"
        expect value $text shows "\"welcome\\n\""
        expect edge file[/etc/motd] -> exec[tell]
        expect no error
        expect running
        expect never output "hopeless"
        remove /etc/motd
        expect now no path /etc/motd
        expect file /etc/motd holds "welcome\n" within 100ms
        expect 1 step of file[/etc/motd]
        expect no steps for 1h
        kill
        wait 1d
        run
        expect no steps of file[/etc/motd] for 1h
        stop
        expect ended with 0
        "#,
    );
    assert_eq!(tested.title, "The message of the day comes back.");
    assert!(tested.virtual_ms >= 3_600_000, "{}", tested.virtual_ms);
    let unseen: Vec<_> =
        tested.covered.iter().filter(|place| !place.seen).map(|place| (place.line, &*place.what)).collect();
    assert_eq!(unseen, [(8, "branch"), (9, "noop")]);
}

#[test]
fn what_fails_says_what_is_so_instead() {
    let (line, why) = failure(MOTD, "run\nexpect file /etc/motd holds \"hello\"\n");
    assert_eq!((line, &*why), (2, r#"/etc/motd holds "welcome\n""#));
    let (_, why) = failure(MOTD, "run\nexpect resource file[/etc/mod]");
    assert_eq!(why, "file[/etc/mod] (of its kind there are /etc/motd) is not there");
    let (_, why) = failure(MOTD, "run\nexpect value $txt is 1");
    assert!(why.contains("binds no $txt"), "{why}");
    let (_, why) = failure(MOTD, "run\nexpect no steps");
    assert!(why.starts_with("there were ") && why.contains("file[/etc/motd]"), "{why}");
    let (_, why) = failure("file \"/a\" {", "run\nexpect no error");
    assert!(why.contains("E02"), "{why}");
    let (_, why) = failure(MOTD, "run other.mcl");
    assert_eq!(why, "there is no program other.mcl; there are: main.mcl");
}

#[test]
fn a_standing_claim_breaks_where_it_was_made() {
    let scenario = "run\nexpect always file /etc/motd holds \"welcome\\n\"\nwait 1s\nwrite /etc/motd \"x\"\nwait 1s\n";
    let failure = tested(MOTD, scenario).failure.expect("it fails");
    assert_eq!((failure.line, failure.during), (2, Some(5)));
}

#[test]
fn what_lasts_is_watched_all_the_time() {
    let program = "import \"datetime\"\nimport \"fmt\"\nimport \"math\"\nfile \"/n\" { state => \"exists\", content => fmt.printf(\"%d\", math.mod(datetime.now(), 2)), }\n";
    let (line, why) = failure(program, "run\nexpect file /n holds \"0\" within 3s for 10s");
    assert_eq!(line, 2);
    assert!(why.starts_with("it held, and after") && why.contains("no longer: /n holds \"1\""), "{why}");
}

#[test]
fn the_hint_above_is_told() {
    let scenario = "hint \"a\"\nrun\nexpect file /etc/motd\nhint \"write /x\"\nexpect file /x\nhint \"c\"\n";
    assert_eq!(tested(MOTD, scenario).failure.expect("it fails").hint, "write /x");
}

#[test]
fn every_bad_line_is_told() {
    let faults =
        read("runs\nwait 5\nexpect file a\nexpect no file /a holds \"x\"\nrun\nwrite /a\nmode /a 99\nexpect x\n")
            .unwrap_err();
    let told: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.line, fault.why)).collect();
    let begins = |line: usize, text: &str| assert!(told[line].contains(text), "{}", told[line]);
    assert_eq!(told.len(), 7);
    begins(0, "1: `runs` is no step; a line begins with one of: run, deploy,");
    begins(1, "2: `5` is no time");
    begins(2, "3: `a` is no absolute path");
    begins(3, "4: `no` cannot be said");
    begins(4, "6: a text is missing; the form is `write PATH TEXT`");
    begins(5, "7: `99` is no mode");
    begins(6, "8: `x` is no claim");
}

#[test]
fn the_same_scenario_ends_the_same() {
    let scenario = "run\nwait 1m\nremove /etc/motd\nexpect file /etc/motd within 1s\n";
    assert_eq!(tested(MOTD, scenario), tested(MOTD, scenario));
}

#[test]
fn pages_accounts_and_keys_are_claimed() {
    let program = r#"
http:server ":8080" {}
http:server:file "/hello" { server => ":8080", data => "hello\n", }
http:server:flag "/colour" { server => ":8080", key => "colour", }
kv "colour" { value => "none", }
Http:Server:Flag["/colour"].value -> Kv["colour"].value
group "web" { state => "exists", }
user "www" { state => "exists", shell => "/bin/false", group => "web", homedir => "/srv/", uid => 900, }
"#;
    passes(
        program,
        r#"
        expect no page http://localhost:8080/hello
        run
        expect page http://localhost:8080/hello holds "hello\n"
        expect page http://localhost:8080/hello contains ell
        expect page http://localhost:8080/hello lacks bye
        expect no page http://localhost:8080/bye
        post http://localhost:8080/colour colour=blue
        expect key colour is blue
        expect no key color
        expect user www has uid 900
        expect user www has shell /bin/false
        expect user www has home /srv
        expect user www has group web
        "#,
    );
    let (_, why) = failure(program, "run\nexpect page http://localhost:8080/bye");
    assert_eq!(why, "http://localhost:8080/bye answers with 404");
    let (_, why) = failure(program, "run\nexpect page http://localhost:81/ holds x");
    assert!(why.contains("no server listens there"), "{why}");
    let (_, why) = failure(program, "run\nexpect user www has group root");
    assert_eq!(why, "www has the groups web");
    let (_, why) = failure(program, "run\nexpect running\npost http://localhost:8080/hello a=b");
    assert!(why.contains("answered with 405"), "{why}");
    assert!(read("expect page http://a has mode 0644").unwrap_err()[0].why.contains("hold, contain or lack"));
}

#[test]
fn the_clock_jumps_ahead() {
    let program = "import \"datetime\"\nimport \"fmt\"\n$hour = datetime.hour(datetime.now())\nfile \"/hour\" { state => \"exists\", content => fmt.printf(\"%d\", $hour), }\n";
    passes(
        program,
        "run\nexpect value $hour is 0\nclock 08:30\nexpect value $hour is 8\nclock 07:00\nexpect value $hour is 7\n",
    );
    let (_, why) = failure(program, "run\nclock 08:30\nexpect file /hour holds \"9\"");
    assert_eq!(why, "/hour holds \"8\"");
    assert!(read("clock 24:00").unwrap_err()[0].why.contains("such as 08:30"));
}
