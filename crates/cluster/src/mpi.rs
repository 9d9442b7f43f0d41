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
    Communicator, CommunicatorCollectives, Destination, Equivalence, Source,
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

/// The number of values in a message of MPI. Values that were received fit into
/// the cache of a core, so that it costs little to add them. A longer sequence of
/// values is sent in several messages; the first one that is shorter is the last.
const PIECE: usize = 1 << 16;

struct MpiLink {
    /// `None` after [`Link::finish`].
    universe: Option<Universe>,
    rank: usize,
    size: usize,
    /// The message that was received last.
    piece: Vec<f32>,
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
        let piece = vec![0.0; PIECE];
        Ok(MpiLink { universe: Some(universe), rank, size, piece })
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
        values: &[f32],
        from: usize,
        receive: &mut dyn FnMut(&[f32]),
    ) -> Result<()> {
        let universe = self.universe.as_ref().ok_or_else(|| {
            Error::Mistake("this rank has called `finish` before".into())
        })?;
        let world = universe.world();
        let receiver = world.process_at_rank(to as i32);
        let sender = world.process_at_rank(from as i32);
        let next_message = || {
            let start = Instant::now();
            loop {
                if let Some(message) = sender.immediate_matched_probe() {
                    return message;
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
            }
        };
        request::scope(|scope| {
            let send = |index| {
                let end = values.len().min((index + 1) * PIECE);
                receiver.immediate_send(scope, &values[index * PIECE..end])
            };
            let sending: Vec<_> =
                (0..=values.len() / PIECE).map(send).collect();
            let mut len = PIECE;
            while len == PIECE {
                let (message, status) = next_message();
                len = status.count(f32::equivalent_datatype()) as usize;
                let piece = &mut self.piece[..len];
                message.matched_receive_into(piece);
                receive(piece);
            }
            for sending in sending {
                sending.wait_without_status();
            }
        });
        Ok(())
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
