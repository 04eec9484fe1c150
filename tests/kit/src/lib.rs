//! The kit for tests that touch a real system: tests leave nothing behind, and skipped checks are reported.
//!
//! | a test needs | it takes |
//! |---|---|
//! | everything it starts to end with it, however it ends | [`supervised!`], once in its binary |
//! | a systemd machine | [`machine::Machine`] |
//! | private control groups | [`cgroup::Cgroup`] |
//! | a store that hosts share | [`etcd::Etcd`] |
//! | certificates | [`pki::Pki`] |
//! | a connection that can be cut | [`link::Link`] |
//! | a port for a program to listen on | [`port::free`] |
//! | a command that may hang | [`within::output`] |
//! | an answer from outside that may not come | [`asked::once`] |
//! | a file system or kernel that lacks a call | [`lacking::without`] |
//! | to wait for a condition | [`until()`] |
//! | to report a skipped check | [`left_out()`] |
//!
//! The program `guard` compares this machine before and after a whole run ([`guard`]).

#![cfg_attr(not(target_os = "linux"), allow(unused))]

mod left_out;
pub mod port;
mod until;

#[cfg(target_os = "linux")]
pub mod asked;
#[cfg(target_os = "linux")]
pub mod cgroup;
#[cfg(target_os = "linux")]
mod clear;
#[cfg(target_os = "linux")]
pub mod etcd;
#[cfg(target_os = "linux")]
pub mod guard;
#[cfg(target_os = "linux")]
pub mod lacking;
#[cfg(target_os = "linux")]
pub mod link;
#[cfg(target_os = "linux")]
pub mod machine;
#[cfg(target_os = "linux")]
pub mod pki;
#[cfg(target_os = "linux")]
pub mod processes;
#[cfg(target_os = "linux")]
pub mod run;
#[cfg(target_os = "linux")]
mod socket;
#[cfg(target_os = "linux")]
pub mod supervise;
#[cfg(target_os = "linux")]
pub mod within;

pub use left_out::left_out;
pub use until::until;

#[cfg(all(test, target_os = "linux"))]
supervised!();
