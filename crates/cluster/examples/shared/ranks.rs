//! Command lines, and ranks that are threads or processes.

use std::time::Duration;
use std::{env, thread};

use cluster::{Collective, local};
use rungrad::{Error, Result};

/// Returns the parsed arguments. All processes that `mpirun` has started find
/// the same mistake in them. Only the first process reports it at once; the
/// others wait until `mpirun` ends them.
pub(crate) fn reported_once<T>(arguments: Result<T>) -> Result<T> {
    let rank = env::var("OMPI_COMM_WORLD_RANK");
    if arguments.is_err() && rank.is_ok_and(|rank| rank != "0") {
        thread::sleep(Duration::from_secs(5));
    }
    arguments
}

/// Runs `work` on ranks that are threads of this process, or else on those that
/// `mpirun` has started.
pub(crate) fn run_ranks(
    threads: Option<usize>,
    work: impl Fn(&Collective) -> Result<()> + Sync,
) -> Result<()> {
    match threads {
        Some(threads) => {
            local::run(threads, |it| work(&it)).into_iter().collect()
        }
        #[cfg(feature = "mpi")]
        None => cluster::mpi::run(work),
        #[cfg(not(feature = "mpi"))]
        None if env::var_os("OMPI_COMM_WORLD_SIZE").is_some() => {
            Err(Error::Usage(
                "this program was built without MPI, so its processes cannot \
                 connect; run it by `cargo learn cluster`, or build it with \
                 --features mpi"
                    .into(),
            ))
        }
        #[cfg(not(feature = "mpi"))]
        None => work(&local::run(1, |it| it).remove(0)),
    }
}

/// Parses the number that follows an option.
pub(crate) fn number(option: &str, value: Option<String>) -> Result<usize> {
    let number = value.as_deref().and_then(|word| word.parse().ok());
    number.filter(|number| *number > 0).ok_or_else(|| {
        let value = value.map_or("nothing".to_string(), |it| format!("`{it}`"));
        Error::Usage(format!(
            "{option} takes a whole number from 1, not {value}; for example \
             {option} 4"
        ))
    })
}
