//! Lines of RFC 3164 for `/dev/log`. They omit the time, which the receiver adds.

use super::{failed, socket};
use mclive_base::vocab::HostError;
use mclive_base::vocab::message::{Priority, SYSLOG};

/// User-level messages.
const FACILITY: u8 = 1;

pub(super) fn send(priority: Priority, text: &str) -> Result<(), HostError> {
    deliver(priority, text, SYSLOG)
}

/// One message per line, since not every syslog accepts several lines.
fn deliver(priority: Priority, text: &str, path: &str) -> Result<(), HostError> {
    let failed = |error| failed("the syslog", path, &error);
    let socket = socket().map_err(failed)?;
    socket.connect(path).map_err(failed)?;
    let (number, pid) = (FACILITY * 8 + priority as u8, std::process::id());
    for line in text.lines() {
        socket.send(format!("<{number}>mclive[{pid}]: {line}").as_bytes()).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use std::os::unix::net::UnixDatagram;

    #[test]
    fn each_line_comes_with_its_priority() {
        let dir = Scratch::new("syslog");
        let path = dir.join("log");
        let syslog = UnixDatagram::bind(&path).unwrap();
        deliver(Priority::Warning, "a\nb", path.to_str().unwrap()).unwrap();
        let mut bytes = [0; 64];
        for line in ["a", "b"] {
            let n = syslog.recv(&mut bytes).unwrap();
            let expect = format!("<12>mclive[{}]: {line}", std::process::id());
            assert_eq!(String::from_utf8_lossy(&bytes[..n]), expect);
        }
        let error = deliver(Priority::Warning, "a", "/nowhere/log").unwrap_err();
        assert_eq!(error.message, "the syslog is not running: /nowhere/log does not exist");
    }
}
