//! The agent on a real file system, in temporary folders. One binary, so that it is linked once.
//!
//! Each test is quick; for those that are stronger in a longer run, variables set the length: `MCLIVE_EDITORS`,
//! `MCLIVE_SPOILINGS`, `MCLIVE_KILLS`, `MCLIVE_SWITCHES`, `MCLIVE_FILES`, `MCLIVE_DAMAGE_SECONDS`,
//! `MCLIVE_OUTAGE_SECONDS`.

mod archives;
mod border;
mod case;
mod chance;
mod client;
mod collecting;
mod commands;
mod damage;
mod departures;
mod deploy_faults;
mod deploy_locks;
mod deploy_metrics;
mod deploy_pruning;
mod deploy_states;
mod deploy_targets;
mod deploys;
mod downloads;
mod editors;
mod elections;
mod facts;
mod faults;
mod files;
mod five;
mod fleet;
mod floods;
mod foresight;
mod full;
mod honest;
mod large;
mod limits;
mod liveness;
mod machine;
mod models;
mod modules;
mod network;
mod observe;
mod output;
mod packages;
mod places;
mod promises;
mod refused;
mod reloads;
mod removed;
mod repair;
mod rewound;
mod scale;
mod scenarios;
mod sealed;
mod secrets;
mod secured;
mod server;
mod signed;
mod sound;
mod stalls;
mod story;
mod strangers;
mod system;
mod terminal;
mod tftp;
mod traces;
mod turns;
mod users;
mod verdicts;
mod vouched;
mod web;
mod web_bounds;
mod web_page;
mod web_proxy;
mod world;
mod writes;

mclive_kit::supervised!();
