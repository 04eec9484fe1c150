//! The functions that read this machine once, many in one program: each returns the machine's own value. Functions
//! whose value changes during a program are in `facts`.

use crate::case::Case;
use std::fs;
use std::process::Command;

/// The output of a command, without the line end.
fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Modules, and the names under which the programs import them.
const IMPORTS: [(&str, &str); 21] = [
    ("fmt", "fmt"),
    ("datetime", "datetime"),
    ("deploy", "deploy"),
    ("example", "example"),
    ("golang", "golang"),
    ("net", "net"),
    ("net/http", "http"),
    ("os", "os"),
    ("sys", "sys"),
    ("sys/fwupd", "fwupd"),
    ("test", "test"),
    ("util", "util"),
    ("value", "value"),
    ("world", "world"),
    ("embedded/provisioner", "provisioner"),
    ("golang/math/rand", "rand"),
    ("golang/os", "go_os"),
    ("golang/os/exec", "exec"),
    ("golang/path/filepath", "filepath"),
    ("golang/runtime", "runtime"),
    ("convert", "convert"),
];

/// A text, and whether it is right.
struct Row<'a> {
    text: &'a str,
    is_right: Box<dyn Fn(&str) -> bool>,
}

fn is<'a>(text: &'a str, wanted: impl Into<String>) -> Row<'a> {
    let wanted = wanted.into();
    Row { text, is_right: Box::new(move |found| found == wanted) }
}

fn fits(text: &str, is_right: impl Fn(&str) -> bool + 'static) -> Row<'_> {
    Row { text, is_right: Box::new(is_right) }
}

fn int(text: &str) -> i64 {
    text.parse().unwrap_or(i64::MIN)
}

/// Keeps each row's text in a separate file, and checks them all.
fn all_are_right(name: &str, rows: &[Row], prepare: impl Fn(&Case)) {
    let mut program: String = IMPORTS.iter().map(|(module, name)| format!("import \"{module}\" as {name}\n")).collect();
    for (index, row) in rows.iter().enumerate() {
        program
            .push_str(&format!("file \"@OUT@/{index}\" {{\n\tstate => \"exists\",\n\tcontent => {},\n}}\n", row.text));
    }
    let case = Case::new(name, &program);
    prepare(&case);
    let output = case.once();
    let mut wrong = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let found = case.read(&format!("out/{index}"));
        if !found.as_deref().is_some_and(&row.is_right) {
            wrong.push(format!("{}: {found:?}", row.text));
        }
    }
    assert!(wrong.is_empty(), "{}\n{output:?}", wrong.join("\n"));
}

#[test]
fn the_process_and_its_environment() {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let home = variable("HOME");
    let or_below_home = |name: &str, below: &str| match variable(name) {
        set if !set.is_empty() => set,
        _ => format!("{home}{below}"),
    };
    let temp = variable("TMPDIR");
    let rows = [
        is("convert.int_to_str(go_os.getuid())", said("id", &["-ru"])),
        is("convert.int_to_str(go_os.geteuid())", said("id", &["-u"])),
        is("convert.int_to_str(go_os.getgid())", said("id", &["-rg"])),
        is("convert.int_to_str(go_os.getegid())", said("id", &["-g"])),
        is("convert.int_to_str(go_os.getpagesize())", said("getconf", &["PAGESIZE"])),
        fits("convert.int_to_str(go_os.getpid())", |text| int(text) > 1),
        is("convert.int_to_str(go_os.getppid())", std::process::id().to_string()),
        is("go_os.hostname()", said("hostname", &[])),
        is("go_os.getenv(\"PATH\")", variable("PATH")),
        is("go_os.getenv(\"NO_SUCH_NAME\")", ""),
        is("go_os.expand_env(\"<$PATH>\")", format!("<{}>", variable("PATH"))),
        is("sys.env()[\"PATH\"]", variable("PATH")),
        is("sys.getenv(\"NO_SUCH_NAME\") <|> \"none\"", "none"),
        is("go_os.temp_dir()", if temp.is_empty() { "/tmp".to_owned() } else { temp }),
        is("go_os.user_home_dir()", home.clone()),
        is("go_os.user_cache_dir()", or_below_home("XDG_CACHE_HOME", "/.cache")),
        is("go_os.user_config_dir()", or_below_home("XDG_CONFIG_HOME", "/.config")),
        fits("go_os.executable()", |text| text.ends_with("mclive")),
        is("exec.look_path(\"sh\")", said("sh", &["-c", "command -v sh"])),
        fits("convert.int_to_str(runtime.num_cpu())", |text| int(text) > 0),
        fits("convert.int_to_str(runtime.gomaxprocs(0))", |text| int(text) > 0),
        fits("convert.int_to_str(runtime.num_goroutine())", |text| int(text) > 0),
        fits("convert.int_to_str(runtime.num_cgo_call())", |text| int(text) >= 0),
        is("convert.int_to_str(runtime.set_mutex_profile_fraction(0))", "0"),
        fits("convert.int_to_str(runtime.stack(\"four\", false))", |text| (0..=4).contains(&int(text))),
        fits("runtime.version()", |text| text.starts_with("go1.")),
        fits("\"<\" + runtime.goroot()", |text| text.starts_with('<')),
        is("convert.int_to_str(rand.int_63_n(1) + rand.intn(1))", "0"),
        is("convert.int_to_str(rand.read(\"abc\"))", "3"),
        fits("convert.int_to_str(rand.int_63())", |text| int(text) >= 0),
        fits("fmt.printf(\"%f\", rand.float_64())", |text| {
            text.parse::<f64>().is_ok_and(|number| (0.0..1.0).contains(&number))
        }),
        fits("fmt.printf(\"%f\", rand.exp_float_64())", |text| text.parse::<f64>().is_ok_and(|number| number >= 0.0)),
        fits("fmt.printf(\"%f\", rand.norm_float_64())", |text| text.parse::<f64>().is_ok_and(f64::is_finite)),
        is("provisioner.cli_distro()", "fedora"),
    ];
    all_are_right("machine-process", &rows, |_| {});
}

#[test]
fn the_machine_and_its_users() {
    let user = said("id", &["-un"]);
    let exists = |path: &str| fs::metadata(path).is_ok().to_string();
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let id = release.lines().find_map(|line| line.strip_prefix("ID=")).unwrap_or_default().trim_matches('"').to_owned();
    let family =
        [("redhat", "/etc/redhat-release"), ("debian", "/etc/debian_version"), ("archlinux", "/etc/arch-release")]
            .into_iter()
            .find(|(_, path)| fs::metadata(path).is_ok())
            .map_or("", |(name, _)| name);
    let modules = fs::read_to_string("/proc/modules").unwrap_or_default();
    let module = modules.split_whitespace().next().unwrap_or("no_such_module").to_owned();
    let day = || said("sh", &["-c", "LC_ALL=C date +%A"]).to_lowercase();
    let today = day();
    let (exists_user, loaded) = (
        format!("fmt.printf(\"%t\", os.user_exists(\"{user}\"))"),
        format!("fmt.printf(\"%t\", os.modinfo_loaded(\"{module}\"))"),
    );
    let rows = [
        is(&exists_user, "true"),
        is(&loaded, (module != "no_such_module").to_string()),
        is("\"<\" + os.release()->id", format!("<{id}")),
        is("\"<\" + os.family()", format!("<{family}")),
        is("fmt.printf(\"%t\", os.is_family_debian())", exists("/etc/debian_version")),
        is("fmt.printf(\"%t\", os.is_family_redhat())", exists("/etc/redhat-release")),
        is("fmt.printf(\"%t\", os.is_family_archlinux())", exists("/etc/arch-release")),
        fits("datetime.str_now()", |text| int(text) > 1_700_000_000),
        fits("datetime.weekday_fast()", move |text| text == today || text == day()),
        is("datetime.format(0, \"2006-01-02 15:04:05 -0700\")", said("date", &["-d", "@0", "+%F %T %z"])),
        is("convert.int_to_str(datetime.hour(0))", said("date", &["-d", "@0", "+%-H"])),
        is("datetime.weekday(0)", said("sh", &["-c", "LC_ALL=C date -d @0 +%A"]).to_lowercase()),
        fits("fmt.printf(\"%t\", fwupd.reboot_needed())", |text| matches!(text, "true" | "false")),
        is("util.hostname_mapper({\"00:00:00:00:00:01\" => \"x\"}) + \".\"", "."),
        is("fmt.printf(\"%t\", value.get_bool(\"nobody\")->ready)", "false"),
        is("fmt.printf(\"%t\", value.get_int(\"nobody\")->ready)", "false"),
        is("fmt.printf(\"%t\", value.get_float(\"nobody\")->ready)", "false"),
        is("fmt.printf(\"%t\", world.getval(\"nobody\")->exists)", "false"),
        is("convert.int_to_str(http.response(\"nobody\")->status)", "0"),
        is("convert.int_to_str(len(world.kvlookup(\"nobody\")))", "0"),
        // There are no votes.
        is("convert.int_to_str(len(world.schedule(\"nobody\")))", "0"),
        is("test.forkvloop()[\"foo\"]", "bar"),
        fits("test.forloop()[0] + \"\"", |text| matches!(text, "foo" | "bar")),
        fits("fmt.printf(\"%t\", test.fastcount() >= 0)", |text| text == "true"),
        fits("fmt.printf(\"%t\", example.flipflop())", |text| matches!(text, "true" | "false")),
        is("datetime.print(0)", said("date", &["-d", "@0", "+%F %T %z %Z"])),
        is("golang.template(\"{{ os_uid \\\"root\\\" }}\")", "0"),
        is("history(\"now\", 100)", "now"),
    ];
    all_are_right("machine-facts", &rows, |_| {});
}

#[test]
fn files_of_the_machine_and_of_the_program() {
    let rows = [
        is("go_os.read_file(\"@OUT@/in\")", "text"),
        fits("go_os.readlink(\"@OUT@/link\")", |text| text == "in"),
        fits("filepath.eval_symlinks(\"@OUT@/link\")", |text| text.ends_with("/out/in")),
        fits("filepath.abs(\"x/../y\")", |text| text.starts_with('/') && text.ends_with("/y")),
        fits("go_os.getwd()", |text| fs::metadata(text).is_ok_and(|meta| meta.is_dir())),
        fits("go_os.mkdir_temp(\"@OUT@\", \"made-*-here\")", |text| text.contains("made-") && text.ends_with("-here")),
        is("deploy.readfile(\"/files/one\")", "1"),
        is("deploy.readfileabs(\"/files/one\")", "1"),
        is("deploy.abspath(\"/files/one\")", "/files/one"),
        is(
            "fmt.printf(\"%t %t\", deploy.file_exists(\"/files/one\"), deploy.file_exists(\"/files/two\"))",
            "true false",
        ),
        fits("deploy.directory(\"/files/\")", |text| text.starts_with('/') && text.ends_with("/files/")),
    ];
    all_are_right("machine-files", &rows, |case| {
        case.write("out/in", "text");
        std::os::unix::fs::symlink("in", case.path("out/link")).unwrap();
        fs::create_dir(case.path("files")).unwrap();
        case.write("files/one", "1");
    });
}

/// Each interface prints its own word: if there is none, the program says so.
#[test]
fn the_wired_interface_is_one_of_the_machine() {
    let program =
        "import \"net\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\tcontent => net.wired_interface(),\n}\n";
    let case = Case::new("machine-wired", program);
    let output = case.once();
    match case.read("out/v") {
        Some(name) => assert!(fs::metadata(format!("/sys/class/net/{name}")).is_ok(), "{name}"),
        None => {
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(said.contains("no wired network interface found"), "{said}");
        }
    }
}
