//! Seeded random expressions of ordinary numbers, as somebody would type
//! them at the bench.

use rungrad::reference::Array;

use crate::bench::expr::{Expr, parse};
use crate::random::Random;

/// What kind of numbers stands in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// From 1e-3 to 1e4, of both signs.
    Ordinary,
    Integers,
    OneDecimal,
    /// Few values, many of them equal or 0.
    Ties,
    /// Where exponentials are 0 or 1, or nearly.
    Saturated,
    /// Differences of numbers that are nearly equal.
    Canceling,
}

pub const FAMILIES: [Family; 6] = [
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
    pub family: Family,
    pub text: String,
    pub inputs: Vec<(String, Vec<f32>)>,
}

impl Typed {
    /// What to type to see it again.
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

    /// Whether everything on the way is a number that `f32` holds well.
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

impl Random {
    /// An expression of the operations that an engine has.
    pub fn expression(&mut self, one: &[&str], two: &[&str]) -> Typed {
        let family = FAMILIES[self.below(FAMILIES.len())];
        let length = 1 + self.below(4);
        let names = 1 + self.below(3);
        let operations = 1 + self.below(4);
        let mut inputs: Vec<(String, Vec<f32>)> = Vec::new();
        for name in ["a", "b", "c"].into_iter().take(names) {
            // Now and then one that stretches.
            let n = if self.below(6) == 0 { 1 } else { length };
            let near = inputs.first().map(|(_, values)| values.clone());
            let values = (0..n).map(|i| {
                let near = near.as_ref().and_then(|v| v.get(i)).copied();
                self.number(family, near)
            });
            let values = values.collect();
            inputs.push((name.to_string(), values));
        }
        let mut parts: Vec<String> =
            inputs.iter().map(|(name, _)| name.clone()).collect();
        let extra = self.below(3);
        for _ in 0..extra {
            let again = parts[self.below(names)].clone();
            parts.push(again);
        }
        let mut done = 0;
        while parts.len() > 1 || done < operations {
            let first = self.take(&mut parts);
            let joins = !parts.is_empty() && self.below(3) > 0;
            let made = if joins {
                let second = self.take(&mut parts);
                let signs = match family {
                    Family::Canceling if self.below(2) == 0 => &["sub"][..],
                    _ => two,
                };
                match signs[self.below(signs.len())] {
                    "mul" => format!("({first}*{second})"),
                    "add" => format!("({first}+{second})"),
                    "sub" => format!("({first}-{second})"),
                    "div" => format!("({first}/{second})"),
                    other => format!("{other}({first}, {second})"),
                }
            } else {
                format!("{}({first})", one[self.below(one.len())])
            };
            parts.push(made);
            done += 1;
        }
        Typed { family, text: parts.remove(0), inputs }
    }

    fn take(&mut self, parts: &mut Vec<String>) -> String {
        let at = self.below(parts.len());
        parts.swap_remove(at)
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn sign(&mut self) -> f64 {
        if self.below(2) == 0 { 1.0 } else { -1.0 }
    }

    fn number(&mut self, family: Family, near: Option<f32>) -> f32 {
        let number = match family {
            Family::Ordinary => {
                self.sign() * 10f64.powf(7.0 * self.unit() - 3.0)
            }
            Family::Integers => self.below(19) as f64 - 9.0,
            Family::OneDecimal => (self.below(199) as f64 - 99.0) / 10.0,
            Family::Ties => [-1.0, 0.0, 0.0, 1.0, 1.0, 2.0][self.below(6)],
            Family::Saturated => self.sign() * (4.0 + 60.0 * self.unit()),
            Family::Canceling => match near {
                Some(x) if self.below(3) > 0 => {
                    let share = 10f64.powf(-7.0 * self.unit());
                    f64::from(x) * (1.0 + self.sign() * share)
                }
                _ => self.sign() * 10f64.powf(4.0 * self.unit() - 1.0),
            },
        };
        number as f32
    }
}
