//! Expressions: names, parentheses, `*` before `+`, functions.

use rungrad::Error;
use rungrad::reference::{self, Array};

/// An expression, parsed.
pub(crate) enum Expr {
    /// An input.
    Name(String),
    /// An operation by its name in `ops.rs`, and its operands.
    Op(String, Vec<Expr>),
}

impl Expr {
    /// The names in the order of their first use.
    pub(crate) fn names(&self) -> Vec<String> {
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

    /// The value in `f64`, by the judge.
    pub(crate) fn judge(
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
                // Of the operations here only `sum` changes the shape.
                let shape = match op.as_str() {
                    "sum" => vec![],
                    _ => values[0].shape.clone(),
                };
                reference::forward(op, &borrowed, &shape)
                    .expect("the engine has computed it")
            }
        }
    }
}

/// Reads an expression, or says at which character it went wrong.
pub(crate) fn parse(text: &str) -> Result<Expr, Error> {
    let mut parser = Parser { text, at: 0 };
    let expr = parser.sum()?;
    match parser.peek() {
        None => Ok(expr),
        Some(found) => Err(parser.refuse(found, "`*`, `+` or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
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
        let mut left = self.product()?;
        while self.take('+') {
            let right = self.product()?;
            left = Expr::Op("add".to_string(), vec![left, right]);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, Error> {
        let mut left = self.atom()?;
        while self.take('*') {
            let right = self.atom()?;
            left = Expr::Op("mul".to_string(), vec![left, right]);
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, Error> {
        if self.take('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(inner);
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
