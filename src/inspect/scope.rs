//! Scopes tell which part of a program works: each has a name, and one may
//! stand inside another. "How fast, and why" looks into a step by them.
//!
//! While nobody [`watch`]es, a scope costs one look at a flag. Part 3's modules
//! open one for each of their parts; a program opens its own where it likes.
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
/// Opens a scope inside those that are open. What this thread does until it is
/// dropped is the work of the part of this name.
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
        let outer = &watch.parts[watch.at].name;
        let dot = if outer.is_empty() { "" } else { "." };
        (watch.part(format!("{outer}{dot}{name}")), watch.is_back)
    })
}

/// Runs `work` and tells what was done in which scope.
pub fn watch<T>(work: impl FnOnce() -> T) -> (T, Parts) {
    let outer = Outer(WATCHED.replace(true), WATCH.replace(Some(Watch::new())));
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

/// Puts back what was watched before, after a panic too.
struct Outer(bool, Option<Watch>);

impl Drop for Outer {
    fn drop(&mut self) {
        WATCHED.set(self.0);
        WATCH.set(self.1.take());
    }
}

/// A scope that is open; nothing where nobody watches.
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
            let before = (watch.at, watch.is_back);
            (watch.at, watch.is_back) = to(watch);
            Scope(Some(before))
        })
    }

    /// Opens the scope in which a node was made, for its way back.
    pub(crate) fn way_back(node: u64) -> Scope {
        Scope::open(|watch| {
            (watch.nodes.get(&node).copied().unwrap_or(0), true)
        })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        let Some(before) = self.0 else { return };
        WATCH.with_borrow_mut(|watch| {
            // A scope that outlives its watch belongs to no other.
            if let Some(watch) = watch {
                watch.charge();
                (watch.at, watch.is_back) = before;
            }
        });
    }
}

/// Notes an operation.
pub(crate) fn ran() {
    if WATCHED.get() {
        WATCH.with_borrow_mut(|watch| {
            let work = watch.as_mut().map(Watch::work);
            work.into_iter().for_each(|work| work.operations += 1);
        });
    }
}

/// Notes that the part which works now has made a node.
pub(crate) fn made(node: u64) {
    if WATCHED.get() {
        WATCH.with_borrow_mut(|watch| {
            let Some(watch) = watch else { return };
            watch.nodes.insert(node, watch.at);
        });
    }
}

/// Returns the name of the part that works now, where somebody watches.
pub(crate) fn current() -> Option<String> {
    let name = |watch: &Watch| watch.parts[watch.at].name.clone();
    if WATCHED.get() {
        return WATCH.with_borrow(|watch| watch.as_ref().map(name));
    }
    None
}

/// Returns the name of the part that has made a node, where somebody watches.
pub(crate) fn maker(node: u64) -> Option<String> {
    if !WATCHED.get() {
        return None;
    }
    WATCH.with_borrow(|watch| {
        let watch = watch.as_ref()?;
        let at = watch.nodes.get(&node)?;
        Some(watch.parts[*at].name.clone())
    })
}

/// What was seen so far.
struct Watch {
    /// The first has no name: what is done in no scope.
    parts: Vec<Part>,
    /// Which part has made which node of a graph.
    nodes: HashMap<u64, usize>,
    at: usize,
    is_back: bool,
    /// Up to here everything was charged to a part.
    since: (Counts, Instant),
}

impl Watch {
    fn new() -> Watch {
        Watch {
            parts: vec![Part::default()],
            nodes: HashMap::new(),
            at: 0,
            is_back: false,
            since: (ledger::totals(), Instant::now()),
        }
    }

    /// Finds the place of a part, in the order in which they first worked.
    fn part(&mut self, name: String) -> usize {
        let known = self.parts.iter().position(|part| part.name == name);
        known.unwrap_or_else(|| {
            self.parts.push(Part { name, ..Part::default() });
            self.parts.len() - 1
        })
    }

    fn work(&mut self) -> &mut Work {
        let part = &mut self.parts[self.at];
        if self.is_back { &mut part.backward } else { &mut part.forward }
    }

    /// Charges what was done since the last time to the part that works.
    fn charge(&mut self) {
        let (counts, now) = (ledger::totals(), Instant::now());
        let (done, spent) = (counts - self.since.0, now - self.since.1);
        let work = self.work();
        work.launches += done.launches;
        work.bytes += done.bytes_reached;
        work.products += done.products;
        work.host += spent;
        self.since = (counts, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() {
        ledger::count(|counts| counts.launches += 1);
    }

    #[test]
    fn each_launch_is_charged_to_the_innermost_scope() {
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
    fn the_way_back_belongs_to_the_part_that_made_the_node() {
        let ((), parts) = watch(|| {
            {
                let _scope = scope("made");
                ran();
                made(7);
            }
            ran();
            made(8);
            assert_eq!(maker(7).as_deref(), Some("made"));
            assert_eq!(maker(8).as_deref(), Some(""));
            assert_eq!(maker(9), None);
            let _back = Scope::way_back(7);
            assert_eq!(current().as_deref(), Some("made"));
            ran();
            ran();
        });
        let of =
            |part: &Part| (part.forward.operations, part.backward.operations);
        assert_eq!(of(&parts.list[0]), (1, 0));
        assert_eq!(of(&parts.list[1]), (1, 2));
    }

    #[test]
    fn a_panic_ends_its_scopes_and_its_watch() {
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
