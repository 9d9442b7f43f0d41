//! Tests of the simulator with correct and with wrong kernels.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::{Access, End, Group, Item, Schedule};

const INPUT: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

/// A tree reduction: sums the group's part of `x` into cell 0. `barriers`
/// says whether there is a barrier after the load, and after each round.
async fn reduce(item: Item, x: &[f32], barriers: [bool; 2]) {
    let me = item.id();
    item.write(me, x[me]).await;
    if barriers[0] {
        item.barrier().await;
    }
    let mut width = item.size() / 2;
    while width > 0 {
        if me < width {
            let sum = item.read(me).await + item.read(me + width).await;
            item.write(me, sum).await;
        }
        if barriers[1] {
            item.barrier().await;
        }
        width /= 2;
    }
}

fn group(items: usize) -> Group {
    Group { items, cells: items }
}

/// Promise: A correct kernel in the simulated work-group passes under every
/// schedule.
#[test]
fn a_correct_reduction_passes_every_schedule() {
    for (items, right) in [(1, 1.0), (2, 3.0), (4, 10.0), (8, 36.0)] {
        let search = group(items)
            .search(async |item| reduce(item, &INPUT, [true; 2]).await);
        assert!(search.complete, "{items} items: {} states", search.states);
        assert_eq!(search.endings.len(), 1, "{items} items");
        let end = &search.endings[0].trace.end;
        assert_eq!(end.local().map(|local| local[0]), Some(right));
        assert!(search.race.is_none() && search.wrong(|_| true).is_none());
    }
}

/// Four loads have 24 orders, two times three steps can be interleaved in 20
/// ways, and in the last round there is one item. Eight items have far too
/// many schedules to try, but hardly more states.
#[test]
fn schedules_and_states_are_counted() {
    let search = |items| {
        let kernel = async |item: Item| reduce(item, &INPUT, [true; 2]).await;
        let search = group(items).search(kernel);
        (search.schedules(), search.states)
    };
    assert_eq!(search(4), (24 * 20, 42));
    assert_eq!(search(8), (298_045_440_000, 969));
}

/// Promise: A kernel without its barriers is shown with a schedule that breaks
/// it.
#[test]
fn a_reduction_without_barriers_can_break() {
    let kernel = async |item: Item| reduce(item, &INPUT, [true, false]).await;
    let search = group(4).search(kernel);
    let broken = search.wrong(|local| local[0] == 10.0).expect("it breaks");
    // Item 0 completes both rounds before item 1 starts.
    let steps: Vec<usize> = broken.events.iter().map(|it| it.item).collect();
    assert_eq!(steps[4..], [0, 0, 0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(broken.end, End::Done(vec![6.0, 6.0, 3.0, 4.0]));
    let again = group(4).run(Schedule::Given(steps), kernel);
    assert_eq!(again.end, broken.end);
    let race = broken.race().expect("a race");
    assert_eq!(
        race.to_string(),
        "A race on [1]: item 0 reads in step 9, item 1 writes in step 13."
    );
}

#[test]
fn lockstep_hides_a_missing_barrier() {
    let kernel = async |item: Item| reduce(item, &INPUT, [true, false]).await;
    let sum = |schedule| group(8).run(schedule, kernel).end.local().unwrap()[0];
    assert_eq!(sum(Schedule::Lockstep), 36.0);
    assert_eq!(sum(Schedule::Reversed), 36.0);
    assert_ne!(sum(Schedule::InTurn), 36.0);
    // There is a race even if the result happens to be right.
    for schedule in [Schedule::Lockstep, Schedule::Reversed] {
        assert!(group(8).run(schedule, kernel).race().is_some());
    }
}

#[test]
fn an_unwritten_value_is_unknown() {
    let kernel = async |item: Item| reduce(item, &INPUT, [false, true]).await;
    let trace = group(2).run(Schedule::InTurn, kernel);
    assert_eq!(trace.events[2].to_string(), "reads  ? from [1]");
    let search = group(2).search(kernel);
    assert_eq!(search.race.unwrap().race().unwrap().events[0].cell, 1);
}

/// Promise: A divergent barrier in the simulated work-group is reported in a
/// sentence.
#[test]
fn a_divergent_barrier_gives_a_sentence() {
    let kernel = async |item: Item| {
        if item.id() < 2 {
            item.barrier().await;
        }
    };
    let line = line!() - 3;
    let end = group(4).run(Schedule::InTurn, kernel).end;
    assert_eq!(
        end.to_string(),
        format!(
            "A divergent barrier: items 0 and 1 wait in line {line}, items \
             2 and 3 have left.\nEvery item of a group has to reach the same \
             one, or the others wait forever."
        )
    );
}

#[test]
fn different_barriers_do_not_match() {
    let kernel = async |item: Item| match item.id() {
        0 => item.barrier().await,
        _ => item.barrier().await,
    };
    let end = group(3).run(Schedule::InTurn, kernel).end.to_string();
    assert!(end.contains("item 0 waits in line"), "{end}");
    assert!(end.contains("items 1 and 2 wait in line"), "{end}");
}

/// Promise: An index out of bounds in the simulated work-group is reported in a
/// sentence.
#[test]
fn an_index_out_of_bounds_gives_a_sentence() {
    let kernel = async |item: Item| item.write(item.id() + 1, 1.0).await;
    let trace = group(2).run(Schedule::InTurn, kernel);
    assert_eq!(trace.events.len(), 2);
    assert_eq!(
        trace.end.to_string(),
        "Item 1 wrote to [2], but local memory has 2 cells, counted from 0."
    );
    assert!(group(2).search(kernel).wrong(|_| true).is_some());
}

#[test]
fn an_endless_kernel_is_reported() {
    let spins = async |item: Item| while item.read(0).await.is_nan() {};
    let walks = async |item: Item| loop {
        item.barrier().await;
    };
    for end in [
        group(2).run(Schedule::Lockstep, spins).end,
        group(2).run(Schedule::Lockstep, walks).end,
        group(2).search(spins).endings.remove(0).trace.end,
    ] {
        assert!(matches!(end, End::Endless(_)), "{end}");
    }
}

#[test]
fn a_long_kernel_is_not_endless() {
    // Two items with 700 steps each.
    let long = async |item: Item| {
        for _ in 0..700 {
            item.read(0).await;
        }
    };
    let end = group(2).run(Schedule::Lockstep, long).end;
    assert!(matches!(end, End::Done(_)), "{end}");
}

#[test]
fn an_incomplete_search_is_reported() {
    let input: Vec<f32> = (0..32).map(|x| x as f32).collect();
    let kernel = async |item: Item| reduce(item, &input, [true, false]).await;
    let search = group(32).search(kernel);
    assert!(!search.complete);
    assert!(search.wrong(|local| local[0] == 496.0).is_some());
}

#[test]
fn a_seed_determines_the_schedule() {
    let kernel = async |item: Item| reduce(item, &INPUT, [true; 2]).await;
    let order = |seed| -> Vec<usize> {
        let trace = group(8).run(Schedule::Random(seed), kernel);
        trace.events.iter().map(|event| event.item).collect()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn the_search_tries_every_order_of_writes() {
    let kernel = async |item: Item| item.write(0, item.id() as f32).await;
    let search = Group { items: 3, cells: 1 }.search(kernel);
    let last: Vec<(u128, f32)> = search
        .endings
        .iter()
        .map(|it| (it.schedules, it.trace.end.local().unwrap()[0]))
        .collect();
    assert_eq!(last, [(2, 2.0), (2, 1.0), (2, 0.0)]);
}

#[test]
fn concurrent_reads_are_not_a_race() {
    let kernel = async |item: Item| {
        if item.id() == 0 {
            item.write(0, 1.0).await;
        }
        item.barrier().await;
        item.read(0).await;
    };
    let search = group(3).search(kernel);
    assert!(search.race.is_none());
    let read = search.endings[0].trace.events[1];
    assert_eq!((read.access, read.value, read.phase), (Access::Read, 1.0, 1));
}

/// Promise: A simulated barrier without `.await` is rejected.
#[test]
#[should_panic(expected = "nobody waits for it; write `.await` behind it")]
fn a_barrier_without_await_is_rejected() {
    group(2).run(Schedule::InTurn, async |item: Item| drop(item.barrier()));
}

#[test]
#[should_panic(expected = "step 2 of the schedule is item 1's, which cannot \
                           make one: only [0] can")]
fn a_wrong_schedule_lists_the_possible_items() {
    let kernel = async |item: Item| {
        if item.id() == 0 {
            item.write(0, 1.0).await;
            item.write(0, 2.0).await;
        }
    };
    group(2).run(Schedule::Given(vec![0, 1]), kernel);
}

/// A future may be polled again before it is woken.
#[test]
fn a_step_polled_twice_runs_once() {
    let kernel = async |item: Item| {
        let mut step = pin!(item.write(0, 5.0));
        poll_fn(|context| match step.as_mut().poll(context) {
            Poll::Pending => step.as_mut().poll(context),
            ready => ready,
        })
        .await;
    };
    let trace = group(1).run(Schedule::InTurn, kernel);
    assert_eq!(trace.events.len(), 1);
    assert_eq!(trace.end.local().map(|local| local[0]), Some(5.0));
}

#[test]
fn trace_columns_are_aligned() {
    let kernel = async |item: Item| {
        item.write(0, 1.0).await;
        item.write(10, 1234.5).await;
    };
    let group = Group { items: 1, cells: 11 };
    let trace = group.run(Schedule::InTurn, kernel).to_string();
    let lines: Vec<&str> = trace.lines().collect();
    let column = lines[0].find("local memory").unwrap();
    for line in &lines[1..3] {
        let (does, local) = line.split_at(column);
        assert!(does.ends_with("  ") && local.starts_with("1 "), "{trace}");
    }
}

#[test]
fn a_trace_shows_local_memory_after_each_step() {
    let kernel = async |item: Item| reduce(item, &INPUT, [true; 2]).await;
    let trace = group(2).run(Schedule::Reversed, kernel);
    pretty_assertions::assert_eq!(
        trace.to_string(),
        "\
step  item  does               local memory
   1     1  writes 2 to   [1]  ? 2
   2     0  writes 1 to   [0]  1 2
--- barrier ---
   3     0  reads  1 from [0]  1 2
   4     0  reads  2 from [1]  1 2
   5     0  writes 3 to   [0]  3 2
"
    );
}
