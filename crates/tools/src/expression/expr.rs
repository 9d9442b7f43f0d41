//! Parses expressions of names, parentheses, functions and the four operators
//! with their usual precedence.

use rungrad::Error;
use rungrad::ops::{Keep, Op};
use rungrad::reference::{self, Array};

/// The maximum number of names and parentheses, because parsing, evaluating
/// and freeing an expression are recursive.
const MAX_TERMS: usize = 1000;

/// A parsed expression.
pub enum Expr {
    /// An input.
    Name(String),
    /// An operation, by its name in `ops.rs`, and its operands.
    Op(String, Vec<Expr>),
}

impl Expr {
    /// Returns the names in the order of their first use.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.collect(&mut names);
        names
    }

    fn collect(&self, names: &mut Vec<String>) {
        match self {
            Expr::Name(name) if names.contains(name) => {}
            Expr::Name(name) => names.push(name.clone()),
            Expr::Op(_, operands) => {
                operands.iter().for_each(|operand| operand.collect(names));
            }
        }
    }

    /// Evaluates the expression in `f64` with the reference.
    pub fn judge(
        &self,
        inputs: &[(String, Vec<f32>)],
        arrays: &[Array],
    ) -> Array {
        match self {
            Expr::Name(name) => {
                let place = inputs.iter().position(|(n, _)| n == name);
                arrays[place.expect("names were checked")].clone()
            }
            Expr::Op(op, operands) => {
                let values: Vec<Array> =
                    operands.iter().map(|o| o.judge(inputs, arrays)).collect();
                let borrowed: Vec<&Array> = values.iter().collect();
                judge(op, &borrowed).expect("the engine has computed it")
            }
        }
    }
}

/// Evaluates an operation by name, composed from the reference's primitives.
fn judge(name: &str, inputs: &[&Array]) -> Option<Array> {
    let forward = |op: Op, inputs: &[&Array]| reference::forward(&op, inputs);
    let axes = |a: &Array| (0..a.shape.len()).collect::<Vec<_>>();
    match (name, inputs) {
        ("neg", [a]) => forward(Op::Scale(-1.0), &[a]),
        ("sub", [a, b]) => forward(Op::Add, &[a, &judge("neg", &[b])?]),
        ("sqrt", [a]) => forward(Op::Pow(0.5), &[a]),
        ("abs", [a]) => {
            let negative = forward(Op::Relu, &[&judge("neg", &[a])?])?;
            forward(Op::Add, &[&forward(Op::Relu, &[a])?, &negative])
        }
        ("sum", [a]) => forward(Op::Sum(axes(a), Keep::No), &[a]),
        ("max", [a]) => forward(Op::Max(axes(a), Keep::No), &[a]),
        ("mean", [a]) => {
            let share = 1.0 / a.values.len() as f32;
            forward(Op::Scale(share), &[&judge("sum", &[a])?])
        }
        _ => forward(Op::find(name)?, inputs),
    }
}

/// Parses an expression. An error contains the position of the character.
pub fn parse(text: &str) -> Result<Expr, Error> {
    if text.trim().is_empty() {
        let sentence = "the expression is empty; write for example \"a*b\"";
        return Err(Error::Usage(sentence.to_string()));
    }
    let mut parser = Parser { text, at: 0, atoms: 0 };
    let expr = parser.sum()?;
    match parser.peek() {
        None => Ok(expr),
        Some(found) => Err(parser.refuse(found, "an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    atoms: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), Error> {
        match self.take(wanted) {
            true => Ok(()),
            false => {
                let found = self.peek().unwrap_or(' ');
                Err(self.refuse(found, &format!("`{wanted}`")))
            }
        }
    }

    fn refuse(&self, found: char, wanted: &str) -> Error {
        let text = self.text;
        let place = text[..self.at].chars().count() + 1;
        let found = match self.at == text.len() {
            true => "it ends".to_string(),
            false => format!("there is `{found}`"),
        };
        Error::Usage(format!(
            "in `{text}`, at character {place}, {found} where {wanted} was \
             expected"
        ))
    }

    fn sum(&mut self) -> Result<Expr, Error> {
        self.chain([('+', "add"), ('-', "sub")], Self::product)
    }

    fn product(&mut self) -> Result<Expr, Error> {
        self.chain([('*', "mul"), ('/', "div")], Self::atom)
    }

    /// Parses operands that are separated by operators of the same precedence.
    fn chain(
        &mut self,
        signs: [(char, &str); 2],
        operand: fn(&mut Self) -> Result<Expr, Error>,
    ) -> Result<Expr, Error> {
        let mut left = operand(self)?;
        while let Some((_, op)) =
            signs.iter().find(|(sign, _)| self.take(*sign))
        {
            left = Expr::Op(op.to_string(), vec![left, operand(self)?]);
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, Error> {
        self.atoms += 1;
        if self.atoms > MAX_TERMS {
            return Err(Error::Usage(format!(
                "the expression has more than {MAX_TERMS} names and parentheses, \
                 which is more than the bench takes; try a part of it"
            )));
        }
        if self.take('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(inner);
        }
        if self.take('-') {
            return Ok(Expr::Op("neg".to_string(), vec![self.atom()?]));
        }
        let name = self.name()?;
        if !self.take('(') {
            return Ok(Expr::Name(name));
        }
        let mut operands = vec![self.sum()?];
        while self.take(',') {
            operands.push(self.sum()?);
        }
        self.expect(')')?;
        Ok(Expr::Op(name, operands))
    }

    fn name(&mut self) -> Result<String, Error> {
        let first = self.peek().unwrap_or(' ');
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if first.is_numeric() {
            let number = &rest[..end];
            return Err(Error::Usage(format!(
                "the expression holds the number {number}; give it a name \
                 and a value, such as k={number}"
            )));
        }
        if end == 0 {
            return Err(self.refuse(first, "a name or `(`"));
        }
        self.at += end;
        Ok(rest[..end].to_string())
    }
}
