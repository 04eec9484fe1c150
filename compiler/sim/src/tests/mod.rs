//! The simulated host under programs.

mod contract;
mod exchange;
mod holdings;
mod kinds;
mod running;
mod world_functions;
