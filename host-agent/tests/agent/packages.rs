//! `pkg` with the real dpkg and apt: in an isolated system with an empty database and a repository of tiny packages
//! made here, so this machine's packages stay as they are.

use crate::case::{Agent, cannot_look};
use crate::system::{Apart, told};
use std::fmt::Write;
use std::process::Command;

/// The directories that dpkg and apt change.
const OWN: [&str; 5] = ["/var/lib/dpkg", "/var/lib/apt", "/var/cache/apt", "/var/log", "/opt"];

/// A package of the repository.
#[derive(Default)]
struct Deb<'a> {
    name: &'a str,
    version: &'a str,
    /// Further lines of its control file.
    control: &'a str,
    /// Paths and contents.
    files: &'a [(&'a str, &'a str)],
    postinst: &'a str,
}

struct Packages(Apart);

impl Packages {
    fn new(name: &str, program: &str, debs: &[Deb]) -> Option<Packages> {
        for tool in ["dpkg-deb", "apt-get", "dpkg-scanpackages"] {
            let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().unwrap();
            if !found.status.success() {
                cannot_look(&format!("{name}: {tool} is not installed (packages dpkg, apt, dpkg-dev)"));
                return None;
            }
        }
        let apart = Apart::with(name, program, &OWN)?;
        let packages = Packages(apart);
        let case = &packages.0.case;
        let repo = case.path("repo");
        std::fs::create_dir(&repo).unwrap();
        case.write("own-var-lib-dpkg/status", "");
        for dir in ["dpkg/info", "dpkg/updates", "dpkg/triggers", "dpkg/alternatives", "apt/lists/partial"] {
            let (system, below) = dir.split_once('/').unwrap();
            std::fs::create_dir_all(case.path(&format!("own-var-lib-{system}/{below}"))).unwrap();
        }
        std::fs::create_dir_all(case.path("own-var-cache-apt/archives/partial")).unwrap();
        std::fs::create_dir_all(case.path("own-var-log/apt")).unwrap();
        packages
            .0
            .sh("rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/apt.conf.d/* /etc/dpkg/dpkg.cfg.d/*");
        case.write("etc/apt/apt.conf.d/test", "APT::Sandbox::User \"root\";\n");
        packages.sources("[trusted=yes]");
        packages.publish(debs);
        Some(packages)
    }

    fn sources(&self, options: &str) {
        let repo = self.0.case.path("repo");
        self.0.case.write("etc/apt/sources.list", &format!("deb {options} file:{} ./\n", repo.display()));
    }

    /// Adds packages to the repository.
    fn publish(&self, debs: &[Deb]) {
        for deb in debs {
            self.build(deb);
        }
        self.0.sh("cd repo && dpkg-scanpackages -m . > new 2> /dev/null && mv new Packages");
    }

    fn build(&self, Deb { name, version, control, files, postinst }: &Deb) {
        let dir = self.0.case.path(&format!("build-{name}-{version}"));
        std::fs::create_dir_all(dir.join("DEBIAN")).unwrap();
        let mut text = format!(
            "Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: test <t@example.org>\nDescription: test\n"
        );
        if !control.is_empty() {
            let _ = writeln!(text, "{control}");
        }
        std::fs::write(dir.join("DEBIAN/control"), text).unwrap();
        for (path, content) in *files {
            let file = dir.join(path.trim_start_matches('/'));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        if !postinst.is_empty() {
            std::fs::write(dir.join("DEBIAN/postinst"), format!("#!/bin/sh\n{postinst}\n")).unwrap();
            self.0.sh(&format!("chmod 755 {}/DEBIAN/postinst", dir.display()));
        }
        let deb = self.0.case.path(&format!("repo/{name}_{version}.deb"));
        self.0.sh(&format!("dpkg-deb -Znone -b {} {} > /dev/null", dir.display(), deb.display()));
    }

    fn installed(&self, name: &str) -> String {
        self.0.sh(&format!("dpkg-query -W -f '${{Version}} ${{db:Status-Status}}' {name} 2>/dev/null || true"))
    }
}

/// A command that waits until the agent's own transaction is over.
fn when_free(command: &str) -> String {
    format!(
        "for try in $(seq 100); do {command} 2> err && exit 0; grep -q lock err || break; sleep 0.1; done; cat err; exit 1"
    )
}

fn tiny(version: &'static str) -> Deb<'static> {
    Deb { name: "tiny", version, control: "Depends: libtiny", files: &[("/opt/tiny/bin", "x")], ..Deb::default() }
}

const LIB: Deb<'static> = Deb { name: "libtiny", version: "3.0", control: "", files: &[], postinst: "" };

#[test]
fn a_package_is_installed_and_comes_back_whoever_removes_it() {
    let program =
        "pkg \"tiny\" {}\npkg \"other\" { state => \"installed\", }\npkg \"unwanted\" { state => \"uninstalled\", }";
    let other = Deb { name: "other", version: "1", ..Deb::default() };
    let unwanted = Deb { name: "unwanted", version: "1", ..Deb::default() };
    let Some(packages) = Packages::new("pkg-repair", program, &[tiny("1.0"), LIB, other, unwanted]) else { return };
    let apart = &packages.0;
    apart.applies();
    let log = apart.case.read("state/audit.log").unwrap();
    assert!(log.contains("install other 1, tiny 1.0; also installs libtiny 3.0"), "one transaction: {log}");
    let is_right = "test -e /opt/tiny/bin && dpkg-query -W -f '${db:Status-Status} ' tiny other libtiny | grep -qx 'installed installed installed '";
    let gone = "! dpkg -s unwanted >/dev/null 2>&1";
    apart.repairs(&[
        (&when_free("dpkg -r tiny"), is_right),
        (&when_free("apt-get -y -q remove libtiny"), is_right),
        (&when_free("dpkg --purge --force-depends libtiny other"), is_right),
        (&when_free("dpkg --unpack repo/tiny_1.0.deb"), is_right),
        (&when_free("dpkg -i repo/unwanted_1.deb"), gone),
        (&when_free("apt-get -y -q install unwanted"), gone),
    ]);
    apart.applies();
}

#[test]
fn newest_and_versions() {
    let program = r#"pkg "tiny" { state => "newest", }"#;
    let Some(packages) = Packages::new("pkg-newest", program, &[tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    apart.applies();
    assert_eq!(packages.installed("tiny"), "1.0 installed");
    packages.publish(&[tiny("2.0~rc1"), tiny("2.0")]);
    apart.repairs(&[
        (&when_free("apt-get -q update"), "dpkg-query -W -f '${Version}' tiny | grep -qx 2.0"),
        (
            &when_free("dpkg -i --force-downgrade repo/tiny_1.0.deb"),
            "dpkg-query -W -f '${Version}' tiny | grep -qx 2.0",
        ),
    ]);
    apart.program(r#"pkg "tiny" { state => "2.0~rc1", }"#);
    let refused = told(&apart.once(&[]));
    assert!(refused.contains("higher version already installed, use allowdowngrade"), "{refused}");
    apart.program(r#"pkg "tiny" { state => "2.0~rc1", allowdowngrade => true, }"#);
    apart.applies();
    assert_eq!(packages.installed("tiny"), "2.0~rc1 installed");
    apart.sh("apt-mark hold tiny");
    apart.program(r#"pkg "tiny" { state => "newest", }"#);
    let held = told(&apart.once(&[]));
    assert!(held.contains("apt-mark unhold tiny"), "{held}");
    apart.program(r#"pkg "tiny" { state => "9", }"#);
    let unknown = told(&apart.once(&[]));
    assert!(unknown.contains("can't find version 9 of the package 'tiny'; available: 2.0, 2.0~rc1, 1.0"), "{unknown}");
}

#[test]
fn one_that_is_held_before_it_is_installed_fails_alone() {
    let other = Deb { name: "other", version: "1", ..Deb::default() };
    let program = "pkg [\"other\", \"tiny\"] {\n\tstate => \"installed\",\n}";
    let Some(packages) = Packages::new("pkg-held", program, &[tiny("1.0"), LIB, other]) else { return };
    let apart = &packages.0;
    apart.sh("apt-get -q update && apt-mark hold tiny");
    let held = told(&apart.once(&[]));
    assert!(held.contains("apt-mark unhold tiny"), "{held}");
    assert_eq!(packages.installed("other"), "1 installed", "{held}");
    apart.sh("apt-mark unhold tiny");
    apart.applies();
    assert_eq!(packages.installed("tiny"), "1.0 installed");
}

#[test]
fn unknown_and_untrusted_packages_are_refused_with_what_would_allow_them() {
    let Some(packages) = Packages::new("pkg-trust", r#"pkg "nobody" {}"#, &[tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    let unknown = told(&apart.once(&[]));
    assert!(unknown.contains("can't find package named 'nobody'"), "{unknown}");
    apart.program(r#"pkg "-y" {}"#);
    let option = told(&apart.once(&[]));
    assert!(option.contains("`-y` is not a valid package name"), "{option}");
    // The lists exist, but are not signed.
    packages.sources("[allow-insecure=yes]");
    apart.sh("apt-get -q update");
    apart.program(r#"pkg "tiny" {}"#);
    let untrusted = told(&apart.once(&[]));
    assert!(untrusted.contains("use allowuntrusted to allow installing untrusted packages"), "{untrusted}");
    assert_eq!(packages.installed("tiny"), "");
    apart.program(r#"pkg "tiny" { allowuntrusted => true, }"#);
    apart.applies();
}

/// The tool is killed in the middle: the next run finishes its work.
#[test]
fn what_a_kill_leaves_half_done_is_finished() {
    let dies = Deb {
        name: "dies",
        version: "1",
        files: &[("/opt/dies", "x")],
        postinst: "test -e /opt/killed && exit 0\ntouch /opt/killed\nkill -9 $PPID",
        ..Deb::default()
    };
    let Some(packages) = Packages::new("pkg-kill", "pkg \"dies\" {}\npkg \"tiny\" {}", &[dies, tiny("1.0"), LIB])
    else {
        return;
    };
    let apart = &packages.0;
    let output = told(&apart.once(&[]));
    assert!(output.contains("dies 1 (1 is half-configured)"), "{output}");
    apart.applies();
    assert_eq!(packages.installed("dies"), "1 installed");
}

#[test]
fn whoever_holds_the_lock_is_waited_for() {
    let waits = "until test -e /opt/go; do sleep 0.1; done";
    let slow = Deb { name: "slow", version: "1", postinst: waits, ..Deb::default() };
    let Some(packages) = Packages::new("pkg-lock", r#"pkg "tiny" {}"#, &[slow, tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    let mut holder = apart.command(&["dpkg", "-i", "repo/slow_1.deb"]).spawn().unwrap();
    apart.waits_for("dpkg -s slow 2>/dev/null | grep -q half-configured");
    let mut agent = Agent::spawn(apart.agent(&["run", "--once", "--prefix", "state", "main.mcl"]));
    agent.says("dpkg (process ");
    apart.sh("touch /opt/go");
    assert!(agent.ends().success(), "{}", agent.said());
    assert_eq!(packages.installed("slow"), "1 installed", "it was waited for, not repaired");
    assert!(holder.wait().unwrap().success());
}

/// A transaction that waits for a lock has changed nothing: the first `^C` ends it, however long the lock is held.
#[test]
fn who_waits_for_the_lock_ends_at_the_first_signal() {
    let stuck = Deb { name: "stuck", version: "1", postinst: "sleep 60", ..Deb::default() };
    let Some(packages) = Packages::new("pkg-stuck", r#"pkg "tiny" {}"#, &[stuck, tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    let mut holder = apart.command(&["dpkg", "-i", "repo/stuck_1.deb"]).spawn().unwrap();
    apart.waits_for("dpkg -s stuck 2>/dev/null | grep -q half-configured");
    let mut agent = Agent::spawn(apart.agent(&["run", "--once", "--prefix", "state", "main.mcl"]));
    agent.says("checking");
    agent.says("dpkg (process ");
    // The agent is the child of whoever led it into the system apart.
    apart.sh("kill -INT $(pgrep -x mclive)");
    agent.ends();
    assert!(agent.said().contains("stopped while waiting for the package manager"), "{}", agent.said());
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn the_policy_names_packages_and_refuses_in_a_plan_as_well() {
    let Some(packages) = Packages::new("pkg-policy", r#"pkg "tiny" {}"#, &[tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    apart.sh("apt-get -q update");
    apart.case.write("policy.toml", "packages = ['other*']\n");
    let refused = "the policy does not allow changing the package `tiny`: no pattern of `packages` matches it";
    let output = told(&apart.once(&["--policy", "policy.toml"]));
    assert!(output.contains(refused), "{output}");
    let plan = apart.agent(&["plan", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]).output().unwrap();
    assert!(told(&plan).contains(refused), "{}", told(&plan));
    let plan = told(&apart.agent(&["plan", "--prefix", "state", "main.mcl"]).output().unwrap());
    assert!(plan.contains("install tiny 1.0; also installs libtiny 3.0"), "{plan}");
    assert_eq!(packages.installed("tiny"), "");
    apart.case.write("policy.toml", "packages = ['tin?']\n");
    let output = apart.once(&["--policy", "policy.toml"]);
    assert!(output.status.success(), "{}", told(&output));
}

/// What is torn apart is put right first, and only then apt sees what else would go: the policy is asked for that as well.
#[test]
fn what_goes_after_a_repair_is_asked_of_the_policy() {
    let needy = Deb { name: "needy", version: "1", control: "Depends: libneedy", ..Deb::default() };
    let lib = Deb { name: "libneedy", version: "1", ..Deb::default() };
    let rival = Deb { name: "rival", version: "1", ..Deb::default() };
    let tiny = Deb { name: "tiny", version: "1", control: "Conflicts: rival", ..Deb::default() };
    let Some(packages) = Packages::new("pkg-torn", r#"pkg "tiny" {}"#, &[needy, lib, rival, tiny]) else { return };
    let apart = &packages.0;
    apart.sh("apt-get -q update && apt-get -y -q install needy rival && dpkg --remove --force-depends libneedy");
    apart.case.write("policy.toml", "packages = ['tiny']\n");
    let output = told(&apart.once(&["--policy", "policy.toml"]));
    assert_eq!(packages.installed("rival"), "1 installed", "{output}");
    // Its dependency is put right, and then it is known what would go.
    assert_eq!(packages.installed("libneedy"), "1 installed", "{output}");
    let output = told(&apart.once(&["--policy", "policy.toml"]));
    assert!(output.contains("does not allow changing the package `rival`"), "{output}");
    assert_eq!(packages.installed("rival"), "1 installed");
    apart.case.write("policy.toml", "packages = ['tiny', 'rival']\n");
    let output = apart.once(&["--policy", "policy.toml"]);
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(packages.installed("tiny"), "1 installed");
    // dpkg forgets a removed package, or still knows it without a version.
    assert!(["", "not-installed"].contains(&packages.installed("rival").trim()), "{}", packages.installed("rival"));
}

/// If removals purge, apt uses another word for them.
#[test]
fn packages_purged_with_another_are_checked_by_the_policy() {
    let program = r#"pkg "libtiny" { state => "uninstalled", }"#;
    let Some(packages) = Packages::new("pkg-purge", program, &[tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    apart.case.write("etc/apt/apt.conf.d/purge", "APT::Get::Purge \"true\";\n");
    apart.sh("apt-get -q update && apt-get -y -q install tiny");
    apart.case.write("policy.toml", "packages = ['libtiny']\n");
    let output = told(&apart.once(&["--policy", "policy.toml"]));
    assert!(output.contains("does not allow changing the package `tiny`"), "{output}");
    assert_eq!(packages.installed("tiny"), "1.0 installed");
    let plan = told(&apart.agent(&["plan", "--prefix", "state", "main.mcl"]).output().unwrap());
    assert!(plan.contains("remove libtiny 3.0; also removes tiny"), "{plan}");
    apart.applies();
    assert!(["", "not-installed"].contains(&packages.installed("tiny").trim()), "{}", packages.installed("tiny"));
}

/// What the host knows of the files orders the graph: the package comes first, then who manages its file.
#[test]
fn a_file_of_an_installed_package_comes_after_it() {
    let program = "file \"/opt/tiny/bin\" { state => \"exists\", content => \"mine\\n\", }\npkg \"tiny\" { state => \"newest\", }";
    let Some(packages) = Packages::new("pkg-edges", program, &[tiny("1.0"), LIB]) else { return };
    let apart = &packages.0;
    apart.sh("apt-get -q update && apt-get -y -q install tiny");
    packages.publish(&[tiny("2.0")]);
    apart.sh("apt-get -q update");
    apart.applies();
    let log = apart.case.read("state/audit.log").unwrap();
    let at = |words: &str| log.find(words).unwrap_or_else(|| panic!("{words} is not in {log}"));
    assert!(at("install tiny 2.0") < at("write /opt/tiny/bin"), "{log}");
    assert_eq!(apart.sh("cat /opt/tiny/bin"), "mine");
}
