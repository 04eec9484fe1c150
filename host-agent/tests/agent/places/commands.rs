//! Commands: which are run, and with what.

use super::*;

#[test]
fn only_what_is_named_is_run() {
    let den = Den::new("commands");
    den.link("bin/l", "@ROOT@/outside/evil");
    den.link("srv/l", "@ROOT@/outside/evil");
    den.link("srv/dir", "@ROOT@/outside");
    for fields in [
        "cmd => \"@ROOT@/outside/evil\"",
        "cmd => \"@ROOT@/bin/../outside/evil\"",
        "cmd => \"./evil\",\n\tcwd => \"@ROOT@/outside\"",
        "cmd => \"../outside/evil\",\n\tcwd => \"@ROOT@/bin\"",
        "cmd => \"@ROOT@/srv/dir/evil\"",
        "cmd => \"outside/evil\"",
        "cmd => \"@ROOT@/bin/good\",\n\tifcmd => \"@ROOT@/outside/evil\"",
        "cmd => \"@ROOT@/bin/good\",\n\tnifcmd => \"@ROOT@/outside/evil\"",
        "cmd => \"@ROOT@/bin/good\",\n\tdonecmd => \"@ROOT@/outside/evil\"",
        "cmd => \"good\",\n\tshell => \"@ROOT@/outside/evil\"",
    ] {
        den.refuses(&exec(fields), NOT_RUN);
    }
    // What the program can change it does not run: neither its own script nor its own link.
    den.refuses(&exec("cmd => \"@ROOT@/srv/l\""), "the program can change it");
    fs::copy(den.path("outside/evil"), den.path("srv/script")).unwrap();
    den.policy("paths = ['@ROOT@/srv/**']\ncommands = ['@ROOT@/bin/*', '@ROOT@/srv/*']\n");
    den.refuses(&exec("cmd => \"@ROOT@/srv/script\""), "`@ROOT@/srv/script`: the program can change it (see `paths`)");
    den.refuses(&exec("cmd => \"@ROOT@/srv/l\""), "the program can change it");
    den.policy("paths = ['@ROOT@/srv/**']\ncommands = ['@ROOT@/bin/*', '@ROOT@/srv/*']\nrun_own_files = true\n");
    den.refuses(&exec("cmd => \"@ROOT@/srv/l\""), NOT_RUN);
    // A link outside the program's reach is trusted.
    assert!(den.run(&exec("cmd => \"@ROOT@/bin/l\"")).1.contains("changed"));
    assert!(den.path("outside/was-run").exists());
}

#[test]
fn a_shell_is_not_had_through_its_name() {
    let den = Den::new("shell");
    for fields in ["cmd => \"sh -c true\"", "cmd => \"true\",\n\tshell => \"/bin/sh\"", "cmd => \"env\""] {
        den.refuses(&exec(fields), "no pattern of `commands` matches it");
    }
    let system = "import \"os\"\n".to_owned()
        + &file("@ROOT@/srv/shown", "state => \"exists\",\n\tcontent => os.system(\"touch @ROOT@/outside/was-run\")");
    den.refuses(&system, "no pattern of `commands` matches it");
    // A link of the system may be listed, as is usual.
    den.policy("commands = ['/bin/sh']\n");
    den.allows(&exec("cmd => \"true\",\n\tshell => \"/bin/sh\""));
}

#[test]
fn no_variable_steers_a_command() {
    let den = Den::new("variables");
    for name in [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "GCONV_PATH",
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "PYTHONPATH",
        "PERL5OPT",
        "NODE_OPTIONS",
        "HOME",
    ] {
        let fields = format!("cmd => \"@ROOT@/bin/good\",\n\tenv => {{\"{name}\" => \"@ROOT@/srv\"}}");
        den.refuses(&exec(&fields), &format!("the policy does not allow the variable `{name}` for a command"));
    }
    let fields = "cmd => \"@ROOT@/bin/good\",\n\tenv => {\"TZ\" => \":@ROOT@/srv/x\"}";
    den.refuses(&exec(fields), "variable `TZ`");
    den.policy(&format!("{POLICY}environment = ['PATH', 'APP_*']\n"));
    den.allows(&exec("cmd => \"@ROOT@/bin/good\",\n\tenv => {\"PATH\" => \"/bin\", \"APP_KEY\" => \"x\"}"));
}

#[test]
fn kinds_close_guards_watches_and_functions_too() {
    let den = Den::new("kinds");
    den.policy("kinds = ['file']\n");
    let words = "the policy does not allow resources of kind `exec` to run commands";
    den.refuses(&exec("cmd => \"true\",\n\tifcmd => \"@ROOT@/outside/evil\""), words);
    den.refuses(&exec("cmd => \"@ROOT@/outside/evil\""), words);
    let system = "import \"os\"\n".to_owned()
        + &file("@ROOT@/srv/shown", "state => \"exists\",\n\tcontent => os.system(\"@ROOT@/outside/evil\")");
    den.refuses(&system, words);
    // A watch starts before the first check.
    let before = den.outside();
    fs::write(den.path("main.mcl"), den.here(&exec("cmd => \"true\",\n\twatchcmd => \"@ROOT@/outside/evil\"")))
        .unwrap();
    let mut agent = den.case.start_with(&["--policy", "policy.toml"]);
    agent.says(words);
    agent.stop();
    assert_eq!(den.outside(), before);
}
