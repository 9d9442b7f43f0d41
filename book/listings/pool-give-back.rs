/// Returns a buffer to the pool, of which `len` elements were in use.
pub(super) fn give_back(&self, mut buffer: Buffer<T>, len: usize) {
    buffer.discard_contents();
    let mut cache = self.lock();
    cache.used -= bytes::<T>(len);
    let cached_bytes = cache.bytes + bytes::<T>(buffer.len());
    // `take` looks up size classes only, so no other length is reused.
    if cached_bytes <= self.limit && class(buffer.len()) == buffer.len() {
        cache.bytes = cached_bytes;
        cache.buffers.entry(buffer.len()).or_default().push(buffer);
    }
}
