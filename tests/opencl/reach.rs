//! Every kernel of the crate, launched with random arguments on buffers that
//! are exactly as long as it says that it reaches. Oclgrind sees the access
//! behind the end of one, even where its neighbor lies there.
//!
//! A launch is safe because of what a kernel says of its reach, so here that
//! is tried rather than read: with sizes of 0 and 1, sizes that fit no group
//! and no row, numbers that contradict each other and numbers without end.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, thread};

use rungrad::opencl::{Buffer, Element, Gpu, Kernel, Launch, Source};

use super::every_kernel;
use super::families::Family;
use super::oclgrind::simulator;
use testkit::child::{child_under, finish, is_child, succeed};
use testkit::device::{gpu_or_skip, skip};
use testkit::launches::draft::{Draft, Drawn, extent, parameters};
use testkit::place::scratch;
use testkit::random::{Random, cases, first_seed};

/// Promise: The reach tests cover every kernel of the crate.
#[test]
fn every_kernel_of_the_crate_is_listed_here() {
    for kernel in every_kernel() {
        assert!(
            parameters(kernel.name()).is_some(),
            "no random arguments for `{}`: add it to a row of PARAMETERS in \
             crates/testkit/src/launches/draft.rs, or a row with its name, a word for each of \
             its parameters in their order ({}), and the items of its group",
            kernel.name(),
            "in, words, out, total, finished, count, side, few, offset, \
             number, bits, shape, sizes, strides, dense, within"
        );
    }
}

/// Promise: The reach of a kernel names only parameters that the kernel has.
#[test]
fn a_reach_names_parameters_of_its_kernel() {
    let Some(gpu) = gpu_or_skip() else { return };
    for kernel in every_kernel() {
        let accepted = |seed| {
            let draft = Draft::new(kernel, &mut Random(seed));
            reach(&gpu, kernel, &draft).is_some()
        };
        // A launch that is accepted has looked up every name.
        let name = kernel.name();
        assert!((1..400).any(accepted), "{name} accepts no launch");
    }
}

/// A buffer of a launch.
enum Held {
    Floats(Buffer<f32>),
    Words(Buffer<u32>),
}

/// Buffers of these lengths, as far as the arguments are buffers.
fn buffers(
    gpu: &Gpu,
    draft: &Draft,
    lengths: impl Fn(usize) -> usize,
    random: &mut Random,
) -> Vec<Held> {
    let kinds = draft.arguments.iter();
    let kinds = kinds.filter(|kind| !matches!(kind, Drawn::Number(_)));
    let held = kinds.enumerate().map(|(place, kind)| {
        // OpenCL has no buffer of 0 bytes.
        let len = lengths(place).max(1);
        match kind {
            Drawn::Words => {
                // Most are rows that there are, and some lead astray.
                let word = |_| match random.below(16) {
                    0 => random.bits() as u32,
                    _ => random.below(6) as u32,
                };
                let words: Vec<u32> = (0..len).map(word).collect();
                Held::Words(gpu.upload(&words).unwrap())
            }
            Drawn::Out => Held::Floats(gpu.allocate(len).unwrap()),
            Drawn::Total => Held::Floats(gpu.upload(&vec![0.0; len]).unwrap()),
            Drawn::Finished => Held::Words(gpu.upload(&vec![0; len]).unwrap()),
            _ => Held::Floats(gpu.upload(&random.values(len)).unwrap()),
        }
    });
    held.collect()
}

/// A kernel of the crate says itself how far it reaches; of its text alone
/// nobody says anything.
trait Takes<'a>: Sized {
    fn read<T: Element>(self, buffer: &'a Buffer<T>) -> Self;
    fn written<T: Element>(self, buffer: &'a Buffer<T>) -> Self;
}

impl<'a> Takes<'a> for Launch<'a> {
    fn read<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.input(buffer)
    }

    fn written<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.output(buffer)
    }
}

impl<'a> Takes<'a> for Launch<'a, Source> {
    fn read<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.input(buffer, 0)
    }

    fn written<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.output(buffer, 0)
    }
}

/// The launch of a draft on these buffers.
fn filled<'a, Of>(
    mut launch: Launch<'a, Of>,
    draft: &Draft,
    buffers: &'a [Held],
) -> Launch<'a, Of>
where
    Launch<'a, Of>: Takes<'a>,
{
    let mut next = buffers.iter();
    for argument in &draft.arguments {
        launch = match argument {
            Drawn::Number(number) => launch.scalar(*number),
            Drawn::Out | Drawn::Total | Drawn::Finished => {
                match next.next().expect("a buffer for each") {
                    Held::Floats(out) => launch.written(out),
                    Held::Words(out) => launch.written(out),
                }
            }
            _ => match next.next().expect("a buffer for each") {
                Held::Floats(floats) => launch.read(floats),
                Held::Words(words) => launch.read(words),
            },
        };
    }
    launch.global(extent(&draft.global)).local(extent(&draft.local))
}

/// Longer than what is tried, and short enough for the simulator.
const LONG: usize = 1 << 14;

/// How far the kernel says that it reaches into each buffer; `None` where it
/// refuses the arguments, or would reach too far for the simulator.
pub(crate) fn reach(
    gpu: &Gpu,
    kernel: &Kernel,
    draft: &Draft,
) -> Option<Vec<usize>> {
    thread_local! {
        static PROBE: std::cell::OnceCell<[Held; 2]> = const {
            std::cell::OnceCell::new()
        };
    }
    PROBE.with(|probe| {
        let [floats, words] = probe.get_or_init(|| {
            let floats = gpu.allocate(LONG).unwrap();
            let words = gpu.allocate(LONG).unwrap();
            [Held::Floats(floats), Held::Words(words)]
        });
        let (Held::Floats(floats), Held::Words(words)) = (floats, words) else {
            unreachable!("as they were made")
        };
        let mut launch = gpu.launch(kernel);
        for argument in &draft.arguments {
            launch = match argument {
                Drawn::In => launch.input(floats),
                Drawn::Words => launch.input(words),
                Drawn::Out | Drawn::Total => launch.output(floats),
                Drawn::Finished => launch.output(words),
                Drawn::Number(number) => launch.scalar(*number),
            };
        }
        let global = extent(&draft.global);
        let launch = launch.global(global).local(extent(&draft.local));
        let spare = match launch.unreached() {
            Ok(spare) => spare.into_iter(),
            Err(error) => {
                let error = error.to_string();
                assert!(!error.contains("has no parameter"), "{error}");
                return None;
            }
        };
        let reach = spare.map(|spare| LONG - spare as usize);
        let reach: Vec<usize> = reach.collect();
        reach.iter().all(|&reach| reach < LONG).then_some(reach)
    })
}

/// Runs seeded launches of these kernels, on each kernel's turn one.
fn run_all(kernels: &[Kernel]) {
    let gpu = simulator();
    let mut tried = vec![[0_u32; 2]; kernels.len()];
    for seed in first_seed()..first_seed() + cases(0) {
        let turn = (seed % kernels.len() as u64) as usize;
        let (kernel, mut random) = (&kernels[turn], Random(seed));
        // Neighboring seeds differ in one number only, which is stirred.
        random.0 = random.bits();
        let draft = Draft::new(kernel, &mut random);
        tried[turn][0] += 1;
        let Some(reach) = reach(&gpu, kernel, &draft) else { continue };
        let held = buffers(&gpu, &draft, |place| reach[place], &mut random);
        let ran = filled(gpu.launch(kernel), &draft, &held).run();
        let what = format!("seed {seed}, {}, {draft:?}", kernel.name());
        ran.unwrap_or_else(|error| panic!("{what}: {error}"));
        complain(&gpu, &format!("{what}, buffers of {reach:?}"));
        tried[turn][1] += 1;
    }
    for (kernel, [tried, ran]) in kernels.iter().zip(tried) {
        let enough = tried < 5 || 4 * ran >= tried;
        let name = kernel.name();
        assert!(enough, "{name} refused all but {ran} of {tried} launches");
    }
}

/// Where the simulator writes what it finds.
const LOG: &str = "RUNGRAD_TEST_LOG";

/// Fails with what Oclgrind has found so far.
fn complain(gpu: &Gpu, what: &str) {
    gpu.finish().unwrap();
    let log = env::var_os(LOG).expect("the parent names its log");
    let found = fs::read_to_string(Path::new(&log)).unwrap_or_default();
    assert!(found.is_empty(), "{what}:\n{found}");
}

/// The child `name` under Oclgrind; `None`, and a loud skip, without it.
#[track_caller]
fn simulated(
    name: &str,
    log: &Path,
    options: &[&str],
    is_of_tiles: bool,
) -> Option<Command> {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        skip("no Oclgrind", "`cargo learn setup` installs it");
        return None;
    }
    // A finding of an earlier run is none of this one's.
    let _ = fs::remove_file(log);
    let mut tool = Command::new("oclgrind");
    tool.args(["--data-races", "--check-api"]);
    // To know what has been written takes two thirds of the time of a tile. It
    // is asked of each in `is_clean`.
    if !is_of_tiles || cases(0) > 0 {
        tool.arg("--uninitialized");
    }
    // The largest tiles of a product want as much as graphics processors have.
    tool.args(["--local-mem-size", "49152"]);
    tool.args(options).arg("--log").arg(log).env(LOG, log);
    child_under(&mut tool, name);
    Some(tool)
}

/// Lets children run so many cases, a number of them each, so that no child
/// lives long; as many children at a time as there are cores.
#[track_caller]
fn in_children(family: &Family, name: &str, cases: u64, of_one: u64) {
    let (options, is_of_tiles) = (family.options, family.is_of_tiles());
    let mut children = Vec::new();
    for done in (0..cases).step_by(of_one as usize) {
        let log = format!("reach-{}-{done}.log", name.replace("::", "-"));
        let log = scratch().join(log);
        let simulated = simulated(name, &log, options, is_of_tiles);
        let Some(mut tool) = simulated else { return };
        tool.env("RUNGRAD_SEED", (first_seed() + done).to_string());
        tool.env("RUNGRAD_CASES", of_one.min(cases - done).to_string());
        children.push(tool);
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let children = Mutex::new(children.into_iter());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let next = || children.lock().ok()?.next();
                while let Some(mut tool) = next() {
                    let text = succeed(&mut tool);
                    assert!(text.contains("Oclgrind ran this"), "{text}");
                }
            });
        }
    });
}

/// Runs some kernels of a family in the simulator, for the test `name`, with
/// their part of the cases.
pub(crate) fn reaches_no_further_than_it_says(
    family: &Family,
    name: &str,
    kernels: &[Kernel],
) {
    if is_child() {
        return run_all(kernels);
    }
    // A kernel of single elements has 37 launches of 3000 cases.
    let share = cases(3000) * kernels.len() as u64;
    let share = share.div_ceil(80 * family.price);
    in_children(family, &family.test(name), share, 3000 / family.price);
}

/// Rows by their numbers as `index_select` once stated its reach: of places as
/// many as rows are whole, though the last row may be in part.
///
/// Promise: The reach test reports a kernel that accesses more than it states.
#[test]
fn a_kernel_that_reaches_further_than_it_says_is_reported() {
    let name = "reach::a_kernel_that_reaches_further_than_it_says_is_reported";
    if is_child() {
        let gpu = simulator();
        let text = "kernel void planted(global const uint *places,
                                        global float *out, uint width, uint n)
        {
            uint i = get_global_id(0);
            if (i < n)
                out[i] = places[i / width];
        }";
        let source = Source::new("planted.cl", text, "planted");
        let number = |number: usize| Drawn::Number((number as u32).into());
        for n in 1..100 {
            let (width, mut random) = (7, Random(n as u64));
            let draft = Draft {
                arguments: vec![
                    Drawn::Words,
                    Drawn::Out,
                    number(width),
                    number(n),
                ],
                global: vec![n],
                local: vec![64],
            };
            let lengths = |place| [n / width, n][place];
            let held = buffers(&gpu, &draft, lengths, &mut random);
            let launch = filled(gpu.launch_source(&source), &draft, &held);
            // SAFETY: the simulator reports what the kernel does out of
            // bounds, and does not do it.
            unsafe { launch.run() }.unwrap();
            complain(&gpu, &format!("planted, n is {n}"));
        }
        return;
    }
    let log = scratch().join("reach-planted.log");
    let Some(mut tool) = simulated(name, &log, &[], false) else { return };
    let outcome = finish(&mut tool);
    assert!(!outcome.status.success(), "{}", outcome.text);
    // A buffer has at least one place, so 8 is the first row too many.
    for expected in ["planted, n is 8:", "Invalid read of size 4"] {
        assert!(outcome.text.contains(expected), "{}", outcome.text);
    }
}
