//! A work-group simulated on the CPU: work-items with local memory and a
//! barrier, in an order of steps that you choose. Built in "How a GPU
//! computes".
//!
//! A kernel is an `async` function, because the compiler turns such a function
//! into a state machine that stops at every `await` until its caller resumes
//! it. Each access to local memory is one step. A schedule, which cannot be
//! observed or repeated on a device, is then a list of numbers: which item
//! makes the next step. To make runs repeatable, a kernel may depend only on
//! its item and on the values that it reads.
//!
//! ```
//! use rungrad::workgroup::{Group, Item, Schedule};
//!
//! /// Every item gets the id of its right neighbor.
//! async fn shift(item: Item) {
//!     let (me, next) = (item.id(), (item.id() + 1) % item.size());
//!     item.write(me, me as f32).await;
//!     item.barrier().await;
//!     let found = item.read(next).await;
//!     item.barrier().await;
//!     item.write(me, found).await;
//! }
//!
//! let group = Group { items: 3, cells: 3 };
//! let trace = group.run(Schedule::InTurn, shift);
//! assert_eq!(trace.end.local(), Some(&[1.0, 2.0, 0.0][..]));
//! assert_eq!(group.search(shift).schedules(), 6 * 6 * 6);
//! ```
//!
//! Reading order: [`Item`], the interface of a kernel; [`Group`] and
//! [`Schedule`], which run it; [`Trace`] with its [`End`] and its [`Race`],
//! the record of a run; [`Search`], which tries all schedules.

mod item;
mod run;
mod search;
mod trace;

pub use item::{Item, Step};
pub use run::{Group, Schedule};
pub use search::{Ending, Search};
pub use trace::{Access, End, Event, Race, Trace};

#[cfg(test)]
mod tests;
