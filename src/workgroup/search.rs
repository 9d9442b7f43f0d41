//! Searches all schedules of a small group.
//!
//! There are too many schedules to run each of them: two items with ten steps
//! have 184,756. But most of them lead to the same states. If local memory and
//! the values that every item has seen are equal, everything that can follow
//! is equal, whatever the order of the steps before. The search therefore
//! proceeds from state to state, one step at a time. For each state it stores
//! the number of schedules that lead there and the smoothest of them, which
//! interrupts an item least often.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::item::Item;
use super::run::{Group, Run};
use super::trace::Trace;

/// The result of a search: every way in which a kernel can end.
#[derive(Clone, Debug)]
pub struct Search {
    /// The distinct endings. The one with the smoothest schedule comes first.
    pub endings: Vec<Ending>,
    /// The smoothest schedule with a race between two steps.
    pub race: Option<Trace>,
    /// The number of visited states.
    pub states: usize,
    /// Whether every schedule was searched. If the group is too large, the
    /// least smooth schedules are left out.
    pub complete: bool,
}

/// A set of schedules with the same ending.
#[derive(Clone, Debug)]
pub struct Ending {
    /// The number of schedules.
    pub schedules: u128,
    /// The run of the smoothest schedule.
    pub trace: Trace,
}

impl Search {
    /// Returns the number of schedules that were searched.
    pub fn schedules(&self) -> u128 {
        let counts = self.endings.iter().map(|ending| ending.schedules);
        counts.fold(0, u128::saturating_add)
    }

    /// Returns the run of the smoothest schedule that does not end with right
    /// values in local memory, if there is one.
    pub fn wrong(&self, is_right: impl Fn(&[f32]) -> bool) -> Option<&Trace> {
        let mut traces = self.endings.iter().map(|ending| &ending.trace);
        traces.find(|trace| !trace.end.local().is_some_and(&is_right))
    }
}

/// How many states with the same number of steps are followed.
const MAX_STATES: usize = 2048;
/// After this many simulated steps, a complete search is hopeless and only
/// `MAX_STATES_LATE` states are followed.
const MAX_SIMULATED_STEPS: usize = 1 << 22;
/// See `MAX_SIMULATED_STEPS`.
const MAX_STATES_LATE: usize = 16;

/// A run with this many steps per item is reported as endless.
const MAX_STEPS_PER_ITEM: usize = 64;

/// The schedules that lead to one state.
struct Paths {
    /// The number of schedules.
    schedules: u128,
    /// The smoothest schedule: how often it interrupts an item, and its steps.
    smoothest: (usize, Vec<usize>),
    /// The item that made the last step, if it could continue; a step of a
    /// different item would interrupt it.
    busy: Option<usize>,
}

/// The state of a run: local memory and the values that each item has seen, as
/// bits, which determine everything that can follow. The busy item determines
/// how smooth the continuations are.
type State = (Vec<u32>, Vec<Vec<u32>>, Option<usize>);

impl Group {
    /// Searches every schedule of a kernel.
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
                if let Some(trace) = run.end(MAX_STEPS_PER_ITEM * self.items) {
                    if trace.race().is_some() {
                        races.insert(paths.smoothest.clone(), trace.clone());
                    }
                    merge(&mut ends, trace.end.to_string(), paths);
                    continue;
                }
                for item in run.ready() {
                    simulated += self.items + run.events.len();
                    let (state, paths) = self.follow(&kernel, &paths, item);
                    merge(&mut next, state, paths);
                }
            }
            layer = smoothest_first(next);
            let max_states = match simulated < MAX_SIMULATED_STEPS {
                true => MAX_STATES,
                false => MAX_STATES_LATE,
            };
            complete &= layer.len() <= max_states;
            layer.truncate(max_states);
        }
        let ending = |paths: Paths| {
            let run = self.replay(&kernel, &paths);
            let trace = run.end(MAX_STEPS_PER_ITEM * self.items);
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

    /// Recreates the run after the steps of the smoothest schedule.
    fn replay<'k>(
        self,
        kernel: &'k impl AsyncFn(Item),
        paths: &Paths,
    ) -> Run<'k> {
        let mut run = Run::new(self, kernel);
        paths.smoothest.1.iter().for_each(|&item| run.step(item));
        run
    }

    /// Extends the schedules by one step of `item`.
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

/// Adds schedules that lead to a state, and keeps the smoothest of the state.
fn merge<K: Ord>(states: &mut BTreeMap<K, Paths>, state: K, paths: Paths) {
    match states.entry(state) {
        Entry::Vacant(entry) => {
            entry.insert(paths);
        }
        Entry::Occupied(mut entry) => {
            let merged = entry.get_mut();
            let schedules = merged.schedules.saturating_add(paths.schedules);
            merged.schedules = schedules;
            if paths.smoothest < merged.smoothest {
                merged.smoothest = paths.smoothest;
            }
        }
    }
}

fn smoothest_first<K>(states: BTreeMap<K, Paths>) -> Vec<Paths> {
    let mut paths: Vec<Paths> = states.into_values().collect();
    paths.sort_by(|a, b| a.smoothest.cmp(&b.smoothest));
    paths
}
