//! `mclive deploy`: a program for all hosts.

use super::world::Members;
use super::{ForeignDeploy, Input, Output};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

/// The longest time of a lock. Units: days.
const LONGEST: u64 = 365;
/// Units: seconds.
const DAY: u64 = 86_400;

#[derive(Args)]
pub(crate) struct Deploy {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) members: Members,
    #[command(flatten)]
    pub(crate) foreign: ForeignDeploy,
    /// Deploy to these hosts only: names, patterns such as `web*`, or a percentage such as `10%`, which selects the
    /// same hosts each time [default: all hosts]
    #[arg(long, value_name = "HOST|PATTERN|PERCENT", value_delimiter = ',')]
    pub(crate) to: Vec<String>,
    /// Spread the deploy over this time, such as 30s, 10m or 1h: each host applies it after a delay that depends on its
    /// name [default: all hosts apply it at once]
    #[arg(long, value_name = "TIME", value_parser = spread)]
    pub(crate) spread: Option<u64>,
    /// Note for the list of deploys
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// Sign the deploy with this key (`mclive key new`) [default: ~/.config/mclive/operator.key if it exists]
    #[arg(long, value_name = "FILE", env = "MCLIVE_KEY")]
    pub(crate) key: Option<PathBuf>,
    /// Deploy the program of an older deploy again [default: the one before the newest]
    #[arg(long, value_name = "ID", num_args = 0..=1, value_parser = number, conflicts_with = "input", group = "earlier")]
    pub(crate) back: Option<Option<u64>>,
    /// Deploy INPUT as a partial export of the model in the newest deploy, to the same hosts: replace only the resource sets
    /// that INPUT has (`std::ResourceSet`)
    #[arg(long, requires = "input", conflicts_with = "to", group = "earlier")]
    pub(crate) partial: bool,
    /// With --partial: also delete this resource set (repeatable)
    #[arg(long, value_name = "NAME", requires = "partial", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) delete_resource_set: Vec<String>,
    /// With --back or --partial: also re-sign deploys whose signatures match these public keys
    #[arg(long, value_name = "FILE", requires = "earlier")]
    pub(crate) operators: Option<PathBuf>,
    /// Wait until the hosts apply the deploy, and print what each of them reports
    #[arg(long, value_name = "SECONDS", conflicts_with = "dry_run")]
    pub(crate) wait: Option<u64>,
    /// With --wait: exit with 0 if at least this percentage of the hosts applies it
    #[arg(long, value_name = "PERCENT", default_value = "100%", value_parser = percent, requires = "wait")]
    pub(crate) at_least: u8,
    /// Check the program and print the deploy without creating it
    #[arg(long, alias = "noop")]
    pub(crate) dry_run: bool,
    /// Deploy a program from a link
    #[arg(long)]
    pub(crate) trust_link: bool,
    /// Lock deploys for this reason: until --unlock, only the same user on the same machine can deploy
    #[arg(long, value_name = "REASON", conflicts_with_all = ["input", "to", "back", "partial", "spread", "note", "wait", "dry_run"])]
    pub(crate) lock: Option<String>,
    /// With --lock: let the lock expire after this time, such as 30m, 1h or 2d
    #[arg(long = "for", value_name = "TIME", value_parser = seconds, requires = "lock")]
    pub(crate) lock_for: Option<u64>,
    /// Remove the deploy lock, even if another user holds it
    #[arg(long, conflicts_with_all = ["input", "to", "back", "partial", "spread", "note", "wait", "dry_run", "lock"])]
    pub(crate) unlock: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The number of a deploy.
fn number(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|id| *id > 0);
    number.ok_or_else(|| "expected the number of a deploy, from 1; `mclive world deploys` lists them".to_owned())
}

/// A share such as `90%`, or `90`.
fn percent(text: &str) -> Result<u8, String> {
    let number = text.trim_end_matches('%').parse::<u8>().ok().filter(|percent| (1..=100).contains(percent));
    number.ok_or_else(|| "expected a percentage from 1% to 100%".to_owned())
}

/// A time such as `30m`, in seconds. Without a unit it is in seconds, as in other options.
fn seconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().or_else(|| {
        let milliseconds = mclive_base::scenario::milliseconds(text)?;
        milliseconds.is_multiple_of(1000).then_some(milliseconds / 1000)
    });
    let seconds = seconds.filter(|seconds| (1..=LONGEST * DAY).contains(seconds));
    seconds.ok_or_else(|| format!("expected a time such as 90s, 30m, 1h or 2d, at most {LONGEST}d"))
}

/// The time over which a deploy is spread, in seconds.
fn spread(text: &str) -> Result<u64, String> {
    let seconds = seconds(text).ok().filter(|seconds| *seconds <= DAY);
    seconds.ok_or_else(|| "expected a time such as 30s, 10m or 1h, at most 1d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{seconds, spread};

    #[test]
    fn a_deploy_is_spread_over_a_day_at_most() {
        assert_eq!(["30", "30s", "10m", "1d"].map(spread), [Ok(30), Ok(30), Ok(600), Ok(86_400)]);
        for wrong in ["0", "2d", "25h", "x"] {
            assert!(spread(wrong).unwrap_err().contains("at most 1d"), "{wrong}");
        }
    }

    #[test]
    fn the_time_of_a_lock_has_a_unit() {
        for (text, expect) in [("90", 90), ("90s", 90), ("30m", 1800), ("1h", 3600), ("365d", 365 * 86_400)] {
            assert_eq!(seconds(text), Ok(expect));
        }
        for wrong in ["", "h", "0", "0h", "-1h", "1.5h", "1h30m", "1w", "1 h", "366d", "99999999999999999999d", "1é"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
