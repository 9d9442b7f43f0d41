//! Everything that can happen: all schedules of a small group.
//!
//! There are too many to try each: two items of ten steps have 184,756. But
//! most of them meet. Whoever made which step first, once local memory and
//! what every item has seen are the same, so is all that can follow. The
//! search goes from such a state to the next, step by step, and remembers how
//! many schedules led there, and the smoothest of them: the one that
//! interrupts an item least often.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::item::Item;
use super::run::{Group, Run};
use super::trace::Trace;

/// All that a kernel can come to.
#[derive(Clone, Debug)]
pub struct Search {
    /// The different ends, that of the smoothest schedule first.
    pub endings: Vec<Ending>,
    /// The smoothest schedule in which two steps race.
    pub race: Option<Trace>,
    /// How many states were visited.
    pub states: usize,
    /// Whether every schedule was followed. Of a group that is too large for
    /// that, the least smooth schedules are left out.
    pub complete: bool,
}

/// Schedules that end alike.
#[derive(Clone, Debug)]
pub struct Ending {
    /// How many there are.
    pub schedules: u128,
    /// The smoothest of them.
    pub trace: Trace,
}

impl Search {
    /// Counts the schedules that were followed.
    pub fn schedules(&self) -> u128 {
        let counts = self.endings.iter().map(|ending| ending.schedules);
        counts.fold(0, u128::saturating_add)
    }

    /// Finds the smoothest schedule that does not come to its end with the
    /// right numbers in local memory.
    pub fn wrong(&self, is_right: impl Fn(&[f32]) -> bool) -> Option<&Trace> {
        let mut traces = self.endings.iter().map(|ending| &ending.trace);
        traces.find(|trace| !trace.end.local().is_some_and(&is_right))
    }
}

/// How many states of equally many steps are followed; and how many after so
/// many steps were simulated, when it is clear that there is no end to them.
const WIDTH: usize = 2048;
const MANY: usize = 1 << 22;
const FEW: usize = 16;

/// An item that has made so many steps is taken for one that never ends.
const MOST_STEPS: usize = 64;

/// The schedules that lead to one state.
struct Paths {
    /// How many.
    schedules: u128,
    /// The smoothest of them: how often it interrupts an item, and its steps.
    smoothest: (usize, Vec<usize>),
    /// Who could go on now, and would be interrupted by another.
    busy: Option<usize>,
}

/// What decides on all that can follow: local memory, and what each item has
/// seen, in bits. Who is busy decides on how smooth it will be.
type State = (Vec<u32>, Vec<Vec<u32>>, Option<usize>);

impl Group {
    /// Follows every schedule of a kernel.
    #[track_caller]
    pub fn search(self, kernel: impl AsyncFn(Item)) -> Search {
        let smoothest = (0, Vec::new());
        let mut layer = vec![Paths { schedules: 1, smoothest, busy: None }];
        let mut ends = BTreeMap::new();
        let mut races = BTreeMap::new();
        let (mut states, mut simulated, mut complete) = (0, 0, true);
        while !layer.is_empty() {
            let mut next = BTreeMap::new();
            for paths in layer {
                states += 1;
                let run = self.replay(&kernel, &paths);
                if let Some(trace) = run.end(MOST_STEPS * self.items) {
                    if trace.race().is_some() {
                        races.insert(paths.smoothest.clone(), trace.clone());
                    }
                    meet(&mut ends, trace.end.to_string(), paths);
                    continue;
                }
                for item in run.ready() {
                    simulated += self.items + run.events.len();
                    let (state, paths) = self.follow(&kernel, &paths, item);
                    meet(&mut next, state, paths);
                }
            }
            layer = smoothest_first(next);
            let width = if simulated < MANY { WIDTH } else { FEW };
            complete &= layer.len() <= width;
            layer.truncate(width);
        }
        let ending = |paths: Paths| {
            let run = self.replay(&kernel, &paths);
            let trace = run.end(MOST_STEPS * self.items);
            let trace = trace.expect("the path has come to its end");
            Ending { schedules: paths.schedules, trace }
        };
        Search {
            endings: smoothest_first(ends).into_iter().map(ending).collect(),
            race: races.into_values().next(),
            states,
            complete,
        }
    }

    /// Rebuilds the group after the steps of a path.
    fn replay<'k>(
        self,
        kernel: &'k impl AsyncFn(Item),
        paths: &Paths,
    ) -> Run<'k> {
        let mut run = Run::new(self, kernel);
        paths.smoothest.1.iter().for_each(|&item| run.step(item));
        run
    }

    /// Goes one step further, by this item.
    fn follow(
        self,
        kernel: &impl AsyncFn(Item),
        paths: &Paths,
        item: usize,
    ) -> (State, Paths) {
        let mut run = self.replay(kernel, paths);
        let phase = run.phase;
        run.step(item);
        let goes_on = run.phase == phase && run.ready().contains(&item);
        let busy = goes_on.then_some(item);
        let interrupts = paths.busy.is_some_and(|busy| busy != item);
        let (switches, mut steps) = paths.smoothest.clone();
        steps.push(item);
        let smoothest = (switches + usize::from(interrupts), steps);
        let mut seen = vec![Vec::new(); self.items];
        for event in &run.events {
            seen[event.item].push(event.value.to_bits());
        }
        let local = run.local.iter().map(|value| value.to_bits()).collect();
        let state = (local, seen, busy);
        (state, Paths { schedules: paths.schedules, smoothest, busy })
    }
}

/// Merges two ways to the same place, and keeps the smoother.
fn meet<K: Ord>(places: &mut BTreeMap<K, Paths>, place: K, paths: Paths) {
    match places.entry(place) {
        Entry::Vacant(free) => {
            free.insert(paths);
        }
        Entry::Occupied(mut there) => {
            let there = there.get_mut();
            there.schedules = there.schedules.saturating_add(paths.schedules);
            if paths.smoothest < there.smoothest {
                there.smoothest = paths.smoothest;
            }
        }
    }
}

fn smoothest_first<K>(places: BTreeMap<K, Paths>) -> Vec<Paths> {
    let mut paths: Vec<Paths> = places.into_values().collect();
    paths.sort_by(|a, b| a.smoothest.cmp(&b.smoothest));
    paths
}
