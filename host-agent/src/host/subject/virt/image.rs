//! Parts of the host that a machine can access although the program does not name them, for the policy: some image
//! formats refer to further files, a container without its own root file system uses that of its host, and in a shared
//! folder the modes of the guest's files may be those of the host's.

use super::edits::{child, children, parse, text, value};
use crate::host::fs::native;
use crate::host::io_failed;
use mclive_base::vocab::path::shown;
use mclive_base::vocab::virt::domain::Layout;
use mclive_base::vocab::{HostError, HostErrorKind};
use roxmltree::Node;
use rustix::fs::{CWD, Mode, OFlags, openat};
use std::fs::File;
use std::io::{ErrorKind, Read};

/// Whether the images of a program may decide which further files a machine reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Images {
    Trusted,
    /// They may not, whatever they contain by the time the machine starts.
    Sealed,
}

impl Images {
    /// An empty one is the end: what the image says of a file after it does not count.
    pub(super) fn seal(self, format: &str) -> &'static str {
        if self == Images::Sealed && !is_plain(format) { "<backingStore/>" } else { "" }
    }
}

/// Whether a container uses the host's root file system: it does unless its description mounts another one at `/`.
pub(super) fn has_host_files(xml: &str) -> Result<bool, HostError> {
    let document = parse(xml)?;
    let root = document.root_element();
    let mut folders = children(child(root, "devices"), "filesystem");
    Ok(is_container(root) && !folders.any(|folder| value(folder, "target", "dir") == Some("/")))
}

fn is_container(root: Node) -> bool {
    child(root, "os").is_some_and(|os| text(os, "type") == "exe")
}

/// The shared folders of a layout in which the machine of this description sets the modes of files. Only `mapped` keeps them
/// from the host, and only for virtual machines.
pub(super) fn exposed<'a>(layout: &'a Layout, xml: &str) -> Result<Vec<&'a str>, HostError> {
    let document = parse(xml)?;
    let is_container = is_container(document.root_element());
    let folders = layout.filesystems.iter().flatten();
    let exposed = folders.filter(|folder| !folder.is_read_only && (is_container || folder.access != "mapped"));
    Ok(exposed.map(|folder| folder.source.as_str()).collect())
}

/// How much of an image is read. Units: bytes.
const HEAD: u64 = 512;
const QCOW2: &[u8] = b"QFI\xfb";
/// Of the incompatible features: the content is in another file.
const EXTERNAL: u64 = 1 << 2;

/// A format without a way to name other files.
fn is_plain(format: &str) -> bool {
    ["", "raw", "iso"].contains(&format)
}

/// Checks that an image does not refer to another file. Errors: it does, so the machine would read a file that the
/// policy was not asked about.
pub(super) fn stands_alone(path: &str, format: &str) -> Result<(), HostError> {
    if is_plain(format) {
        return Ok(());
    }
    let mut head = Vec::new();
    // A pipe is not an image, and would keep its reader waiting.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let opened = openat(CWD, &*native(path), flags, Mode::empty()).map_err(std::io::Error::from);
    match opened.and_then(|file| File::from(file).take(HEAD).read_to_end(&mut head)) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_failed("read", path, &error)),
    }
    let refused = |why: &str| {
        let message = format!("the policy does not allow the image `{}`: {why}", shown(path));
        Err(HostError::new(HostErrorKind::Refused, message))
    };
    match (format, names_others(&head)) {
        ("qcow2", Some(false)) => Ok(()),
        ("qcow2", Some(true)) => refused("it refers to another file, which the machine would read"),
        ("qcow2", None) => refused("it is not an image of this format"),
        (_, _) => refused("only `raw` and `qcow2` images are known not to refer to other files"),
    }
}

/// Has a qcow2 a backing file, or its content elsewhere? `None`: it is none.
fn names_others(head: &[u8]) -> Option<bool> {
    let number = |at: usize| Some(u64::from_be_bytes(head.get(at..at + 8)?.try_into().ok()?));
    head.strip_prefix(QCOW2)?;
    let version = u32::from_be_bytes(head.get(4..8)?.try_into().ok()?);
    let is_external = version >= 3 && number(72)? & EXTERNAL != 0;
    Some(number(8)? != 0 || is_external)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use mclive_base::vocab::virt::domain::Shared;

    #[test]
    fn a_container_without_a_root_has_that_of_its_host() {
        let has = |os: &str, targets: &[&str]| {
            let folders: String =
                targets.iter().map(|dir| format!("<filesystem><target dir='{dir}'/></filesystem>")).collect();
            let xml =
                format!("<domain type='lxc'><os><type arch='x'>{os}</type></os><devices>{folders}</devices></domain>");
            has_host_files(&xml).unwrap()
        };
        assert!(has("exe", &[]) && has("exe", &["/srv"]));
        assert!(!has("exe", &["/srv", "/"]) && !has("hvm", &[]));
    }

    #[test]
    fn a_shared_folder_takes_the_modes_of_its_guest() {
        let layout = |access: &str, is_read_only| {
            let (source, target) = ("/srv".to_owned(), "srv".to_owned());
            let shared = Shared { access: access.into(), source, target, is_read_only };
            Layout { filesystems: Some(vec![shared]), ..Layout::default() }
        };
        let xml = |os: &str| format!("<domain><os><type>{os}</type></os></domain>");
        let has = |os: &str, access: &str, is_read_only| {
            !exposed(&layout(access, is_read_only), &xml(os)).unwrap().is_empty()
        };
        assert!(has("hvm", "", false) && has("hvm", "passthrough", false) && has("hvm", "squash", false));
        assert!(!has("hvm", "mapped", false) && !has("hvm", "passthrough", true));
        assert!(has("exe", "mapped", false) && !has("exe", "", true));
        assert_eq!(exposed(&Layout::default(), &xml("exe")).unwrap(), [""; 0]);
    }

    /// The head of an image.
    fn head(version: u32, backing: u64, features: u64) -> Vec<u8> {
        let mut head = [QCOW2, &version.to_be_bytes(), &backing.to_be_bytes()].concat();
        head.resize(72, 0);
        head.extend(features.to_be_bytes());
        head.resize(104, 0);
        head
    }

    #[test]
    fn an_image_names_no_other_file() {
        let dir = Scratch::new("virt-image");
        let path = dir.join("a.img").display().to_string();
        let judged = |content: &[u8], format: &str| {
            std::fs::write(&path, content).unwrap();
            stands_alone(&path, format).map_err(|error| error.message)
        };
        for (content, format) in
            [(head(2, 0, EXTERNAL), "qcow2"), (head(3, 0, 1), "qcow2"), (head(3, 512, 0), "raw"), (Vec::new(), "")]
        {
            assert_eq!(judged(&content, format), Ok(()), "{format}");
        }
        for (content, format, why) in [
            (head(2, 512, 0), "qcow2", "it refers to another file"),
            (head(3, 512, 0), "qcow2", "it refers to another file"),
            (head(3, 0, EXTERNAL), "qcow2", "it refers to another file"),
            (b"raw".to_vec(), "qcow2", "not an image of this format"),
            (head(3, 0, 0)[..40].to_vec(), "qcow2", "not an image of this format"),
            (b"KDMV".to_vec(), "vmdk", "only `raw` and `qcow2`"),
        ] {
            assert!(judged(&content, format).unwrap_err().contains(why), "{format}");
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(stands_alone(&path, "qcow2"), Ok(()));
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(stands_alone(&path, "qcow2").unwrap_err().message.contains("not an image of this format"));
    }
}
