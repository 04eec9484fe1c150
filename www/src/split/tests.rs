//! Splits of small modules.
