//! `cargo learn cluster`: the programs of `crates/cluster`, which train on
//! several ranks.

use std::process::Command as Child;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::examples::{Program, example_names};
use crate::machine::{self, Audience, PackageManager, Tool};
use crate::nearest::suggestion;
use crate::{process, setup};

pub(crate) const COMMAND: Command = Command {
    name: "cluster",
    usage: "NAME [-n RANKS] [--threads] [--yes] [ARGUMENTS]",
    summary: "train on several processes, connected by MPI",
    page: "\
Runs a program of crates/cluster/examples on several ranks: `cargo learn cluster
names -n 4` trains a small GPT on first names with the program cluster_names on
four ranks. Without -n there are two. The other arguments are passed on to the
program; `cargo learn cluster names -- --help` lists its own. The program clock
simulates its ranks, so it takes no -n.

The ranks are processes that MPI connects. If MPI is missing, the commands that
install it are shown. On a terminal it asks before it runs them; --yes runs them
at once. On Fedora, also load MPI: module load mpi/openmpi-x86_64.

With --threads the ranks are threads of one process, which needs no MPI.

The program is built with all optimizations. Later, you can also start it with
mpirun -n 4 target/release/examples/cluster_names",
    run,
};

/// The program whose ranks are simulated in one process.
const SIMULATED: &str = "cluster_clock";

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let ranks = args.option("-n")?;
    let uses_threads = args.flag("--threads");
    let yes = args.flag("--yes");
    let mut words = args.take(|_| true);
    let (_, passed_on) = args.rest(0)?;
    if words.first().is_none_or(|word| word.starts_with('-')) {
        return Err(Stop::Page);
    }
    let example = find(checkout, &words.remove(0))?;
    words.extend(passed_on);
    if example == SIMULATED && ranks.is_some() {
        return Err(Stop::Usage(format!(
            "{SIMULATED} simulates its ranks; leave out -n"
        )));
    }
    if example == SIMULATED || words.iter().any(|word| word == "--help") {
        return alone(checkout, &example, &words);
    }
    let ranks = ranks.unwrap_or("2".to_string());
    if ranks.parse::<usize>().is_ok_and(|ranks| ranks > 0) {
        start(checkout, &example, &ranks, uses_threads, yes, words)
    } else {
        Err(Stop::Usage(format!(
            "-n takes a whole number of ranks from 1, not {ranks:?}; for \
             example -n 4"
        )))
    }
}

/// Returns the full name of an example, whose prefix can be omitted.
fn find(checkout: &Checkout, name: &str) -> Result<String, Stop> {
    let names = example_names(&checkout.root.join("crates/cluster/examples"))?;
    let short = |full: &str| full.trim_start_matches("cluster_").to_string();
    let found = names.iter().find(|full| *full == name || short(full) == name);
    found.cloned().ok_or_else(|| {
        let names: Vec<String> = names.iter().map(|it| short(it)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Stop::Usage(format!(
            "crates/cluster has no example {name:?}{}; it has {}",
            suggestion(name, &names),
            names.join(", ")
        ))
    })
}

fn start(
    checkout: &Checkout,
    example: &str,
    ranks: &str,
    uses_threads: bool,
    yes: bool,
    words: Vec<String>,
) -> Result<(), Stop> {
    if uses_threads {
        let words = [vec!["-n".to_string(), ranks.to_string()], words];
        return alone(checkout, example, &words.concat());
    }
    require_mpi(checkout, yes)?;
    Program::Cluster { name: example, uses_mpi: true }.build(checkout)?;
    let mut mpirun = Child::new("mpirun");
    mpirun.args(["-n", ranks]);
    mpirun.arg(checkout.target.join("release/examples").join(example));
    mpirun.args(words);
    // More ranks than cores, in OpenMPI 4 and 5.
    mpirun.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    mpirun.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    // A rank may use several threads, so it is not bound to one core.
    mpirun.env("OMPI_MCA_hwloc_base_binding_policy", "none");
    mpirun.env("PRTE_MCA_hwloc_default_binding_policy", "none");
    if machine::is_root() {
        // A container often has no other user.
        mpirun.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        mpirun.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    match process::run_in_foreground(&mut mpirun) {
        // A shell adds 128 to the number of a signal. 2 is Ctrl-C.
        Err(Stop::Said(code)) if code > 128 && code != 128 + 2 => {
            Err(Stop::Failed(format!(
                "signal {} has ended a rank, and MPI has ended all others; a \
                 run with --checkpoint continues from its last checkpoint, \
                 with any number of ranks",
                code - 128
            )))
        }
        other => other,
    }
}

/// Runs a program as one process.
fn alone(
    checkout: &Checkout,
    example: &str,
    words: &[String],
) -> Result<(), Stop> {
    // With MPI, one build serves threads and processes.
    let uses_mpi = machine::has_mpi();
    let program = Program::Cluster { name: example, uses_mpi };
    program.run(checkout, None, words)
}

/// Checks that MPI is here, and offers to install what is missing.
fn require_mpi(checkout: &Checkout, yes: bool) -> Result<(), Stop> {
    let missing = machine::missing(Audience::Cluster);
    if missing.is_empty() {
        return Ok(());
    }
    setup::show(&missing);
    match yes {
        true => setup::install(checkout, &missing)?,
        false => setup::offer(checkout, &missing)?,
    }
    let missing = machine::missing(Audience::Cluster);
    if missing.is_empty() {
        return Ok(());
    }
    let manager = PackageManager::find().unwrap_or(PackageManager::Apt);
    let packages = |tool: &&Tool| tool.package(manager);
    let packages: Vec<_> = missing.iter().filter_map(packages).collect();
    let names: Vec<&str> = missing.iter().map(|tool| tool.name).collect();
    Err(Stop::Failed(format!(
        "still missing for MPI: {}; `{} {}` installs it, and --threads runs \
         the ranks without MPI",
        names.join(", "),
        manager.install(),
        packages.join(" ")
    )))
}
