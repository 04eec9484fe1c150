//! The journal's native protocol: fields in one datagram, or in a sealed memory file if they are too large for one.

use super::{failed, socket};
use mclive_base::vocab::HostError;
use mclive_base::vocab::message::{JOURNAL, Priority};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::fd::AsFd;

pub(super) fn send(priority: Priority, text: &str, fields: &[(String, String)]) -> Result<(), HostError> {
    let mut entry = Vec::new();
    field(&mut entry, "MESSAGE", text);
    field(&mut entry, "PRIORITY", &(priority as u8).to_string());
    field(&mut entry, "SYSLOG_IDENTIFIER", "mclive");
    fields.iter().for_each(|(name, value)| field(&mut entry, name, value));
    deliver(&entry, JOURNAL).map_err(|error| failed("the journal", JOURNAL, &error))
}

fn deliver(entry: &[u8], path: &str) -> io::Result<()> {
    let socket = socket()?;
    socket.connect(path)?;
    match socket.send(entry) {
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error()) => {
            let file = memfd_create("mclive-journal", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
            let mut file = File::from(file);
            file.write_all(entry)?;
            fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE | SealFlags::SEAL)?;
            let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            let files = [file.as_fd()];
            assert!(ancillary.push(SendAncillaryMessage::ScmRights(&files)), "there is room for one");
            sendmsg(&socket, &[IoSlice::new(&[])], &mut ancillary, SendFlags::empty())?;
            Ok(())
        }
        sent => sent.map(|_| ()),
    }
}

/// A value of one line is written as an assignment; otherwise its length comes first.
fn field(entry: &mut Vec<u8>, name: &str, value: &str) {
    entry.extend_from_slice(name.as_bytes());
    if value.contains('\n') {
        entry.push(b'\n');
        entry.extend_from_slice(&(value.len() as u64).to_le_bytes());
    } else {
        entry.push(b'=');
    }
    entry.extend_from_slice(value.as_bytes());
    entry.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use std::os::unix::net::UnixDatagram;

    #[test]
    fn several_lines_have_a_length() {
        let mut entry = Vec::new();
        field(&mut entry, "A", "x=1");
        field(&mut entry, "B", "x\ny");
        assert_eq!(entry, b"A=x=1\nB\n\x03\0\0\0\0\0\0\0x\ny\n");
    }

    #[test]
    fn what_is_too_large_for_a_datagram_comes_as_a_file() {
        use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
        use std::io::{Read, Seek};
        let dir = Scratch::new("journal");
        let path = dir.join("socket");
        let journal = UnixDatagram::bind(&path).unwrap();
        let entry = vec![b'x'; 16 << 20];
        deliver(&entry, path.to_str().unwrap()).unwrap();
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut bytes = [0; 8];
        let mut parts = [io::IoSliceMut::new(&mut bytes)];
        recvmsg(&journal, &mut parts, &mut ancillary, RecvFlags::empty()).unwrap();
        let Some(RecvAncillaryMessage::ScmRights(files)) = ancillary.drain().next() else { panic!("a file comes") };
        let mut file = File::from(files.into_iter().next().unwrap());
        file.rewind().unwrap();
        let mut held = Vec::new();
        file.read_to_end(&mut held).unwrap();
        assert!(held == entry);
        assert!(file.write_all(b"y").is_err(), "it is sealed");
    }

    #[test]
    fn nobody_there_is_told_by_name() {
        let error = deliver(b"x", "/nowhere/socket").unwrap_err();
        let told = failed("the journal", "/nowhere/socket", &error);
        assert_eq!(told.message, "the journal is not running: /nowhere/socket does not exist");
    }
}
