fn send(&mut self, to: usize, values: Vec<f32>) {
    let cost = (self.network.cost)(self.rank, to);
    self.time += size_of_val(&values[..]) as f64 / cost.bandwidth;
    let message = (self.time + cost.latency, values);
    let inbox = &self.network.inboxes[to];
    let mut state = inbox.lock();
    state.messages.entry(self.rank).or_default().push_back(message);
    inbox.changed.notify_one();
}
