//! The specification, file by file as the tests have it. Only how a refusal is
//! heard is different here: the words of a reader are their own.

#[path = "../../tests/common/calls.rs"]
pub mod calls;
#[path = "../../tests/common/cases.rs"]
pub mod cases;
#[path = "../../tests/common/edges.rs"]
pub mod edges;
#[path = "../../tests/common/elementwise.rs"]
pub mod elementwise;
#[path = "../../tests/common/engine.rs"]
pub mod engine;
#[path = "../../tests/common/network.rs"]
pub mod network;
#[path = "../../tests/common/random.rs"]
pub mod random;
#[path = "refusal.rs"]
pub mod refusal;
#[path = "../../tests/common/refusals.rs"]
pub mod refusals;
#[path = "../../tests/common/spec.rs"]
pub mod spec;
#[path = "../../tests/common/verdict.rs"]
pub mod verdict;
