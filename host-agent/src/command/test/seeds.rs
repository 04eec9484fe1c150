//! The seeds with which scenarios are played: `--seed` and `--seeds`.

use super::super::unusable;
use crate::cli::{self, Seed};
use crate::host::{io_words, random};
use crate::program::Failure;

/// Consecutive seeds, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seeds {
    first: u64,
    n: u32,
}

impl Seeds {
    /// The seeds that the command line selects. `None`: each scenario uses its own. Errors: no seed can be chosen.
    pub(super) fn of(args: &cli::Test) -> Result<Option<Seeds>, Failure> {
        let first = match args.seed {
            Some(Seed::Number(first)) => first,
            Some(Seed::Random) => {
                let bytes =
                    random().map_err(|error| unusable(format!("cannot choose a seed: {}", io_words(&error))))?;
                // Short enough to be typed; seed 0 has the usual order.
                u64::from(u32::from_ne_bytes(bytes)).max(1)
            }
            None if args.seeds.is_none() => return Ok(None),
            None => 1,
        };
        Ok(Some(Seeds { first, n: args.seeds.unwrap_or(1) }))
    }

    pub(super) fn each(self) -> impl Iterator<Item = u64> {
        (0..self.n).map(move |more| self.first.wrapping_add(more.into()))
    }

    /// `seed 7`, `seeds 1 to 20`.
    pub(super) fn words(self) -> String {
        let Seeds { first, n } = self;
        match n {
            1 => format!("seed {first}"),
            n => format!("seeds {first} to {}", first.wrapping_add(u64::from(n) - 1)),
        }
    }

    /// For machines.
    pub(super) fn json(self) -> serde_json::Value {
        serde_json::json!({ "first": self.first, "count": self.n })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_consecutive() {
        let one = Seeds { first: 7, n: 1 };
        assert_eq!((one.each().collect::<Vec<_>>(), one.words()), (vec![7], "seed 7".to_owned()));
        let three = Seeds { first: u64::MAX, n: 3 };
        assert_eq!(three.each().collect::<Vec<_>>(), [u64::MAX, 0, 1]);
        assert_eq!(Seeds { first: 1, n: 20 }.words(), "seeds 1 to 20");
    }
}
