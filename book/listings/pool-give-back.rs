/// Takes a buffer back of which nobody uses the `len` numbers any more.
pub(super) fn give_back(&self, mut buffer: Buffer<T>, len: usize) {
    buffer.discard_contents();
    let mut waiting = self.lock();
    waiting.used -= bytes::<T>(len);
    let all = waiting.bytes + bytes::<T>(buffer.len());
    // One of another length serves nobody.
    if all <= self.limit && class(buffer.len()) == buffer.len() {
        waiting.bytes = all;
        waiting.buffers.entry(buffer.len()).or_default().push(buffer);
    }
}
