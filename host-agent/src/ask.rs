//! [`Ask`]: a running agent answers what `mclive why` asks, on a socket below its prefix.
//!
//! A question is one line, `why KIND[NAME]`; the answer is lines of JSON. The thread waits in the
//! system: an agent that nobody asks does not wake up.

use crate::show::Show;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The socket's name below the prefix.
const NAME: &str = "agent.sock";
/// Who asks is not waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_QUESTION: u64 = 64 << 10;

/// The socket; it goes with the run.
pub(crate) struct Ask {
    path: PathBuf,
}

impl Ask {
    pub(crate) fn listen(prefix: &Path, show: Arc<Show>) -> std::io::Result<Ask> {
        let path = prefix.join(NAME);
        if UnixStream::connect(&path).is_ok() {
            return Err(std::io::Error::other("another agent answers there"));
        }
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        std::thread::Builder::new().name("ask".into()).stack_size(256 << 10).spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who goes away in the middle of it does not matter to us.
                let _ = answer(stream, &show);
            }
        })?;
        Ok(Ask { path })
    }
}

impl Drop for Ask {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn answer(stream: UnixStream, show: &Show) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut question = String::new();
    BufReader::new((&stream).take(LONGEST_QUESTION)).read_line(&mut question)?;
    let lines = match question.trim_end_matches('\n').split_once(' ') {
        Some(("why", resource)) => show.ask_history(resource),
        Some(_) | None => Vec::new(),
    };
    let mut stream = stream;
    lines.iter().try_for_each(|line| writeln!(stream, "{line}"))
}

/// Asks the agent that runs with this prefix.
pub(crate) fn ask(prefix: &Path, resource: &str) -> std::io::Result<Vec<String>> {
    let mut stream = UnixStream::connect(prefix.join(NAME))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "why {}", resource.replace('\n', " "))?;
    BufReader::new(stream).lines().collect()
}
