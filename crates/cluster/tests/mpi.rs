//! The specification on processes that MPI connects. It needs `mpirun`.

#[path = "specification/cases.rs"]
mod cases;

use std::process::{Command, Output};
use std::time::{Duration, Instant};
use std::{env, process};

/// Names what a child process runs.
const WORK: &str = "RUNGRAD_TEST_MODE";

/// Runs this program on several ranks.
fn mpirun(ranks: usize, work: &str) -> Output {
    Command::new("mpirun")
        .args(["--oversubscribe", "-n", &ranks.to_string()])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "the_work_of_a_rank", "--nocapture"])
        .env(WORK, work)
        // A container often has no other user.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .output()
        .expect("mpirun; install openmpi-bin")
}

/// The test that the child processes run. Without [`WORK`] it does nothing.
#[test]
fn the_work_of_a_rank() {
    let Ok(work) = env::var(WORK) else { return };
    let ran = cluster::mpi::run(|it| {
        match &work[..] {
            "cases" => cases::CASES.iter().for_each(|case| case(it)),
            "lost" => loop {
                it.all_reduce(vec![1.0; 1000]).wait()?;
                if it.rank() == 1 {
                    eprintln!("rank 1 ends");
                    process::exit(3);
                }
            },
            other => panic!("there is no work `{other}`"),
        }
        println!("rank {} of {} has finished", it.rank(), it.size());
        Ok(())
    });
    ran.unwrap();
}

/// Promise: Processes connected by MPI keep the specification of all networks.
#[test]
fn processes_keep_the_specification() {
    for size in 1..=4 {
        let output = mpirun(size, "cases");
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}{errors}");
        for rank in 0..size {
            let line = format!("rank {rank} of {size} has finished");
            assert!(text.contains(&line), "{text}{errors}");
        }
    }
}

/// Promise: A process that ends early ends all processes within 10 seconds.
#[test]
fn a_lost_process_ends_all() {
    let start = Instant::now();
    let output = mpirun(4, "lost");
    assert_eq!(output.status.code(), Some(3));
    assert!(start.elapsed() < Duration::from_secs(10));
}
