//! Checks `ring_all_reduce`, a sum over ranks.
//!
//! Rank `r` has the value 16^r, so a wrong sum shows how often it contains the
//! values of each rank.

use std::process::ExitCode;

use exercises::{
    Link, Order, Outcome, Run, Stop, check, drawn, either, every_order,
    numbers, run_ranks, wrong,
};

exercises::yours!("cluster/ring_all_reduce.rs");

fn main() -> ExitCode {
    check(
        "ring_all_reduce",
        YOURS,
        &[
            ("the slices cover all elements", slices),
            ("a single rank already has the sum", alone),
            ("each sum contains the values of every rank once", counted),
            ("each sum does so if the slices have different lengths", uneven),
            ("no element changes its index", in_place),
            ("all ranks have the same bits", bits),
            ("a rank sends about twice its values, to the next rank", traffic),
            ("every order of arrival, for three ranks", orders),
            ("random orders of arrival, for up to eight ranks", chance),
        ],
    )
}

fn slices(_: &()) -> Outcome {
    for size in 1..6 {
        for len in 0..14 {
            let mut end = 0;
            for index in 0..size {
                let slice = yours::slice(len, size, index);
                let is_short = slice.len() < len / size;
                if slice.start != end || slice.end < end || slice.end > len {
                    return Err(wrong(format!(
                        "{len} elements are divided into {size} slices. Slice \
                         {index} is {slice:?}; it should begin at {end}."
                    )));
                }
                if is_short || slice.len() > len.div_ceil(size) {
                    return Err(wrong(format!(
                        "{len} elements are divided into {size} slices. Slice \
                         {index} is {slice:?} and has {} elements; the lengths \
                         of two slices may differ by at most 1.",
                        slice.len()
                    )));
                }
                end = slice.end;
            }
            if end < len {
                return Err(wrong(format!(
                    "{len} elements are divided into {size} slices. The last \
                     one ends at {end}, so some elements belong to no slice."
                )));
            }
        }
    }
    Ok(())
}

/// Returns the multiple of the sum that a variant returns, a power of two.
fn factor() -> f32 {
    drawn("factor").unwrap_or(1.0)
}

/// Runs the learner's function with `input(rank)` on each rank, and returns the
/// sums.
fn run(
    size: usize,
    order: &mut Order,
    input: impl Fn(usize) -> Vec<f32> + Sync,
) -> Result<Run<Vec<f32>>, Stop> {
    let mut run = run_ranks(size, usize::MAX, order, |mut link| {
        let values = input(link.rank());
        yours::ring_all_reduce(&mut link, values)
    })?;
    let len = input(0).len();
    for (rank, values) in run.results.iter_mut().enumerate() {
        values.iter_mut().for_each(|value| *value /= factor());
        if values.len() != len {
            return Err(wrong(format!(
                "Each of {size} ranks has {len} elements, but rank {rank} \
                 returned {}.",
                values.len()
            )));
        }
    }
    Ok(run)
}

fn alone(_: &()) -> Outcome {
    for len in [0, 3] {
        let run = run(1, &mut Order::in_turn(), |_| numbers(1, len))?;
        let (yours, right) = (&run.results[0], numbers(1, len));
        if *yours != right {
            let [yours, scaled] =
                [yours, &right].map(|it| it.iter().map(|x| x * factor()));
            return Err(wrong(format!(
                "A single rank with {right:?} returned {:?}. It should return \
                 {:?}.",
                yours.collect::<Vec<f32>>(),
                scaled.collect::<Vec<f32>>()
            )));
        }
    }
    Ok(())
}

fn counted(_: &()) -> Outcome {
    for size in 2..=4 {
        sums(size, 2 * size, &mut Order::in_turn())?;
    }
    Ok(())
}

fn uneven(_: &()) -> Outcome {
    for (size, len) in [(2, 1), (2, 5), (3, 7), (4, 3), (4, 9), (3, 0)] {
        sums(size, len, &mut Order::in_turn())?;
    }
    Ok(())
}

/// Checks how often each result contains the values of each rank.
fn sums(size: usize, len: usize, order: &mut Order) -> Outcome {
    let input = |rank| vec![16_f32.powi(rank as i32); len];
    let run = run(size, order, input)?;
    // The number of times that element `i` of a result contains a rank.
    let count = |values: &[f32], i: usize, rank: usize| {
        values[i] as usize >> (4 * rank) & 15
    };
    let is_complete = |values: &[f32], i: usize| {
        (0..size).all(|rank| count(values, i, rank) == 1)
    };
    let complete =
        |i: &usize| run.results.iter().filter(|it| is_complete(it, *i)).count();
    let is_repeated = |values: &Vec<f32>| {
        let mut counts =
            (0..size).flat_map(|rank| (0..len).map(move |i| (i, rank)));
        counts.any(|(i, rank)| count(values, i, rank) > 1)
    };
    if len > 0
        && !run.results.iter().any(is_repeated)
        && (0..len).all(|i| complete(&i) == 1)
    {
        return Err(wrong(format!(
            "Each of {len} elements has the complete sum on one of {size} \
             ranks, but the other ranks have only parts of it. The complete \
             slices still have to travel around the ring."
        )));
    }
    for (rank, values) in run.results.iter().enumerate() {
        let Some(i) = (0..len).find(|i| !is_complete(values, *i)) else {
            continue;
        };
        let lines = (0..size).map(|other| {
            let times = match count(values, i, other) {
                0 => "never".to_string(),
                1 => "once".to_string(),
                count => format!("{count} times"),
            };
            format!("\n  rank {other}  {times}")
        });
        let lines: String = lines.collect();
        return Err(wrong(format!(
            "{size} ranks have {len} elements each. On rank {rank}, element \
             {i} should contain the values of each rank once. It contains \
             them this often:\n{lines}\n\n{}",
            run.order()
        )));
    }
    Ok(())
}

fn in_place(_: &()) -> Outcome {
    for (size, len) in [(2, 4), (3, 6), (3, 5), (4, 10)] {
        let input = |rank| numbers(7 * rank as u64, len);
        let run = run(size, &mut Order::in_turn(), input)?;
        let sum = |i: usize| (0..size).map(|rank| input(rank)[i]).sum::<f32>();
        for (rank, values) in run.results.iter().enumerate() {
            let differs = |i: &usize| values[*i] != sum(*i);
            let Some(i) = (0..len).find(differs) else { continue };
            let hint = match (0..len).find(|j| values[i] == sum(*j)) {
                Some(j) => format!(" This is the sum of element {j}."),
                None => String::new(),
            };
            return Err(wrong(format!(
                "{size} ranks have {len} elements each. On rank {rank}, the \
                 sum of element {i} is {}. It should be {}.{hint}",
                values[i],
                sum(i)
            )));
        }
    }
    Ok(())
}

fn bits(_: &()) -> Outcome {
    for (size, len) in [(3, 9), (5, 11)] {
        let input = |rank| {
            let values = numbers(rank as u64, len);
            values.into_iter().map(|value| 1.0 / value).collect()
        };
        let run = run(size, &mut Order::in_turn(), input)?;
        for (rank, values) in run.results.iter().enumerate() {
            let pairs = values.iter().zip(&run.results[0]);
            let differs = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits();
            if let Some(i) = pairs.clone().position(differs) {
                return Err(wrong(format!(
                    "Element {i} is {} on rank {rank} and {} on rank 0: they \
                     add in different orders, so their bits differ. The \
                     parameters of the ranks would drift apart.",
                    values[i], run.results[0][i]
                )));
            }
        }
    }
    Ok(())
}

fn traffic(_: &()) -> Outcome {
    for (size, len) in [(2, 8), (4, 8), (5, 13)] {
        let run = run(size, &mut Order::in_turn(), |_| vec![1.0; len])?;
        let most = 2 * (size - 1) * len.div_ceil(size);
        for rank in 0..size {
            let sent = run.sent.iter().filter(|it| it.from == rank);
            // In a variant the ring runs the other way.
            let next = (rank + either(1, size - 1)) % size;
            if let Some(it) = sent.clone().find(|it| it.to != next) {
                return Err(wrong(format!(
                    "In a ring of {size} ranks, rank {rank} sent a message to \
                     rank {}. It should send only to the next rank.",
                    it.to
                )));
            }
            let total = sent.map(|it| it.len).sum::<usize>();
            if total > most {
                return Err(wrong(format!(
                    "{size} ranks have {len} elements each, but rank {rank} \
                     sent {total} elements. In a ring it sends at most {most}, \
                     because it sends one slice in each step."
                )));
            }
        }
    }
    Ok(())
}

fn orders(_: &()) -> Outcome {
    for len in [2, 3, 4] {
        every_order(|order| sums(3, len, order))?;
    }
    Ok(())
}

fn chance(_: &()) -> Outcome {
    for seed in 0..40 {
        let (size, len) = (2 + seed % 7, seed % 23);
        let input = |rank| numbers((seed + rank) as u64, len);
        let run = run(size, &mut Order::random(seed as u64), input)?;
        for i in 0..len {
            let sum = (0..size).map(|rank| input(rank)[i]).sum::<f32>();
            if let Some(rank) =
                run.results.iter().position(|values| values[i] != sum)
            {
                return Err(wrong(format!(
                    "{size} ranks have {len} elements each. On rank {rank}, \
                     the sum of element {i} is {}. It should be {sum}. {}",
                    run.results[rank][i],
                    run.order()
                )));
            }
        }
    }
    Ok(())
}
