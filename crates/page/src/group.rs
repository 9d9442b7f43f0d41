//! The work-group figure of "A group, step by step": the reader chooses the
//! order of the steps and the barriers.

use rungrad::Error;
use rungrad::workgroup::{
    Access, End, Ending, Event, Group, Schedule, Search, Trace,
};
use serde_json::{Value, json};

use crate::kernels::{Kernel, Tree, run, search};

const X: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
const GROUP: Group = Group { items: 4, cells: 4 };

/// Answers barriers such as `load behind`, followed by `all` for every
/// schedule, by the name of a schedule, or by a list of items, and the number
/// of steps to make.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let Some((barriers, words)) = words.split_first() else {
        return Err(usage());
    };
    let kernel = Kernel::Tree(&X, read(barriers)?);
    if words == ["all"] {
        return Ok(all(&search(GROUP, &kernel)));
    }
    let [order, made] = words else { return Err(usage()) };
    let trace = run(GROUP, schedule(order)?, &kernel);
    let made: usize = made.parse().map_err(|_| {
        Error::Usage(format!(
            "`{made}` is no number of steps; write for example 3"
        ))
    })?;
    Ok(shown(&trace, made.min(trace.events.len())))
}

fn usage() -> Error {
    Error::Usage(
        "a group takes its barriers, an order, and a number of steps"
            .to_string(),
    )
}

fn read(words: &str) -> Result<Tree, Error> {
    let mut barriers = Tree::default();
    for word in words.split_whitespace() {
        match word {
            "load" => barriers.load = true,
            "behind" => barriers.behind = true,
            "inside" => barriers.inside = true,
            other => {
                return Err(Error::Usage(format!(
                    "`{other}` is no place for a barrier; there are load, \
                     behind and inside"
                )));
            }
        }
    }
    Ok(barriers)
}

fn schedule(order: &str) -> Result<Schedule, Error> {
    let (name, seed) = order.split_once(' ').unwrap_or((order, ""));
    let items: Result<Vec<usize>, _> =
        order.split_whitespace().map(str::parse).collect();
    match name {
        "in-turn" => Some(Schedule::InTurn),
        "reversed" => Some(Schedule::Reversed),
        "lockstep" => Some(Schedule::Lockstep),
        "random" => seed.parse().ok().map(Schedule::Random),
        _ => items.ok().map(Schedule::Given),
    }
    .ok_or_else(|| {
        Error::Usage(format!(
            "`{order}` is no order; write for example in-turn, or 0 1 1"
        ))
    })
}

/// Returns every possible end, and for each the schedule with the fewest
/// interruptions of an item.
fn all(search: &Search) -> Value {
    let ending = |ending: &Ending| {
        let trace = &ending.trace;
        let order = trace.events.iter().map(|it| it.item.to_string());
        json!({
            "schedules": ending.schedules as f64,
            "end": describe_end(&trace.end),
            "right": is_right(&trace.end),
            "order": order.collect::<Vec<_>>().join(" "),
        })
    };
    json!({
        "schedules": search.schedules() as f64,
        "endings": search.endings.iter().map(ending).collect::<Value>(),
        "races": search.race.is_some(),
    })
}

fn is_right(end: &End) -> bool {
    end.local().is_some_and(|local| local[0] == X.iter().sum::<f32>())
}

/// Describes the end of a run, without the source line, which the reader of a
/// page does not see.
fn describe_end(end: &End) -> String {
    let mut words = end.to_string();
    if let End::Divergent(places) = end {
        for line in places.iter().filter_map(|(_, line)| *line) {
            words = words.replace(&format!(" in line {line}"), "");
        }
    }
    words
}

/// Returns a run after `made` steps, and the next step of each item.
fn shown(trace: &Trace, made: usize) -> Value {
    // Steps that have not been made yet must not count as races.
    let mut so_far = trace.clone();
    so_far.events.truncate(made);
    let racing = so_far.race().map(|race| (race.steps, race.to_string()));
    let mut local = vec![f32::NAN; GROUP.cells];
    let step = |(at, event): (usize, &Event)| {
        if event.access == Access::Write {
            local[event.cell] = event.value;
        }
        let is_racing = racing.as_ref().is_some_and(|it| it.0.contains(&at));
        json!({
            "item": event.item,
            "words": format_access(event, true),
            "local": End::Done(local.clone()).to_string(),
            "phase": event.phase,
            "races": is_racing,
        })
    };
    let steps: Value = trace.events.iter().enumerate().map(step).collect();
    let items = (0..GROUP.items).map(|item| next(trace, made, item));
    json!({
        "steps": steps,
        "items": items.collect::<Value>(),
        "barriers": trace.barriers,
        "race": racing.map(|(_, words)| words),
        "end": describe_end(&trace.end),
        "right": is_right(&trace.end),
    })
}

/// Formats an access as in the chapter: `[1] is 2`, `[1] = 2`. The value of a
/// future read is not known yet.
fn format_access(event: &Event, is_made: bool) -> String {
    let value = End::Done(vec![event.value]);
    let cell = event.cell;
    match event.access {
        Access::Write => format!("[{cell}] = {value}"),
        Access::Read if is_made => format!("[{cell}] is {value}"),
        Access::Read => format!("[{cell}] is \u{2026}"),
    }
}

/// Returns the next step of an item. The rest of the trace assumes that all
/// items continue in turn. Until the next barrier, the steps of an item are
/// the same in every order.
fn next(trace: &Trace, made: usize, item: usize) -> Value {
    let rest = &trace.events[made..];
    let phase = rest.first().map_or(trace.barriers, |it| it.phase);
    let own = rest.iter().find(|it| it.item == item);
    let waits = match &trace.end {
        End::Divergent(places) => places[item].1.is_some(),
        _ => false,
    };
    match own {
        Some(event) if event.phase == phase => {
            json!({ "next": format_access(event, false) })
        }
        Some(_) => json!({ "waits": true }),
        None => json!({ "waits": waits || phase < trace.barriers }),
    }
}
