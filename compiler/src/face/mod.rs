//! The only code that is specific to WebAssembly. All transferred data has the shapes of [`mclive_base::shapes`], so
//! that native, browser and component yield the same JSON.

pub mod check;
mod driver;
pub mod editor;
pub mod fleet;
pub mod graphs;
pub mod simulation;
mod telling;

#[cfg(feature = "browser")]
pub mod browser;
#[cfg(feature = "component")]
mod component;
#[cfg(any(feature = "component", test))]
mod manual;
pub mod seeking;
