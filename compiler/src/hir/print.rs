//! The printed form of nodes, as messages and the ordering of statements use it (language spec, 6.7).
