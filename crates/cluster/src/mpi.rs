//! Ranks that are processes, on one or several machines, connected by MPI.
//!
//! Start a program with `mpirun -n 4 PROGRAM`. MPI ends all processes if one of
//! them ends without [`Collective::finish`].

use std::mem;
use std::thread;
use std::time::{Duration, Instant};

use ::mpi::Threading;
use ::mpi::environment::{Universe, initialize_with_threading};
use ::mpi::request;
use ::mpi::traits::{
    Communicator, CommunicatorCollectives, Destination, MatchedReceiveVec,
    Source,
};
use rungrad::{Error, Result};

use super::{Collective, Link};

/// Connects this process with the others of its `mpirun`, calls `work`, and
/// waits until all ranks have done so. Without `mpirun` there is one rank.
///
/// # Errors
///
/// If MPI cannot start, or `work` returns an error; then return it from `main`,
/// and MPI ends the other ranks.
pub fn run(work: impl FnOnce(&Collective) -> Result<()>) -> Result<()> {
    let collective = Collective::new(MpiLink::connect)?;
    work(&collective)?;
    collective.finish()
}

/// How long a rank waits for a message before it ends all ranks.
const LIMIT: Duration = Duration::from_secs(60);

/// How long a rank looks for a message without sleeping. A small message takes
/// less time between processes of one machine.
const SPIN: Duration = Duration::from_micros(100);

struct MpiLink {
    /// `None` after [`Link::finish`].
    universe: Option<Universe>,
    rank: usize,
    size: usize,
}

impl MpiLink {
    fn connect() -> Result<MpiLink> {
        // Only the thread that connects calls MPI.
        let started = initialize_with_threading(Threading::Funneled);
        let Some((universe, level)) = started else {
            return Err(Error::Mistake(
                "MPI was started twice; call mpi::run once in a program".into(),
            ));
        };
        if level < Threading::Funneled {
            return Err(Error::Device(
                "this MPI library does not allow threads; install OpenMPI, or \
                 build MPI with MPI_THREAD_FUNNELED"
                    .into(),
            ));
        }
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        Ok(MpiLink { universe: Some(universe), rank, size })
    }
}

impl Link for MpiLink {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    /// If no message arrives within the limit, ends all ranks: MPI cannot take
    /// back the message that it is sending.
    fn exchange(
        &mut self,
        to: usize,
        values: Vec<f32>,
        from: usize,
    ) -> Result<Vec<f32>> {
        let universe = self.universe.as_ref().ok_or_else(|| {
            Error::Mistake("this rank has called `finish` before".into())
        })?;
        let world = universe.world();
        let receiver = world.process_at_rank(to as i32);
        let sender = world.process_at_rank(from as i32);
        Ok(request::scope(|scope| {
            let sending = receiver.immediate_send(scope, &values[..]);
            let start = Instant::now();
            let message = loop {
                if let Some(message) = sender.immediate_matched_probe() {
                    break message;
                }
                let waited = start.elapsed();
                if waited > LIMIT {
                    eprintln!(
                        "rank {from} sent nothing to rank {} for {LIMIT:?}; \
                         continue from the last checkpoint",
                        self.rank
                    );
                    world.abort(1);
                }
                match waited < SPIN {
                    true => thread::yield_now(),
                    false => thread::sleep(SPIN / 2),
                }
            };
            let (received, _) = message.matched_receive_vec();
            sending.wait_without_status();
            received
        }))
    }

    fn finish(&mut self) -> Result<()> {
        if let Some(universe) = self.universe.take() {
            universe.world().barrier();
        }
        Ok(())
    }
}

/// A rank that has failed does not wait for the others in `MPI_Finalize`. Its
/// process ends without this call, so MPI ends the other processes.
impl Drop for MpiLink {
    fn drop(&mut self) {
        mem::forget(self.universe.take());
    }
}
