//! Scopes attribute work to the parts of a program. Each scope has a name, and
//! scopes can be nested. "Inside a step" uses them to profile a training step.
//!
//! Outside [`watch`], a scope only costs the check of a flag. The modules of
//! Part 3 open a scope for each of their parts, and programs can open more.
//!
//! Reading order: [`scope`], [`watch`], [`Work`], [`Part`], [`Parts`] (in
//! `scope/parts.rs`).

mod parts;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Display;
use std::time::Instant;

use crate::ledger::{self, Counts};
pub(crate) use parts::shortened;
pub use parts::{Part, Parts, Work};

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

// ANCHOR: scope
/// Opens a scope inside the current one. Until it is dropped, the work of this
/// thread is attributed to the part with this name.
///
/// ```
/// use rungrad::scope::{scope, watch};
/// let ((), parts) = watch(|| {
///     let _outer = scope("outer");
///     let _inner = scope("inner");
/// });
/// let names: Vec<&str> = parts.list.iter().map(|p| &*p.name).collect();
/// assert_eq!(names, ["", "outer", "outer.inner"]);
/// ```
#[must_use = "a scope ends where it is dropped"]
pub fn scope(name: impl Display) -> Scope {
    Scope::open(|watch| {
        let outer = &watch.parts[watch.current].name;
        let dot = if outer.is_empty() { "" } else { "." };
        (watch.part(format!("{outer}{dot}{name}")), watch.is_backward)
    })
}

/// Runs `work`, and returns its value and what was done in each scope.
pub fn watch<T>(work: impl FnOnce() -> T) -> (T, Parts) {
    let outer =
        RestoreWatch(WATCHED.replace(true), WATCH.replace(Some(Watch::new())));
    let value = work();
    let list = WATCH.with_borrow_mut(|watch| {
        let watch = watch.as_mut().expect("it was put there");
        watch.charge();
        std::mem::take(&mut watch.parts)
    });
    drop(outer);
    (value, Parts { list })
}
// ANCHOR_END: scope

/// Restores the previous state of watching, even after a panic.
struct RestoreWatch(bool, Option<Watch>);

impl Drop for RestoreWatch {
    fn drop(&mut self) {
        WATCHED.set(self.0);
        WATCH.set(self.1.take());
    }
}

/// An open scope; it does nothing outside [`watch`].
#[derive(Debug)]
pub struct Scope(Option<(usize, bool)>);

impl Scope {
    fn open(to: impl FnOnce(&mut Watch) -> (usize, bool)) -> Scope {
        if !WATCHED.get() {
            return Scope(None);
        }
        WATCH.with_borrow_mut(|watch| {
            let Some(watch) = watch else { return Scope(None) };
            watch.charge();
            let before = (watch.current, watch.is_backward);
            (watch.current, watch.is_backward) = to(watch);
            Scope(Some(before))
        })
    }

    /// Opens the scope in which a node was created, for the node's backward
    /// step.
    pub(crate) fn backward_of(node: u64) -> Scope {
        Scope::open(|watch| {
            (watch.nodes.get(&node).copied().unwrap_or(0), true)
        })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        let Some(before) = self.0 else { return };
        WATCH.with_borrow_mut(|watch| {
            // If the scope outlives its watch, there is nothing to restore.
            if let Some(watch) = watch {
                watch.charge();
                (watch.current, watch.is_backward) = before;
            }
        });
    }
}

/// Counts an operation.
pub(crate) fn count_operation() {
    if WATCHED.get() {
        WATCH.with_borrow_mut(|watch| {
            let work = watch.as_mut().map(Watch::work);
            work.into_iter().for_each(|work| work.operations += 1);
        });
    }
}

/// Records that the current part has created a node.
pub(crate) fn record_creation(node: u64) {
    if WATCHED.get() {
        WATCH.with_borrow_mut(|watch| {
            let Some(watch) = watch else { return };
            watch.nodes.insert(node, watch.current);
        });
    }
}

/// Returns the name of the current part, or `None` outside [`watch`].
#[cfg(feature = "opencl")]
pub(crate) fn current() -> Option<String> {
    let name = |watch: &Watch| watch.parts[watch.current].name.clone();
    if WATCHED.get() {
        return WATCH.with_borrow(|watch| watch.as_ref().map(name));
    }
    None
}

/// Returns the name of the part that created a node, or `None` outside
/// [`watch`].
pub(crate) fn creator(node: u64) -> Option<String> {
    if !WATCHED.get() {
        return None;
    }
    WATCH.with_borrow(|watch| {
        let watch = watch.as_ref()?;
        let at = watch.nodes.get(&node)?;
        Some(watch.parts[*at].name.clone())
    })
}

/// The state of a watch.
struct Watch {
    /// The parts. The first has no name and gets the work outside of scopes.
    parts: Vec<Part>,
    /// The part that created each node.
    nodes: HashMap<u64, usize>,
    current: usize,
    is_backward: bool,
    /// The counts and the time up to which work has been attributed.
    charged_until: (Counts, Instant),
}

impl Watch {
    fn new() -> Watch {
        Watch {
            parts: vec![Part::default()],
            nodes: HashMap::new(),
            current: 0,
            is_backward: false,
            charged_until: (ledger::totals(), Instant::now()),
        }
    }

    /// Returns the index of a part, and adds the part if it is new.
    fn part(&mut self, name: String) -> usize {
        let known = self.parts.iter().position(|part| part.name == name);
        known.unwrap_or_else(|| {
            self.parts.push(Part { name, ..Part::default() });
            self.parts.len() - 1
        })
    }

    fn work(&mut self) -> &mut Work {
        let part = &mut self.parts[self.current];
        if self.is_backward { &mut part.backward } else { &mut part.forward }
    }

    /// Attributes the work since the last call to the current part.
    fn charge(&mut self) {
        let (counts, now) = (ledger::totals(), Instant::now());
        let (done, spent) =
            (counts - self.charged_until.0, now - self.charged_until.1);
        let work = self.work();
        work.launches += done.launches;
        work.bytes += done.bytes_reached;
        work.products += done.products;
        work.host += spent;
        self.charged_until = (counts, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() {
        ledger::count(|counts| counts.launches += 1);
    }

    #[test]
    fn launches_count_for_the_innermost_scope() {
        launch();
        let ((), parts) = watch(|| {
            launch();
            for _ in 0..2 {
                let _outer = scope("a");
                launch();
                {
                    let _inner = scope(3);
                    launch();
                    launch();
                }
                launch();
            }
            launch();
        });
        launch();
        let found: Vec<(&str, u64)> = parts
            .list
            .iter()
            .map(|part| (&*part.name, part.forward.launches))
            .collect();
        assert_eq!(found, [("", 2), ("a", 4), ("a.3", 4)]);
    }

    #[test]
    fn backward_work_counts_for_the_scope_of_the_node() {
        let ((), parts) = watch(|| {
            {
                let _scope = scope("made");
                count_operation();
                record_creation(7);
            }
            count_operation();
            record_creation(8);
            assert_eq!(creator(7).as_deref(), Some("made"));
            assert_eq!(creator(8).as_deref(), Some(""));
            assert_eq!(creator(9), None);
            let _back = Scope::backward_of(7);
            assert_eq!(current().as_deref(), Some("made"));
            count_operation();
            count_operation();
        });
        let of =
            |part: &Part| (part.forward.operations, part.backward.operations);
        assert_eq!(of(&parts.list[0]), (1, 0));
        assert_eq!(of(&parts.list[1]), (1, 2));
    }

    #[test]
    fn a_panic_ends_scopes_and_watch() {
        let ((), parts) = watch(|| {
            let broken = std::panic::catch_unwind(|| {
                watch(|| {
                    let _scope = scope("inside");
                    panic!("of the test");
                })
            });
            assert!(broken.is_err());
            launch();
        });
        assert_eq!(parts.list.len(), 1);
        assert_eq!(parts.list[0].forward.launches, 1);
        assert_eq!(current(), None);
        assert!(scope("outside").0.is_none());
    }
}
