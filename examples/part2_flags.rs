//! The effects of `requires_grad`: which tensors are recorded, which gradients
//! are computed, and how long a buffer stays alive.

use std::process::ExitCode;

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::{Error, attempt, ledger};

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        table(&gpu)?;
        chain(&gpu)?;
        careless(&gpu)
    })
}

fn leaf(gpu: &Gpu, value: f32, requires_grad: bool) -> Result<Tensor, Error> {
    let leaf = Tensor::new(gpu, &[1], &[value])?;
    Ok(if requires_grad { leaf.requires_grad() } else { leaf })
}

fn table(gpu: &Gpu) -> Result<(), Error> {
    println!("requires_grad of");
    println!("a      b      a * b  parents  launches of backward");
    for flag_a in [false, true] {
        for flag_b in [false, true] {
            let (a, b) = (leaf(gpu, 2.0, flag_a)?, leaf(gpu, 3.0, flag_b)?);
            let c = a.mul(&b);
            let back = attempt(|| ledger::measure(|| c.backward()).1.launches);
            let back = back.map_or("rejected".to_string(), |n| n.to_string());
            let (flag_c, parents) = (c.records(), c.parents().len());
            println!(
                "{flag_a:<5}  {flag_b:<5}  {flag_c:<5}  {parents:7}  {back}"
            );
        }
    }
    Ok(())
}

fn chain(gpu: &Gpu) -> Result<(), Error> {
    let c = leaf(gpu, 1.01, false)?;
    println!("\nx * c * c .., a hundred times");
    for flag in [false, true] {
        let x = leaf(gpu, 2.0, flag)?;
        let products = || (0..100).fold(x.clone(), |y, _| y.mul(&c));
        let (_last, cost) = ledger::measure(products);
        let kept = cost.allocations - cost.frees;
        println!("x requires a gradient: {flag:<5}  buffers kept: {kept:3}");
    }
    Ok(())
}

// ANCHOR: careless
fn careless(gpu: &Gpu) -> Result<(), Error> {
    let (a, b) = (leaf(gpu, 2.0, true)?, leaf(gpu, 3.0, true)?);
    let product = a.detach().mul(&b.detach());
    let (x, y) = (a.clone(), b.clone());
    let c = Tensor::from_op("careless", &[&a, &b], product, move |grad_out| {
        vec![Some(grad_out.mul(&y)), Some(grad_out.mul(&x))]
    });
    if let Err(refusal) = attempt(|| c.backward()) {
        println!("\n{}", refusal.to_string().replace("; ", ";\n"));
    }
    Ok(())
}
// ANCHOR_END: careless
