//! The compiler of the lazy device: from an expression over arrays to the text
//! of one kernel.
//!
//! 1. `expression` collects the operations and plans their loops.
//! 2. `index` turns the strides of the operands into index computations.
//! 3. `writer` writes the kernel.

mod expression;
mod index;
mod writer;

pub(crate) use expression::Value;
pub use expression::{Expression, Join, Node, Operand, Plan, Space, Step};
pub(crate) use index::{Count, Index};
pub use writer::{Formula, Number, Team, Written};
