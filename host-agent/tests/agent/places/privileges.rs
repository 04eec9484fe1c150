//! Files that lend more than their content: set-ID bits, capabilities, devices. Writing to a place does not allow them.

use super::*;
use rustix::fs::{FileType, Mode, XattrFlags, getxattr, mknodat, setxattr};

const LENDS: &str = "list `setuid` in `privileges`";

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

/// A plan and a run refuse it with the same words, and neither leaves a file with such a bit.
fn refuses(den: &Den, program: &str, words: &str) {
    fs::write(den.path("main.mcl"), den.here(program)).unwrap();
    let plan = den.case.run(&["plan", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
    let planned = String::from_utf8_lossy(&plan.stdout).into_owned() + &String::from_utf8_lossy(&plan.stderr);
    assert!(planned.contains(words), "a plan of {program} did not say {words:?} but {planned}");
    assert_ne!(plan.status.code(), Some(0), "a plan of {program}: {planned}");
    den.refuses(program, words);
    for entry in fs::read_dir(den.path("srv")).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_dir() || mode(&path) & 0o6000 == 0, "{} after {program}", path.display());
    }
}

#[test]
fn a_set_id_bit_needs_a_word_of_its_own() {
    let den = Den::new("set-id");
    for (mode, words) in [
        ("4755", LENDS),
        ("u=rwxs,g=rx,o=rx", LENDS),
        ("6755", LENDS),
        ("2755", "list `setgid` in `privileges`"),
        ("g=rxs", "list `setgid` in `privileges`"),
    ] {
        let fields = format!("state => \"exists\",\n\tcontent => \"x\",\n\tmode => \"{mode}\"");
        refuses(&den, &file("@ROOT@/srv/new", &fields), words);
        let _ = fs::remove_file(den.path("srv/new"));
        refuses(&den, &file("@ROOT@/srv/empty", &format!("state => \"exists\",\n\tmode => \"{mode}\"")), words);
        let _ = fs::remove_file(den.path("srv/empty"));
        fs::write(den.path("srv/old"), "x").unwrap();
        refuses(&den, &file("@ROOT@/srv/old", &format!("mode => \"{mode}\"")), words);
        fs::remove_file(den.path("srv/old")).unwrap();
    }
    // In a directory the bits lend nothing but its group.
    den.allows(&file("@ROOT@/srv/shared/", "state => \"exists\",\n\tmode => \"2775\""));
    den.allows(&file("@ROOT@/srv/plain", "state => \"exists\",\n\tcontent => \"x\",\n\tmode => \"1755\""));
    den.policy(&format!("{POLICY}privileges = ['setuid', 'setgid']\n"));
    den.allows(&file("@ROOT@/srv/new", "state => \"exists\",\n\tcontent => \"x\",\n\tmode => \"6755\""));
    assert_eq!(mode(&den.path("srv/new")), 0o6755);
}

#[test]
fn a_set_id_file_of_others_gets_no_other_content() {
    let den = Den::new("set-id-content");
    let old = den.path("srv/old");
    fs::write(&old, "theirs").unwrap();
    fs::set_permissions(&old, Permissions::from_mode(0o4755)).unwrap();
    den.refuses(&file("@ROOT@/srv/old", CONTENT), LENDS);
    den.refuses(
        "line \"x\" {\n\tfile => \"@ROOT@/srv/old\",\n\tstate => \"exists\",\n\tcontent => \"mine\",\n}\n",
        LENDS,
    );
    den.refuses("gzip \"@ROOT@/srv/old\" {\n\tcontent => \"mine\",\n}\n", LENDS);
    fs::create_dir(den.path("srv/in")).unwrap();
    den.refuses("tar \"@ROOT@/srv/old\" {\n\tinputs => [\"@ROOT@/srv/in\"],\n}\n", LENDS);
    den.refuses("deploy:tar \"@ROOT@/srv/old\" {}\n", LENDS);
    assert_eq!((fs::read_to_string(&old).unwrap().as_str(), mode(&old)), ("theirs", 0o4755));
    // A copy has the content alone, and so has a copied tree.
    fs::copy(&old, den.path("srv/in/a")).unwrap();
    fs::set_permissions(den.path("srv/in/a"), Permissions::from_mode(0o4755)).unwrap();
    den.allows(&file("@ROOT@/srv/copy", "state => \"exists\",\n\tsource => \"@ROOT@/srv/old\""));
    let tree = "state => \"exists\",\n\trecurse => true,\n\tsource => \"@ROOT@/srv/in/\"";
    den.allows(&file("@ROOT@/srv/tree/", tree));
    assert_eq!(mode(&den.path("srv/copy")) & 0o6000, 0);
    assert_eq!(mode(&den.path("srv/tree/a")) & 0o6000, 0);
    // Without its bit it is a file like any other.
    den.allows(&file("@ROOT@/srv/old", &format!("{CONTENT},\n\tmode => \"0755\"")));
    assert_eq!((fs::read_to_string(&old).unwrap().as_str(), mode(&old)), ("mine\n", 0o755));
}

#[test]
fn other_content_gets_no_capabilities() {
    let den = Den::new("capabilities");
    let path = den.path("srv/tool");
    // `cap_net_raw=ep`, as the kernel keeps it.
    let mut lends = [0u8; 20];
    (lends[0], lends[3], lends[5]) = (1, 2, 0x20);
    const NAME: &str = "security.capability";
    let set = || {
        fs::write(&path, "theirs").unwrap();
        setxattr(&path, NAME, &lends, XattrFlags::empty())
    };
    if let Err(errno) = set() {
        return cannot_look(&format!("files cannot have capabilities here: {errno}"));
    }
    let has = || getxattr(&path, NAME, &mut [0u8; 64]).is_ok();
    den.allows(&file("@ROOT@/srv/tool", CONTENT));
    assert!(!has(), "they are gone with the content that they were given to");
    set().unwrap();
    den.policy(&format!("{POLICY}privileges = ['capabilities']\n"));
    den.allows(&file("@ROOT@/srv/tool", CONTENT));
    assert!(has());
}

#[test]
fn a_device_keeps_its_mode_and_owner() {
    let den = Den::new("devices");
    let path = den.path("srv/null");
    let made = mknodat(CWD, &path, FileType::CharacterDevice, Mode::from_raw_mode(0o600), rustix::fs::makedev(1, 3));
    if let Err(errno) = made {
        return cannot_look(&format!("cannot create devices here: {errno}"));
    }
    let words = "list `devices` in `privileges`";
    refuses(&den, &file("@ROOT@/srv/null", "mode => \"0666\""), words);
    refuses(&den, &file("@ROOT@/srv/null", "owner => \"daemon\""), words);
    assert_eq!(mode(&path), 0o600);
    den.policy(&format!("{POLICY}privileges = ['devices']\n"));
    den.allows(&file("@ROOT@/srv/null", "mode => \"0666\""));
    assert_eq!(mode(&path), 0o666);
}
