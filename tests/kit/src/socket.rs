//! Who has opened a connection on the loopback interface.

use std::fs;
use std::net::TcpStream;

/// Whether a process of this user has the far end of a connection between two IPv4 addresses of this machine.
pub(crate) fn is_opened_by(stream: &TcpStream, process: u32) -> bool {
    let Some(number) = far_end(stream) else { return false };
    let name = format!("socket:[{number}]");
    let files = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    files.filter_map(|file| fs::read_link(file.path()).ok()).any(|target| target.as_os_str() == name.as_str())
}

/// The number of the socket at the far end. `None`: it is closed.
fn far_end(stream: &TcpStream) -> Option<u64> {
    let (far, near) = (stream.peer_addr().ok()?, stream.local_addr().ok()?);
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    let [far, near] = [far, near].map(|address| format!(":{:04X}", address.port()));
    // Each row: a number, the local and the remote address, the state, four counters, the user, a time, the socket.
    let row = table.lines().map(|row| row.split_whitespace().collect::<Vec<_>>()).find(|row| {
        row.get(1).is_some_and(|local| local.ends_with(&far))
            && row.get(2).is_some_and(|remote| remote.ends_with(&near))
    })?;
    row.get(9)?.parse::<u64>().ok().filter(|number| *number > 0)
}
