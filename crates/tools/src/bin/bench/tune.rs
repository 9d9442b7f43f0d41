//! `--tune`: times the tiles that Part 3 can use for a matmul on this device,
//! and saves the fastest.

use rungrad::Error;
use rungrad::engine::kernels::{TILES, Tiles};
use rungrad::engine::tuning::{self, SIZES, Tuned};
use rungrad::part3_unified::{Device, Tensor};

use crate::ROUNDS;
use crate::clock::Timed;
use crate::machine::{Machine, root};
use crate::report::{Times, format_time};
use crate::request::Request;
use crate::rows::Class;

/// The time for measuring one tile on one matmul, in seconds.
const PATIENCE: f64 = 20e-3;

/// Times the tiles for all requested matmuls.
pub(crate) fn tune(request: &Request, machine: &Machine) -> Result<(), Error> {
    let device = machine.device;
    let Some(info) = device.info()? else {
        return Err(Error::Usage(format!(
            "{device} has one way to multiply, so there is nothing to tune; \
             name an OpenCL device, such as --device gpu"
        )));
    };
    let own = root().map(|root| root.join(".learn/tuned"));
    let Some(file) = request.tuned.clone().or(own) else {
        return Err(Error::Usage(
            "there is no checkout to keep the tiles in; name a file with \
             --tuned FILE"
                .to_string(),
        ));
    };
    let products = products(request, machine.class)?;
    println!("{}", machine.text());
    let tiles: Vec<_> = TILES.iter().filter(|it| it.fit(info)).collect();
    let names = tiles.iter().map(|tiles| format!("{:>14}", tiles.name));
    println!("{:<18}{}", "product", names.collect::<String>());
    let mut tuned = match file.exists() {
        true => Tuned::load(&file)?,
        false => Tuned::default(),
    };
    for product in products {
        let times = times(request, device, product, &tiles)?;
        let mut line = format!("{:<18}", tuning::name(product));
        for seconds in &times {
            line += &format!("{:>14}", format_time(*seconds));
        }
        let best = times.into_iter().zip(&tiles);
        let best = best.min_by(|(i, _), (j, _)| i.total_cmp(j));
        let (seconds, best) = best.expect("there are tiles");
        println!("{line}   {}", best.name);
        tuned.set(info, product, best, seconds);
    }
    tuned.save(&file)?;
    println!("\nkept in {}", file.display());
    Ok(())
}

/// Returns all combinations of the sizes for this class of device.
fn products(request: &Request, class: Class) -> Result<Vec<[usize; 3]>, Error> {
    let sizes = match class {
        Class::Card => &SIZES[..],
        Class::Processor | Class::Small => &SIZES[..3],
    };
    let rows = sizes.iter().flat_map(|&m| {
        let sums = sizes.iter().map(move |&k| [m, k]);
        sums.flat_map(|[m, k]| sizes.iter().map(move |&n| [m, k, n]))
    });
    let wanted = |product: &[usize; 3]| request.names(&tuning::name(*product));
    let products: Vec<[usize; 3]> = rows.filter(wanted).collect();
    if products.is_empty() {
        return Err(Error::Usage(format!(
            "no product of --tune has such a name; they are called as {}",
            tuning::name([sizes[0], sizes[1], sizes[2]])
        )));
    }
    Ok(products)
}

/// Times a matmul with each of the tiles, in seconds. The tiles take turns, so
/// that temporary load on the machine affects all of them.
fn times(
    request: &Request,
    device: Device,
    [m, k, n]: [usize; 3],
    tiles: &[&'static Tiles],
) -> Result<Vec<f64>, Error> {
    let a = Tensor::rand(&[m, k], 1, device)?;
    let b = Tensor::rand(&[k, n], 2, device)?;
    let mut all = vec![];
    for &tiles in tiles {
        let (a, b) = (a.clone(), b.clone());
        let run = move || drop(tuning::with_tiles(tiles, || a.matmul(&b)));
        all.push(Timed::new(Box::new(run), device, request.limit)?);
    }
    for _ in 0..ROUNDS {
        for timed in &mut all {
            timed.round(PATIENCE.min(request.seconds) / ROUNDS as f64)?;
        }
    }
    let median = |timed: Timed| Times::new(timed.times).median;
    Ok(all.into_iter().map(median).collect())
}
