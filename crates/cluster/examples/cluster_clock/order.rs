//! A step whose buckets start in the order in which the layers were created.

use cluster::local::{Cost, Network};
use cluster::{Collective, algorithms};
use rungrad::Result;

use super::timeline::{self, Event, Step};

pub(crate) fn show() -> Result<()> {
    let step = timeline::exercise();
    let buckets = [vec![0, 1], vec![2], vec![3]];
    let latency = timeline::LATENCY;
    let cost = Cost { latency, bandwidth: timeline::BANDWIDTH };
    let network = Network::new(timeline::RANKS).with_cost(move |_, _| cost);
    let ranks = network.run(|collective| run(&step, &buckets, &collective));
    let messages = ranks.into_iter().next().expect("rank 0")?;
    let mut events = step.events(&buckets);
    let first = events.len() - messages.len();
    for (event, message) in events[first..].iter_mut().zip(messages) {
        let is_near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        assert!(
            is_near(event.start, message.start)
                && is_near(event.end, message.end),
            "the model predicts {event:?} instead of {message:?}"
        );
        *event = message;
    }
    println!("{}", timeline::text(&events));
    println!("The step takes {:.2} ms.", step.time(&buckets) * 1e3);
    Ok(())
}

/// Takes the step on one rank, and returns its messages.
fn run(
    step: &Step,
    buckets: &[Vec<usize>],
    collective: &Collective,
) -> Result<Vec<Event>> {
    let layers = step.lens.len();
    collective.compute(layers as f64 * step.layer[0]);
    let mut started = Vec::new();
    for layer in (0..layers).rev() {
        collective.compute(step.layer[1]);
        let is_complete =
            |bucket: &&Vec<usize>| bucket.iter().all(|it| *it >= layer);
        while let Some(bucket) = buckets.get(started.len()).filter(is_complete)
        {
            let len = bucket.iter().map(|layer| step.lens[*layer]).sum();
            started.push(collective.submit(move |link| {
                let start = link.time();
                algorithms::ring_all_reduce(link, vec![0.0; len])?;
                Ok(vec![start as f32, link.time() as f32])
            }));
        }
    }
    let events = buckets.iter().zip(started).map(|(bucket, pending)| {
        let times = pending.wait()?;
        let [start, end] = [0, 1].map(|index| f64::from(times[index]));
        Ok(Event { name: timeline::name_of(bucket), start, end })
    });
    events.collect()
}
