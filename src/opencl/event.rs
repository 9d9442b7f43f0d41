//! The times of a launch, by the device's own clock.

use ocl::core::{self, ProfilingInfo, ProfilingInfoResult};

use super::device::not_forked;
use super::status::driver_error;
use crate::Error;
pub use crate::timeline::Times;

/// The event of a command that was sent to a device. Clones refer to the same
/// event.
#[derive(Clone, Debug)]
pub struct Event(core::Event);

impl Event {
    pub(super) fn new(event: core::Event) -> Event {
        Event(event)
    }

    /// Waits for the command to end and returns its times.
    pub fn times(&self) -> Result<Times, Error> {
        not_forked()?;
        let asking = |error| driver_error("Timing what the device did", error);
        core::wait_for_event(&self.0).map_err(asking)?;
        let ask = |what| {
            use ProfilingInfoResult::{End, Queued, Start, Submit};
            match core::get_event_profiling_info(&self.0, what) {
                Ok(Queued(t) | Submit(t) | Start(t) | End(t)) => Ok(t),
                Err(error) => Err(asking(error)),
            }
        };
        Ok(Times {
            queued: ask(ProfilingInfo::Queued)?,
            submitted: ask(ProfilingInfo::Submit)?,
            started: ask(ProfilingInfo::Start)?,
            ended: ask(ProfilingInfo::End)?,
        })
    }
}
