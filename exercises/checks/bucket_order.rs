//! Checks `bucket_order`, an order of buckets whose messages overlap the
//! backward pass.
//!
//! The timeline of the page comes from the simulated network of
//! `crates/cluster`, which compares itself with the model that is used here.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

#[path = "../../crates/cluster/examples/cluster_clock/timeline.rs"]
mod timeline;

use timeline::Step;

exercises::yours!("cluster/bucket_order.rs");

/// The maximum number of elements in a bucket of the exercise.
const LIMIT: usize = 150_000;

fn main() -> ExitCode {
    check(
        "bucket_order",
        YOURS,
        &[
            ("the cause of the missing overlap", cause),
            ("each parameter is in one bucket", complete),
            ("the messages overlap the backward pass", overlap),
            ("the messages overlap the backward pass of many layers", deep),
            ("the predicted time of the step", predicted),
        ],
    )
}

/// Why no message overlaps the backward pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// All gradients are in one bucket, so it is complete at the end.
    BucketTooLarge,
    /// The first bucket has the layers that were created first.
    OrderOfCreation,
    /// The network is slower than the backward pass.
    NetworkTooSlow,
    /// Small messages pay the latency too often.
    TooManyMessages,
    /// The hook waits for each message, so the backward pass stops.
    HookThatWaits,
}

fn cause(_: &()) -> Outcome {
    let why = match yours::cause() {
        Cause::OrderOfCreation => return Ok(()),
        Cause::BucketTooLarge => {
            "The timeline has three messages. The last of them has only the \
             gradient of layer 4, which is complete at 3 ms, and it starts at \
             9.9 ms."
        }
        Cause::NetworkTooSlow => {
            "In a slow network, the first message starts early and the last \
             one ends late. Here the network is idle until 6 ms, and a faster \
             network would be, too."
        }
        Cause::TooManyMessages => {
            "There are only three messages. Latency makes messages longer, but \
             it does not delay the first one until 6 ms."
        }
        Cause::HookThatWaits => {
            "If the hook waited, there would be a gap between the backward \
             passes of two layers. Here they follow each other without a gap."
        }
    };
    Err(wrong(format!("The cause is not {:?}. {why}", yours::cause())))
}

fn complete(_: &()) -> Outcome {
    let small = vec![1000; 20];
    let cases = [
        (timeline::exercise().lens, LIMIT),
        (small.clone(), 10_000),
        (small, 7_000),
        (vec![], 10),
        (vec![5], 3),
    ];
    for (lens, limit) in cases {
        let buckets = yours::buckets(&lens, limit);
        for index in 0..lens.len() {
            let count = buckets.iter().flatten().filter(|it| **it == index);
            let count = count.count();
            if count != 1 {
                return Err(wrong(format!(
                    "Parameter {index} of {} is in {count} buckets: \
                     {buckets:?}. Each parameter belongs to exactly one.",
                    lens.len()
                )));
            }
        }
        for bucket in &buckets {
            let len: usize = bucket.iter().map(|it| lens[*it]).sum();
            if bucket.is_empty() || bucket.len() > 1 && len > limit {
                return Err(wrong(format!(
                    "The bucket {bucket:?} has {len} elements. A bucket has at \
                     least one parameter and at most {limit} elements, unless \
                     its only parameter is larger."
                )));
            }
        }
    }
    Ok(())
}

fn overlap(_: &()) -> Outcome {
    judge(&timeline::exercise(), LIMIT, &[vec![3], vec![2], vec![1, 0]])
}

fn deep(_: &()) -> Outcome {
    let step = Step { lens: vec![1000; 20], layer: [20e-6, 40e-6] };
    let right = [(10..20).collect(), (0..10).collect()];
    judge(&step, 10_000, &right)
}

/// Compares the time of a step with the time with our buckets.
fn judge(step: &Step, limit: usize, right: &[Vec<usize>]) -> Outcome {
    let yours = yours::buckets(&step.lens, limit);
    let [time, best] = [&yours, right].map(|it| step.time(it) * 1e3);
    if time <= best + 1e-3 {
        return Ok(());
    }
    let first = yours[0].iter().map(|layer| step.complete(*layer));
    let first = first.fold(0.0, f64::max) * 1e3;
    let end = step.complete(0) * 1e3;
    let why = if first > end - 1e-3 {
        format!(
            "The first bucket has a gradient that is complete only at the end \
             of the backward pass, at {first:.2} ms."
        )
    } else if yours.len() > right.len() {
        format!(
            "There are {} messages instead of {}, and each pays the latency.",
            yours.len(),
            right.len()
        )
    } else {
        "A bucket waits for a gradient that is complete much later than the \
         others in it, or for a bucket before it."
            .to_string()
    };
    let mut words = format!(
        "With your buckets the step takes {time:.2} ms, but it can take less. \
         {why}"
    );
    if step.lens.len() < 10 {
        let text = timeline::text(&step.events(&yours));
        let lines = text.lines().map(|line| format!("\n  {line}"));
        words += &format!("\n{}", lines.collect::<String>());
    }
    Err(wrong(words))
}

fn predicted(_: &()) -> Outcome {
    let step = timeline::exercise();
    let right = step.time(&yours::buckets(&step.lens, LIMIT)) * 1e3;
    let yours = yours::predicted();
    let near = |time: f64| (yours - time).abs() < 0.05;
    let last = (step.complete(0) + timeline::ring_time(150_000)) * 1e3;
    let why = if near(right) {
        return Ok(());
    } else if near(last) {
        "The last bucket is complete at 6 ms, but at that time the link is \
         still busy with an earlier bucket."
    } else if near(step.complete(0) * 1e3) {
        "At 6 ms the backward pass ends, and the last bucket has only become \
         complete."
    } else if near(10.5) {
        "This is the time without overlap."
    } else {
        "For each bucket, write down when it is complete, when the link is \
         free, and how long the message takes. The timeline shows the \
         durations."
    };
    Err(wrong(format!("You predict {yours} ms, which is not right. {why}")))
}
