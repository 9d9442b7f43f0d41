//! Launches one kernel of the crate. Kernels that are compared for speed have
//! a default size; all others are launched as in the tests.

use rungrad::Error;
use rungrad::opencl::{Gpu, Kernel};
use rungrad::part2_gpu::kernels::TRANSPOSE_TILED;
use rungrad::part2_gpu::matmul::{KAHAN, MATMUL_LADDER, MatmulRung};
use rungrad::part2_gpu::matvec::{ROWS, TEAMS, Variant};
use rungrad::{engine, part2_gpu};

use testkit::launches::{part2, part3};

/// Iterates over all kernels of the crate.
pub(crate) fn kernels() -> impl Iterator<Item = &'static Kernel> {
    let part2 = part2_gpu::kernels::ALL.iter();
    part2.chain(engine::kernels::all())
}

/// Returns the size of a launch: the requested one, which must have the same
/// number of dimensions as the default, or else the default.
pub(crate) fn size(
    name: &str,
    asked: Option<&[usize]>,
) -> Result<Vec<usize>, Error> {
    let kernel = kernels().find(|kernel| kernel.name() == name);
    kernel.ok_or_else(|| unknown(name))?;
    let usual = if rung(name).is_some() {
        vec![128, 32, 128]
    } else if way(name).is_some() {
        vec![256, 128]
    } else if name == TRANSPOSE_TILED.name() {
        vec![128, 128]
    } else if name.starts_with("product") {
        vec![64]
    } else {
        vec![1024]
    };
    match asked {
        None => Ok(usual),
        Some(asked) if asked.len() == usual.len() => Ok(asked.to_vec()),
        Some(asked) => Err(Error::Usage(format!(
            "--size has {} numbers, and {name} takes {}, such as {}",
            asked.len(),
            usual.len(),
            format_size(&usual)
        ))),
    }
}

/// Formats a size as on the command line.
pub(crate) fn format_size(size: &[usize]) -> String {
    let words: Vec<String> = size.iter().map(usize::to_string).collect();
    words.join("x")
}

fn rung(name: &str) -> Option<&'static MatmulRung> {
    let mut rungs = MATMUL_LADDER.iter().chain(&KAHAN);
    rungs.find(|rung| rung.kernel.name() == name)
}

fn way(name: &str) -> Option<&'static Variant> {
    [&ROWS, &TEAMS].into_iter().find(|way| way.kernel.name() == name)
}

/// Launches the kernel with this name once.
pub(crate) fn launch(name: &str, size: &[usize]) -> Result<(), Error> {
    let gpu = Gpu::first()?;
    if gpu.info().platform != "Oclgrind" {
        return Err(Error::Device(format!(
            "{} is there and not Oclgrind, which counts",
            gpu.info().name
        )));
    }
    let kernel = kernels().find(|kernel| kernel.name() == name);
    let kernel = kernel.ok_or_else(|| unknown(name))?;
    let zeros = |len: usize| gpu.upload(&vec![0.0_f32; len.max(1)]);
    match *size {
        [m, k, n] => {
            let rung = rung(name).ok_or_else(|| unknown(name))?;
            let (a, b, out) = (zeros(m * k)?, zeros(k * n)?, zeros(m * n)?);
            rung.launch(&a, &b, &out, [m, k, n]).run()?;
        }
        [m, k] => match way(name) {
            Some(way) => {
                let (a, v, out) = (zeros(m * k)?, zeros(k)?, zeros(m)?);
                way.launch(&a, &v, &out, [m, k]).run()?;
            }
            None => {
                let (a, out) = (zeros(m * k)?, zeros(m * k)?);
                let launch = gpu.launch(kernel).input(&a).output(&out);
                let launch = launch.scalar(m as u32).scalar(k as u32);
                launch.global([k, m, 1]).local([16, 16, 1]).run()?;
            }
        },
        _ => {
            let n = size[0];
            part2::run(&gpu, kernel, n).or_else(|| part3::run(&gpu, kernel, n));
        }
    }
    gpu.finish()
}

pub(crate) fn unknown(name: &str) -> Error {
    let likeness = |kernel: &str| match kernel.contains(name) {
        true => 1.0,
        false => strsim::jaro_winkler(name, kernel),
    };
    let all = kernels().map(|it| (likeness(it.name()), it.name()));
    let near = all.filter(|(likeness, _)| *likeness > 0.8);
    let nearest = near.max_by(|one, other| one.0.total_cmp(&other.0));
    let suggestion = nearest.map(|(_, it)| format!(" (did you mean {it}?)"));
    Error::Usage(format!(
        "{name} is not an exercise, an example or a kernel of the crate{}; \
         kernels/ contains all kernels",
        suggestion.unwrap_or_default()
    ))
}
