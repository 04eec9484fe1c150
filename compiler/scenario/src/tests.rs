//! Scenarios that pass, and near misses that fail with the reason.

mod seeds;

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
    let program = Program::mcl(vec![("/main.mcl".into(), program.into())]);
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
fn a_function_is_found_wherever_it_is_called() {
    let program = r#"
import "iter"
import "strings"

func shouted($names) {
	iter.map($names, func($name) { strings.to_upper($name) })
}
class names($path, $names) {
	file "${path}" {
		state => "exists",
		content => strings.join_nonempty(shouted($names), " "),
	}
}
$names = ["ann", "bob"]
include names("/names", $names)
"#;
    let scenario = r#"
        run
        expect file /names holds "ANN BOB"
        expect function iter.map
        expect function strings.join_nonempty
        expect no function iter.filter
        kill
        given $names is "[]"
        given shouted is "func($names) { iter.filter($names, func($name) { true }) }"
        run
        expect function iter.filter
        expect no function iter.map
    "#;
    passes(program, scenario);
    let (_, why) = failure(program, "run\nexpect function iter.filter");
    assert_eq!(why, "a call of iter.filter in the function graph does not exist");
}

#[test]
fn what_fails_says_what_is_so_instead() {
    let (line, why) = failure(MOTD, "run\nexpect file /etc/motd holds \"hello\"\n");
    assert_eq!((line, &*why), (2, r#"/etc/motd holds "welcome\n""#));
    let (_, why) = failure(MOTD, "run\nexpect resource file[/etc/mod]");
    assert_eq!(why, "file[/etc/mod] (the graph has /etc/motd) does not exist");
    let (_, why) = failure(MOTD, "run\nexpect value $txt is 1");
    assert!(why.contains("cannot find variable `$txt`"), "{why}");
    let (_, why) = failure(MOTD, "run\nexpect no steps");
    assert!(why.starts_with("expected 0 steps, found ") && why.contains("file[/etc/motd]"), "{why}");
    let (_, why) = failure("file \"/a\" {", "run\nexpect no error");
    assert!(why.contains("E02"), "{why}");
    let (_, why) = failure(MOTD, "run other.mcl");
    assert_eq!(why, "cannot find program other.mcl; the programs are: main.mcl");
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
    assert!(
        why.starts_with("it was true at first, but no longer after") && why.contains(" s: /n holds \"1\""),
        "{why}"
    );
}

#[test]
fn the_hint_above_is_reported() {
    let scenario = "hint \"a\"\nrun\nexpect file /etc/motd\nhint \"write /x\"\nexpect file /x\nhint \"c\"\n";
    assert_eq!(tested(MOTD, scenario).failure.expect("it fails").hint, "write /x");
}

#[test]
fn every_bad_line_is_reported() {
    let faults =
        read("runs\nwait 5\nexpect file a\nexpect no file /a holds \"x\"\nrun\nwrite /a\nmode /a 99\nexpect x\nload nan\nload -1\nexpect on a file /a\n")
            .unwrap_err();
    let told: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.line, fault.why)).collect();
    let begins = |line: usize, text: &str| assert!(told[line].contains(text), "{}", told[line]);
    assert_eq!(told.len(), 10);
    begins(0, "1: unknown step `runs`; a line begins with one of: host, on, run, deploy,");
    begins(1, "2: expected a time such as 500ms, 10s, 5m or 1h, found `5`");
    begins(2, "3: expected an absolute path, found `a`");
    begins(3, "4: `no` cannot be combined with this claim");
    begins(4, "6: expected text; usage: `write PATH TEXT`");
    begins(5, "7: expected an octal mode such as 0644, found `99`");
    begins(6, "8: unknown claim `x`");
    begins(7, "9: expected a load average such as 0.75, found `NaN`");
    begins(8, "10: expected a load average such as 0.75, found `-1`");
    begins(9, "11: `on HOST` begins the line");
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
    assert!(why.contains("no server is listening there"), "{why}");
    let (_, why) = failure(program, "run\nexpect user www has group root");
    assert_eq!(why, "www has the groups web");
    let (_, why) = failure(program, "run\nexpect running\npost http://localhost:8080/hello a=b");
    assert!(why.contains("answered with 405"), "{why}");
    assert!(
        read("expect page http://a has mode 0644").unwrap_err()[0]
            .why
            .contains("expected `holds`, `contains` or `lacks`")
    );
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

const SHARED: &str = r#"
import "os"
file "/srv/${hostname}" {
	state => "exists",
	content => "hello from ${hostname}\n",
	Meta:export => ["*"],
}
collect file "/srv/web1" {}
"#;

#[test]
fn hosts_share_what_they_export() {
    let tested = passes(
        SHARED,
        r#"
        host web1
        host web2
        run
        expect file /srv/web1 holds "hello from web1\n"
        on web1 expect no file /srv/web2
        on web2 expect file /srv/web2
        on web2 remove /srv/web1
        on web2 expect file /srv/web1 within 1s
        on web1 expect no steps
        on web2 expect 1 step of file[/srv/web1]
        host web3
        on web3 expect no file /srv/web1
        on web3 run
        on web3 expect file /srv/web1 within 1s
        on web1 leave
        on web3 remove /srv/web1
        expect file /srv/web1 within 1s
        "#,
    );
    assert!(tested.n_steps >= 7, "{}", tested.n_steps);
    let (line, why) = failure(SHARED, "host web1\nhost web2\nrun\nexpect file /srv/web2");
    assert_eq!((line, &*why), (4, "web1: /srv/web2 does not exist"));
    let (line, why) = failure(SHARED, "host web1\nhost web2\non web1 leave\non web1 run");
    assert_eq!((line, &*why), (4, "the host web1 was removed"));
    let (_, why) = failure(SHARED, "host web1\nhost web1");
    assert_eq!(why, "host web1 already exists");
    let many: String = (0..21).map(|n| format!("host web{n}\n")).collect();
    assert_eq!(failure(SHARED, &many), (21, "at most 20 hosts are supported".into()));
    let log = tested_log(SHARED, "host web1\nhost web2\nrun\nwait 1s\nexpect file /x");
    assert!(log.iter().any(|line| line.contains("web2: file[/srv/web1]")), "{log:?}");
}

fn tested_log(program: &str, scenario: &str) -> Vec<String> {
    tested(program, scenario).failure.expect("it fails").log
}

#[test]
fn a_host_that_is_paused_hears_later() {
    let program = r#"
import "world"
$all = world.getval("greeting")
$text = $all->value
file "/srv/greeting" {
	state => "exists",
	content => "it is ${text}",
}
if $hostname == "web1" {
	kv "greeting" {
		value => $said,
	}
}
import "os"
$said = os.readfile("/etc/greeting")
"#;
    passes(
        program,
        r#"
        host web1
        host web2
        write /etc/greeting "one"
        run
        expect file /srv/greeting holds "it is one"
        on web2 pause
        on web1 write /etc/greeting "two"
        wait 1m
        on web1 expect file /srv/greeting holds "it is two"
        on web2 expect file /srv/greeting holds "it is one"
        on web2 remove /srv/greeting
        on web2 expect no file /srv/greeting
        on web2 resume
        on web2 expect file /srv/greeting holds "it is two" within 1s
        "#,
    );
}

#[test]
fn hosts_have_facts_of_their_own() {
    let program = r#"
import "sys"
$role = sys.getenv("ROLE")
if $role == "db" {
	file "/srv/db" { state => "exists", }
}
"#;
    passes(
        program,
        "host web1\nhost db1\non db1 environment ROLE db\nrun\non db1 expect file /srv/db\non web1 expect no file /srv/db\n\
         on db1 kill\non db1 environment ROLE web\non db1 remove /srv/db\non db1 run\nexpect no file /srv/db\nexpect running\n",
    );
}

#[test]
fn who_runs_on_goes_on_when_another_agent_ends() {
    passes(
        SHARED,
        "host web1\nhost web2\nrun\nexpect running\non web1 stop\non web1 expect ended with 0\non web2 expect running\n\
         on web2 remove /srv/web2\non web2 expect file /srv/web2 within 1s\n",
    );
}

#[test]
fn a_program_that_is_refused_passes_no_scenario_that_does_not_ask_for_it() {
    for scenario in [
        "run\n",
        "run\nwait 1h\n",
        "run\nexpect no file /etc/motd\n",
        "run\nexpect no steps for 24h\n",
        "run\nexpect ended\n",
    ] {
        for program in ["$a = \n", "print \"a\" { msg => $missing, }\n"] {
            let (line, why) = failure(program, scenario);
            assert!(line == 1 && why.starts_with("the program was refused: E0"), "{scenario}: {line}: {why}");
        }
    }
    for scenario in
        ["run\nexpect error\n", "run\nexpect ended with failure\n", "write /a \"b\"\nexpect no file /etc/motd\n"]
    {
        passes("$a = \n", scenario);
    }
    passes(MOTD, "run\n");
    passes("", "run\n");
}
