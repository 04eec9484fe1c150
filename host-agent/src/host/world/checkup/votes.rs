//! Votes: the list of voters, and the signatures of votes. A vote without a valid signature does not count if there is a list.

use super::super::ballot::{Ballot, vote_place, voted, voter};
use super::super::gateway::Whole;
use super::super::own::POOLS;
use super::super::statement::{Doubt, STATEMENTS};
use super::super::voters::{VOTERS, Voters};
use super::{Checkup, Expected, Fix};
use mclive_base::unicode::visible;

/// What to do about a list that hosts do not use.
const PUBLISH: &str = "publish a list with `mclive world voters --publish FILE`";

pub(super) fn check(whole: &Whole, expected: &Expected<'_>, checkup: &mut Checkup) {
    let list = match whole.value(VOTERS).map(|stored| Voters::read(stored, expected.cluster)) {
        Some(Err(why)) => {
            checkup.add(VOTERS, format!("it is {why}, so no vote counts"), PUBLISH, None);
            return;
        }
        list => list.and_then(Result::ok),
    };
    if let Some(list) = &list {
        match expected.operators.map_or(Ok(()), |operators| list.judge(operators)) {
            Ok(()) => checkup.n_signatures += 1,
            Err(why) => checkup.add(VOTERS, why, PUBLISH, None),
        }
    }
    let mut later: Option<(u64, &str)> = None;
    for (key, stored) in whole.below(POOLS).filter(|(key, _)| voter(key).is_some()) {
        let ballot = Ballot { cluster: expected.cluster, key, value: &stored.value, lease: stored.lease };
        if let Some(named) = judge(&ballot, whole, list.as_ref(), checkup)
            && list.as_ref().is_some_and(|list| named > list.n)
        {
            later = later.max(voter(key).map(|host| (named, host)));
        }
    }
    if let Some((named, host)) = later {
        let what = format!(
            "{} has seen list {named} of voters: this one was written again, or the store was restored",
            visible(host)
        );
        checkup.add(VOTERS, what, PUBLISH, None);
    }
    for (key, _) in whole.below(STATEMENTS) {
        if let Some(of) = voted(key).filter(|of| !whole.keys.contains_key(*of)) {
            let what = format!(
                "it is the signature of {of}, which does not exist: it would be valid if that vote were written again"
            );
            checkup.add(key, what, "remove it", Some(Fix::Remove));
        }
    }
}

/// The number of the list that a vote names, if it is signed. Without a list, one that is not signed counts.
fn judge(ballot: &Ballot<'_>, whole: &Whole, list: Option<&Voters>, checkup: &mut Checkup) -> Option<u64> {
    let (host, place) = voter(ballot.key).zip(vote_place(ballot.key))?;
    let statement = whole.value(&place);
    let judged = match (list, statement) {
        (Some(list), statement) => ballot.judge(statement, list),
        (None, Some(statement)) => ballot.by(statement, |_| true),
        (None, None) => return None,
    };
    let doubt = match judged {
        Ok(signed) => {
            checkup.n_signatures += 1;
            return Some(signed.list);
        }
        Err(doubt) => doubt,
    };
    let what = doubt.why(host, "the list of voters");
    match (doubt, doubt.remedy(host)) {
        (Doubt::Unlisted, _) => {
            let remedy =
                "publish a list with the line that `mclive key show` prints for its --host-key, or remove the vote";
            checkup.add(ballot.key, what, remedy, Some(Fix::Remove));
        }
        (_, Some(remedy)) => checkup.add(ballot.key, what, remedy, None),
        (_, None) => {
            let remedy = format!("run the agent of {host} with --host-key, which replaces it, or remove it");
            checkup.add(ballot.key, what, remedy, Some(Fix::Remove));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NOTHING, found, whole};
    use super::*;
    use crate::deploy::{OperatorKey, Operators};

    const VOTE: &str = "pool/web/vote/web1";

    fn told(keys: &[(&str, &[u8], i64)], expected: &Expected<'_>) -> Vec<(String, String)> {
        found(keys, expected).into_iter().map(|(key, what, _)| (key, what)).collect()
    }

    #[test]
    fn votes_are_judged_with_the_list_of_voters() {
        let [alice, web1] = ["alice", "web1"].map(|name| OperatorKey::generate(name).unwrap().0);
        let list = Voters::of_text(&web1.line(), 3, "main", &alice).unwrap().bytes();
        let ballot = Ballot { cluster: "main", key: VOTE, value: b"max=1", lease: 7 };
        let [signed, later] = [3, 5].map(|list| ballot.signed(&web1, list).bytes());
        let place = vote_place(VOTE).unwrap();
        let keys = |signed: Vec<u8>, lease: i64| {
            let keys = [(VOTERS, list.clone(), 0), (VOTE, b"max=1".to_vec(), lease), (&*place, signed, 7)];
            keys.map(|(key, value, lease)| (key.to_owned(), value, lease))
        };
        let told = |keys: [(String, Vec<u8>, i64); 3], expected: &Expected<'_>| {
            let keys: Vec<(&str, &[u8], i64)> =
                keys.iter().map(|(key, value, lease)| (&**key, &**value, *lease)).collect();
            (told(&keys, expected), Checkup::of(&whole(&keys), expected).n_signatures)
        };
        assert_eq!(told(keys(signed.clone(), 7), &NOTHING), (Vec::new(), 2));
        let (faults, _) = told(keys(signed.clone(), 8), &NOTHING);
        assert!(faults.len() == 1 && faults[0].1.starts_with("it is an earlier version"), "{faults:?}");
        let (faults, _) = told(keys(b"{}".to_vec(), 7), &NOTHING);
        assert!(faults.len() == 1 && faults[0].1.starts_with("its signature is invalid"), "{faults:?}");
        let (faults, _) = told(keys(later, 7), &NOTHING);
        let why = "web1 has seen list 5 of voters: this one was written again, or the store was restored";
        assert_eq!(faults, [(VOTERS.to_owned(), why.to_owned())]);
        // An operator who is not one of these has signed the list.
        let operators = Operators::parse(&web1.line()).unwrap();
        let expected = Expected { operators: Some(&operators), ..NOTHING };
        let why = format!("list 3 of voters is signed with an unknown key, {}", alice.public().id());
        assert_eq!(told(keys(signed, 7), &expected), (vec![(VOTERS.to_owned(), why)], 1));
    }

    #[test]
    fn without_a_list_a_vote_may_be_unsigned_and_with_one_that_cannot_be_read_none_counts() {
        let place = vote_place(VOTE).unwrap();
        let vote = (VOTE, &b"max=1"[..], 7);
        assert!(told(&[vote], &NOTHING).is_empty());
        let what = "it is not JSON with a version, so no vote counts".to_owned();
        assert_eq!(told(&[vote, (VOTERS, &b"x"[..], 0)], &NOTHING), [(VOTERS.to_owned(), what)]);
        let alone = told(&[(place.as_str(), &b"{}"[..], 7)], &NOTHING);
        assert!(alone.len() == 1 && alone[0].0 == place && alone[0].1.contains("which does not exist"), "{alone:?}");
    }
}
