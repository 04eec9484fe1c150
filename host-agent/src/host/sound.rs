//! The peak of each second of sound: recorded by `rec`, measured by `sox`. Functions spec, 7.5.

use mclive_base::vocab::{Datum, HostError, HostErrorKind};

/// Writes a line for each second: the peak from `sox`, or why there is none.
pub(super) const COMMAND: &str = r#"
for program in rec sox; do
    command -v "$program" >/dev/null || { echo "error: $program is not installed"; exit; }
done
folder=$(mktemp -d) || { echo "error: no temporary folder"; exit; }
trap 'rm -rf "$folder"' EXIT
trap exit TERM INT
while :; do
    sleep 1 &
    rec -q "$folder/sound.wav" trim 0 1 >/dev/null 2>&1 || { echo "error: rec failed with status $?"; exit; }
    sox "$folder/sound.wav" -n stat 2>&1 | grep '^Maximum amplitude' || echo "Maximum amplitude: none"
    wait
done
"#;

/// Parses a line of the command.
pub(super) fn peak(line: String) -> Result<Datum, HostError> {
    let other = |message| HostError::new(HostErrorKind::Other, message);
    if let Some(why) = line.strip_prefix("error: ") {
        return Err(other(format!("the command failed to run: {why}")));
    }
    let ratio = line.rsplit(':').next().unwrap_or_default().trim();
    ratio.parse().map(Datum::Float).map_err(|_| other(format!("failed to extract: `{ratio}` is not a number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_ratio_or_a_reason() {
        assert_eq!(peak("Maximum amplitude:     0.250000".into()), Ok(Datum::Float(0.25)));
        let why = |line: &str| peak(line.into()).unwrap_err().message;
        assert_eq!(why("error: rec is not installed"), "the command failed to run: rec is not installed");
        assert_eq!(why("Maximum amplitude: none"), "failed to extract: `none` is not a number");
    }
}
