// reusing_pool: buffers that are used again.
//
// WHAT   `take` hands out a buffer for so many numbers: one that waits in the
//        pool, or a new one. `give_back` lets a buffer wait for the next who
//        asks. `class` says which lengths there are buffers of.
// WHY    To allocate on a device takes longer than to compute a little there,
//        and a training step asks for the same sizes again and again. But a
//        pool that keeps everything takes the memory that others need.
// MIND   Few lengths, so that a waiting buffer is wanted again; and none much
//        longer than what was asked for.
// READ   How fast, and why
// CHECK  cargo learn check reusing_pool

use std::collections::HashMap;

/// Finds the length of the buffers that serve `len` numbers: `len` or more,
/// by at most a fourth of it. From a power of two to the next there are at
/// most four such lengths, and each of them serves itself.
pub fn class(len: usize) -> usize {
    // HOLE
    //| // `len.next_power_of_two()` and `len.next_multiple_of(..)` may help.
    //| todo!("TODO(reusing_pool): round up, to one of few lengths")
    let step = (len.next_power_of_two() / 8).max(1);
    len.next_multiple_of(step)
    // END HOLE
}

/// Buffers that wait, by their length. `B` is a buffer; to drop one gives its
/// memory back to the device.
pub struct Pool<B> {
    waiting: HashMap<usize, Vec<B>>,
    /// The numbers in all buffers that wait, and the most that may.
    held: usize,
    limit: usize,
}

impl<B> Pool<B> {
    /// Makes an empty pool in which so many numbers may wait.
    pub fn new(limit: usize) -> Pool<B> {
        Pool { waiting: HashMap::new(), held: 0, limit }
    }

    /// Counts the numbers in the buffers that wait.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Takes a buffer for `len` numbers. `allocate` makes one of the length
    /// that it is given, or refuses; then those that wait may be what is
    /// missing, so all of them are dropped, and it is asked once more.
    pub fn take(
        &mut self,
        len: usize,
        mut allocate: impl FnMut(usize) -> Result<B, String>,
    ) -> Result<B, String> {
        // HOLE
        //| todo!("TODO(reusing_pool): one that waits, or else a new one")
        let class = class(len);
        if let Some(buffer) = self.waiting.get_mut(&class).and_then(Vec::pop) {
            self.held -= class;
            return Ok(buffer);
        }
        allocate(class).or_else(|_| {
            self.waiting.clear();
            self.held = 0;
            allocate(class)
        })
        // END HOLE
    }

    /// Takes back a buffer that was taken for `len` numbers. Where the limit
    /// would be passed, it is dropped.
    pub fn give_back(&mut self, buffer: B, len: usize) {
        // HOLE
        //| todo!("TODO(reusing_pool): let it wait, if there is room")
        let class = class(len);
        if self.held + class <= self.limit {
            self.held += class;
            self.waiting.entry(class).or_default().push(buffer);
        }
        // END HOLE
    }
}
