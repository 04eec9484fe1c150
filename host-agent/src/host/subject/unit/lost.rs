//! Repeats requests that are lost with a connection.
//!
//! The bus closes the connection of a manager with too many watches, and a bus or a manager may restart. Until it is
//! back, every request fails, and those in progress get no response. All of them may be repeated: a read, links of a
//! unit, a reload, and a job, which the manager merges with the same one in progress.

use mclive_base::vocab::{HostError, HostErrorKind};
use std::future::Future;
use std::time::Duration;

/// The delay before each further attempt, more than six seconds in total. A manager takes about one second to reexecute
/// itself.
pub(super) const PAUSES: [Duration; 6] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
    Duration::from_millis(3200),
];

/// Repeats a request until there is an answer or another error; once if there was no connection before.
pub(super) async fn ask_again<T, F: Future<Output = Result<T, HostError>>>(
    pauses: &[Duration],
    was_there: &(dyn Fn() -> bool + Sync),
    mut question: impl FnMut() -> F,
) -> Result<T, HostError> {
    let mut pauses = pauses.iter();
    loop {
        let error = match question().await {
            Err(error) if error.kind == HostErrorKind::Unavailable && was_there() => error,
            answer => return answer,
        };
        let Some(pause) = pauses.next() else { return Err(error) };
        tokio::time::sleep(*pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    /// The outcome and the number of attempts, if the first `n_lost` requests fail like this.
    fn check(n_lost: u32, kind: HostErrorKind, was_there: bool) -> (Result<(), HostErrorKind>, u32) {
        let n_asked = Arc::new(AtomicU32::new(0));
        let counts = n_asked.clone();
        let question = move || {
            let is_lost = counts.fetch_add(1, SeqCst) < n_lost;
            async move { if is_lost { Err(HostError::new(kind, "lost")) } else { Ok(()) } }
        };
        let pauses = [Duration::from_millis(1); 3];
        let asked = async move { ask_again(&pauses, &|| was_there, question).await };
        let ended = Network::default().wait(Duration::from_secs(30), asked, |_| {}).unwrap();
        (ended.map_err(|error| error.kind), n_asked.load(SeqCst))
    }

    #[test]
    fn a_question_that_is_lost_is_asked_again_and_not_for_ever() {
        let lost = HostErrorKind::Unavailable;
        assert_eq!(check(0, lost, true), (Ok(()), 1));
        assert_eq!(check(3, lost, true), (Ok(()), 4));
        assert_eq!(check(9, lost, true), (Err(lost), 4));
        assert_eq!(check(1, lost, false), (Err(lost), 1), "a host without a manager is told at once");
        assert_eq!(check(1, HostErrorKind::TimedOut, true), (Err(HostErrorKind::TimedOut), 1));
    }
}
