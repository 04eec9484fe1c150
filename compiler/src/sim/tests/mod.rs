//! The simulated host under programs.

mod running;
mod world_functions;
