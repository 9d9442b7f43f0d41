//! Checks `reusing_pool`, which reuses buffers.
//!
//! The device counts its allocations and its free memory.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::rc::Rc;

use exercises::{Outcome, Stop, check, wrong};
use yours::Pool;

exercises::yours!("part3_unified/reusing_pool.rs");

fn main() -> ExitCode {
    check(
        "reusing_pool",
        YOURS,
        &[
            (
                "a class is at least the requested length, and not much more",
                classes,
            ),
            ("a second step allocates nothing", reuse),
            ("lengths that differ slightly share buffers", shared),
            ("no buffer is too short or has two owners", owners),
            ("the limit is respected", bounded),
            ("a thousand steps later it still works", lasting),
            ("stored buffers make room for others", pressure),
            ("an error of a full device is returned", full),
        ],
    )
}

/// A device with a limited memory, counted in floats.
#[derive(Default)]
struct Device {
    room: Cell<usize>,
    allocations: Cell<usize>,
}

/// Memory of the device, freed on drop.
struct Buffer {
    len: usize,
    number: usize,
    device: Rc<Device>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.device.room.set(self.device.room.get() + self.len);
    }
}

impl Device {
    fn of(room: usize) -> Rc<Device> {
        Rc::new(Device { room: room.into(), ..Device::default() })
    }

    fn allocate(self: &Rc<Device>, len: usize) -> Result<Buffer, String> {
        let room = self.room.get();
        if len > room {
            return Err(format!("no room for {len} elements, {room} are left"));
        }
        let number = self.allocations.get() + 1;
        self.room.set(room - len);
        self.allocations.set(number);
        Ok(Buffer { len, number, device: self.clone() })
    }

    fn take(
        self: &Rc<Device>,
        pool: &mut Pool<Buffer>,
        len: usize,
    ) -> Result<Buffer, Stop> {
        let buffer = pool.take(len, |len| self.allocate(len));
        let buffer = buffer.map_err(|error| {
            wrong(format!(
                "A buffer for {len} elements was not allocated: {error}. But \
                 {} elements are stored in the pool: drop the stored buffers, \
                 and try again.",
                pool.held()
            ))
        })?;
        if buffer.len < len {
            return Err(wrong(format!(
                "A buffer of {} elements was returned for {len}: the caller \
                 will write past its end. A buffer must be as long as its \
                 class.",
                buffer.len
            )));
        }
        Ok(buffer)
    }
}

const ROOM: usize = 1 << 30;

fn classes(_: &()) -> Outcome {
    for len in (1..5000).chain([1 << 20, (1 << 20) + 1, 100_000_000]) {
        let class = yours::class(len);
        if class < len {
            return Err(wrong(format!(
                "class({len}) is {class}, too short for {len} elements."
            )));
        }
        if class > len + len / 4 {
            return Err(wrong(format!(
                "class({len}) is {class}: {} of its elements were not \
                 requested, more than a quarter.",
                class - len
            )));
        }
        let again = yours::class(class);
        if again != class {
            return Err(wrong(format!(
                "class({len}) is {class}, and class({class}) is {again}: a \
                 buffer of that length would be stored where it is never \
                 looked up."
            )));
        }
    }
    for power in [10, 16] {
        let lens = (1 << power) + 1..=2 << power;
        let count = lens.map(yours::class).collect::<BTreeSet<_>>().len();
        if count > 4 {
            return Err(wrong(format!(
                "From {} to {} there are {count} classes; four would be \
                 enough. With more classes, a stored buffer seldom fits the \
                 next request.",
                (1 << power) + 1,
                2 << power
            )));
        }
    }
    Ok(())
}

/// The allocations of a training step; all are alive at the same time.
const STEP: [usize; 6] = [2048, 320, 2048, 10, 1, 320];

/// Takes buffers of these lengths, holds all of them, and gives them back.
fn step(
    device: &Rc<Device>,
    pool: &mut Pool<Buffer>,
    lens: &[usize],
) -> Result<usize, Stop> {
    let before = device.allocations.get();
    let taken = lens.iter().map(|&len| Ok((device.take(pool, len)?, len)));
    let taken = taken.collect::<Result<Vec<_>, Stop>>()?;
    taken.into_iter().for_each(|(buffer, len)| pool.give_back(buffer, len));
    Ok(device.allocations.get() - before)
}

fn reuse(_: &()) -> Outcome {
    let (device, mut pool) = (Device::of(ROOM), Pool::new(1 << 20));
    step(&device, &mut pool, &STEP)?;
    let again = step(&device, &mut pool, &STEP)?;
    match again {
        0 => Ok(()),
        _ => Err(wrong(format!(
            "A step requests {} buffers and gives them back, and the next step \
             requests the same lengths. It allocated {again} of them again: a \
             returned buffer must be stored where the next request looks.",
            STEP.len()
        ))),
    }
}

fn shared(_: &()) -> Outcome {
    let (device, mut pool) = (Device::of(ROOM), Pool::new(1 << 20));
    // The last batch of an epoch is slightly smaller.
    step(&device, &mut pool, &[2048, 320])?;
    let again = step(&device, &mut pool, &[2000, 300])?;
    match again {
        0 => Ok(()),
        _ => Err(wrong(format!(
            "2048 and 320 elements were stored, but {again} buffers were \
             allocated for 2000 and 300, which have the same classes."
        ))),
    }
}

fn owners(_: &()) -> Outcome {
    let (device, mut pool) = (Device::of(ROOM), Pool::new(1 << 20));
    for lens in [[1100, 1030, 5], [1200, 1270, 6], [1279, 1025, 7]] {
        step(&device, &mut pool, &lens)?;
    }
    // The pool contains a short and a long buffer.
    step(&device, &mut pool, &[100_000, 1])?;
    let first = device.take(&mut pool, 1)?;
    if first.len > 1 {
        return Err(wrong(format!(
            "A buffer of {} elements was returned for 1 element: not every \
             stored buffer has the right class.",
            first.len
        )));
    }
    let second = device.take(&mut pool, 1)?;
    if first.number == second.number {
        return Err(wrong("One buffer was handed out twice."));
    }
    Ok(())
}

fn bounded(_: &()) -> Outcome {
    const LIMIT: usize = 10_000;
    let (device, mut pool) = (Device::of(ROOM), Pool::new(LIMIT));
    step(&device, &mut pool, &[4096; 8])?;
    let waiting = ROOM - device.room.get();
    if waiting > LIMIT {
        return Err(wrong(format!(
            "{waiting} elements are stored in the pool, but at most {LIMIT} \
             may be: return the rest to the device."
        )));
    }
    if waiting != pool.held() {
        return Err(wrong(format!(
            "{waiting} elements are stored in the pool, but it reports {}.",
            pool.held()
        )));
    }
    match waiting {
        8192 => Ok(()),
        _ => Err(wrong(format!(
            "Two buffers of 4096 elements may be stored, but {waiting} \
             elements are."
        ))),
    }
}

fn lasting(_: &()) -> Outcome {
    let (device, mut pool) = (Device::of(ROOM), Pool::new(10_000));
    for _ in 0..1000 {
        step(&device, &mut pool, &STEP)?;
    }
    let waiting = ROOM - device.room.get();
    if waiting != pool.held() {
        return Err(wrong(format!(
            "After 1000 steps {waiting} elements are stored, but the pool \
             counts {}. Subtract a buffer from the count when you take it: \
             once the count reaches the limit, nothing can be stored.",
            pool.held()
        )));
    }
    match step(&device, &mut pool, &STEP)? {
        0 => Ok(()),
        again => Err(wrong(format!(
            "After 1000 steps a step allocates {again} buffers again."
        ))),
    }
}

fn pressure(_: &()) -> Outcome {
    let (device, mut pool) = (Device::of(10_000), Pool::new(10_000));
    step(&device, &mut pool, &[1024; 8])?;
    // There is room for it after the cached buffers are freed.
    let large = device.take(&mut pool, 8192)?;
    let waiting = 10_000 - device.room.get() - large.len;
    if pool.held() != waiting {
        return Err(wrong(format!(
            "When memory ran out, the stored buffers were dropped. Now \
             {waiting} elements are stored, but the pool reports {}.",
            pool.held()
        )));
    }
    pool.give_back(large, 8192);
    match step(&device, &mut pool, &[8192])? {
        0 => Ok(()),
        _ => Err(wrong("After that nothing may be stored in the pool.")),
    }
}

fn full(_: &()) -> Outcome {
    let (device, mut pool) = (Device::of(1000), Pool::new(1000));
    let used = device.take(&mut pool, 640)?;
    let asked = Cell::new(0);
    let found = pool.take(640, |len| {
        asked.set(asked.get() + 1);
        device.allocate(len)
    });
    if found.is_ok() || asked.get() != 2 {
        return Err(wrong(format!(
            "The device is full and the pool is empty. You called allocate {} \
             times and returned {}; call it twice, and return its error.",
            asked.get(),
            if found.is_ok() { "yes" } else { "no" }
        )));
    }
    pool.give_back(used, 640);
    step(&device, &mut pool, &[640]).map(drop)
}
