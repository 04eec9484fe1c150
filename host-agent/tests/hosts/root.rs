//! The root file system of the test machines: a small Debian, made once and kept below the target folder. A machine lays
//! what it changes over it. Daemons that few cases need are in a layer over the root, made with the first such case.

use mclive_tests::left_out;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What is installed in it beside the essential packages. A change here makes a new root.
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

/// Installed and not wanted at each boot: a case that needs one starts it.
const QUIET: &str = "systemctl --quiet disable ssh.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
                     e2scrub_all.timer e2scrub_reap.service fstrim.timer";

/// Packages that a case installs on a machine, which has no network: they wait in `/srv/packages`, an archive for apt.
const ARCHIVE: &str = "apt-get -qq --yes --download-only install nginx cron && mkdir /srv/packages && \
                       cp /var/cache/apt/archives/*.deb /srv/packages && cd /srv/packages && apt-ftparchive packages . >Packages";

/// What is in the layer of daemons. They are not started at boot.
const DAEMONS: &str = "firewalld netbase podman crun containernetworking-plugins iptables docker-registry systemd-container \
                       augeas-tools libglib2.0-bin dconf-gsettings-backend gsettings-desktop-schemas \
                       libvirt-daemon-system libvirt-clients libvirt-daemon-driver-qemu qemu-system-x86 dnsmasq-base \
                       fwupd fwupd-tests jcat packagekit python3-apt";

/// What makes the layer: the machine's own apt in an overlay, which is mounted for nobody else. Nothing is started.
const MAKE_LAYER: &str = r#"mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$HALF/up,workdir=$HALF/work" "$HALF/root" &&
mount --bind /proc "$HALF/root/proc" && cp --dereference /etc/resolv.conf "$HALF/root/etc/resolv.conf" &&
printf '#!/bin/sh\nexit 101\n' >"$HALF/root/usr/sbin/policy-rc.d" && chmod 755 "$HALF/root/usr/sbin/policy-rc.d" &&
chroot "$HALF/root" sh -ec 'export DEBIAN_FRONTEND=noninteractive
    find /etc/systemd/system | sort >/run/before
    apt-get -qq update && apt-get -qq --yes --no-install-recommends install '"$DAEMONS"' && apt-get clean
    find /etc/systemd/system -type l | sort | comm -13 /run/before - | xargs --no-run-if-empty rm
    rm -r /run/before /usr/sbin/policy-rc.d /var/lib/apt/lists'"#;

/// The folder of the root. `None`: it cannot be had here, which is told once.
pub(crate) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = FOLDER.get_or_init(|| {
        let made = make();
        made.map_err(|why| left_out(&format!("the tests on real systemd machines: {why}"))).ok()
    });
    made.as_deref()
}

/// The folder of the layer of daemons, which lies over the root.
pub(crate) fn daemons() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = FOLDER.get_or_init(|| {
        let made = make_layer(folder()?);
        made.map_err(|why| left_out(&format!("the daemons of the tests on real systemd machines: {why}"))).ok()
    });
    made.as_deref()
}

fn make_layer(root: &Path) -> Result<PathBuf, String> {
    let folder = root.parent().expect("it is in a folder");
    let lock = File::create(folder.join("lock")).map_err(|error| error.to_string())?;
    flock(&lock, FlockOperation::LockExclusive).map_err(|error| error.to_string())?;
    let key = format!("{}{DAEMONS}{MAKE_LAYER}", root.display());
    let (layer, half) = (folder.join(format!("daemons-{:016x}", number(&key))), folder.join("half"));
    if layer.exists() {
        return Ok(layer);
    }
    for old in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_old = old.file_name().to_string_lossy().starts_with("daemons-");
        if is_old || old.path() == half {
            let _ = fs::remove_dir_all(old.path());
        }
    }
    for part in ["up", "work", "root"] {
        fs::create_dir_all(half.join(part)).map_err(|error| error.to_string())?;
    }
    eprintln!("making the layer of daemons of the test machines, once: half a minute");
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "slave", "sh", "-c", MAKE_LAYER])
        .env("ROOT", root)
        .env("HALF", &half)
        .env("DAEMONS", DAEMONS)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("unshare: {error}"))?;
    if !output.status.success() {
        return Err(format!("its packages: {}", String::from_utf8_lossy(&output.stderr)));
    }
    fs::rename(half.join("up"), &layer).map_err(|error| error.to_string())?;
    let _ = fs::remove_dir_all(half);
    Ok(layer)
}

fn make() -> Result<PathBuf, String> {
    if !rustix::process::getuid().is_root() {
        return Err("only root can boot a machine".into());
    }
    for (tool, package) in [("systemd-nspawn", "systemd-container"), ("mmdebstrap", "mmdebstrap")] {
        let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).stdout(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            return Err(format!("{tool} is missing: install the package {package}"));
        }
    }
    let (suite, key) = (suite(), PACKAGES.join(",") + QUIET + ARCHIVE);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hosts");
    let root = folder.join(format!("{suite}-{:016x}", number(&key)));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Of several who want it one makes it.
    let lock = File::create(folder.join("lock")).map_err(|error| error.to_string())?;
    flock(&lock, FlockOperation::LockExclusive).map_err(|error| error.to_string())?;
    if !root.exists() {
        // What was left half-done, and those of other packages.
        for old in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if old.is_dir() {
                let _ = fs::remove_dir_all(old);
            }
        }
        let half = folder.join("half");
        eprintln!("making the root of the test machines, once: Debian {suite}, half a minute");
        let output = Command::new("mmdebstrap")
            .args(["--quiet", "--variant=minbase"])
            .arg(format!("--include={}", PACKAGES.join(",")))
            .arg(format!("--customize-hook=chroot \"$1\" {QUIET} || true"))
            .arg(format!("--customize-hook=chroot \"$1\" sh -c '{ARCHIVE}'"))
            .arg(&suite)
            .arg(&half)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("mmdebstrap: {error}"))?;
        if !output.status.success() {
            return Err(format!("mmdebstrap failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
        fs::rename(&half, &root).map_err(|error| error.to_string())?;
    }
    Ok(root)
}

/// The release of this machine, whose libraries the agent is linked with; elsewhere a stable one.
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
