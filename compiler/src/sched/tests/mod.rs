//! The scheduler against a scripted host.
