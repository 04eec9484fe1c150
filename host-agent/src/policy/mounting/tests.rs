//! The mounts that a policy allows, by their text.

use super::*;

fn may(policy: &str, kind: &str, options: &[&str]) -> Result<(), String> {
    Policy::parse(policy).unwrap().mounting(kind, &texts(options))
}

fn texts(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| option.to_string()).collect()
}

#[test]
fn known_options_pass_and_others_do_not() {
    assert_eq!(may("", "tmpfs", &["size=1m", "mode=0711", "nosuid", "nofail"]), Ok(()));
    assert_eq!(may("", "ext4", &["noatime", "errors=remount-ro"]), Ok(()));
    assert_eq!(may("", "btrfs", &["subvol=@data"]), Ok(()));
    for (kind, option) in [
        ("ext4", "size=1m"),
        ("ext4", "journal_path=/dev/vdb"),
        ("xfs", "logdev=/dev/vdb"),
        ("btrfs", "device=/dev/vdb"),
        ("tmpfs", "x-mount.mkdir"),
        ("tmpfs", "X-mount.owner=0"),
        ("tmpfs", "user"),
        ("tmpfs", "move"),
        ("tmpfs", "remount"),
        ("tmpfs", "shared"),
        ("tmpfs", "helper=x"),
        ("tmpfs", "x-systemd.makefs"),
        ("tmpfs", "size=1m,helper=x"),
        ("tmpfs", "mode=\"1,suid\""),
        ("tmpfs", "lowerdir=/etc"),
        ("overlay", "lowerdir+=/etc"),
        ("overlay", "lowerdir=/a\\:b"),
        ("fuse.sshfs", "ssh_command=/tmp/x"),
    ] {
        let error = may("privileges = ['setuid', 'devices', 'overlay', 'fuse']", kind, &[option]).unwrap_err();
        assert!(error.contains("does not allow the mount option"), "{kind} {option}: {error}");
        assert!(error.contains("list `options` in `privileges`"), "{kind} {option}: {error}");
    }
    assert_eq!(may("privileges = ['options']", "tmpfs", &["x-mount.mkdir"]), Ok(()));
    assert_eq!(Policy::all().mounting("tmpfs", &["x-mount.mkdir".into()]), Ok(()));
}

#[test]
fn what_shows_other_files_needs_a_word() {
    for (kind, options, word) in [
        ("overlay", &["lowerdir=/a"][..], "overlay"),
        ("tmpfs", &["bind"], "bind"),
        ("none", &["bind", "ro"], "bind"),
        ("ext4", &["rw,rbind"], "bind"),
        ("nfs", &["nosuid", "nodev"], "network"),
        ("fuse", &["nosuid", "nodev"], "fuse"),
        ("fuse.sshfs", &["nosuid", "nodev"], "fuse"),
        ("proc", &[], "kernel"),
        ("devtmpfs", &[], "kernel"),
        ("ecryptfs", &[], "kernel"),
        ("tmpfs", &["suid"], "setuid"),
        ("tmpfs", &["nosuid,dev"], "devices"),
        ("tmpfs", &["exec"], "exec"),
    ] {
        let error = may("mounts = ['/srv/m']", kind, options).unwrap_err();
        assert!(error.contains(&format!("list `{word}` in `privileges`")), "{kind} {options:?}: {error}");
        assert_eq!(may(&format!("privileges = ['{word}']"), kind, options), Ok(()), "{kind} {options:?}");
        assert!(Policy::nothing().mounting(kind, &texts(options)).is_err());
    }
    assert!(may("privileges = ['network']", "nfs", &[]).unwrap_err().contains("`setuid`"));
    assert!(may("privileges = ['network', 'setuid']", "nfs", &[]).unwrap_err().contains("`devices`"));
}

#[test]
fn other_options_take_nothing_away() {
    let policy = |text: &str| Policy::parse(text).unwrap();
    let remount = |words: &str, now: &[&str], options: &[&str]| {
        policy(&format!("privileges = [{words}]")).remounting_as("ext4", &texts(now), &texts(options))
    };
    assert!(policy("").remounting().unwrap_err().contains("`remount`"));
    assert!(remount("", &["rw"], &["ro"]).unwrap_err().contains("`remount`"));
    assert_eq!(remount("'remount'", &["rw", "nosuid"], &["ro", "nosuid"]), Ok(()));
    for (taken, given, word) in [("nosuid", "suid", "setuid"), ("nodev", "dev", "devices"), ("noexec", "exec", "exec")]
    {
        for options in [&["ro"][..], &["ro", given], &[taken, given]] {
            let error = remount("'remount'", &["rw", taken], options).unwrap_err();
            assert!(error.contains(&format!("list `{word}` in `privileges`")), "{taken} {options:?}: {error}");
            assert_eq!(remount(&format!("'remount', '{word}'"), &["rw", taken], options), Ok(()));
        }
    }
    assert!(remount("'remount'", &[], &["helper=x"]).unwrap_err().contains("`options`"));
    assert!(policy("").loops(&texts(&["nosuid", "nodev"])).unwrap_err().contains("`loop`"));
    assert!(policy("privileges = ['loop']").loops(&texts(&["nosuid"])).unwrap_err().contains("`devices`"));
    assert_eq!(policy("privileges = ['loop']").loops(&texts(&["nosuid", "nodev"])), Ok(()));
}
