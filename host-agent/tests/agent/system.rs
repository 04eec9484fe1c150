//! Kinds that change the system itself, on the real one, such as the kernel's parameters. Each case has a
//! copy of `/etc` in a separate mount namespace, and separate network and host name namespaces, so this machine stays
//! as it is.

use crate::case::{Case, cannot_look};
use std::process::{Command, Output, Stdio};

/// An isolated system; [`Apart::sh`] runs commands in it.
pub(crate) struct Apart {
    pub(crate) case: Case,
    /// The process that keeps the namespaces.
    keeper: std::process::Child,
}

impl Apart {
    pub(crate) fn new(name: &str, program: &str) -> Option<Apart> {
        Apart::with(name, program, &[])
    }

    /// With private directories that are empty at first.
    pub(crate) fn with(name: &str, program: &str, empty: &[&str]) -> Option<Apart> {
        if !is_root() {
            cannot_look(&format!("{name}: only root can create an isolated system"));
            return None;
        }
        let case = Case::new(name, &format!("{program}\n"));
        assert!(Command::new("cp").args(["-a", "/etc"]).arg(case.path("etc")).status().unwrap().success());
        let mut script = "mount --bind etc /etc && mount -t proc proc /proc".to_owned();
        for dir in empty {
            let own = format!("own{}", dir.replace('/', "-"));
            std::fs::create_dir(case.path(&own)).unwrap();
            script.push_str(&format!(" && mount --bind {own} {dir}"));
        }
        script.push_str(" && echo ready && exec sleep 600");
        let mut keeper = Command::new("unshare")
            .args(["--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--propagation", "private"])
            .args(["sh", "-c", &script])
            .current_dir(&case.root)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = keeper.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        assert_eq!(line, "ready\n", "a system apart begins");
        Some(Apart { case, keeper })
    }

    pub(crate) fn program(&self, program: &str) {
        self.case.program(&format!("{program}\n"));
    }

    /// A command in the isolated system.
    pub(crate) fn command(&self, argv: &[&str]) -> Command {
        // The keeper is `unshare`; its child is in the new namespaces.
        let children = format!("/proc/{0}/task/{0}/children", self.keeper.id());
        let child = std::fs::read_to_string(children).unwrap();
        let mut command = Command::new("nsenter");
        command.args(["--target", child.trim(), "--mount", "--net", "--uts", "--ipc", "--pid"]);
        // The path is resolved inside: mounts are invisible from outside.
        command
            .args(["--", "sh", "-c", "cd \"$0\" && exec \"$@\""])
            .arg(&self.case.root)
            .args(argv)
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub(crate) fn sh(&self, script: &str) -> String {
        let output = self.command(&["sh", "-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    pub(crate) fn agent(&self, args: &[&str]) -> Command {
        let argv: Vec<&str> = [env!("CARGO_BIN_EXE_mclive")].iter().chain(args).copied().collect();
        self.command(&argv)
    }

    pub(crate) fn once(&self, args: &[&str]) -> Output {
        let args: Vec<&str> = ["run", "--once", "--prefix", "state"]
            .into_iter()
            .chain(args.iter().copied())
            .chain(["main.mcl"])
            .collect();
        self.agent(&args).output().unwrap()
    }

    /// Applies the program; a second run then makes no step.
    #[track_caller]
    pub(crate) fn applies(&self) {
        let output = self.once(&[]);
        assert!(output.status.success(), "{}", told(&output));
        let steps = self.steps();
        let output = self.once(&[]);
        assert!(output.status.success(), "{}", told(&output));
        assert_eq!(self.steps(), steps, "a second run makes no step: {}", told(&output));
    }

    /// The number of lines in the audit log.
    pub(crate) fn steps(&self) -> usize {
        std::fs::read_to_string(self.case.path("state/audit.log")).unwrap_or_default().lines().count()
    }

    /// Keeps the program applied, damages something, and waits for the repair.
    #[track_caller]
    pub(crate) fn repairs(&self, spoilings: &[(&str, &str)]) {
        let mut agent = self
            .agent(&["run", "--prefix", "state", "main.mcl"])
            .stdout(std::fs::File::create(self.case.path("said")).unwrap())
            .spawn()
            .unwrap();
        for (spoil, is_right) in spoilings {
            self.waits_for(is_right);
            self.sh(spoil);
            self.waits_for(is_right);
        }
        self.sh(&format!("kill -INT $(pidof {})", env!("CARGO_BIN_EXE_mclive")));
        agent.wait().unwrap();
    }

    #[track_caller]
    pub(crate) fn waits_for(&self, is_right: &str) {
        let is_met = || self.command(&["sh", "-c", is_right]).status().unwrap().success();
        let said = || format!("the agent said {}", self.case.read("said").unwrap_or_default());
        mclive_kit::until(is_right, is_met, said);
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

pub(crate) fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").unwrap().lines().any(|line| line.starts_with("Uid:\t0\t0"))
}

#[test]
fn kernel_parameters() {
    let program = r#"
        sysctl "net.ipv4.ip_forward" { value => "1", }
        sysctl "net.ipv4.ip_local_port_range" { value => "20000 30000", path => "/etc/sysctl.d/ports.conf", }
        sysctl "kernel.msgmax" { value => "0x4000", persist => false, }
    "#;
    let Some(apart) = Apart::new("sysctl", program) else { return };
    apart.applies();
    assert_eq!(
        apart.sh("cat /proc/sys/net/ipv4/ip_forward /etc/sysctl.d/99-net.ipv4.ip_forward.conf"),
        "1\nnet.ipv4.ip_forward = 1"
    );
    assert_eq!(apart.sh("sysctl -n net.ipv4.ip_local_port_range kernel.msgmax"), "20000\t30000\n16384");
    apart.repairs(&[
        ("sysctl -qw net.ipv4.ip_forward=0", "grep -qx 1 /proc/sys/net/ipv4/ip_forward"),
        (
            "echo 40000 50001 >/proc/sys/net/ipv4/ip_local_port_range",
            "grep -q 20000 /proc/sys/net/ipv4/ip_local_port_range",
        ),
        ("rm /etc/sysctl.d/ports.conf", "grep -q 20000 /etc/sysctl.d/ports.conf"),
    ]);
    apart.program(r#"sysctl "net.ipv4.ip_forward" { value => "nonsense", persist => false, }"#);
    let output = apart.once(&[]);
    assert!(!output.status.success() && told(&output).contains("invalid argument"), "{}", told(&output));
}

/// inotify reports none of these changes.
#[test]
fn kernel_parameters_that_nobody_writes() {
    let program = r#"
        sysctl "kernel.hostname" { value => "mcweb2", persist => false, }
        sysctl "net.ipv4.ip_forward" { value => "1", persist => false, }
        sysctl "net.ipv4.conf.mc0.rp_filter" { value => "02", persist => false, }
        sysctl "net.ipv4.ip_local_reserved_ports" { value => "8081,8080,90-95", persist => false, }
    "#;
    let Some(apart) = Apart::new("sysctl-others", program) else { return };
    let links = "ip link add mc0 type veth peer name mc1";
    apart.sh(links);
    apart.applies();
    assert_eq!(apart.sh("cat /proc/sys/net/ipv4/ip_local_reserved_ports"), "90-95,8080-8081");
    let is_right = "test $(cat /proc/sys/net/ipv4/conf/mc0/rp_filter) = 2";
    apart.repairs(&[
        ("hostname other", "test $(uname -n) = mcweb2"),
        ("sysctl -qw net.ipv4.conf.all.forwarding=0", "grep -qx 1 /proc/sys/net/ipv4/ip_forward"),
        (&format!("ip link del mc0 && {links}"), is_right),
        ("echo 0 >/proc/sys/net/ipv4/conf/mc0/rp_filter", is_right),
    ]);
}

#[test]
fn lines_and_keys() {
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g";
    let program = format!(
        r#"
        user "mcbob" {{ state => "exists", homedir => "@OUT@/home/", }}
        file "@OUT@/home/" {{ state => "exists", owner => "mcbob", mode => "0755", Depend => User["mcbob"], Before => Ssh:Authorized_key["k"], }}
        ssh:authorized_key "k" {{ state => "exists", user => "mcbob", type => "ssh-ed25519", key => "{}", comment => "me", }}
        line "a" {{ file => "@OUT@/list", state => "exists", content => "alpha", }}
        line "b" {{ file => "@OUT@/list", state => "exists", content => "beta", }}
        line "c" {{ file => "@OUT@/list", state => "absent", content => "gamma", }}
        "#,
        &key["ssh-ed25519 ".len()..]
    );
    let Some(apart) = Apart::new("lines", &program) else { return };
    std::fs::write(apart.case.path("out/list"), "gamma\nend").unwrap();
    apart.applies();
    let list = apart.case.read("out/list").unwrap();
    let mut lines: Vec<&str> = list.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["alpha", "beta", "end"]);
    let keys = "out/home/.ssh/authorized_keys";
    assert_eq!(apart.case.read(keys).unwrap(), format!("{key} me\n"));
    assert_eq!(apart.sh(&format!("stat -c '%U %a' out/home/.ssh {keys}")), "mcbob 700\nmcbob 600");
    apart.repairs(&[
        ("sed -i /beta/d out/list", "grep -qx beta out/list"),
        ("echo gamma >>out/list", "! grep -qx gamma out/list"),
        ("mv out/home/.ssh out/home/away", "grep -q AAAA out/home/.ssh/authorized_keys"),
        ("echo '# other' >out/home/.ssh/authorized_keys", "grep -q AAAA out/home/.ssh/authorized_keys"),
    ]);
}

#[test]
fn host_names() {
    let Some(apart) = Apart::new("hostname", r#"hostname "mcweb1" { pretty_hostname => "Bob's box", }"#) else {
        return;
    };
    apart.applies();
    assert_eq!(
        apart.sh("uname -n; cat /etc/hostname; cat /etc/machine-info"),
        "mcweb1\nmcweb1\nPRETTY_HOSTNAME=\"Bob's box\""
    );
    apart.repairs(&[
        ("echo other >/proc/sys/kernel/hostname", "test $(uname -n) = mcweb1"),
        ("echo other >/etc/hostname", "grep -qx mcweb1 /etc/hostname"),
        ("rm /etc/machine-info", "grep -q box /etc/machine-info"),
    ]);
}

#[test]
fn mounts() {
    let program = r#"
        mount "@OUT@/a dir" {
            state => "exists",
            type => "tmpfs",
            options => {"size" => "1m", "mode" => "0750", "noexec" => ""},
        }
        mount "@OUT@/bound" {
            state => "exists",
            device => "@OUT@/from",
            type => "tmpfs",
            options => {"bind" => ""},
        }
        mount "@OUT@/gone" { state => "absent", }
    "#;
    let Some(apart) = Apart::new("mount", program) else { return };
    apart.sh("cd out && mkdir 'a dir' bound from gone && touch from/x && mount -t tmpfs tmpfs gone && echo '# kept' >/etc/fstab");
    apart.applies();
    assert_eq!(
        apart.sh("findmnt -rno FSTYPE,SIZE 'out/a dir'; ls out/bound; stat -c %a 'out/a dir'"),
        "tmpfs 1M\nx\n750"
    );
    assert_eq!(apart.sh("mountpoint -q out/gone || echo gone"), "gone");
    let out = apart.case.path("out");
    let table = format!(
        "# kept\n{0}/from {0}/bound tmpfs bind 0 0\ntmpfs {0}/a\\040dir tmpfs mode=0750,noexec,size=1m 0 0",
        out.display()
    );
    // The order of the two is undefined.
    assert_eq!(apart.sh("LC_ALL=C sort /etc/fstab"), table);
    apart.repairs(&[
        ("umount 'out/a dir'", "mountpoint -q 'out/a dir'"),
        ("mount -o remount,exec 'out/a dir'", "findmnt -no OPTIONS 'out/a dir' | grep -q noexec"),
        ("umount out/bound", "test -e out/bound/x"),
        ("sed -i /bound/d /etc/fstab", "grep -q bound /etc/fstab"),
        ("mount -t tmpfs tmpfs out/gone", "! mountpoint -q out/gone"),
        // What was mounted over it goes, and nothing is mounted twice.
        (
            "mount -t tmpfs over 'out/a dir'",
            "test $(grep -c 'a.040dir ' /proc/self/mountinfo) = 1 && mountpoint -q 'out/a dir'",
        ),
        ("mount -t tmpfs over out/bound", "test $(grep -c '/bound ' /proc/self/mountinfo) = 1 && test -e out/bound/x"),
    ]);
    apart.sh("mount -t tmpfs tmpfs out/gone; cd out/gone; sleep 60 >/dev/null 2>&1 & sleep 0.2");
    let output = apart.once(&[]);
    assert!(!output.status.success() && told(&output).contains("(sleep)"), "{}", told(&output));
}

#[test]
fn without_a_mount_point_a_plan_and_a_run_fail_alike_and_leave_the_table() {
    let program = "mount \"@OUT@/none\" {\n\tstate => \"exists\",\n\ttype => \"tmpfs\",\n}\n";
    let Some(apart) = Apart::new("mount-nowhere", program) else { return };
    let table = apart.sh("touch /etc/fstab && cat /etc/fstab");
    let plan = apart.agent(&["plan", "--prefix", "planned", "main.mcl"]).output().unwrap();
    let run = apart.once(&[]);
    assert!(!run.status.success(), "{}", told(&run));
    for output in [plan, run] {
        assert!(told(&output).contains("no such mount point"), "{}", told(&output));
    }
    assert_eq!(apart.sh("cat /etc/fstab"), table, "an entry without a mount point would stop the next boot");
}

#[test]
fn nothing_is_mounted_over_what_came_after_the_check() {
    let program = r#"
        mount "@OUT@/point" {
            state => "exists",
            device => "LABEL=late",
            type => "ext4",
            options => {"nofail" => ""},
        }
    "#;
    let Some(apart) = Apart::new("mount-late", program) else { return };
    // The tool that finds the device runs after the mounts have been read.
    apart.sh("mkdir out/point && cat >out/blkid <<END
#!/bin/sh
test -e $PWD/out/ran || mount -t tmpfs theirs $PWD/out/point
touch $PWD/out/ran
echo /dev/none
END
chmod 755 out/blkid && mount --bind out/blkid $(PATH=/usr/sbin:/usr/bin:/sbin:/bin command -v blkid)");
    let output = apart.once(&[]);
    // The repeated check sees the new file system, and removes it like any other one at this place.
    let audit = apart.case.read("state/audit.log").unwrap_or_default();
    assert!(audit.contains("theirs (tmpfs) was mounted at"), "{audit}{}", told(&output));
}

#[test]
fn nothing_is_mounted_where_others_lead() {
    let program = |fields: &str| {
        format!("mount \"@OUT@/theirs/point\" {{\n\tstate => \"exists\",\n\ttype => \"tmpfs\",\n{fields}}}\n")
    };
    let Some(apart) = Apart::new("mount-led", &program("")) else { return };
    let refused = |setup: &str, words: &str| {
        apart.sh(setup);
        let output = apart.once(&[]);
        let said = told(&output);
        assert!(!output.status.success() && said.contains(words), "{setup}: {said}");
        assert_eq!(apart.sh("mountpoint -q out/ours || mountpoint -q out/theirs/point || echo nothing"), "nothing");
    };
    // A link of another user, and a folder that this user can replace at any moment.
    let link =
        "mkdir -p out/ours out/theirs; ln -s ../ours out/theirs/point; chown -h 65534 out/theirs out/theirs/point";
    refused(link, "symbolic link owned by user 65534");
    refused("rm out/theirs/point; mkdir out/theirs/point", "can replace");
    refused("chown 0 out/theirs; chmod 777 out/theirs; chown 65534 out/theirs/point", "can replace");
    apart.sh("chmod 1777 out/theirs; chown 0 out/theirs/point");
    apart.applies();
    assert_eq!(apart.sh("mountpoint -q out/theirs/point && echo mounted; umount out/theirs/point"), "mounted");
    // The same for a bind mount.
    apart.sh("mkdir out/theirs/from; chown 65534 out/theirs/from");
    apart.case.program(&program("\tdevice => \"@OUT@/theirs/from\",\n\toptions => {\"bind\" => \"\"},\n"));
    refused("true", "can replace");
}
