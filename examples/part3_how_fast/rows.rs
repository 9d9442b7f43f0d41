//! The steps whose times are predicted. All but `scale` and `exp` are rows of
//! `cargo learn bench`, under the same names.

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::part3_unified::{Device, Keep, Tensor, Window, no_grad};

use super::clock::Step;

/// A named step, and how to prepare it on a device.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) build: Box<dyn Fn(Device) -> Result<Step, Error>>,
}

impl Row {
    fn new(
        name: impl Into<String>,
        build: impl Fn(Device) -> Result<Step, Error> + 'static,
    ) -> Row {
        Row { name: name.into(), build: Box::new(build) }
    }

    /// Creates a row for one operation on two operands of the given shapes.
    fn binary(
        name: impl Into<String>,
        [first, second]: [&[usize]; 2],
        work: fn(&Tensor, &Tensor) -> Tensor,
    ) -> Row {
        let shapes = [first.to_vec(), second.to_vec()];
        Row::new(name, move |device| {
            let x = numbers(device, &shapes[0], 1)?;
            let y = numbers(device, &shapes[1], 2)?;
            Ok(Box::new(move || drop(work(&x, &y))))
        })
    }
}

/// Lists the rows, for a GPU or for a processor with an OpenCL driver.
pub(crate) fn rows(is_card: bool) -> Vec<Row> {
    let side = if is_card { 16384 } else { 1024 };
    let products = if is_card { [512, 2048, 8192] } else { [64, 256, 512] };
    let batches = if is_card { [32, 4096] } else { [8, 32] };
    let square = [side, side];
    let named = |name: &str| format!("{name} {side}x{side}");
    let mut rows = vec![
        Row::binary("multiply 1", [&[1], &[1]], |x, y| x.mul(y)),
        Row::binary("multiply 10^6", [&[1_000_000]; 2], |x, y| x.mul(y)),
        Row::binary(named("broadcast"), [&square, &[side]], |x, y| x.add(y)),
        Row::binary(named("transpose"), [&square, &[1]], |x, _| {
            x.transpose().reshape(&[x.array().len()])
        }),
        Row::binary(named("sum"), [&square, &[1]], |x, _| x.sum()),
        Row::binary(named("max"), [&square, &[1]], |x, _| {
            x.max_over(&[1], Keep::No)
        }),
        Row::binary(named("softmax"), [&square, &[1]], |x, _| x.softmax()),
        // The same launches and bytes; only the cost of the exponential
        // differs.
        Row::binary(named("scale"), [&square, &[1]], |x, _| x.scale(2.0)),
        Row::binary(named("exp"), [&square, &[1]], |x, _| x.exp()),
    ];
    let few = |name: &str, n: usize| format!("{name} {n}");
    for n in products {
        let work = |x: &Tensor, y: &Tensor| x.matmul(y);
        rows.push(Row::binary(few("matmul", n), [&[n, n]; 2], work));
    }
    rows.push(Row::binary(
        "matvec 100000x100",
        [&[100_000, 100], &[100, 1]],
        |x, y| x.matmul(y),
    ));
    rows.push(Row::new("notebook 2", notebook));
    rows.push(Row::new("chain 1000", chain));
    for sizes in [[32, 64, 32], [128, 784, 256]] {
        let [batch, inputs, hidden] = sizes;
        let name = format!("mlp {batch}x{inputs}-{hidden}-10");
        rows.push(Row::new(name, move |device| mlp(device, sizes)));
    }
    for batch in batches {
        let name = format!("cnn {batch}x1x28x28");
        rows.push(Row::new(name, move |device| cnn(device, batch)));
    }
    rows
}

/// Returns values between -0.5 and 0.5.
fn numbers(
    device: Device,
    shape: &[usize],
    seed: u64,
) -> Result<Tensor, Error> {
    let x = Tensor::rand(shape, seed, device)?;
    Ok(no_grad(|| x.shift(-0.5)))
}

fn notebook(device: Device) -> Result<Step, Error> {
    let x = numbers(device, &[2], 1)?.requires_grad();
    let y = numbers(device, &[2], 2)?.requires_grad();
    Ok(Box::new(move || {
        x.mul(&y).mul(&y).sum().backward();
        x.zero_grad();
        y.zero_grad();
    }))
}

fn chain(device: Device) -> Result<Step, Error> {
    let leaf = |value| Tensor::new(&[1], &[value], device);
    let [y, b, a] =
        [leaf(1.0)?, leaf(0.999)?, leaf(0.002)?].map(Tensor::requires_grad);
    Ok(Box::new(move || {
        let mut last = y.clone();
        for _ in 0..1000 {
            last = last.mul(&b).add(&a);
        }
        last.backward();
        [&y, &b, &a].iter().for_each(|leaf| leaf.zero_grad());
    }))
}

fn parameters(
    device: Device,
    shapes: &[&[usize]],
) -> Result<Vec<Tensor>, Error> {
    let small = |(shape, seed): (&&[usize], u64)| {
        let x = numbers(device, shape, seed)?;
        Ok(no_grad(|| x.scale(0.1)).requires_grad())
    };
    shapes.iter().zip(2..).map(small).collect()
}

fn mlp(
    device: Device,
    [batch, inputs, hidden]: [usize; 3],
) -> Result<Step, Error> {
    let x = numbers(device, &[batch, inputs], 1)?;
    let labels: Vec<usize> = (0..batch).map(|row| row % 10).collect();
    let shapes = [&[inputs, hidden][..], &[hidden], &[hidden, 10], &[10]];
    let mut p = parameters(device, &shapes)?;
    Ok(Box::new(move || {
        let h = x.matmul(&p[0]).add(&p[1]).relu();
        h.matmul(&p[2]).add(&p[3]).cross_entropy(&labels).backward();
        improve(&mut p);
    }))
}

/// Takes a step of gradient descent.
fn improve(parameters: &mut [Tensor]) {
    for parameter in parameters {
        let grad = parameter.grad().expect("backward has been there");
        let better = no_grad(|| parameter.add(&grad.scale(-0.01)));
        *parameter = better.requires_grad();
    }
}

fn cnn(device: Device, batch: usize) -> Result<Step, Error> {
    let x = numbers(device, &[batch, 1, 28, 28], 1)?;
    let labels: Vec<usize> = (0..batch).map(|row| row % 10).collect();
    let shapes =
        [&[8, 1, 3, 3][..], &[8], &[16, 8, 3, 3], &[16], &[784, 10], &[10]];
    let mut p = parameters(device, &shapes)?;
    let options = ConvOptions::new().padding([1, 1]);
    let pool = Window::new([2, 2]).stride([2, 2]);
    Ok(Box::new(move || {
        let h = x.conv2d(&p[0], Some(&p[1]), &options).relu();
        let h = h.max_pool2d(&pool);
        let h = h.conv2d(&p[2], Some(&p[3]), &options).relu();
        let h = h.max_pool2d(&pool).reshape(&[batch, 784]);
        h.matmul(&p[4]).add(&p[5]).cross_entropy(&labels).backward();
        improve(&mut p);
    }))
}
