//! [`Roots`]: the root file system of the test machines, a small Debian, made once and kept below the target folder.
//! Machines put an overlay over it. Daemons that few cases need are in an additional layer, made for the first such
//! case.

use crate::{asked, left_out, within};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Half a minute is enough on an idle machine.
const LIMIT: Duration = Duration::from_secs(900);

/// A mirror that is silent for this long is unavailable, however slow this machine is: nothing of ours runs meanwhile.
const PATIENCE: [&str; 3] =
    ["Acquire::http::Timeout \"30\"", "Acquire::https::Timeout \"30\"", "Acquire::Retries \"1\""];

/// The packages installed in addition to the essential ones. A change here makes a new root.
const PACKAGES: [&str; 18] = [
    "apt-utils",
    "ca-certificates",
    "curl",
    "dbus",
    "dbus-user-session",
    "iproute2",
    "isc-dhcp-client",
    "libpam-systemd",
    "openssh-client",
    "openssh-server",
    "passwd",
    "procps",
    "systemd",
    "systemd-sysv",
    "tftp-hpa",
    "udhcpc",
    "util-linux",
    "zstd",
];

/// Installed but not started at boot: a case that needs one starts it.
const QUIET: &str = "systemctl --quiet disable ssh.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
                     e2scrub_all.timer e2scrub_reap.service fstrim.timer";

/// Packages that a case installs on a machine, which has no network: they are in `/srv/packages`, an archive for apt.
const ARCHIVE: &str = "apt-get -qq --yes --download-only install nginx cron && mkdir /srv/packages && \
                       cp /var/cache/apt/archives/*.deb /srv/packages && cd /srv/packages && apt-ftparchive packages . >Packages";

/// The content of the layer of daemons. They are not started at boot.
const DAEMONS: &str = "firewalld netbase podman crun containernetworking-plugins iptables docker.io docker-registry \
                       systemd-container augeas-tools libglib2.0-bin dconf-gsettings-backend gsettings-desktop-schemas \
                       libvirt-daemon-system libvirt-clients libvirt-daemon-driver-qemu qemu-system-x86 dnsmasq-base \
                       fwupd fwupd-tests jcat packagekit python3-apt";

/// Makes the layer: the machine's own apt in a privately mounted overlay. Nothing is started.
const MAKE_LAYER: &str = r#"mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$HALF/up,workdir=$HALF/work" "$HALF/root" &&
mount --bind /proc "$HALF/root/proc" && cp --dereference /etc/resolv.conf "$HALF/root/etc/resolv.conf" &&
printf '%s' "$PATIENCE" >"$HALF/root/etc/apt/apt.conf.d/90patience" &&
printf '#!/bin/sh\nexit 101\n' >"$HALF/root/usr/sbin/policy-rc.d" && chmod 755 "$HALF/root/usr/sbin/policy-rc.d" &&
chroot "$HALF/root" sh -ec 'export DEBIAN_FRONTEND=noninteractive
    find /etc/systemd/system | sort >/run/before
    apt-get -qq update && apt-get -qq --yes --no-install-recommends install '"$DAEMONS"' && apt-get clean
    find /etc/systemd/system -type l | sort | comm -13 /run/before - | xargs --no-run-if-empty rm
    rm -r /run/before /usr/sbin/policy-rc.d /etc/apt/apt.conf.d/90patience /var/lib/apt/lists'"#;

/// The folder of the roots.
pub struct Roots {
    folder: PathBuf,
    /// The mirror of packages, unless it is the usual one.
    mirror: Option<String>,
    root: OnceLock<Result<PathBuf, String>>,
    daemons: OnceLock<Result<PathBuf, String>>,
    is_told: AtomicBool,
}

impl Roots {
    /// Roots below a persistent folder, such as `CARGO_TARGET_TMPDIR`.
    pub fn below(folder: impl AsRef<Path>) -> Roots {
        let (root, daemons) = (OnceLock::new(), OnceLock::new());
        let folder = folder.as_ref().join("hosts");
        Roots { folder, mirror: None, root, daemons, is_told: AtomicBool::new(false) }
    }

    /// Uses another mirror.
    pub fn of_mirror(self, url: &str) -> Roots {
        Roots { mirror: Some(url.to_owned()), ..self }
    }

    /// The folder of the root. `None`: it is not available here, which is reported once.
    pub fn root(&self) -> Option<&Path> {
        let made = self.root.get_or_init(|| self.exclusively(|| self.make()));
        self.or_told(made, "the tests on real systemd machines")
    }

    /// The folder of the layer of daemons, on top of the root.
    pub fn daemons(&self) -> Option<&Path> {
        let root = self.root()?;
        let made = self.daemons.get_or_init(|| self.exclusively(|| self.make_layer(root)));
        self.or_told(made, "the daemons of the tests on real systemd machines")
    }

    /// Reports once that something is skipped: if that is a failure, it is one failure, not one for each case.
    pub fn tell(&self, what: &str, why: &str) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            left_out(&format!("{what}: {why}"));
        }
    }

    fn or_told<'a>(&self, made: &'a Result<PathBuf, String>, what: &str) -> Option<&'a Path> {
        made.as_deref().map_err(|why| self.tell(what, why)).ok()
    }

    /// If several callers, here and in other processes, want the same, one makes it.
    fn exclusively(&self, make: impl FnOnce() -> Result<PathBuf, String>) -> Result<PathBuf, String> {
        let fails = |error| format!("{}: {error}", self.folder.display());
        fs::create_dir_all(&self.folder).map_err(fails)?;
        let lock = File::create(self.folder.join("lock")).map_err(fails)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| fails(error.into()))?;
        make()
    }

    /// Fetches packages, unless their mirror recently failed to answer.
    fn fetch(&self, command: &mut Command) -> Result<(), String> {
        asked::once(&self.folder.join("refused"), || {
            let output = within::output(command, LIMIT)?;
            match output.status.success() {
                true => Ok(()),
                false => Err(format!("cannot download the packages{}", within::last_words(&output.stderr))),
            }
        })
    }

    /// Removes the folders with such names, and anything half-made.
    fn clear(&self, is_old: impl Fn(&str) -> bool) {
        for old in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = old.file_name().to_string_lossy().into_owned();
            if old.path().is_dir() && (name == "half" || is_old(&name)) {
                let _ = fs::remove_dir_all(old.path());
            }
        }
    }

    fn make(&self) -> Result<PathBuf, String> {
        if !rustix::process::getuid().is_root() {
            return Err("only root can boot a machine".into());
        }
        for (tool, package) in [("systemd-nspawn", "systemd-container"), ("mmdebstrap", "mmdebstrap")] {
            let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
            if !found.is_ok_and(|output| output.status.success()) {
                return Err(format!("{tool} is not installed: install the package {package}"));
            }
        }
        let (suite, key) = (suite(), PACKAGES.join(",") + QUIET + ARCHIVE);
        let root = self.folder.join(format!("{suite}-{:016x}", number(&key)));
        if !root.exists() {
            // Those of other packages, with their layers.
            self.clear(|_| true);
            let half = self.folder.join("half");
            eprintln!("building the root file system of the test machines (once, about half a minute): Debian {suite}");
            let mut command = Command::new("mmdebstrap");
            command
                .args(["--quiet", "--variant=minbase"])
                .args(PATIENCE.map(|option| format!("--aptopt={option}")))
                .arg(format!("--include={}", PACKAGES.join(",")))
                .arg(format!("--customize-hook=chroot \"$1\" {QUIET} || true"))
                .arg(format!("--customize-hook=chroot \"$1\" sh -c '{ARCHIVE}'"))
                .arg(&suite)
                .arg(&half)
                .args(&self.mirror);
            self.fetch(&mut command)?;
            fs::rename(&half, &root).map_err(|error| format!("{}: {error}", root.display()))?;
        }
        Ok(root)
    }

    fn make_layer(&self, root: &Path) -> Result<PathBuf, String> {
        let key = format!("{}{DAEMONS}{MAKE_LAYER}", root.display());
        let (layer, half) = (self.folder.join(format!("daemons-{:016x}", number(&key))), self.folder.join("half"));
        if !layer.exists() {
            self.clear(|name| name.starts_with("daemons-"));
            for part in ["up", "work", "root"] {
                fs::create_dir_all(half.join(part)).map_err(|error| format!("{}: {error}", half.display()))?;
            }
            eprintln!("building the daemon layer of the test machines (once, about half a minute)");
            let patience = PATIENCE.map(|option| format!("{option};\n")).concat();
            let mut command = Command::new("unshare");
            command
                .args(["--mount", "--propagation", "slave", "sh", "-c", MAKE_LAYER])
                .env("ROOT", root)
                .env("HALF", &half)
                .env("PATIENCE", patience)
                .env("DAEMONS", DAEMONS);
            self.fetch(&mut command)?;
            fs::rename(half.join("up"), &layer).map_err(|error| format!("{}: {error}", layer.display()))?;
            let _ = fs::remove_dir_all(half);
        }
        Ok(layer)
    }
}

/// The release of this machine, whose libraries the agent is linked with; otherwise a stable one.
fn suite() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field =
        |name: &str| release.lines().find_map(|line| line.strip_prefix(name)).map(|text| text.trim_matches('"'));
    match (field("ID="), field("VERSION_CODENAME=")) {
        (Some("debian"), Some(name)) => name.to_owned(),
        _ => "stable".to_owned(),
    }
}

/// FNV-1a, the same in every build.
fn number(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
