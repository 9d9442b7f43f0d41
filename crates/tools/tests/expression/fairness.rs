//! Measures the false positives and the detected errors of the checker, on
//! random expressions with right engines and with planted errors.

use std::fmt;

use rungrad::attempt;

use crate::planted_fault::{FAULTS, plant};
use crate::random_expression::{Typed, expression};
use testkit::random::{Random, cases, first_seed};
use tools::expression::engine;
use tools::expression::expr;
use tools::expression::request::Request;
use tools::expression::verdict::{Culprit, Finding, Verdict};

/// An engine on a device, and the operations that the checker supports there.
pub struct Place {
    pub engine: &'static str,
    pub device: Option<&'static str>,
    pub one: &'static [&'static str],
    pub two: &'static [&'static str],
}

/// The verdicts on the expressions and on the planted errors.
#[derive(Default)]
pub struct Counts {
    pub expressions: usize,
    /// Commands that reproduce a false positive.
    pub accused: Vec<String>,
    pub unjudged: Vec<String>,
    pub planted: usize,
    /// Planted errors that were not found.
    pub missed: Vec<String>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} expressions", self.expressions)?;
        writeln!(f, "{} planted errors", self.planted)?;
        for (word, commands) in [
            ("accused", &self.accused),
            ("unjudged", &self.unjudged),
            ("missed", &self.missed),
        ] {
            writeln!(f, "{word}: {}", commands.len())?;
            for command in commands.iter().take(8) {
                writeln!(f, "  {command}")?;
            }
        }
        Ok(())
    }
}

/// Checks random expressions, and plants an error on each tape.
pub fn tried(place: &Place, usual: u64) -> Counts {
    let mut counts = Counts::default();
    for seed in first_seed().. {
        if counts.expressions as u64 == cases(usual) {
            break;
        }
        let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc));
        let typed = expression(&mut random, place.one, place.two);
        let request = request(&typed, place);
        // Not every engine supports each operation for each shape.
        let Ok(Ok(outcome)) = attempt(|| engine::run(&request)) else {
            continue;
        };
        let verdict = Verdict::of(&request, &outcome);
        let command = typed.command(place.engine, place.device);
        if let Some(culprit) = &verdict.culprit {
            let who = match culprit {
                Culprit::DifferentFunction => "another function".to_string(),
                Culprit::Tape(blame) => format!("{blame:?}"),
            };
            counts.accused.push(format!("{command}: {who}"));
        }
        // Beyond the range of `f32`, only false positives count.
        if !typed.is_ordinary() {
            continue;
        }
        counts.expressions += 1;
        let reason = verdict.inputs.iter().find_map(|it| match &it.finding {
            Finding::CannotJudge(why) => Some(why),
            _ => None,
        });
        counts.unjudged.extend(reason.map(|why| format!("{command}: {why}")));
        let fault = FAULTS[random.below(FAULTS.len())];
        let mut tape = outcome.tape;
        if let Some(at) = plant(fault, &mut tape, &mut random) {
            counts.planted += 1;
            let named = tape.blame().map(|blame| blame.at());
            if named != Some(at) {
                let op = tape.records[at].op.name();
                let what = format!("{fault:?} in %{at} ({op}), {named:?}");
                counts.missed.push(format!("{command}: {what}"));
            }
        }
    }
    counts
}

pub fn request(typed: &Typed, place: &Place) -> Request {
    Request {
        text: typed.text.clone(),
        expr: expr::parse(&typed.text).expect("it was made to be read"),
        inputs: typed.inputs.clone(),
        engine: place.engine.to_string(),
        device: place.device.map(String::from),
        svg: "target/tape.svg".into(),
    }
}
