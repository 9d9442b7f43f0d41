//! The figure of "Kernels that write themselves": the kernel that the compiler
//! of the lazy device writes for an expression, and the bytes that it moves.

use std::collections::HashMap;

use rungrad::Error;
use rungrad::engine::lazy::compiler::{
    Expression, Formula, Join, Node, Number, Operand, Plan, Space, Step, Team,
    Written,
};
use rungrad::part3_unified::{Binary, Unary};
use serde_json::{Value, json};
use tools::expression::expr::{self, Expr};

/// The rows and columns of a matrix.
const SIZES: [usize; 2] = [512, 256];

/// The maximum number of operations, so that a kernel's text fits on a page.
const MAX_OPERATIONS: usize = 32;

/// A processor with two compute units, as in the listing of the chapter.
const FULL: usize = 2 * 2048;
const TEAM_ROWS: usize = 64;

/// Answers a request with an expression. Names in capital letters are matrices,
/// and other names are rows, which are broadcast.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let [text] = words else {
        return Err(Error::Usage("this figure takes an expression".into()));
    };
    let mut graph = Graph::default();
    let root = graph.lower(&expr::parse(text)?)?;
    if graph.launches == 0 {
        return Err(Error::Usage(format!(
            "`{text}` has no operation; write for example relu(X + b)"
        )));
    }
    let (launches, moved) = (graph.launches, graph.bytes);
    let kernels = graph.kernels(root.step);
    let bytes =
        |it: &Written| -> u64 { 4 * it.kernel.reach().iter().sum::<u64>() };
    let shown = kernels.iter().map(|it| {
        let (name, text) = (it.kernel.name(), it.kernel.text());
        json!({ "name": name, "text": text, "bytes": bytes(it) })
    });
    Ok(json!({
        "kernels": shown.collect::<Value>(),
        "fused": {
            "launches": kernels.len(),
            "bytes": kernels.iter().map(bytes).sum::<u64>(),
        },
        "separate": { "launches": launches, "bytes": moved },
    }))
}

/// An elementwise operation. Its constant is stored separately.
#[derive(Clone, Copy)]
enum Operation {
    Unary(Unary),
    Binary(Binary),
}

/// The form of a value, which determines its strides as a matrix.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Matrix,
    /// One value for each column.
    Row,
    /// One value for each row.
    Column,
}

impl Form {
    fn len(self) -> usize {
        let [rows, columns] = SIZES;
        match self {
            Form::Matrix => rows * columns,
            Form::Row => columns,
            Form::Column => rows,
        }
    }

    fn shape(self) -> Vec<usize> {
        match self {
            Form::Matrix => SIZES.to_vec(),
            Form::Row | Form::Column => vec![self.len()],
        }
    }
}

/// A step of the graph with the form of its result.
#[derive(Clone, Copy)]
struct Term {
    step: usize,
    form: Form,
}

/// The recorded operations, and what they would cost separately.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node<Operation>>,
    numbers: Vec<f32>,
    inputs: HashMap<String, Term>,
    launches: usize,
    bytes: usize,
}

impl Graph {
    fn lower(&mut self, expr: &Expr) -> Result<Term, Error> {
        let (name, operands) = match expr {
            Expr::Name(name) => return Ok(self.input(name)),
            Expr::Op(name, operands) => (name.as_str(), operands),
        };
        let operands: Result<Vec<Term>, Error> =
            operands.iter().map(|it| self.lower(it)).collect();
        let operands = operands?;
        if self.launches >= MAX_OPERATIONS {
            return Err(Error::Usage(format!(
                "the expression has more than {MAX_OPERATIONS} operations; \
                 try a part of it"
            )));
        }
        let unary = || Unary::ALL.iter().find(|op| op.name() == name);
        Ok(match (name, &operands[..]) {
            ("add", &[a, b]) => self.binary(Binary::Add, a, b),
            ("mul", &[a, b]) => self.binary(Binary::Mul, a, b),
            ("div", &[a, b]) => self.binary(Binary::Div, a, b),
            ("sub", &[a, b]) => self.subtract(a, b),
            ("neg", &[a]) => self.scale(-1.0, a),
            ("sum", &[a]) => self.reduce(Join::Sum, name, a)?,
            ("max", &[a]) => self.reduce(Join::Max, name, a)?,
            ("mean", &[a]) => {
                let sum = self.reduce(Join::Sum, name, a)?;
                self.scale(1.0 / SIZES[1] as f32, sum)
            }
            // As `examples/part3_fused/works.rs` computes it.
            ("softmax", &[a]) => {
                let most = self.reduce(Join::Max, name, a)?;
                let shifted = self.subtract(a, most);
                let exp = self.apply(Operation::Unary(Unary::Exp), &[shifted]);
                let sum = self.reduce(Join::Sum, name, exp)?;
                self.binary(Binary::Div, exp, sum)
            }
            (_, &[a]) if unary().is_some_and(|op| op.constant().is_none()) => {
                let op = unary().expect("it was found");
                self.apply(Operation::Unary(*op), &[a])
            }
            _ => {
                return Err(Error::Usage(format!(
                    "`{name}` with {} operand{} is not an operation of this \
                     figure; it has + - * /, functions of one operand such as \
                     relu, exp, log, sqrt, tanh and sigmoid, and sum, max, \
                     mean and softmax of a matrix",
                    operands.len(),
                    if operands.len() == 1 { "" } else { "s" }
                )));
            }
        })
    }

    fn input(&mut self, name: &str) -> Term {
        let form = match name.starts_with(char::is_uppercase) {
            true => Form::Matrix,
            false => Form::Row,
        };
        let step = self.nodes.len();
        let term =
            *self.inputs.entry(name.to_string()).or_insert(Term { step, form });
        if term.step == step {
            self.push(Step::Given(step), form);
        }
        term
    }

    fn push(&mut self, step: Step<Operation>, form: Form) -> Term {
        let shape = form.shape().into_iter().collect();
        self.nodes.push(Node { step, shape, held: false });
        Term { step: self.nodes.len() - 1, form }
    }

    /// Counts a separate launch that reads these operands.
    fn count(&mut self, operands: &[Term], result: Form) {
        let read: usize = operands.iter().map(|it| it.form.len()).sum();
        self.launches += 1;
        self.bytes += 4 * (read + result.len());
    }

    fn apply(&mut self, op: Operation, operands: &[Term]) -> Term {
        let first = operands[0].form;
        let is_same = operands.iter().all(|it| it.form == first);
        let form = if is_same { first } else { Form::Matrix };
        self.apply_as(op, operands, form)
    }

    fn apply_as(
        &mut self,
        op: Operation,
        operands: &[Term],
        form: Form,
    ) -> Term {
        let number = match op {
            Operation::Unary(op) => op.constant(),
            Operation::Binary(_) => None,
        };
        let number = number.map(|number| {
            self.numbers.push(number as f32);
            self.numbers.len() - 1
        });
        self.count(operands, form);
        let operands = operands.iter().map(|it| operand(*it, form)).collect();
        self.push(Step::Apply(op, operands, number), form)
    }

    fn binary(&mut self, op: Binary, a: Term, b: Term) -> Term {
        self.apply(Operation::Binary(op), &[a, b])
    }

    /// Broadcasts, then negates, as the tensors of Part 3 do.
    fn subtract(&mut self, a: Term, b: Term) -> Term {
        let form = if a.form == b.form { a.form } else { Form::Matrix };
        let negate = Operation::Unary(Unary::Scale(-1.0));
        let b = self.apply_as(negate, &[b], form);
        self.binary(Binary::Add, a, b)
    }

    fn scale(&mut self, factor: f32, a: Term) -> Term {
        self.apply(Operation::Unary(Unary::Scale(factor.into())), &[a])
    }

    fn reduce(
        &mut self,
        join: Join,
        name: &str,
        a: Term,
    ) -> Result<Term, Error> {
        if a.form != Form::Matrix {
            return Err(Error::Usage(format!(
                "{name} reduces the rows of a matrix, and its operand is not \
                 a matrix; write its name in capital letters"
            )));
        }
        self.count(&[a], Form::Column);
        let operand = operand(a, Form::Matrix);
        Ok(self.push(Step::Join(join, operand, SIZES), Form::Column))
    }

    /// Generates the kernels as the lazy device does: a step that cannot be
    /// computed in the kernel of its users gets a kernel before them.
    fn kernels(self, root: usize) -> Vec<Written> {
        let numbers: Vec<Number> =
            self.numbers.iter().map(|it| Number::Written(*it)).collect();
        let mut expression = Expression(self.nodes);
        let (mut kernels, mut unplanned) = (vec![], vec![root]);
        while let Some(&step) = unplanned.last() {
            let plan = match expression.plan(step) {
                Ok(plan) => plan,
                Err(before) => {
                    unplanned.push(before);
                    continue;
                }
            };
            unplanned.pop();
            let shape =
                |step: usize| format!("{:?}", &expression.0[step].shape[..]);
            kernels.push(plan.write(formula, &numbers, team(&plan), shape));
            for (step, _) in plan.stored() {
                expression.0[step].step = Step::Given(step);
            }
        }
        kernels
    }
}

/// Returns how an operand is read by an operation whose result has this form.
fn operand(term: Term, form: Form) -> Operand {
    let (shape, strides) = match term.form {
        same if same == form => (vec![form.len()], vec![1]),
        Form::Row => (SIZES.to_vec(), vec![0, 1]),
        _ => (SIZES.to_vec(), vec![1, 0]),
    };
    Operand {
        step: term.step,
        shape: shape.into_iter().collect(),
        strides: strides.into_iter().collect(),
        offset: 0,
    }
}

/// Returns the work-groups that the engine chooses on a processor.
fn team(plan: &Plan<Operation>) -> Team {
    let rows = match plan.space() {
        Space::Each(_) => 1,
        Space::Rows { rows, .. } => TEAM_ROWS.min(rows * plan.parts()),
    };
    Team { items: 1, rows, across: true, full: FULL }
}

/// Returns the OpenCL C formula of an operation.
fn formula(op: Operation) -> Formula {
    match op {
        Operation::Unary(op) => Formula::new(op.name(), op.formula()),
        Operation::Binary(op) => Formula::new(op.name(), op.formula()),
    }
}
