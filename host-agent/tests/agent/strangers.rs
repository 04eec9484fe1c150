//! Interference by other users of the host: they gain no rights or contents.

use crate::case::{Case, cannot_look, until};
use mclive_kit::port::free as free_port;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::Path;

/// An arbitrary user.
const STRANGER: u32 = 1234;

/// Only root can change the owner of files.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        cannot_look("only root can create files owned by other users");
    }
    is_root
}

fn of_stranger(path: &Path, mode: u32) {
    chown(path, Some(STRANGER), Some(STRANGER)).unwrap();
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// An access list of this kind that lets a stranger read and write.
fn let_in(path: &Path, kind: &str) -> bool {
    let entry =
        |tag: u16, rights: u16, id: u32| [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat();
    const NOBODY: u32 = u32::MAX;
    let (owner, user, group, mask, other) = (1, 2, 4, 16, 32);
    let list = [
        2u32.to_le_bytes().to_vec(),
        entry(owner, 6, NOBODY),
        entry(user, 6, STRANGER),
        entry(group, 4, NOBODY),
        entry(mask, 6, NOBODY),
        entry(other, 0, NOBODY),
    ];
    rustix::fs::setxattr(path, kind, &list.concat(), rustix::fs::XattrFlags::empty()).is_ok()
}

const ACCESS_LIST: &str = "system.posix_acl_access";
/// The list of a directory for new files in it.
const DEFAULT_LIST: &str = "system.posix_acl_default";

fn has_access_list(path: &Path) -> bool {
    rustix::fs::getxattr(path, ACCESS_LIST, &mut [0u8; 256][..]).is_ok()
}

#[test]
fn a_file_that_becomes_roots_lets_nobody_in_whom_its_old_owner_let_in() {
    if !is_root() {
        return;
    }
    let fields = "\tstate => \"exists\",\n\tcontent => \"secret\\n\",\n\towner => \"0\",\n\tmode => \"0640\",\n";
    let case =
        Case::new("strangers-lists", &format!("file \"@OUT@/a\" {{\n{fields}}}\nfile \"@OUT@/b\" {{\n{fields}}}\n"));
    let files = ["out/a", "out/b"].map(|path| case.path(path));
    // One is rewritten, the other one only changes its owner.
    for (file, content) in files.iter().zip(["old", "secret\n"]) {
        fs::write(file, content).unwrap();
        of_stranger(file, 0o664);
        if !let_in(file, ACCESS_LIST) {
            return cannot_look("this file system does not support ACLs");
        }
    }
    rustix::fs::setxattr(&files[0], "user.kept", b"1", rustix::fs::XattrFlags::empty()).unwrap();
    assert!(case.once().status.success());
    for file in &files {
        let meta = fs::metadata(file).unwrap();
        assert_eq!((meta.uid(), meta.mode() & 0o7777), (0, 0o640));
        assert!(!has_access_list(file), "{} still has the access list", file.display());
    }
    assert_eq!(rustix::fs::getxattr(&files[0], "user.kept", &mut [0u8; 8][..]), Ok(1));
}

#[test]
fn a_replaced_file_gets_no_access_list_from_its_directory() {
    if !is_root() {
        return;
    }
    let program = "file [\"@OUT@/dir/a\", \"@OUT@/dir/new\"] {\n\tstate => \"exists\",\n\tcontent => \"secret\\n\",\n}\n\
        line \"b\" {\n\tstate => \"exists\",\n\tfile => \"@OUT@/dir/b\",\n\tcontent => \"secret\",\n}\n";
    let case = Case::new("strangers-directory", program);
    fs::create_dir(case.path("out/dir")).unwrap();
    for file in ["out/dir/a", "out/dir/b"] {
        case.write(file, "old\n");
        fs::set_permissions(case.path(file), Permissions::from_mode(0o640)).unwrap();
    }
    if !let_in(&case.path("out/dir"), DEFAULT_LIST) {
        return cannot_look("this file system does not support ACLs");
    }
    assert!(case.once().status.success());
    for file in ["out/dir/a", "out/dir/b"] {
        assert_eq!(fs::metadata(case.path(file)).unwrap().mode() & 0o7777, 0o640);
        assert!(case.read(file).is_some_and(|text| text.ends_with("secret\n")));
        assert!(!has_access_list(&case.path(file)), "{file} has the access list of its directory");
    }
    assert!(has_access_list(&case.path("out/dir/new")), "a new file has it");
}

#[test]
fn bits_that_lend_rights_are_not_inherited() {
    if !is_root() {
        return;
    }
    let program = "file \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => \"ours\\n\",\n\towner => \"0\",\n}\n\
        file \"@OUT@/copy\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/tool\",\n}\n\
        file \"@OUT@/tree/\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/from/\",\n\trecurse => true,\n}\n";
    let case = Case::new("strangers-bits", program);
    fs::create_dir_all(case.path("out/from/deep")).unwrap();
    for path in ["out/a", "out/tool", "out/from/tool", "out/from/deep/tool"] {
        case.write(path, "theirs\n");
        of_stranger(&case.path(path), 0o6755);
    }
    assert!(case.once().status.success());
    for path in ["out/a", "out/copy", "out/tree/tool", "out/tree/deep/tool"] {
        let meta = fs::metadata(case.path(path)).unwrap();
        assert_eq!((meta.uid(), meta.mode() & 0o7777), (0, 0o755), "{path}");
    }
}

#[test]
fn bits_that_lend_rights_go_to_no_file_that_somebody_may_have_open() {
    if !is_root() {
        return;
    }
    let fields = "\tstate => \"exists\",\n\tcontent => \"tool\\n\",\n\towner => \"0\",\n\tmode => \"4755\",\n";
    let case = Case::new("strangers-open", &format!("file \"@OUT@/tool\" {{\n{fields}}}\n"));
    case.write("out/tool", "tool\n");
    of_stranger(&case.path("out/tool"), 0o755);
    let mut open = fs::File::options().append(true).open(case.path("out/tool")).unwrap();
    assert!(case.once().status.success());
    open.write_all(b"evil\n").unwrap();
    let meta = fs::metadata(case.path("out/tool")).unwrap();
    assert_eq!((meta.uid(), meta.mode() & 0o7777), (0, 0o4755));
    assert_eq!(case.read("out/tool").as_deref(), Some("tool\n"));
    // Once correct, it is not rewritten.
    let before = meta.ino();
    assert!(case.once().status.success());
    assert_eq!(fs::metadata(case.path("out/tool")).unwrap().ino(), before);
}

/// The whole answer of a server on a port to these bytes.
fn say(port: u16, bytes: &[u8]) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    let mut answer = Vec::new();
    let _ = stream.write_all(bytes).and_then(|()| stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(port: u16, path: &str) -> String {
    say(port, format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").as_bytes())
}

#[test]
fn a_server_hands_out_what_the_policy_lets_it_read_and_follows_nobodys_links() {
    if !is_root() {
        return;
    }
    let port = free_port();
    let serves =
        |path: &str, local: &str| format!("http:server:file \"{path}\" {{\n\tpath => \"@OUT@/{local}\",\n}}\n");
    let program = format!("http:server \"127.0.0.1:{port}\" {{\n\troot => \"@OUT@/srv/\",\n}}\n")
        + &serves("/good", "srv/good")
        + &serves("/secret", "secret")
        + &serves("/link", "srv/link")
        + &serves("/dir/", "srv/");
    let case = Case::new("strangers-web", &program);
    fs::create_dir(case.path("out/srv")).unwrap();
    case.write("out/srv/good", "good");
    case.write("out/secret", "secret");
    case.write("out/srv/hidden", "secret");
    for (link, target) in [("out/srv/link", "out/secret"), ("out/srv/inner", "out/srv/hidden")] {
        symlink(case.path(target), case.path(link)).unwrap();
        lchown(case.path(link), Some(STRANGER), Some(STRANGER)).unwrap();
    }
    let check = |flags: &[&str], secret: &str| {
        let agent = case.start_with(flags);
        until("the server answers", || get(port, "/good").ends_with("good"));
        assert!(get(port, "/dir/good").ends_with("good") && get(port, "/srv/../good").ends_with("good"));
        assert!(get(port, "/secret").contains(secret), "{}", get(port, "/secret"));
        for path in ["/link", "/dir/link", "/dir/inner", "/inner"] {
            assert!(get(port, path).contains("403"), "{path}: {}", get(port, path));
        }
        agent
    };
    drop(check(&[], "secret"));
    let out = fs::canonicalize(case.path("out")).unwrap();
    case.write("policy.toml", &format!("reads = ['{0}/srv', '{0}/srv/**']\n", out.display()));
    let agent = check(&["--policy", "policy.toml"], "403");
    agent.says("the policy does not allow reading");
}

#[test]
fn a_form_of_countless_fields_is_refused() {
    let port = free_port();
    let program =
        format!("http:server \"127.0.0.1:{port}\" {{\n}}\nhttp:server:flag \"/flag\" {{\n\tkey => \"k\",\n}}\n");
    let case = Case::new("strangers-form", &program);
    let _agent = case.start();
    let post = |form: &str| {
        let length = form.len();
        say(
            port,
            format!("POST /flag HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{form}")
                .as_bytes(),
        )
    };
    until("the server answers", || post("k=v").contains("200 OK"));
    assert!(post(&"a&".repeat(500)).contains("200 OK"));
    assert!(post(&"a&".repeat(2_000_000)).contains("413"));
}

#[test]
fn a_page_of_another_site_posts_no_form() {
    let port = free_port();
    let program = format!(
        "http:server \"127.0.0.1:{port}\" {{\n}}\nhttp:server:flag \"/flag\" {{\n\tkey => \"k\",\n}}\n\
         file \"@OUT@/flag\" {{\n\tstate => \"exists\",\n\tcontent => \"nothing\",\n}}\n\
         Http:Server:Flag[\"/flag\"].value -> File[\"@OUT@/flag\"].content\n"
    );
    let case = Case::new("strangers-site", &program);
    let _agent = case.start();
    let post = |form: &str, headers: &str| {
        let length = form.len();
        let head =
            format!("POST /flag HTTP/1.1\r\nHost: h\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
        say(port, (head + form).as_bytes())
    };
    // A program sends no origin.
    until("the server answers", || post("k=first", "").contains("200 OK"));
    case.holds("out/flag", "first");
    for origin in ["http://evil.example", "https://h.evil.example", "null", ""] {
        let answer = post("k=bad", &format!("Origin: {origin}\r\n"));
        assert!(answer.contains("403"), "{origin}: {answer}");
    }
    assert!(post("k=second", "Origin: http://h\r\n").contains("200 OK"));
    case.holds("out/flag", "second");
}
