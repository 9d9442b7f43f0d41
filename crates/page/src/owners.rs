//! The figure of "Who owns the graph": products whose rule receives the
//! gradient, or captures its output, with the counts of their handles.

#[path = "../../../examples/part1_cycle.rs"]
#[allow(dead_code, reason = "a page begins elsewhere than the program")]
mod cycle;

use std::rc::{Rc, Weak};

use rungrad::Error;
use serde_json::{Value, json};

use cycle::{LIVE, Tensor, mul_that_captures, mul_that_is_told, tensor};

const NAMES: [char; 3] = ['a', 'b', 'c'];

/// The handles and tensors of `c = a * b`.
pub(crate) struct Owners {
    /// The program's handles to each of the three tensors.
    handles: [Vec<Rc<Tensor>>; 3],
    watched: [Weak<Tensor>; 3],
    /// The number of live tensors before the program began.
    before: usize,
}

impl Owners {
    /// Runs a program: `told` or `captures`, then steps such as `+a-c`, where
    /// `+` clones a handle and `-` drops one. A single `*` creates another
    /// product and drops it at once.
    pub(crate) fn run(rule: &str, steps: &str) -> Result<Owners, Error> {
        let mul = match rule {
            "told" => mul_that_is_told,
            "captures" => mul_that_captures,
            other => {
                return Err(Error::Usage(format!(
                    "`{other}` is no rule; write told or captures"
                )));
            }
        };
        let before = LIVE.get();
        let (a, b) = (tensor(2.0, vec![]), tensor(3.0, vec![]));
        let c = mul(&a, &b);
        let watched = [&a, &b, &c].map(Rc::downgrade);
        let handles = [vec![a], vec![b], vec![c]];
        let mut owners = Owners { handles, watched, before };
        let mut steps = steps.chars();
        while let Some(step) = steps.next() {
            match step {
                '*' => {
                    mul(&tensor(2.0, vec![]), &tensor(3.0, vec![]));
                }
                _ => owners.step(step, steps.next())?,
            }
        }
        Ok(owners)
    }

    fn step(&mut self, step: char, name: Option<char>) -> Result<(), Error> {
        let place = NAMES.iter().position(|known| Some(*known) == name);
        let (Some(place), '+' | '-') = (place, step) else {
            return Err(Error::Usage(format!(
                "`{step}` is no step; write for example +a, -c or *"
            )));
        };
        let handles = &mut self.handles[place];
        let Some(handle) = handles.pop() else {
            let name = NAMES[place];
            let freed = match self.watched[place].strong_count() {
                0 => "it is freed",
                _ => "what others own stays",
            };
            return Err(Error::Usage(format!(
                "your program has no handle on {name} any more; {freed}"
            )));
        };
        if step == '+' {
            handles.extend([handle.clone(), handle]);
        }
        Ok(())
    }

    /// Returns the number of owners of `a`, `b` and `c`.
    pub(crate) fn counts(&self) -> [usize; 3] {
        self.watched.each_ref().map(Weak::strong_count)
    }
}

/// Answers a rule and steps: the program's handles, the owners of each tensor,
/// and the number of live tensors.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let [steps, rule] = words else {
        return Err(Error::Usage(
            "owners take steps, and told or captures".to_string(),
        ));
    };
    let owners = Owners::run(rule, steps)?;
    Ok(json!({
        "handles": owners.handles.each_ref().map(Vec::len),
        "counts": owners.counts(),
        "alive": LIVE.get() - owners.before,
    }))
}
