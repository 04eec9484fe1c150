//! The kit for tests that touch a real system: nothing that a test does stays behind, and nothing that it cannot do goes
//! unsaid.
//!
//! | a test needs | it takes |
//! |---|---|
//! | that all it starts ends with it, however it ends | [`supervised!`], once in its binary |
//! | a systemd machine | [`machine::Machine`] |
//! | control groups of its own | [`cgroup::Cgroup`] |
//! | a command that may hang | [`within::output`] |
//! | an answer from elsewhere that may not come | [`asked::once`] |
//! | something that comes in its own time | [`until()`] |
//! | to say what it could not look at | [`left_out()`] |
//!
//! The program `guard` compares this machine before and after a whole run ([`guard`]).

#![cfg_attr(not(target_os = "linux"), allow(unused))]

mod left_out;
mod until;

#[cfg(target_os = "linux")]
pub mod asked;
#[cfg(target_os = "linux")]
pub mod cgroup;
#[cfg(target_os = "linux")]
mod clear;
#[cfg(target_os = "linux")]
pub mod guard;
#[cfg(target_os = "linux")]
pub mod machine;
#[cfg(target_os = "linux")]
pub mod processes;
#[cfg(target_os = "linux")]
pub mod run;
#[cfg(target_os = "linux")]
pub mod supervise;
#[cfg(target_os = "linux")]
pub mod within;

pub use left_out::left_out;
pub use until::until;

#[cfg(all(test, target_os = "linux"))]
supervised!();
