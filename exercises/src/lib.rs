//! The exercise harness.
