// Multiples of 256, however long.

use std::collections::HashMap;

/// Finds the length of the buffers that serve `len` numbers: `len` or more,
/// by at most a fourth of it. From a power of two to the next there are at
/// most four such lengths, and each of them serves itself.
pub fn class(len: usize) -> usize {
    len.next_multiple_of(256)
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
    }

    /// Takes back a buffer that was taken for `len` numbers. Where the limit
    /// would be passed, it is dropped.
    pub fn give_back(&mut self, buffer: B, len: usize) {
        let class = class(len);
        if self.held + class <= self.limit {
            self.held += class;
            self.waiting.entry(class).or_default().push(buffer);
        }
    }
}
