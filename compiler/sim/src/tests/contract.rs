//! The simulated host fulfils the contract of both bodies.

use crate::SimHost;
use crate::protocol::contract::{Body, run, run_units};
use crate::protocol::{Input, Moment, Output};

struct Simulated {
    host: SimHost,
    now: Moment,
}

impl Body for Simulated {
    fn take(&mut self, output: Output) {
        self.host.take(output);
    }

    fn next(&mut self) -> Option<Input> {
        loop {
            self.now = self.now.max(self.host.next_at()?);
            self.host.set_now(self.now);
            if let Some(input) = self.host.next_input() {
                return Some(input);
            }
        }
    }
}

#[test]
fn the_contract_holds() {
    let mut host = SimHost::new("host1");
    host.change(|world| world.make_dir("/contract").expect("nothing is in the way"));
    run(&mut Simulated { host, now: Moment::default() }, "/contract", "host1");
}

#[test]
fn the_contract_of_units_holds() {
    run_units(&mut Simulated { host: SimHost::new("host1"), now: Moment::default() });
}
