//! The simulated host under programs.

mod exchange;
mod running;
mod world_functions;
