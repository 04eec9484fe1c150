//! The functions that read this machine: the first value is the machine's, and if the test can change it, the change
//! arrives as the next value.

use crate::case::{Case, until};
use std::fs;
use std::process::Command;

/// The output of a command, without the line end.
fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A program that keeps a text in the file `v`.
fn shows(imports: &str, before: &str, text: &str) -> String {
    let imports: String = imports.split_whitespace().map(|name| format!("import \"{name}\"\n")).collect();
    format!("{imports}{before}\nfile \"@OUT@/v\" {{\n\tstate => \"exists\",\n\tcontent => {text},\n}}\n")
}

fn first(name: &str, imports: &str, text: &str, is_right: impl Fn(&str) -> bool) {
    let case = Case::new(&format!("fact-{name}"), &shows(imports, "", text));
    let output = case.once();
    let found = case.read("out/v");
    assert!(found.as_deref().is_some_and(is_right), "{name}: {found:?}; {output:?}");
}

#[test]
fn what_never_changes_is_what_the_machine_says() {
    let user = said("id", &["-un"]);
    // Directories end with a slash.
    let home = said("sh", &["-c", "getent passwd $(id -u) | cut -d: -f6"]) + "/";
    first("home", "os", &format!("os.home(\"{user}\")"), |text| text == home);
    first("uid", "os fmt", &format!("fmt.printf(\"%s\", os.uid(\"{user}\"))"), |text| text == said("id", &["-u"]));
    first("user", "os fmt", "fmt.printf(\"%t\", os.user_exists(\"no-such-user\"))", |text| text == "false");
    first("expand", "os", &format!("os.expand_home(\"~{user}/x\")"), |text| text == format!("{home}x"));
    first("args", "os fmt", "fmt.printf(\"%d\", len(os.args()))", |text| text != "0");
    first("hostname", "sys", "sys.hostname()", |text| text == said("hostname", &[]));
    first("env", "sys", "sys.getenv(\"PATH\")", |text| std::env::var("PATH").is_ok_and(|path| text == path));
    first("hasenv", "sys fmt", "fmt.printf(\"%t\", sys.hasenv(\"NO_SUCH_NAME\"))", |text| text == "false");
    first("cpus", "sys fmt", "fmt.printf(\"%d\", sys.cpu_count())", |text| {
        let online = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
        let n: usize = online
            .trim()
            .split(',')
            .map(|range| match range.split_once('-') {
                Some((from, to)) => to.parse::<usize>().unwrap() - from.parse::<usize>().unwrap() + 1,
                None => 1,
            })
            .sum();
        text == n.to_string()
    });
    first("binary", "deploy", "deploy.binary_path()", |text| text.ends_with("mclive"));
    first("load", "sys fmt", "fmt.printf(\"%f\", sys.load()->x1)", |text| text.parse::<f64>().is_ok());
    first("vardir", "local", "local.vardir(\"mine/\")", |text| fs::metadata(text).is_ok_and(|meta| meta.is_dir()));
    first("pool", "local fmt", "fmt.printf(\"%d\", local.pool(\"n\", \"x\"))", |text| text == "1");
    first("macs", "net fmt", "fmt.printf(\"%d\", len(net.macs()))", |text| text.parse::<usize>().is_ok());
    first("virtual", "os fmt", "fmt.printf(\"%t\", os.is_virtual())", |text| text == "true" || text == "false");
    first("random", "fmt", "fmt.printf(\"%d\", len(random1(12)))", |text| text == "12");
}

#[test]
fn a_file_is_read_again_when_it_changes_goes_or_comes() {
    let case = Case::new("fact-read", &shows("os", "", "os.readfile(\"@OUT@/in\") <|> \"nothing\""));
    case.write("out/in", "one");
    let _agent = case.start();
    case.holds("out/v", "one");
    case.write("out/in", "two");
    case.holds("out/v", "two");
    fs::write(case.path("out/in.new"), "three").unwrap();
    fs::rename(case.path("out/in.new"), case.path("out/in")).unwrap();
    case.holds("out/v", "three");
    fs::remove_file(case.path("out/in")).unwrap();
    case.holds("out/v", "nothing");
    case.write("out/in", "four");
    case.holds("out/v", "four");
}

#[test]
fn whether_a_file_exists_follows_the_file_also_below_what_is_not_there_yet() {
    let program = shows("os fmt", "", "fmt.printf(\"%t\", os.file_exists(\"@OUT@/x/y\"))");
    let case = Case::new("fact-exists", &program);
    let _agent = case.start();
    case.holds("out/v", "false");
    fs::create_dir(case.path("out/x")).unwrap();
    case.write("out/x/y", "");
    case.holds("out/v", "true");
    fs::rename(case.path("out/x"), case.path("out/z")).unwrap();
    case.holds("out/v", "false");
}

#[test]
fn a_file_in_the_place_of_a_directory_is_an_error_of_the_function() {
    let program = shows("os fmt", "", "fmt.printf(\"%t\", os.file_exists(\"@OUT@/x/y\"))");
    let case = Case::new("fact-below-a-file", &program);
    case.write("out/x", "");
    let output = case.once();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("/x/y: not a directory"), "{said}");
    assert_eq!(case.read("out/v"), None);
}

#[test]
fn the_lines_of_a_command_are_values_one_after_the_other() {
    let command = "os.system(\"echo one; while ! test -e @OUT@/go; do sleep 0.05; done; echo two\")";
    let case = Case::new("fact-system", &shows("os", "", command));
    let _agent = case.start();
    case.holds("out/v", "one");
    case.write("out/go", "");
    case.holds("out/v", "two");
}

#[test]
fn a_command_that_ends_without_a_line_is_not_waited_for() {
    let case = Case::new("fact-silent", &shows("os", "", "os.system(\"sleep 0.1\")"));
    let output = case.once();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the command ended without printing a line, so there is no value"), "{said}");
    assert_eq!(case.read("out/v"), None);
}

#[test]
fn the_last_line_of_a_command_needs_no_end() {
    let case = Case::new("fact-last-line", &shows("os", "", "os.system(\"printf two\")"));
    assert!(case.once().status.success());
    assert_eq!(case.read("out/v").as_deref(), Some("two"));
}

#[test]
fn a_line_without_anything_is_a_value_too() {
    let command = "\"<\" + os.system(\"echo one; while ! test -e @OUT@/go; do sleep 0.05; done; echo\")";
    let case = Case::new("fact-empty-line", &shows("os", "", command));
    let _agent = case.start();
    case.holds("out/v", "<one");
    case.write("out/go", "");
    case.holds("out/v", "<");
}

#[test]
fn a_value_that_takes_its_time_is_waited_for() {
    first("slow", "test", "test.slow_string()", |text| text == "five seconds has elapsed");
}

#[test]
fn clocks_and_the_uptime_go_on() {
    for (name, imports, call) in [("now", "datetime fmt", "datetime.now()"), ("uptime", "sys fmt", "sys.uptime()")] {
        let program = shows(imports, "", &format!("fmt.printf(\"%d\", {call})"));
        let case = Case::new(&format!("fact-{name}"), &program);
        let _agent = case.start();
        let value = || case.read("out/v").and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
        until("a first value", || value() > 0);
        let before = value();
        until("a next value", || value() > before);
    }
}

#[test]
fn what_a_value_resource_holds_is_read_again_when_it_changes() {
    let before = "value \"k\" {\n\tany => os.readfile(\"@OUT@/in\"),\n}\n$got = value.get_str(\"k\")";
    let text = "if $got->ready {\n\t\t$got->value\n\t} else {\n\t\t\"not yet\"\n\t}";
    let case = Case::new("fact-value", &shows("os value", before, text));
    case.write("out/in", "one");
    let _agent = case.start();
    case.holds("out/v", "one");
    case.write("out/in", "two");
    case.holds("out/v", "two");
}

#[test]
fn what_is_exported_is_collected_and_goes_again() {
    let before = "if os.readfile(\"@OUT@/in\") == \"on\" {\n\tfile \"@OUT@/shared\" {\n\t\tstate => \"exists\",\n\
        \t\tMeta:hidden => true,\n\t\tMeta:export => [\"*\"],\n\t}\n}";
    let case = Case::new(
        "fact-export",
        &shows("os fmt world/collect", before, "fmt.printf(\"%d\", len(collect.res(\"file\")))"),
    );
    case.write("out/in", "on");
    let _agent = case.start();
    case.holds("out/v", "1");
    case.write("out/in", "off");
    case.holds("out/v", "0");
    assert!(!case.path("out/shared").exists());
}

#[test]
fn a_key_of_the_shared_store_is_set_read_and_kept() {
    let before = "kv \"k\" {\n\tvalue => os.readfile(\"@OUT@/in\"),\n}\nkv \"m\" {\n\tvalue => \"mine\",\n\tmapped => true,\n}\n\
        $got = world.getval(\"k\")";
    let text = "$got->value + \" \" + (world.kvlookup(\"m\")[\"here\"] <|> \"none\")";
    let case = Case::new("fact-kv", &shows("os world", before, text));
    case.write("out/in", "one");
    let agent = case.start_with(&["--hostname", "here"]);
    case.holds("out/v", "one mine");
    case.write("out/in", "two");
    case.holds("out/v", "two mine");
    drop(agent);
    // The store outlives the program that wrote to it.
    case.program(&shows("world", "$got = world.getval(\"k\")", "$got->value + \" still\""));
    let output = case.once();
    assert_eq!(case.read("out/v").as_deref(), Some("two still"), "{output:?}");
}
