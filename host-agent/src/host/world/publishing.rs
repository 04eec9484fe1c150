//! Publishes the list of voters by compare-and-swap: of two operators who publish at the same time, one gets an error
//! and can try again.

use super::ballot::{named_list, vote_place, voter};
use super::gateway::{Failure, Gateway, If, Write};
use super::own::POOLS;
use super::statement::bytes;
use super::visit::{Seen, Visit};
use super::voters::{VOTERS, Voters};

/// The list of voters as the store had it.
pub(crate) struct StoredVoters {
    /// Errors: what the key is instead, for a sentence.
    pub(crate) list: Option<Result<Voters, String>>,
    /// The revision of its latest change; 0: the key does not exist.
    modified: i64,
}

impl Gateway {
    async fn stored_voters(&self, cluster: &str) -> Result<StoredVoters, Failure> {
        let found = self.values(&[VOTERS.to_owned()]).await?.pop().flatten();
        Ok(StoredVoters {
            modified: found.as_ref().map_or(0, |found| found.modified),
            list: found.map(|found| Voters::read(&found.value, cluster)),
        })
    }

    /// Sets the list if it was not changed after this revision. Returns whether it did.
    async fn set_voters(&self, voters: &Voters, cluster: &str, modified: i64) -> Result<bool, Failure> {
        let condition = If::Is(VOTERS.to_owned(), modified);
        let write = Write::Put(VOTERS.to_owned(), voters.bytes(), 0);
        if self.commit_large(&[condition], &[write]).await? {
            return Ok(true);
        }
        // An attempt without an answer may have succeeded.
        let now = self.stored_voters(cluster).await?.list;
        Ok(now.is_some_and(|now| now.as_ref() == Ok(voters)))
    }
}

impl Visit {
    /// The list of voters. Errors: why it cannot be read, a sentence without a full stop.
    pub(crate) fn stored_voters(&self, cluster: &str) -> Result<StoredVoters, String> {
        let cluster = cluster.to_owned();
        self.ask(move |gateway| {
            let cluster = cluster.clone();
            async move { gateway.stored_voters(&cluster).await }
        })
    }

    /// Sets the list of voters, unless it has changed since it was read. Returns whether it did. Errors: as above.
    pub(crate) fn publish(&self, voters: &Voters, cluster: &str, before: &StoredVoters) -> Result<bool, String> {
        let (voters, cluster, modified) = (voters.clone(), cluster.to_owned(), before.modified);
        self.ask(move |gateway| {
            let (voters, cluster) = (voters.clone(), cluster.clone());
            async move { gateway.set_voters(&voters, &cluster, modified).await }
        })
    }
}

impl Seen {
    /// The largest number of a list of voters that hosts with keys in this one have named in their votes: a store that was
    /// restored may have an earlier list.
    pub(crate) fn latest_list(&self, cluster: &str, voters: &Voters) -> u64 {
        let stored = |key: &str| self.keys.get(key).and_then(bytes);
        let named = |key: &str| named_list(cluster, (key, stored(key)?), stored(&vote_place(key)?)?, voters);
        let votes = self.keys.keys().filter(|key| key.starts_with(POOLS) && voter(key).is_some());
        votes.filter_map(|key| named(key)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ballot::Ballot;
    use super::*;
    use crate::deploy::OperatorKey;
    use mclive_base::vocab::Datum;

    #[test]
    fn only_votes_of_hosts_in_the_list_tell_of_a_later_one() {
        let [one, two] = ["h1", "h2"].map(|host| OperatorKey::generate(host).unwrap().0);
        let votes = [("pool/web/vote/h1", &one, 4), ("pool/db/vote/h1", &one, 3), ("pool/web/vote/h2", &two, 9)];
        let stored = |(key, signer, list): (&str, &OperatorKey, u64)| {
            let signed = Ballot { cluster: "main", key, value: b"max=1", lease: 7 }.signed(signer, list).bytes();
            [(key.to_owned(), Datum::text("max=1")), (vote_place(key).unwrap(), Datum::Bytes(signed))]
        };
        let keys = votes.into_iter().flat_map(stored).collect();
        let seen = Seen { endpoint: String::new(), cluster: String::new(), revision: 1, keys };
        let latest = |lines: &str| seen.latest_list("main", &Voters::of_text(lines, 1, "main", &one).unwrap());
        assert_eq!((latest(&one.line()), latest(&two.line())), (4, 9));
        assert_eq!(latest(&one.public().line("h3")), 0);
    }
}
