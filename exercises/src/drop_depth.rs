//! Measures the stack depth at which the end of a chain is dropped. An engine
//! frees a chain in a loop. Tensors that a rule holds are invisible to it, so
//! they are freed by nested drops, one per link.

use std::cell::Cell;
use std::hint::black_box;
use std::ptr;
use std::rc::Rc;

/// Held by the last rule of a chain; its drop records the stack depth.
#[derive(Debug)]
pub struct DepthProbe {
    start: usize,
    deepest: Rc<Cell<usize>>,
}

impl Drop for DepthProbe {
    fn drop(&mut self) {
        let here = black_box(0_u8);
        let depth = self.start.abs_diff(ptr::from_ref(&here).addr());
        self.deepest.set(depth);
    }
}

/// The links of a long chain.
const LINKS: usize = 100;

/// Tolerance in bytes: more than a loop needs, and less than one call per
/// link.
const ROOM: usize = 4096;

/// Returns whether a chain of many links is dropped deeper in the stack than a
/// chain of one. `chain` builds a chain of the given length on top of a probe.
pub fn drops_inside_drops<T>(
    chain: impl Fn(DepthProbe, usize) -> Result<T, crate::Stop>,
) -> Result<bool, crate::Stop> {
    let depth = |links| -> Result<usize, crate::Stop> {
        let deepest = Rc::new(Cell::new(0));
        let start = ptr::from_ref(&deepest).addr();
        let probe = DepthProbe { start, deepest: Rc::clone(&deepest) };
        drop(chain(probe, links)?);
        Ok(deepest.get())
    };
    Ok(depth(LINKS)? > depth(1)? + ROOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Link {
        _next: Option<Box<Link>>,
        _probe: Option<DepthProbe>,
    }

    /// Promise: A solution whose graph is dropped recursively is rejected.
    #[test]
    fn a_chain_of_boxes_is_dropped_inside_drops_and_a_list_is_not() {
        let boxes = |probe, links| {
            let mut link = Link { _next: None, _probe: Some(probe) };
            for _ in 0..links {
                link = Link { _next: Some(Box::new(link)), _probe: None };
            }
            Ok(link)
        };
        assert!(drops_inside_drops(boxes).unwrap());
        let list = |probe, links| {
            let last = Link { _next: None, _probe: Some(probe) };
            let mut list = vec![last];
            list.extend((0..links).map(|_| Link { _next: None, _probe: None }));
            Ok(list)
        };
        assert!(!drops_inside_drops(list).unwrap());
    }
}
