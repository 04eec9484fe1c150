//! [`HostState`]: what a host reports about the deploys that it applies, in `agent/HOST/state`.

use super::record::parse;
use serde::{Deserialize, Serialize};

/// The largest stored state. Units: bytes.
const LARGEST: usize = 16 << 10;
/// The longest text in it. Units: bytes.
const LONGEST: usize = 2 << 10;

/// The state of a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostState {
    pub(crate) converged: bool,
    /// The newest deploy that the host has dealt with; 0: none.
    pub(crate) deploy: u64,
    /// The deploy that it applies; 0: none.
    pub(crate) runs: u64,
    pub(crate) standing: Standing,
    /// Why it does not apply the newest one that is for it; if it does, which resources fail.
    pub(crate) text: String,
    v: u64,
}

/// The state of a deploy on a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Standing {
    /// It is in effect.
    Ok,
    /// It is accepted, and has no graph yet.
    Starting,
    /// It could not be fetched, or is not valid here.
    Refused,
    /// It had no graph.
    Failed,
    /// It is not for this host.
    Skipped,
}

impl Standing {
    /// By word.
    pub(crate) const ALL: [Standing; 5] =
        [Standing::Failed, Standing::Ok, Standing::Refused, Standing::Skipped, Standing::Starting];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Standing::Ok => "ok",
            Standing::Starting => "starting",
            Standing::Refused => "refused",
            Standing::Failed => "failed",
            Standing::Skipped => "skipped",
        }
    }
}

impl HostState {
    pub(crate) fn new(deploy: u64, runs: u64, standing: Standing, text: &str, converged: bool) -> HostState {
        let end = (0..=LONGEST.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        HostState { converged, deploy, runs, standing, text: text[..end].to_owned(), v: 1 }
    }

    /// The stored bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    /// Parses stored bytes. `None`: they are something else.
    pub(crate) fn read(bytes: &[u8]) -> Option<HostState> {
        parse(bytes, LARGEST, 1).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_from_its_bytes_and_is_bounded() {
        let state = HostState::new(7, 6, Standing::Refused, &"é".repeat(LONGEST), false);
        assert!(state.text.len() <= LONGEST && state.text.len() > LONGEST - 2);
        assert_eq!(HostState::read(&state.bytes()), Some(state));
        let ok = HostState::new(7, 7, Standing::Ok, "", true);
        let text = r#"{"converged":true,"deploy":7,"runs":7,"standing":"ok","text":"","v":1}"#;
        assert_eq!(ok.bytes(), text.as_bytes());
        let skipped = HostState::new(8, 7, Standing::Skipped, "", true);
        let of_skipped = text.replace("\"deploy\":7", "\"deploy\":8").replace("ok", "skipped");
        assert_eq!(skipped.bytes(), of_skipped.as_bytes());
        for wrong in ["", "{}", &text.replace("\"v\":1", "\"v\":2"), &text.replace("ok", "good"), &" ".repeat(LARGEST)]
        {
            assert_eq!(HostState::read(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
