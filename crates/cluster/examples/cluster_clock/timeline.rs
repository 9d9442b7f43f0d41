//! A model of a training step whose gradients travel in buckets, and its
//! timeline. The exercise `bucket_order` includes this file, which uses only
//! the standard library.

/// A model with one parameter per layer.
pub(crate) struct Step {
    /// The number of elements of each parameter, from the first layer to the
    /// last.
    pub(crate) lens: Vec<usize>,
    /// The time of one layer in the forward and in the backward pass, in
    /// seconds.
    pub(crate) layer: [f64; 2],
}

/// The number of ranks, and the latency in seconds and the bandwidth in bytes
/// per second of their links.
pub(crate) const RANKS: usize = 4;
pub(crate) const LATENCY: f64 = 50e-6;
pub(crate) const BANDWIDTH: f64 = 1e9;

/// An interval of a step, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

/// Returns the step of the exercise.
pub(crate) fn exercise() -> Step {
    let lens = vec![50_000, 100_000, 400_000, 50_000];
    Step { lens, layer: [0.5e-3, 1e-3] }
}

impl Step {
    /// Returns the time at which the gradient of a layer is complete.
    pub(crate) fn complete(&self, layer: usize) -> f64 {
        let layers = self.lens.len();
        let [forward, backward] = self.layer;
        layers as f64 * forward + (layers - layer) as f64 * backward
    }

    /// Returns the passes and the messages of a step with these buckets, which
    /// contain indices of layers. A bucket starts when all of its gradients are
    /// complete and the previous bucket has started. The link carries one
    /// bucket at a time.
    pub(crate) fn events(&self, buckets: &[Vec<usize>]) -> Vec<Event> {
        let layers = self.lens.len();
        let name = "forward pass".to_string();
        let end = layers as f64 * self.layer[0];
        let mut events = vec![Event { name, start: 0.0, end }];
        for layer in (0..layers).rev() {
            let name = format!("backward, layer {}", layer + 1);
            let end = self.complete(layer);
            events.push(Event { name, start: end - self.layer[1], end });
        }
        let mut free: f64 = 0.0;
        for bucket in buckets {
            let complete = bucket.iter().map(|layer| self.complete(*layer));
            let start = complete.fold(free, f64::max);
            let len: usize = bucket.iter().map(|layer| self.lens[*layer]).sum();
            free = start + ring_time(len);
            events.push(Event { name: name_of(bucket), start, end: free });
        }
        events
    }

    /// Returns the time of a step with these buckets.
    pub(crate) fn time(&self, buckets: &[Vec<usize>]) -> f64 {
        let events = self.events(buckets);
        events.iter().map(|event| event.end).fold(0.0, f64::max)
    }
}

/// Returns the time in which the ranks add `len` elements in a ring.
pub(crate) fn ring_time(len: usize) -> f64 {
    let ranks = RANKS as f64;
    let bytes = 4.0 * len as f64;
    2.0 * (ranks - 1.0) * (LATENCY + bytes / ranks / BANDWIDTH)
}

/// Names the layers of a bucket, counted from 1.
pub(crate) fn name_of(bucket: &[usize]) -> String {
    let layers = bucket.iter().map(|layer| (layer + 1).to_string());
    format!("bucket, layers {}", layers.collect::<Vec<_>>().join(", "))
}

/// Draws events with four characters per millisecond.
pub(crate) fn text(events: &[Event]) -> String {
    let mut text = format!("{:<20}{:>8}{:>8}\n", "", "from ms", "to ms");
    for Event { name, start, end } in events {
        let [start, end] = [start, end].map(|time| time * 1e3);
        let [left, right] = [start, end].map(|time| (4.0 * time).round());
        let bar =
            " ".repeat(left as usize) + &"#".repeat((right - left) as usize);
        text += &format!("{name:<20}{start:>8.2}{end:>8.2}  {bar}\n");
    }
    text
}
