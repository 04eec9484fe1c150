//! Compares mount options. The kernel reports them in its own form: defaults are left out, sizes have other units, and
//! options that only `/etc/fstab` uses are missing.

use crate::sort;
use crate::vocab::mount;

/// In the order in which `mount` must read them: these set others, and those after them count.
pub(super) fn ordered(mut options: Vec<String>) -> Vec<String> {
    let sets_others = |option: &String| {
        // `umask` sets `fmask` and `dmask`.
        matches!(option.as_str(), "defaults" | "user" | "users" | "owner" | "group") || option.starts_with("umask=")
    };
    sort::by_key(&mut options, |option| !sets_others(option));
    options
}

/// The wanted options that differ. Options the kernel neither reports nor contradicts count as set.
pub(super) fn differing<'a>(wanted: &'a [String], shown: &[String]) -> Vec<&'a String> {
    wanted.iter().filter(|option| !is_of_the_table(option) && !holds(option, shown)).collect()
}

/// The options of a file system as the kernel shows them, with the defaults that it leaves out.
pub(super) fn with_defaults(kind: &str, shown: &[String]) -> Vec<String> {
    let left_out: &[(&str, &str)] = match kind {
        // Nothing else can be said of the usual number of files, which depends on the memory.
        "tmpfs" => &[
            ("size", "50%"),
            ("nr_inodes", "default"),
            ("huge", "never"),
            ("mode", "1777"),
            ("uid", "0"),
            ("gid", "0"),
        ],
        "ramfs" => &[("mode", "755")],
        "ext3" | "ext4" => &[("commit", "5")],
        "btrfs" => &[("compress", "no"), ("compress-force", "no")],
        "proc" => &[("gid", "0"), ("hidepid", "off")],
        "vfat" | "msdos" | "exfat" => &[("uid", "0"), ("gid", "0")],
        _ => &[],
    };
    let is_shown =
        |key: &str| shown.iter().any(|option| option.strip_prefix(key).is_some_and(|it| it.starts_with('=')));
    let left_out = left_out.iter().filter(|(key, _)| !is_shown(key)).map(|(key, value)| format!("{key}={value}"));
    shown.iter().cloned().chain(left_out).collect()
}

/// The options with those that `defaults` stands for and that only another one takes away, which holds in memory: a disk
/// may be read-only, and a bind mount has the options of its source. In place of `umask`, FAT shows what it sets.
pub(super) fn with_meant(kind: &str, mut options: Vec<String>) -> Vec<String> {
    let has = |options: &[String], word: &str| options.iter().any(|option| option == word);
    if matches!(kind, "vfat" | "msdos" | "exfat")
        && let Some(umask) = options.iter().find_map(|option| option.strip_prefix("umask=").map(str::to_owned))
    {
        for key in ["fmask=", "dmask="] {
            if !options.iter().any(|option| option.starts_with(key)) {
                options.push(format!("{key}{umask}"));
            }
        }
    }
    if matches!(kind, "tmpfs" | "ramfs") && has(&options, "defaults") && !mount::is_bind(&options) {
        for (meant, other) in [("rw", "ro"), ("exec", "noexec")] {
            if !has(&options, meant) && !has(&options, other) {
                options.push(meant.to_owned());
            }
        }
    }
    options
}

/// Whether the size of a file system is given as a share of the memory.
pub(super) fn has_share(options: &[String]) -> bool {
    options.iter().any(|option| share(option).is_some())
}

/// The percentage in `size=10%`.
fn share(option: &str) -> Option<u64> {
    option.strip_prefix("size=")?.strip_suffix('%')?.parse().ok()
}

/// The options with the size in bytes, if it is a share of this memory (in bytes).
pub(super) fn in_bytes(options: &[String], memory: u64) -> Vec<String> {
    let size = |percent: u64| u128::from(memory) * u128::from(percent) / 100;
    let options = options.iter().map(|option| match share(option) {
        Some(percent) => format!("size={}", size(percent)),
        None => option.clone(),
    });
    options.collect()
}

/// The memory of the host in bytes, by the text of `/proc/meminfo`.
pub(super) fn memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1 << 10)
}

/// Whether the option only matters to the mount table.
pub(super) fn is_of_the_table(option: &str) -> bool {
    const WORDS: [&str; 13] = [
        "defaults", "auto", "noauto", "nofail", "user", "nouser", "users", "owner", "group", "_netdev", "bind",
        "rbind", "loop",
    ];
    WORDS.contains(&option) || option.starts_with("x-") || option.starts_with("comment=")
}

/// Two options of which a file system can only have one.
pub(super) fn contradiction(options: &[String]) -> Option<(&'static str, &'static str)> {
    let has = |word: &str| options.iter().any(|option| option == word);
    let mut all = DEFAULTS.into_iter().chain([("auto", "noauto")]);
    all.find(|(default, other)| has(default) && has(other))
}

/// An option whose secret every user could read in the list of processes, and where it belongs instead.
pub(super) fn exposed(kind: &str, options: &[String]) -> Option<(&'static str, &'static str)> {
    const NETRC: &str = "put the password into `/root/.netrc`";
    let exposed = |option: &String| match (kind, option.split_once('=')?) {
        ("ceph", ("secret", _)) => Some(("secret", "use `secretfile`")),
        ("cifs" | "smb3", ("password2", _)) => Some(("password2", "use `credentials`")),
        ("fuse.curlftpfs", ("user", value)) if value.contains(':') => Some(("user", NETRC)),
        ("fuse.curlftpfs", ("pass", _)) => Some(("pass", "use a key without a passphrase that only root can read")),
        _ => None,
    };
    options.iter().find_map(exposed)
}

/// Mutually exclusive options, the default first.
const DEFAULTS: [(&str, &str); 9] = [
    ("rw", "ro"),
    ("exec", "noexec"),
    ("suid", "nosuid"),
    ("dev", "nodev"),
    ("async", "sync"),
    ("atime", "noatime"),
    ("diratime", "nodiratime"),
    ("symfollow", "nosymfollow"),
    ("norelatime", "relatime"),
];

fn holds(option: &str, shown: &[String]) -> bool {
    let shows = |word: &str| shown.iter().any(|shown| shown == word);
    if shows(option) {
        return true;
    }
    if let Some((key, value)) = option.split_once('=') {
        let found = shown.iter().find_map(|shown| shown.strip_prefix(key)?.strip_prefix('='));
        return found.is_none_or(|found| equal(key, found, value));
    }
    // The kernel uses `relatime` unless another option says otherwise.
    if option == "norelatime" {
        return true;
    }
    // The default is not reported.
    if let Some((_, other)) = DEFAULTS.iter().find(|(default, _)| *default == option) {
        return !shows(other);
    }
    match option {
        "strictatime" => !shows("relatime") && !shows("noatime"),
        // Always reported if set.
        "ro" | "noexec" | "nosuid" | "nodev" | "sync" | "dirsync" | "noatime" | "nodiratime" | "relatime"
        | "lazytime" | "nosymfollow" => false,
        _ => true,
    }
}

fn equal(key: &str, shown: &str, wanted: &str) -> bool {
    if named(key, shown) == named(key, wanted) {
        return true;
    }
    let equal =
        |parse: fn(&str) -> Option<u64>| parse(shown).zip(parse(wanted)).is_some_and(|(one, other)| one == other);
    let goes_on = |mark: char| shown.strip_prefix(wanted).is_some_and(|more| more.starts_with(mark));
    let is_told_in_full = match key {
        // A version is reported with its minor one.
        "vers" | "nfsvers" => wanted == "default" || goes_on('.'),
        // So is an algorithm with its level.
        "compress" | "compress-force" => goes_on(':'),
        _ => false,
    };
    if is_told_in_full {
        return true;
    }
    // The kernel reads the number of an account with a leading zero as an octal one, and shows a decimal one.
    if matches!(key, "uid" | "gid") && wanted.len() > 1 && wanted.starts_with('0') {
        return shown.parse().ok() == u64::from_str_radix(wanted, 8).ok();
    }
    if key.ends_with("mode") || key.ends_with("mask") {
        return equal(|text| u64::from_str_radix(text, 8).ok());
    }
    // A share of the memory is reported in bytes, of which nothing is known here.
    if wanted.ends_with('%') {
        return !shown.ends_with('%');
    }
    let is_rounded = || bytes(shown).zip(bytes(wanted)).is_some_and(|(shown, wanted)| rounds_to(wanted, shown));
    equal(bytes) || key == "size" && is_rounded()
}

/// Whether a size is reported as another one: in whole pages, which some machines have bigger than others.
fn rounds_to(wanted: u64, shown: u64) -> bool {
    const PAGES: [u64; 3] = [4 << 10, 16 << 10, 64 << 10];
    PAGES.iter().any(|page| wanted.checked_next_multiple_of(*page) == Some(shown))
}

/// The name of a value that `mount` and the kernel write in different ways.
fn named<'a>(key: &str, value: &'a str) -> &'a str {
    match (key, value) {
        ("hidepid", "0") => "off",
        ("hidepid", "1") => "noaccess",
        ("hidepid", "2") => "invisible",
        ("hidepid", "4") => "ptraceable",
        // Of ext4: the default.
        ("commit", "0") => "5",
        // Of 9p.
        ("cache", "0") => "none",
        ("cache", "1") => "readahead",
        ("cache", "5") => "mmap",
        ("cache", "f") => "loose",
        ("cache", "8f") => "fscache",
        // Of btrfs.
        ("compress" | "compress-force", "none") => "no",
        ("subvol", path) => path.trim_start_matches('/'),
        (_, value) => value,
    }
}

/// `1m` and `1024k` are the same size.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &[&str], shown: &str, expect: &[&str]) {
        let wanted: Vec<String> = wanted.iter().map(|option| option.to_string()).collect();
        let shown: Vec<String> = shown.split(',').map(str::to_owned).collect();
        assert_eq!(differing(&wanted, &shown), expect, "{wanted:?} {shown:?}");
    }

    #[test]
    fn what_sets_others_is_read_before_them() {
        let texts = |options: &[&str]| options.iter().map(|option| option.to_string()).collect::<Vec<_>>();
        let now = ordered(texts(&["defaults", "dev", "exec", "size=1m", "user"]));
        assert_eq!(now, texts(&["defaults", "user", "dev", "exec", "size=1m"]));
        let now = ordered(texts(&["dmask=0022", "umask=0077"]));
        assert_eq!(now, texts(&["umask=0077", "dmask=0022"]));
    }

    #[test]
    fn defaults_that_are_left_out_are_known() {
        let differ = |kind: &str, wanted: &str, shown: &str| {
            let shown: Vec<String> = shown.split(',').map(str::to_owned).collect();
            !differing(&[wanted.to_owned()], &with_defaults(kind, &shown)).is_empty()
        };
        assert!(differ("tmpfs", "mode=0755", "rw,relatime"));
        assert!(!differ("tmpfs", "mode=01777", "rw,relatime"));
        assert!(!differ("tmpfs", "mode=0755", "rw,relatime,mode=755"));
        assert!(differ("tmpfs", "uid=7", "rw"));
        assert!(differ("tmpfs", "size=1m", "rw,relatime") && !differ("tmpfs", "size=50%", "rw,relatime"));
        assert!(!differ("tmpfs", "size=1m", "rw,relatime,size=1024k"));
        assert!(differ("tmpfs", "nr_inodes=1k", "rw") && !differ("tmpfs", "nr_inodes=1k", "rw,nr_inodes=1024"));
        assert!(differ("tmpfs", "huge=always", "rw") && !differ("tmpfs", "huge=never", "rw"));
        assert!(differ("ext4", "commit=30", "rw,relatime") && !differ("ext4", "commit=0", "rw,relatime"));
        assert!(!differ("ext4", "commit=5", "rw,relatime") && differ("ext4", "commit=5", "rw,commit=30"));
        assert!(differ("btrfs", "compress=zstd", "rw,subvol=/") && !differ("btrfs", "compress=none", "rw,subvol=/"));
        assert!(!differ("btrfs", "compress=zstd", "rw,compress=zstd:3,subvol=/"));
        assert!(!differ("ext4", "uid=7", "rw"));
        assert!(differ("vfat", "uid=7", "rw,relatime,fmask=0022,dmask=0022") && differ("exfat", "gid=7", "rw"));
        assert!(!differ("vfat", "uid=0", "rw") && !differ("exfat", "uid=7", "rw,uid=7,gid=7"));
        assert!(!differ("fuseblk", "uid=7", "rw,user_id=0"), "a program serves it and does not show it");
        assert!(!differ("ramfs", "mode=0755", "rw,relatime"));
        assert!(differ("proc", "hidepid=2", "rw,relatime"));
        assert!(!differ("proc", "hidepid=2", "rw,relatime,hidepid=invisible"));
        assert!(!differ("proc", "hidepid=noaccess", "rw,relatime,hidepid=1"));
        assert!(!differ("proc", "hidepid=0", "rw,relatime"));
        assert!(differ("proc", "gid=4", "rw,relatime,hidepid=invisible"));
    }

    #[test]
    fn a_share_of_the_memory_is_a_size() {
        let texts = |options: &[&str]| options.iter().map(|option| option.to_string()).collect::<Vec<_>>();
        let memory = memory("MemTotal:        1000004 kB\nMemFree:          1 kB\n").unwrap();
        assert_eq!(memory, 1_000_004 * 1024);
        assert_eq!(in_bytes(&texts(&["rw", "size=10%"]), memory), texts(&["rw", "size=102400409"]));
        assert!(has_share(&texts(&["size=10%"])) && !has_share(&texts(&["size=10", "mode=0755"])));
        // In whole pages, of which a machine has one size.
        check(&["size=102400409"], "size=100004k", &[]);
        check(&["size=102400409"], "size=100016k", &[]);
        check(&["size=102400409"], "size=100032k", &[]);
        check(&["size=102400409"], "size=100008k", &["size=102400409"]);
    }

    #[test]
    fn defaults_are_meant_where_nothing_takes_them_away() {
        let meant =
            |kind: &str, options: &str| with_meant(kind, options.split(',').map(str::to_owned).collect()).join(",");
        assert_eq!(meant("tmpfs", "defaults"), "defaults,rw,exec");
        assert_eq!(meant("tmpfs", "defaults,noexec,size=1m"), "defaults,noexec,size=1m,rw");
        assert_eq!(meant("ramfs", "defaults,ro,exec"), "defaults,ro,exec");
        assert_eq!(meant("vfat", "umask=0077,dmask=0022"), "umask=0077,dmask=0022,fmask=0077");
        for (kind, options) in [("ext4", "defaults"), ("tmpfs", "size=1m"), ("tmpfs", "defaults,bind")] {
            assert_eq!(meant(kind, options), options);
        }
    }

    #[test]
    fn options_that_exclude_each_other_are_found() {
        let found = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
            contradiction(&options)
        };
        assert_eq!(found(&["ro", "noatime", "rw"]), Some(("rw", "ro")));
        assert_eq!(found(&["noauto", "auto"]), Some(("auto", "noauto")));
        assert_eq!(found(&["defaults", "ro", "user", "exec"]), None);
    }

    #[test]
    fn secrets_do_not_go_on_command_lines() {
        let found = |kind: &str, option: &str| exposed(kind, &["ro".to_owned(), option.to_owned()]).map(|it| it.0);
        assert_eq!(found("ceph", "secret=AQ=="), Some("secret"));
        assert_eq!(found("ceph", "secretfile=/etc/ceph/key"), None);
        assert_eq!(found("cifs", "password2=hush"), Some("password2"));
        // The tool reads this one from its environment.
        assert_eq!(found("cifs", "password=hush"), None);
        assert_eq!(found("fuse.curlftpfs", "user=me:hush"), Some("user"));
        assert_eq!(found("fuse.curlftpfs", "user=me"), None);
    }

    #[test]
    fn options_are_compared_as_the_kernel_means_them() {
        check(&["defaults"], "rw,relatime", &[]);
        check(&["noatime"], "rw,relatime", &["noatime"]);
        check(&["noatime", "rw", "exec"], "rw,noatime", &[]);
        check(&["ro", "nodev"], "rw,nodev", &["ro"]);
        check(&["size=1m", "mode=0755"], "rw,relatime,size=1024k,mode=755", &[]);
        check(&["uid=010", "gid=08"], "rw,uid=8,gid=8", &["gid=08"]);
        check(&["size=2m"], "rw,size=1024k", &["size=2m"]);
        check(&["size=50%"], "rw,size=1024k", &[]);
        check(&["size=100000"], "rw,size=100k", &[]);
        check(&["size=100000"], "rw,size=96k", &["size=100000"]);
        check(&["nr_inodes=10k"], "rw,nr_inodes=10240", &[]);
        check(&["noauto", "nofail", "x-systemd.automount", "bind"], "rw", &[]);
        check(&["uid=0", "errors=remount-ro"], "rw", &[]);
        check(&["rw"], "ro", &["rw"]);
        check(&["norelatime"], "rw,relatime", &[]);
        check(&["vers=4"], "rw,vers=4.2", &[]);
        check(&["vers=4.1"], "rw,vers=4.2", &["vers=4.1"]);
        check(&["vers=default", "cache=loose"], "rw,vers=3.1.1,cache=f", &[]);
        check(&["subvol=@home", "compress=zstd"], "rw,compress=zstd:3,subvolid=257,subvol=/@home", &[]);
        check(&["subvol=@", "compress=zstd:1"], "rw,compress=zstd:3,subvol=/@home", &["subvol=@", "compress=zstd:1"]);
    }
}
