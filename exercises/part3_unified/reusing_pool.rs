// reusing_pool: reuse buffers.
//
// WHAT   `take` returns a buffer for `len` elements: one from the pool, or a
//        new one. `give_back` stores a buffer in the pool for the next
//        request. `class` returns the length of the buffers that serve a
//        request.
// WHY    On a device, allocating takes longer than a short computation, and
//        every training step requests the same sizes. But a pool that keeps
//        everything uses memory that is needed elsewhere.
// MIND   There must be few lengths, so that stored buffers fit later requests,
//        but no buffer may be much longer than requested.
// READ   A kernel for each shape
// CHECK  cargo learn check reusing_pool

use std::collections::HashMap;

/// Returns the length of the buffers that serve `len` elements: at least
/// `len`, and at most a quarter more. There are at most four such lengths from
/// one power of two to the next, and each of them serves itself.
pub fn class(len: usize) -> usize {
    // `len.next_power_of_two()` and `len.next_multiple_of(..)` may help.
    todo!("TODO(reusing_pool): round up to one of a few lengths")
}

/// The stored buffers, by length. `B` is a buffer; dropping it returns its
/// memory to the device.
pub struct Pool<B> {
    waiting: HashMap<usize, Vec<B>>,
    /// The elements in all stored buffers, and the maximum.
    held: usize,
    limit: usize,
}

impl<B> Pool<B> {
    /// Creates an empty pool that stores at most `limit` elements.
    pub fn new(limit: usize) -> Pool<B> {
        Pool { waiting: HashMap::new(), held: 0, limit }
    }

    /// Returns the number of elements in the stored buffers.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Returns a buffer for `len` elements. `allocate` creates one of the
    /// given length or fails. If it fails, all stored buffers are dropped,
    /// because they may use the missing memory, and it is called once more.
    pub fn take(
        &mut self,
        len: usize,
        mut allocate: impl FnMut(usize) -> Result<B, String>,
    ) -> Result<B, String> {
        todo!("TODO(reusing_pool): a stored buffer, or else a new one")
    }

    /// Takes back a buffer that was taken for `len` elements. If it would
    /// exceed the limit, it is dropped.
    pub fn give_back(&mut self, buffer: B, len: usize) {
        todo!("TODO(reusing_pool): store it, if there is room")
    }
}
