//! The simulated host under programs.

mod contract;
mod exchange;
mod kinds;
mod running;
mod world_functions;
