//! A work-group on the CPU, built in "How a GPU computes": some items, their
//! local memory, a barrier, and an order of steps that you choose.
//!
//! A kernel for it is an `async` function, because such a function is a step
//! machine that the compiler writes: at every `await` it stops, and whoever
//! drives it says when it goes on. Here each access to local memory is one
//! step. So a schedule, which on a device nobody sees and nobody repeats, is
//! a list of numbers: which item makes the next step. What a kernel does may
//! depend on what it reads and on nothing else, or no run could be repeated.
//!
//! ```
//! use rungrad::workgroup::{Group, Item, Schedule};
//!
//! /// Every item gets the number of its neighbor to the right.
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
//! Reading order: [`Item`], what a kernel can do; [`Group`] and [`Schedule`],
//! who is next; [`Trace`] with its [`End`] and its [`Race`], what happened;
//! [`Search`], everything that can happen.

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
