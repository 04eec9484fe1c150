//! The agent on a real file system, in temporary folders. One binary, so that it is linked once.
//!
//! Each test is quick; those that a longer run makes stronger read how long from a variable:
//! `MCLIVE_SPOILINGS`, `MCLIVE_KILLS`, `MCLIVE_SWITCHES`, `MCLIVE_FILES`, `MCLIVE_DAMAGE_SECONDS`.

mod case;
mod chance;
mod commands;
mod damage;
mod facts;
mod faults;
mod files;
mod floods;
mod honest;
mod liveness;
mod machine;
mod models;
mod modules;
mod network;
mod observe;
mod output;
mod places;
mod promises;
mod repair;
mod scale;
mod scenarios;
mod simulated;
mod sound;
mod strangers;
mod system;
mod traces;
mod web;
mod world;
mod writes;
