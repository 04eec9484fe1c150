//! [`Rates`]: limits the requests of each client. A client has a debt of each [`Kind`], which decreases at a steady
//! rate; a client that owes more than the burst must wait.
//!
//! Costs are known only afterwards, so they are charged afterwards: the last request before the limit is served.
//! Refused requests are charged as well, but a debt stops growing at [`LONGEST_WAIT`] above the burst: many clients may
//! share one address, and a flood from it must not lock them out for hours.

use super::client::Client;
use crate::lock::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The maximum number of accounts. New clients share one account while all others have debts.
const MOST_CLIENTS: usize = 65_536;
/// The longest time that a client has to wait, whatever it did.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Requests,
    /// Of bodies, sent and received.
    Bytes,
    /// Seconds of the compiler.
    Compute,
}

const N_KINDS: usize = 3;

/// The decrease per second, and the allowed debt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) per_second: f64,
    pub(crate) burst: f64,
}

pub(crate) struct Rates {
    /// By [`Kind`]; `None`: without a limit.
    rates: [Option<Rate>; N_KINDS],
    most_clients: usize,
    accounts: Mutex<Accounts>,
}

#[derive(Default)]
struct Accounts {
    of: BTreeMap<Client, Account>,
    others: Account,
}

/// When each debt is paid off; a time in the past means no debt.
type Account = [Option<Instant>; N_KINDS];

impl Rates {
    pub(crate) fn new(requests: Option<Rate>, bytes: Option<Rate>, compute: Option<Rate>) -> Rates {
        Rates { rates: [requests, bytes, compute], most_clients: MOST_CLIENTS, accounts: Mutex::default() }
    }

    /// Errors: how long this client has to wait.
    pub(super) fn judge(&self, client: Client, now: Instant) -> Result<(), Duration> {
        let accounts = self.accounts.lock();
        let account = accounts.of.get(&client).unwrap_or(&accounts.others);
        let waits = account.iter().zip(self.rates).filter_map(|(paid_off, rate)| {
            let owed = paid_off.as_ref()?.saturating_duration_since(now);
            owed.checked_sub(rate?.patience())
        });
        waits.filter(|wait| !wait.is_zero()).max().map_or(Ok(()), Err)
    }

    pub(super) fn charge(&self, client: Client, kind: Kind, amount: f64, now: Instant) {
        let Some(rate) = self.rates[kind as usize] else { return };
        let mut accounts = self.accounts.lock();
        let account = accounts.open(client, self.most_clients, now);
        let paid_off = account[kind as usize].map_or(now, |paid_off| paid_off.max(now));
        let longest = rate.patience() + LONGEST_WAIT;
        let takes = Duration::from_secs_f64((amount / rate.per_second).min(longest.as_secs_f64()));
        account[kind as usize] = Some((paid_off + takes).min(now + longest));
    }
}

impl Rate {
    /// The time in which the allowed debt is paid off.
    fn patience(self) -> Duration {
        Duration::from_secs_f64(self.burst / self.per_second)
    }
}

impl Accounts {
    fn open(&mut self, client: Client, most: usize, now: Instant) -> &mut Account {
        if !self.of.contains_key(&client) && self.of.len() >= most {
            self.of.retain(|_, account| account.iter().flatten().any(|paid_off| *paid_off > now));
            if self.of.len() >= most {
                return &mut self.others;
            }
        }
        self.of.entry(client).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(last: u8) -> Client {
        Client::of([10, 0, 0, last].into())
    }

    fn rates(most_clients: usize) -> Rates {
        let ten = Some(Rate { per_second: 1.0, burst: 10.0 });
        Rates { most_clients, ..Rates::new(ten, None, None) }
    }

    #[test]
    fn who_asks_too_often_waits_and_others_do_not() {
        let (rates, now) = (rates(10), Instant::now());
        for _ in 0..10 {
            assert_eq!(rates.judge(client(1), now), Ok(()));
            rates.charge(client(1), Kind::Requests, 1.0, now);
        }
        rates.charge(client(1), Kind::Requests, 1.0, now);
        rates.charge(client(1), Kind::Bytes, 1e12, now);
        assert_eq!(rates.judge(client(1), now), Err(Duration::from_secs(1)));
        assert_eq!(rates.judge(client(2), now), Ok(()));
        assert_eq!(rates.judge(client(1), now + Duration::from_secs(1)), Ok(()));
    }

    #[test]
    fn whatever_a_client_did_it_waits_a_minute_at_most() {
        let (rates, now) = (rates(10), Instant::now());
        for _ in 0..10_000 {
            rates.charge(client(1), Kind::Requests, 1.0, now);
        }
        assert_eq!(rates.judge(client(1), now), Err(LONGEST_WAIT));
        assert_eq!(rates.judge(client(1), now + LONGEST_WAIT), Ok(()));
        rates.charge(client(2), Kind::Requests, f64::MAX, now);
        assert_eq!(rates.judge(client(2), now), Err(LONGEST_WAIT));
    }

    #[test]
    fn a_flood_of_addresses_shares_one_account_and_leaves_the_others_theirs() {
        let (rates, now) = (rates(2), Instant::now());
        for last in 1..=2 {
            rates.charge(client(last), Kind::Requests, 1.0, now);
        }
        for last in 3..=20 {
            rates.charge(client(last), Kind::Requests, 1.0, now);
        }
        assert!(rates.judge(client(99), now).is_err(), "new ones owe together");
        assert_eq!(rates.judge(client(1), now), Ok(()));
        let later = now + Duration::from_secs(60);
        rates.charge(client(50), Kind::Requests, 1.0, later);
        assert_eq!(rates.accounts.lock().of.len(), 1, "who owes nothing is forgotten");
    }
}
