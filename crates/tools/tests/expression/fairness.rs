//! Is the judge fair? Right engines on random expressions, and then with a
//! fault planted on each tape.

use std::collections::BTreeMap;
use std::fmt;

use rungrad::attempt;
use rungrad::tape::Tape;

use crate::planted_fault::{FAULTS, Fault, plant};
use crate::random_expression::{Family, Typed, expression};
use testkit::random::{Random, cases, first_seed};
use tools::expression::engine::{self, Outcome};
use tools::expression::expr;
use tools::expression::request::Request;
use tools::expression::verdict::{Culprit, Finding, Verdict};

/// An engine on one device, and the operations that the bench knows there.
pub struct Place {
    pub engine: &'static str,
    pub device: Option<&'static str>,
    pub one: &'static [&'static str],
    pub two: &'static [&'static str],
}

/// What became of the expressions.
#[derive(Default)]
pub struct Counts {
    families: BTreeMap<Family, [u64; 3]>,
    faults: BTreeMap<Fault, [u64; 2]>,
    reasons: BTreeMap<String, u64>,
    /// What to type to see a false accusation.
    pub accused: Vec<String>,
    missed: Vec<String>,
    unjudged: Vec<String>,
    /// Expressions that leave what `f32` holds: nobody may be accused there
    /// either.
    wild: u64,
}

impl Counts {
    /// How many of how many expressions could not be judged.
    pub fn not_judged(&self) -> [u64; 2] {
        let rows = self.families.values();
        rows.fold([0, 0], |[n, of], row| [n + row[2], of + row[0]])
    }

    /// How many of how many planted faults were named.
    pub fn named(&self) -> [u64; 2] {
        let rows = self.faults.values();
        rows.fold([0, 0], |[n, of], row| [n + row[1], of + row[0]])
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12} {:>8} accused unjudged", "family", "cases")?;
        for (family, [cases, accused, unjudged]) in &self.families {
            let family = format!("{family:?}");
            writeln!(f, "{family:<12} {cases:>8} {accused:>7} {unjudged:>8}")?;
        }
        writeln!(f, "beyond f32   {:>8}", self.wild)?;
        for (why, count) in &self.reasons {
            writeln!(f, "  {count:>6}  {why}")?;
        }
        writeln!(f, "\n{:<12} {:>8}   named", "fault", "planted")?;
        for (fault, [planted, named]) in &self.faults {
            let fault = format!("{fault:?}");
            writeln!(f, "{fault:<12} {planted:>8} {named:>7}")?;
        }
        let shown = |what: &str, list: &[String]| {
            list.iter()
                .take(8)
                .map(|it| format!("\n{what}: {it}"))
                .collect::<String>()
        };
        f.write_str(&shown("accused", &self.accused))?;
        f.write_str(&shown("missed", &self.missed))?;
        f.write_str(&shown("unjudged", &self.unjudged))
    }
}

/// Tries seeded expressions at one place.
pub fn tried(place: &Place, usual: u64) -> Counts {
    let mut counts = Counts::default();
    let mut done = 0;
    for seed in first_seed().. {
        if done == cases(usual) {
            break;
        }
        let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc));
        let typed = expression(&mut random, place.one, place.two);
        let ordinary = typed.is_ordinary();
        let request = request(&typed, place);
        // Not every engine has each operation for each shape.
        let Ok(Ok(outcome)) = attempt(|| engine::run(&request)) else {
            continue;
        };
        let verdict = Verdict::of(&request, &outcome);
        let command = typed.command(place.engine, place.device);
        if let Some(culprit) = &verdict.culprit {
            let who = match culprit {
                Culprit::AnotherFunction => "another function".to_string(),
                Culprit::Tape(blame) => {
                    let op = outcome.tape.records[blame.at()].op.name();
                    format!("{op}: {blame:?}")
                }
            };
            counts.accused.push(format!("{command}\n  {who}"));
        }
        if !ordinary {
            counts.wild += 1;
            continue;
        }
        done += 1;
        let row = counts.families.entry(typed.family).or_default();
        row[0] += 1;
        row[1] += u64::from(verdict.culprit.is_some());
        let reason = verdict.inputs.iter().find_map(|it| match &it.finding {
            Finding::CannotJudge(why) => Some(why),
            _ => None,
        });
        if let Some(why) = reason {
            row[2] += 1;
            let why: String = why.chars().filter(|c| !c.is_numeric()).collect();
            counts.unjudged.push(format!("{why}: {command}"));
            *counts.reasons.entry(why).or_default() += 1;
        }
        let fault = FAULTS[random.below(FAULTS.len())];
        named(&mut counts, fault, outcome, &mut random, &command);
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

/// Plants a fault and notes whether the judge names its place.
fn named(
    counts: &mut Counts,
    fault: Fault,
    outcome: Outcome,
    random: &mut Random,
    command: &str,
) {
    let mut tape: Tape = outcome.tape;
    let Some(at) = plant(fault, &mut tape, random) else { return };
    let blame = tape.blame();
    let named = blame.as_ref().is_some_and(|blame| blame.at() == at);
    let row = counts.faults.entry(fault).or_default();
    row[0] += 1;
    row[1] += u64::from(named);
    if !named {
        let op = tape.records[at].op.name();
        let found = blame.map(|blame| blame.at());
        counts
            .missed
            .push(format!("{fault:?} in %{at} ({op}), {found:?}: {command}"));
    }
}
