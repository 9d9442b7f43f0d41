//! The figure of "A borrow checker for kernels": a kernel without a guard, in
//! the work-group simulator, item by item.

use rungrad::Error;
use rungrad::workgroup::{Access, End, Event, Group, Schedule};
use serde_json::{Value, json};

use crate::kernels::{Kernel, run};

/// The lengths of `a` and `out`, and of the array that follows `out`.
pub(crate) const N: usize = 8;
const OTHER: [f32; 2] = [50.0, 60.0];
const MAX_ITEMS: usize = N + OTHER.len();

/// A kernel that doubles `a` into `out`. In memory, `out` follows `a`, and is
/// followed by an array that does not belong to the kernel.
pub(crate) struct Doubling {
    has_guard: bool,
}

impl Doubling {
    pub(crate) fn has_guard(&self) -> bool {
        self.has_guard
    }

    /// Returns what the host writes before the launch.
    pub(crate) fn uploads() -> impl Iterator<Item = (usize, f32)> {
        let a = (0..N).map(|i| (i, (i + 1) as f32));
        let other = OTHER.iter().enumerate().map(|(i, x)| (2 * N + i, *x));
        a.chain(other)
    }
}

/// Answers a request with `guard` or an empty line, the number of items, and
/// the items that have run, in order.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let usage = || {
        Error::Usage(format!(
            "this figure takes a guard or none, a number of items from 1 to \
             {MAX_ITEMS}, and the order of the items that have run"
        ))
    };
    let [guard, items, order] = words else { return Err(usage()) };
    let items: Option<usize> = items.parse().ok();
    let items = items.filter(|n| (1..=MAX_ITEMS).contains(n));
    let items = items.ok_or_else(usage)?;
    let order: Option<Vec<usize>> =
        order.split_whitespace().map(|word| word.parse().ok()).collect();
    let mut order = order.ok_or_else(usage)?;
    let is_new = |(at, item): (usize, &usize)| {
        *item < items && !order[..at].contains(item)
    };
    if !order.iter().enumerate().all(is_new) {
        return Err(usage());
    }
    let made = order.len();
    order.extend(
        (0..items).filter(|item| !order.contains(item)).collect::<Vec<_>>(),
    );
    let kernel = Doubling { has_guard: !guard.is_empty() };
    Ok(shown(&kernel, items, &order, made))
}

/// Returns the memory after the first `made` items of an order.
fn shown(
    kernel: &Doubling,
    items: usize,
    order: &[usize],
    made: usize,
) -> Value {
    // The last item of the simulated group is the host. It writes first, and
    // the others wait for it at a barrier.
    let group = Group { items: items + 1, cells: 2 * N + OTHER.len() };
    let uploads = Doubling::uploads().count();
    let steps = |item: usize| match kernel.has_guard && item >= N {
        true => 0,
        false => 2,
    };
    let schedule = vec![items; uploads].into_iter();
    let schedule =
        schedule.chain(order.iter().flat_map(|&item| vec![item; steps(item)]));
    let schedule = Schedule::Given(schedule.collect());
    let trace = run(group, schedule, &Kernel::Doubling(kernel));
    let so_far: usize = order[..made].iter().map(|&item| steps(item)).sum();
    let events = &trace.events[uploads..];
    let mut memory = vec![f32::NAN; group.cells];
    Doubling::uploads().for_each(|(cell, value)| memory[cell] = value);
    for event in &events[..so_far] {
        if event.access == Access::Write {
            memory[event.cell] = event.value;
        }
    }
    let accesses = |item: usize| {
        let own = events.iter().filter(|it| it.item == item);
        own.map(access).collect::<Value>()
    };
    let items = (0..items).map(|item| {
        let has_run = order[..made].contains(&item);
        json!({ "has_run": has_run, "accesses": accesses(item) })
    });
    let cells = memory.iter().map(|value| End::Done(vec![*value]).to_string());
    json!({
        "n": N,
        "memory": cells.collect::<Value>(),
        "items": items.collect::<Value>(),
        "last": order[..made].last(),
    })
}

/// Returns an access with the array that owns the cell, and the index that the
/// kernel has used.
fn access(event: &Event) -> Value {
    let (array, start) = match event.access {
        Access::Read => ("a", 0),
        Access::Write => ("out", N),
    };
    let index = event.cell - start;
    json!({
        "array": array,
        "index": index,
        "cell": event.cell,
        "writes": event.access == Access::Write,
        "value": End::Done(vec![event.value]).to_string(),
        "outside": index >= N,
    })
}
