//! Random launches of the kernels that read views, rows and windows, compared
//! with loops on the host that compute the same arguments. Here sizes
//! contradict each other, there are too few groups, and rows overlap: a
//! kernel's stated reach must hold for these launches too.

mod host;
mod plain;
mod transformer;

use rungrad::opencl::{Buffer, Gpu, Kernel, Scalar};

use super::reach::reach;
use testkit::launches::draft::{Draft, Drawn, PRODUCTS, extent};
use testkit::random::Random;

/// A kernel argument on the host.
enum HostArgument {
    Floats(Vec<f32>),
    Words(Vec<u32>),
    Number(Scalar),
}

/// A launch as the host interprets it.
struct Mirror {
    given: Vec<HostArgument>,
    global: [usize; 3],
    /// The groups along each dimension.
    groups: [usize; 3],
}

/// The written indices of the result, with their values.
type Writes = Vec<(usize, f32)>;

impl Mirror {
    fn floats(&self, at: usize) -> &[f32] {
        match &self.given[at] {
            HostArgument::Floats(floats) => floats,
            _ => panic!("argument {at} holds no floats"),
        }
    }

    fn words(&self, at: usize) -> &[u32] {
        match &self.given[at] {
            HostArgument::Words(words) => words,
            _ => panic!("argument {at} holds no words"),
        }
    }

    fn size(&self, at: usize) -> usize {
        match self.given[at] {
            HostArgument::Number(Scalar::U32(number)) => number as usize,
            HostArgument::Number(Scalar::I32(number)) => number as usize,
            _ => panic!("argument {at} is no size"),
        }
    }

    fn eight(&self, at: usize) -> [isize; 8] {
        match self.given[at] {
            HostArgument::Number(Scalar::I32x8(eight)) => {
                eight.map(|it| it as isize)
            }
            _ => panic!("argument {at} is no shape"),
        }
    }

    /// Computes one write for each of `n` elements, as far as there are items.
    fn each(&self, n: usize, value: impl Fn(usize) -> f32) -> Writes {
        (0..n.min(self.global[0])).map(|i| (i, value(i))).collect()
    }
}

/// Returns whether the host has a loop for a kernel. Kernels with independent
/// elements or several outputs are compared in full by a launch over some
/// sizes, the ladder has its own sizes, and kernels that continue from
/// existing values have separate tests.
fn is_mirrored(name: &str) -> bool {
    // The attention kernels for long sequences read results of earlier
    // kernels, for which random values make no sense.
    let reads_results = ["attention_long_queries", "attention_long_keys"];
    if ["reduce_atomic", "reduce_last"].contains(&name)
        || reads_results.contains(&name)
    {
        return false;
    }
    let not_mirrored = [
        "ew_",
        "unary_",
        "binary_",
        "where_",
        "chain_",
        "fill_",
        "adam_",
        "reduce_sums_",
    ];
    let is_alone = not_mirrored.iter().any(|start| name.starts_with(start))
        || name.starts_with("matmul")
        || name.ends_with("_backward");
    if let Some(name) = name.strip_prefix("plain_") {
        return plain::MIRRORED.contains(&name);
    }
    !is_alone || ["ew_repeat", "pick_backward"].contains(&name)
}

/// Small integers, whose sums are exact.
fn values(kind: &Drawn, len: usize, random: &mut Random) -> HostArgument {
    match kind {
        Drawn::Words => {
            let word = |_| match random.below(16) {
                0 => random.bits() as u32,
                _ => random.below(6) as u32,
            };
            HostArgument::Words((0..len.max(1)).map(word).collect())
        }
        Drawn::Out => HostArgument::Floats(vec![UNTOUCHED; len.max(1)]),
        _ => {
            let value = |_| random.below(9) as f32 - 4.0;
            HostArgument::Floats((0..len.max(1)).map(value).collect())
        }
    }
}

/// Value of the result elements that were not written.
const UNTOUCHED: f32 = -77.0;

/// Runs the draft and compares the full result; returns `false` if the kernel
/// rejects the draft.
fn agrees(gpu: &Gpu, kernel: &Kernel, seed: u64) -> bool {
    let mut random = Random(seed);
    let mut draft = Draft::new(kernel, &mut random);
    if draft.local.len() == 1 {
        // Each group size is a separate compilation.
        draft.local = vec![64.max(draft.local[0] / 64 * 64).min(256)];
    }
    let Some(reach) = reach(gpu, kernel, &draft) else { return false };
    let mut lengths = reach.iter();
    let mut given: Vec<HostArgument> = Vec::new();
    for kind in &draft.arguments {
        given.push(match kind {
            Drawn::Number(number) => HostArgument::Number(*number),
            kind => {
                let len = *lengths.next().expect("a buffer for each");
                values(kind, len, &mut random)
            }
        });
    }
    if kernel.name().ends_with("sorted") {
        let words = given.iter_mut().find_map(|it| match it {
            HostArgument::Words(words) => Some(words),
            _ => None,
        });
        words.expect("places").sort();
    }
    let along = |sizes: &[usize], at: usize| sizes.get(at).map_or(1, |it| *it);
    let groups = [0, 1, 2]
        .map(|at| along(&draft.global, at).div_ceil(along(&draft.local, at)));
    let global = [0, 1, 2].map(|at| groups[at] * along(&draft.local, at));
    let mirror = Mirror { given, global, groups };
    let written = host::right(kernel.name(), &mirror);

    let held: Vec<Option<AnyBuffer>> =
        mirror.given.iter().map(|given| upload(gpu, given)).collect();
    let mut launch = gpu.launch(kernel);
    let mut out = None;
    for ((kind, held), given) in
        draft.arguments.iter().zip(&held).zip(&mirror.given)
    {
        launch = match (kind, held, given) {
            (Drawn::Out, Some(AnyBuffer::Floats(floats)), _) => {
                out = Some(floats);
                launch.output(floats)
            }
            (_, Some(AnyBuffer::Floats(floats)), _) => launch.input(floats),
            (_, Some(AnyBuffer::Words(words)), _) => launch.input(words),
            (.., HostArgument::Number(number)) => launch.scalar(*number),
            _ => unreachable!("a buffer or a number"),
        };
    }
    let launch = launch.global(extent(&draft.global));
    launch.local(extent(&draft.local)).run().unwrap();
    let yours = out.expect("an output").read().unwrap();
    let mut expected = vec![UNTOUCHED; yours.len()];
    for (at, value) in written {
        expected[at] = value;
    }
    // The error of differences of sums up to 64, times values up to 4.
    let is_of_sums = kernel.name() == "attention_grads";
    let bound = if is_of_sums { 4e-5 } else { 4e-6 };
    for (at, (x, y)) in yours.iter().zip(&expected).enumerate() {
        let same = x == y || (x.is_nan() && y.is_nan());
        let close = same || (x - y).abs() <= bound * (1.0 + y.abs());
        assert!(
            close,
            "seed {seed}, {} {}, {draft:?}: element {at} is {x}, expected {y}",
            kernel.name(),
            kernel.options()
        );
    }
    true
}

enum AnyBuffer {
    Floats(Buffer<f32>),
    Words(Buffer<u32>),
}

fn upload(gpu: &Gpu, given: &HostArgument) -> Option<AnyBuffer> {
    match given {
        HostArgument::Floats(floats) => {
            Some(AnyBuffer::Floats(gpu.upload(floats).unwrap()))
        }
        HostArgument::Words(words) => {
            Some(AnyBuffer::Words(gpu.upload(words).unwrap()))
        }
        HostArgument::Number(_) => None,
    }
}

/// Launches each of these kernels with several seeds.
pub(crate) fn compare_random(gpu: &Gpu, kernels: &[Kernel]) {
    for kernel in kernels {
        let name = kernel.name();
        let tried = match is_mirrored(name) {
            true if PRODUCTS.contains(&name) => 12,
            true => 60,
            false => continue,
        };
        let ran = (0..tried).filter(|&seed| agrees(gpu, kernel, seed));
        let ran = ran.count() as u64;
        assert!(4 * ran >= tried, "{name} ran {ran} of {tried} launches");
    }
}
