//! [`Ask`]: a running agent answers the questions of `mclive why`, on a socket below its prefix.
//!
//! A question is one line, `why KIND[NAME]`; the answer is lines of JSON. Each connection has its own task on the
//! network's thread, so a silent client delays no other.

use crate::host::SharedStore;
use crate::network::{Network, Task};
use crate::origin::Origins;
use crate::show::{Show, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The socket's name below the prefix.
const NAME: &str = "agent.sock";
/// How long each side waits for the other.
const PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_QUESTION: u64 = 64 << 10;
const LONGEST_ANSWER: u64 = 64 << 20;
const MOST_ASKERS: usize = 16;

/// The socket; it is removed at the end of the run.
pub(crate) struct Ask {
    path: PathBuf,
    _listening: Task,
}

impl Ask {
    pub(crate) fn listen(
        network: &Network,
        prefix: &Path,
        show: Arc<Show>,
        origins: Arc<Origins>,
        world: Option<Arc<SharedStore>>,
    ) -> std::io::Result<Ask> {
        let path = prefix.join(NAME);
        if UnixStream::connect(&path).is_ok() {
            return Err(std::io::Error::other("another agent is already listening there"));
        }
        // Left by an agent that was killed. Only this agent uses the directory.
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        let listener = {
            let runtime = network.handle()?;
            let _in_runtime = runtime.enter();
            UnixListener::bind(&path)?
        };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let listening = network.spawn(listen(listener, show, origins, world))?;
        Ok(Ask { path, _listening: listening })
    }
}

impl Drop for Ask {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn listen(listener: UnixListener, show: Arc<Show>, origins: Arc<Origins>, world: Option<Arc<SharedStore>>) {
    let askers = Arc::new(Semaphore::new(MOST_ASKERS));
    loop {
        let Ok(turn) = askers.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (show, origins, world) = (show.clone(), origins.clone(), world.clone());
        tokio::spawn(async move {
            let _turn = turn;
            // A client that disconnects early is not an error.
            let _ = timeout(PATIENCE, answer(stream, &show, origins, world.as_deref())).await;
        });
    }
}

async fn answer(
    mut stream: tokio::net::UnixStream,
    show: &Show,
    origins: Arc<Origins>,
    world: Option<&SharedStore>,
) -> std::io::Result<()> {
    let mut question = String::new();
    tokio::io::BufReader::new((&mut stream).take(LONGEST_QUESTION)).read_line(&mut question).await?;
    let lines = match question.trim_end_matches('\n').split_once(' ') {
        Some(("why", resource)) => {
            let mut lines = show.ask_history(resource);
            if !lines.is_empty() {
                let mut origin = origins.of(resource.to_owned()).await;
                origin.extend(world.into_iter().flat_map(|world| world.exporters(resource)));
                lines.extend((!origin.is_empty()).then(|| json::origin(resource, origin).to_string()));
            }
            lines
        }
        Some(_) | None => Vec::new(),
    };
    let said: String = lines.into_iter().map(|line| line + "\n").collect();
    stream.write_all(said.as_bytes()).await?;
    stream.shutdown().await
}

/// Asks the agent that runs with this prefix.
pub(crate) fn ask(prefix: &Path, resource: &str) -> std::io::Result<Vec<String>> {
    let mut stream = UnixStream::connect(prefix.join(NAME))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    writeln!(stream, "why {}", resource.replace('\n', " "))?;
    BufReader::new(stream.take(LONGEST_ANSWER)).lines().collect()
}
