//! Launches every kernel of the crate with random arguments on buffers of
//! exactly its stated reach. Oclgrind detects an access past the end of a
//! buffer even if the address belongs to a neighboring buffer.
//!
//! The safety of a launch depends on the stated reach of its kernel, so the
//! statements are tested: with sizes of 0 and 1, sizes that fill no group and
//! no row, contradictory sizes, and huge ones.

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
fn every_kernel_has_random_arguments() {
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

/// A buffer of either element type.
enum AnyBuffer {
    Floats(Buffer<f32>),
    Words(Buffer<u32>),
}

/// Creates a buffer of the given length for each buffer argument.
fn buffers(
    gpu: &Gpu,
    draft: &Draft,
    lengths: impl Fn(usize) -> usize,
    random: &mut Random,
) -> Vec<AnyBuffer> {
    let kinds = draft.arguments.iter();
    let kinds = kinds.filter(|kind| !matches!(kind, Drawn::Number(_)));
    let held = kinds.enumerate().map(|(place, kind)| {
        // OpenCL has no buffer of 0 bytes.
        let len = lengths(place).max(1);
        match kind {
            Drawn::Words => {
                // Most indices are valid rows, and some are out of range.
                let word = |_| match random.below(16) {
                    0 => random.bits() as u32,
                    _ => random.below(6) as u32,
                };
                let words: Vec<u32> = (0..len).map(word).collect();
                AnyBuffer::Words(gpu.upload(&words).unwrap())
            }
            Drawn::Out => AnyBuffer::Floats(gpu.allocate(len).unwrap()),
            Drawn::Total => {
                AnyBuffer::Floats(gpu.upload(&vec![0.0; len]).unwrap())
            }
            Drawn::Finished => {
                AnyBuffer::Words(gpu.upload(&vec![0; len]).unwrap())
            }
            _ => AnyBuffer::Floats(gpu.upload(&random.values(len)).unwrap()),
        }
    });
    held.collect()
}

/// Binds buffers to both kinds of launch: a kernel of the crate states its own
/// reach, and a kernel from source has none.
trait BindBuffers<'a>: Sized {
    fn read<T: Element>(self, buffer: &'a Buffer<T>) -> Self;
    fn written<T: Element>(self, buffer: &'a Buffer<T>) -> Self;
}

impl<'a> BindBuffers<'a> for Launch<'a> {
    fn read<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.input(buffer)
    }

    fn written<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.output(buffer)
    }
}

impl<'a> BindBuffers<'a> for Launch<'a, Source> {
    fn read<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.input(buffer, 0)
    }

    fn written<T: Element>(self, buffer: &'a Buffer<T>) -> Self {
        self.output(buffer, 0)
    }
}

/// Returns the launch of a draft with these buffers.
fn filled<'a, Of>(
    mut launch: Launch<'a, Of>,
    draft: &Draft,
    buffers: &'a [AnyBuffer],
) -> Launch<'a, Of>
where
    Launch<'a, Of>: BindBuffers<'a>,
{
    let mut next = buffers.iter();
    for argument in &draft.arguments {
        launch = match argument {
            Drawn::Number(number) => launch.scalar(*number),
            Drawn::Out | Drawn::Total | Drawn::Finished => {
                match next.next().expect("a buffer for each") {
                    AnyBuffer::Floats(out) => launch.written(out),
                    AnyBuffer::Words(out) => launch.written(out),
                }
            }
            _ => match next.next().expect("a buffer for each") {
                AnyBuffer::Floats(floats) => launch.read(floats),
                AnyBuffer::Words(words) => launch.read(words),
            },
        };
    }
    launch.global(extent(&draft.global)).local(extent(&draft.local))
}

/// Longer than every tested buffer, and short enough for the simulator.
const MAX_LEN: usize = 1 << 14;

/// Returns the stated reach of a kernel into each buffer; `None` if it rejects
/// the arguments, or if the reach is too large for the simulator.
pub(crate) fn reach(
    gpu: &Gpu,
    kernel: &Kernel,
    draft: &Draft,
) -> Option<Vec<usize>> {
    thread_local! {
        static PROBE: std::cell::OnceCell<[AnyBuffer; 2]> = const {
            std::cell::OnceCell::new()
        };
    }
    PROBE.with(|probe| {
        let [floats, words] = probe.get_or_init(|| {
            let floats = gpu.allocate(MAX_LEN).unwrap();
            let words = gpu.allocate(MAX_LEN).unwrap();
            [AnyBuffer::Floats(floats), AnyBuffer::Words(words)]
        });
        let (AnyBuffer::Floats(floats), AnyBuffer::Words(words)) =
            (floats, words)
        else {
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
        let reach = spare.map(|spare| MAX_LEN - spare as usize);
        let reach: Vec<usize> = reach.collect();
        reach.iter().all(|&reach| reach < MAX_LEN).then_some(reach)
    })
}

/// Runs seeded launches of these kernels, one kernel after the other.
fn run_all(kernels: &[Kernel]) {
    let gpu = simulator();
    let mut tried = vec![[0_u32; 2]; kernels.len()];
    for seed in first_seed()..first_seed() + cases(0) {
        let turn = (seed % kernels.len() as u64) as usize;
        let (kernel, mut random) = (&kernels[turn], Random(seed));
        // Adjacent seeds differ in few bits, so they are mixed first.
        random.0 = random.bits();
        let draft = Draft::new(kernel, &mut random);
        tried[turn][0] += 1;
        let Some(reach) = reach(&gpu, kernel, &draft) else { continue };
        let held = buffers(&gpu, &draft, |place| reach[place], &mut random);
        let ran = filled(gpu.launch(kernel), &draft, &held).run();
        let what = format!("seed {seed}, {}, {draft:?}", kernel.name());
        ran.unwrap_or_else(|error| panic!("{what}: {error}"));
        fail_on_findings(&gpu, &format!("{what}, buffers of {reach:?}"));
        tried[turn][1] += 1;
    }
    for (kernel, [tried, ran]) in kernels.iter().zip(tried) {
        let enough = tried < 5 || 4 * ran >= tried;
        let name = kernel.name();
        assert!(enough, "{name} refused all but {ran} of {tried} launches");
    }
}

/// Environment variable with the path of the simulator's log.
const LOG: &str = "RUNGRAD_TEST_LOG";

/// Fails if Oclgrind has reported anything so far.
fn fail_on_findings(gpu: &Gpu, what: &str) {
    gpu.finish().unwrap();
    let log = env::var_os(LOG).expect("the parent names its log");
    let found = fs::read_to_string(Path::new(&log)).unwrap_or_default();
    assert!(found.is_empty(), "{what}:\n{found}");
}

/// Returns the command that runs the child `name` under Oclgrind; `None`, with
/// a reported skip, if Oclgrind is missing.
#[track_caller]
fn simulated(
    name: &str,
    log: &Path,
    options: &[&str],
    is_tiled: bool,
) -> Option<Command> {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        skip("no Oclgrind", "`cargo learn setup` installs it");
        return None;
    }
    // Removes the findings of an earlier run.
    let _ = fs::remove_file(log);
    let mut tool = Command::new("oclgrind");
    tool.args(["--data-races", "--check-api"]);
    // Tracking uninitialized values takes two thirds of the time of a tile.
    // `is_clean` checks that for each kernel.
    if !is_tiled || cases(0) > 0 {
        tool.arg("--uninitialized");
    }
    // The largest matmul tiles need the local memory size of a GPU.
    tool.args(["--local-mem-size", "49152"]);
    tool.args(options).arg("--log").arg(log).env(LOG, log);
    child_under(&mut tool, name);
    Some(tool)
}

/// Runs `cases` cases in child processes with a limited number of cases each,
/// so that no child runs long. One child per core runs at a time.
#[track_caller]
fn in_children(family: &Family, name: &str, cases: u64, per_child: u64) {
    let (options, is_tiled) = (family.options, family.is_tiled());
    let mut children = Vec::new();
    for done in (0..cases).step_by(per_child as usize) {
        let log = format!("reach-{}-{done}.log", name.replace("::", "-"));
        let log = scratch().join(log);
        let simulated = simulated(name, &log, options, is_tiled);
        let Some(mut tool) = simulated else { return };
        tool.env("RUNGRAD_SEED", (first_seed() + done).to_string());
        tool.env("RUNGRAD_CASES", per_child.min(cases - done).to_string());
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

/// Runs the family's part of the cases in the simulator for the test `name`.
pub(crate) fn stays_within_its_reach(
    family: &Family,
    name: &str,
    kernels: &[Kernel],
) {
    if is_child() {
        return run_all(kernels);
    }
    // An elementwise kernel gets 37 of 3000 launches.
    let share = cases(3000) * kernels.len() as u64;
    let share = share.div_ceil(80 * family.cost);
    in_children(family, &family.test(name), share, 3000 / family.cost);
}

/// An early version of `index_select` stated its reach like this kernel: it
/// counted only indices of complete rows, although the last row can be
/// partial.
///
/// Promise: The reach test reports a kernel that accesses more than it states.
#[test]
fn an_understated_reach_is_reported() {
    let name = "reach::an_understated_reach_is_reported";
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
            // SAFETY: the simulator reports out-of-bounds accesses instead of
            // executing them.
            unsafe { launch.run() }.unwrap();
            fail_on_findings(&gpu, &format!("planted, n is {n}"));
        }
        return;
    }
    let log = scratch().join("reach-planted.log");
    let Some(mut tool) = simulated(name, &log, &[], false) else { return };
    let outcome = finish(&mut tool);
    assert!(!outcome.status.success(), "{}", outcome.text);
    // A buffer has at least one element, so 8 is the first row that needs a
    // second index.
    for expected in ["planted, n is 8:", "Invalid read of size 4"] {
        assert!(outcome.text.contains(expected), "{}", outcome.text);
    }
}
