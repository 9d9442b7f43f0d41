//! Random expressions such as a user may type for `cargo learn try`.

use rungrad::reference::Array;

use testkit::random::Random;
use tools::expression::expr::{Expr, parse};

/// The kind of numbers in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// From 1e-3 to 1e4, with both signs.
    Ordinary,
    Integers,
    OneDecimal,
    /// Few different values, often equal or 0.
    Ties,
    /// Values whose exponentials are close to 0 or 1.
    Saturated,
    /// Differences of nearly equal numbers.
    Canceling,
}

const FAMILIES: [Family; 6] = [
    Family::Ordinary,
    Family::Integers,
    Family::OneDecimal,
    Family::Ties,
    Family::Saturated,
    Family::Canceling,
];

/// An expression and its inputs.
#[derive(Clone, Debug)]
pub struct Typed {
    pub text: String,
    pub inputs: Vec<(String, Vec<f32>)>,
}

impl Typed {
    /// Returns the command that reproduces the case.
    pub fn command(&self, engine: &str, device: Option<&str>) -> String {
        let inputs = self.inputs.iter().map(|(name, values)| {
            let values = values.iter().map(f32::to_string);
            format!(" {name}={}", values.collect::<Vec<_>>().join(","))
        });
        let inputs: String = inputs.collect();
        let device = device.map(|name| format!(" --device {name}"));
        format!(
            "cargo learn try \"{}\"{inputs} --engine {engine}{}",
            self.text,
            device.unwrap_or_default()
        )
    }

    /// Returns whether `f32` represents every intermediate value well.
    pub fn is_ordinary(&self) -> bool {
        let expr = parse(&self.text).expect("it was made to be read");
        let arrays: Vec<Array> = self
            .inputs
            .iter()
            .map(|(_, values)| Array::new(&[values.len()], values))
            .collect();
        self.holds(&expr, &arrays)
    }

    fn holds(&self, expr: &Expr, arrays: &[Array]) -> bool {
        let here = expr.judge(&self.inputs, arrays);
        let below = match expr {
            Expr::Name(_) => true,
            Expr::Op(_, operands) => {
                operands.iter().all(|operand| self.holds(operand, arrays))
            }
        };
        below && here.values.iter().all(|value| value.abs() <= 1e15)
    }
}

/// Returns a random expression of the operations that an engine has.
pub fn expression(random: &mut Random, one: &[&str], two: &[&str]) -> Typed {
    let family = FAMILIES[random.below(FAMILIES.len())];
    let length = 1 + random.below(4);
    let names = 1 + random.below(3);
    let operations = 1 + random.below(4);
    let mut inputs: Vec<(String, Vec<f32>)> = Vec::new();
    for name in ["a", "b", "c"].into_iter().take(names) {
        // Sometimes an operand is broadcast.
        let n = if random.below(6) == 0 { 1 } else { length };
        let near = inputs.first().map(|(_, values)| values.clone());
        let values = (0..n).map(|i| {
            let near = near.as_ref().and_then(|v| v.get(i)).copied();
            number(random, family, near)
        });
        let values = values.collect();
        inputs.push((name.to_string(), values));
    }
    let mut parts: Vec<String> =
        inputs.iter().map(|(name, _)| name.clone()).collect();
    let extra = random.below(3);
    for _ in 0..extra {
        let again = parts[random.below(names)].clone();
        parts.push(again);
    }
    let mut done = 0;
    while parts.len() > 1 || done < operations {
        let first = take(random, &mut parts);
        let joins = !parts.is_empty() && random.below(3) > 0;
        let made = if joins {
            let second = take(random, &mut parts);
            let signs = match family {
                Family::Canceling if random.below(2) == 0 => &["sub"][..],
                _ => two,
            };
            match signs[random.below(signs.len())] {
                "mul" => format!("({first}*{second})"),
                "add" => format!("({first}+{second})"),
                "sub" => format!("({first}-{second})"),
                "div" => format!("({first}/{second})"),
                other => format!("{other}({first}, {second})"),
            }
        } else {
            format!("{}({first})", one[random.below(one.len())])
        };
        parts.push(made);
        done += 1;
    }
    Typed { text: parts.remove(0), inputs }
}

fn take(random: &mut Random, parts: &mut Vec<String>) -> String {
    let at = random.below(parts.len());
    parts.swap_remove(at)
}

/// Returns a number between 0 and 1.
fn unit(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

fn sign(random: &mut Random) -> f64 {
    if random.below(2) == 0 { 1.0 } else { -1.0 }
}

fn number(random: &mut Random, family: Family, near: Option<f32>) -> f32 {
    let number = match family {
        Family::Ordinary => sign(random) * 10f64.powf(7.0 * unit(random) - 3.0),
        Family::Integers => random.below(19) as f64 - 9.0,
        Family::OneDecimal => (random.below(199) as f64 - 99.0) / 10.0,
        Family::Ties => [-1.0, 0.0, 0.0, 1.0, 1.0, 2.0][random.below(6)],
        Family::Saturated => sign(random) * (4.0 + 60.0 * unit(random)),
        Family::Canceling => match near {
            Some(x) if random.below(3) > 0 => {
                let share = 10f64.powf(-7.0 * unit(random));
                f64::from(x) * (1.0 + sign(random) * share)
            }
            _ => sign(random) * 10f64.powf(4.0 * unit(random) - 1.0),
        },
    };
    number as f32
}
