//! [`output`]: a command with a time limit.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Runs a command; at the time limit kills it with everything it started.
pub fn output(command: &mut Command, limit: Duration) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let began = Instant::now();
    let mut ended: Option<ExitStatus> = None;
    while ended.is_none() && began.elapsed() < limit {
        std::thread::sleep(Duration::from_millis(5));
        ended = child.try_wait().map_err(|error| format!("{name}: {error}"))?;
    }
    if ended.is_none() {
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&child),
            rustix::process::Signal::KILL,
        );
        let _ = child.wait();
    }
    let [stdout, stderr] = [stdout, stderr].map(|reader| reader.join().unwrap_or_default());
    match ended {
        Some(status) => Ok(Output { status, stdout, stderr }),
        None => Err(format!("{name} did not exit within {limit:?}{}", last_words(&stderr))),
    }
}

/// The last output of a command, after a colon.
pub fn last_words(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    said.lines().map(str::trim).rfind(|line| !line.is_empty()).map_or_else(String::new, |line| format!(": {line}"))
}

fn read(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut said);
        }
        said
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_is_reported_and_what_hangs_is_ended_with_all_that_it_started() {
        let output_of = |script: &str, limit| output(Command::new("sh").args(["-c", script]), limit);
        let done = output_of("echo a; echo b >&2; exit 3", Duration::from_secs(60)).unwrap();
        assert_eq!((done.status.code(), &done.stdout[..], &done.stderr[..]), (Some(3), &b"a\n"[..], &b"b\n"[..]));
        // The second one holds the pipes: their end shows that it is gone.
        let hangs = output_of("echo first; echo last words >&2; sleep 1000 & sleep 1000", Duration::from_millis(300));
        assert_eq!(hangs.unwrap_err(), "sh did not exit within 300ms: last words");
        let missing = output(&mut Command::new("/no/such/program"), Duration::from_secs(1)).unwrap_err();
        assert!(missing.starts_with("cannot start /no/such/program: "), "{missing}");
    }
}
