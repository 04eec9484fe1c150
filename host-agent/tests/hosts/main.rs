//! The agent on real systemd machines, each fresh: booted by `systemd-nspawn` in about a second from one root that is made
//! once (`mclive_kit::machine`). `machine` is the machine, `cases` plays the text archives of `tests/hosts`.

mod cases;
mod contract;
mod latencies;
mod machine;

mclive_kit::supervised!();
