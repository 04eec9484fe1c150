//! Tests of the simulated shell and its commands.

use super::super::command::Command;
use super::*;

fn check(script: &str, status: i32, stdout: &str, slept_ms: u64) {
    let spec = CommandSpec {
        argv: vec!["/bin/sh".into(), "-c".into(), script.into()],
        env: vec![("HOME".into(), "/root".into())],
        cwd: String::new(),
        user: String::new(),
        group: String::new(),
        signal: "SIGTERM".into(),
    };
    let mut process = Process::start(&spec, None, &Tree::new(), "host1").unwrap();
    let mut tree = Tree::new();
    tree.now_ns = 951_868_799_000_000_000;
    let mut slept = 0;
    let mut commands = CommandTable::default();
    let run = Scripted { status: 4, stdout: "told\n".into(), duration_ms: 700, ..Scripted::default() };
    commands.set(Command { line: "tool --tell".into(), runs: vec![run] });
    let outcome = loop {
        match process.resume(&mut tree, &mut Web::default(), &mut commands) {
            Progress::Sleeping(ms) => slept += ms,
            Progress::Ended(outcome) => break outcome,
        }
    };
    let out = String::from_utf8(outcome.stdout.unwrap_or_default()).unwrap();
    let err = String::from_utf8(outcome.stderr.unwrap_or_default()).unwrap();
    assert_eq!((outcome.status, out.as_str(), slept), (Some(status), stdout, slept_ms), "{script}: {err}");
}

#[test]
fn scripts_of_lessons_and_scenarios_run() {
    check("echo a; echo 'b c'; echo \"$HOME x\"", 0, "a\nb c\n/root x\n", 0);
    check("echo x >> /f; echo y >> /f; cat /f; exit 3", 3, "x\ny\n", 0);
    check("for i in 1 2 3; do /bin/sleep 0.5; echo $i; done", 0, "1\n2\n3\n", 1500);
    check("false && echo no || echo yes", 0, "yes\n", 0);
    check("if [ -e /f ]; then echo there; else echo gone; fi; ! true", 1, "gone\n", 0);
    check("touch /f; [ -e /f ]", 0, "", 0);
    check("[ -e /nope ]", 1, "", 0);
    check("echo one; echo two >&2; echo three", 0, "one\nthree\n", 0);
    check("while true; do :; done", 255, "", 0);
    check("! tool --tell && tool --tell > /f; cat /f; tool", 127, "told\ntold\n", 1400);
    check("nonsense", 127, "", 0);
    check("echo $(date)", 2, "", 0);
}

#[test]
fn the_host_is_described() {
    check("hostname; whoami; id -u; uname", 0, "host1\nroot\n0\nLinux\n", 0);
    check("date", 0, "Tue Feb 29 23:59:59 UTC 2000\n", 0);
    check("date '+%F %T %s'", 0, "2000-02-29 23:59:59 951868799\n", 0);
    check("date +%Q", 1, "", 0);
    check("uname -a", 1, "", 0);
}

#[test]
fn filters_read_files_and_input() {
    let with = |script: &str| format!("printf 'b 10\\nA 9\\nb 10\\n' > /f; {script}");
    let check = |script: &str, status, out: &str| check(&with(script), status, out, 0);
    check("grep b /f", 0, "b 10\nb 10\n");
    check("grep -ic ^a < /f; grep -n '9$' /f; grep -v b /f", 0, "1\n2:A 9\nA 9\n");
    check("grep c /f", 1, "");
    check("grep 'b*' /f", 2, "");
    check("grep b /nope", 2, "");
    check("sed s/b/x/ /f; sed -i 's|.0|_|g' /f; cat /f", 0, "x 10\nA 9\nx 10\nb _\nA 9\nb _\n");
    check("sed 2d /f", 1, "");
    check("head -n 1 /f; tail -1 /f; head -n0 /f", 0, "b 10\nb 10\n");
    check(
        "sort /f; sort -ru /f; uniq -c /f",
        0,
        "A 9\nb 10\nb 10\nb 10\nA 9\n      1 b 10\n      1 A 9\n      1 b 10\n",
    );
    check("cut -d ' ' -f 2 /f; cut -d' ' -f1- /f", 0, "10\n9\n10\nb 10\nA 9\nb 10\n");
    check("tr a-z A-Z < /f; tr -d '\\n' < /f", 0, "B 10\nA 9\nB 10\nb 10A 9b 10");
    check("head --bytes 1 /f", 2, "");
    check("printf 'A 9' > /g; grep 9 /f /g; grep -h 9 /f /g", 0, "/f:A 9\n/g:A 9\nA 9\nA 9\n");
    check("touch /g; grep -c b /f /g; head /f /g", 1, "/f:2\n/g:0\n");
    check("grep -x 'b 1' /f; grep -x 'b 10' /f; grep -sq x /nope", 2, "b 10\nb 10\n");
    check("printf 'a\\nb' > /g; sed -i s/b/c/ /g; cat /g; tail -n 1 /g", 0, "a\ncc");
    check("sed -iE s/b/c/ /f", 2, "");
    check("sed -i s/b/c/", 1, "");
    check("wc -l /f; wc -c < /f; wc /f", 1, "3 /f\n14\n");
}

#[test]
fn files_are_copied_moved_and_linked_as_their_options_say() {
    let check = |script: &str, status, out: &str| check(script, status, out, 0);
    check("echo a > /a; echo b > /b; cp -n /a /b; cat /b; mv -n /a /b; cat /a; cp /a /b; cat /b", 0, "b\na\na\n");
    check("echo a > /a; chmod u+x,go= /a; cp /a /b; [ -x /b ] && cp -p /a /c && mv -f /c /b && ls", 0, "a\nb\n");
    check("mkdir -p -m 0700 /d/e; mkdir /d 2> /dev/null || echo there; mkdir -p /d", 0, "there\n");
    check("mkdir -p /d/e; touch /d/f; cp -a /d /c; cp -r /d /c; ls /c; ls /c/d/e", 0, "d\ne\nf\n");
    check("echo x > /s; install -D -m 0600 /s /a/b/t; cat /a/b/t; ! [ -x /a/b/t ]", 0, "x\n");
    check("install -d -m700 /i/j; echo x > /s; install /s /i/j; [ -x /i/j/s ]", 0, "");
    check("mkdir /d1 /d2; ln -s /d1 /l; ln -sfn /d2 /l; touch /l/f; ls /d2; ln -s /d1 /l; ls /d2", 0, "f\nd1\nf\n");
    check("touch /a /l; ln -s /a /l 2> /dev/null || ln -sf /a /l; [ -L /l ] && [ ! -L /a ]", 0, "");
    check("echo a > /f; tee -a /f < /f > /dev/null; tee /g < /f; cat /g", 0, "a\na\na\na\n");
    check("mkdir /d; rmdir /d && rm -f /d && echo gone; touch -c /d; [ -e /d ]", 1, "gone\n");
    check("touch /.a /b; ls /; ls -A; ls b", 0, "b\n.a\nb\nb\n");
    for refused in ["ln /a /b", "mkdir /d; rm /d", "cp --backup /a /b", "cp /a", "mkdir", "chmod 9 /", "ls -l"] {
        check(&format!("{refused} && echo done"), 1, "");
    }
    check("mkdir /d; cp /d /e || cp -r /d /d/e || mv /d /d || rmdir /nope", 1, "");
    check("cd /nope && echo yes", 1, "");
}

#[test]
fn conditions_compare_and_join() {
    let check = |script: &str, status, out: &str| check(script, status, out, 0);
    check("[ 2 -gt 1 ] && [ ! -e /f -a a != b ] && test -z '' -o a = b && echo yes", 0, "yes\n");
    check("test 1 -ge 2 || [ ! ] && [ ! '' ] && [ -n ] && [ '!' = '!' ] && echo yes", 0, "yes\n");
    for wrong in ["[ a -gt 1 ]", "[ -e /f", "test -Q /f", "[ a b ]", "[ a = b c ]"] {
        check(wrong, 2, "");
    }
}

#[test]
fn text_is_printed_in_its_format() {
    let check = |script: &str, status, out: &str| check(script, status, out, 0);
    check("printf '%s=%d\\n' a 1 b 2; printf '%05d|%-3s|%3s|%%' -42 x y", 0, "a=1\nb=2\n-0042|x  |  y|%");
    check(r#"printf "a\tb\n"; printf '\101\\'; printf x y"#, 0, "a\tb\nA\\x");
    check("printf %d x", 1, "");
    check("printf %q x", 1, "");
    check("printf", 1, "");
}

#[test]
fn lines_and_words_are_read_as_by_a_shell() {
    check("if false; then echo a; elif true; then echo b; else echo c; fi", 0, "b\n", 0);
    check("if false; then echo a; elif false; then echo b; else echo c; fi", 0, "c\n", 0);
    check("true &&\n  # why\n  echo on; echo \\\n  two", 0, "on\ntwo\n", 0);
    check(r#"echo "a\b \$x \"c\"" a\ b"#, 0, "a\\b $x \"c\" a b\n", 0);
    check("echo x > '/n m'; cat /n\\ m < /dev/null; cat < /dev/null", 0, "x\n", 0);
    check("echo ${x:-y}", 2, "", 0);
    check("sleep 2s; sleep 0.5m", 0, "", 32_000);
}
