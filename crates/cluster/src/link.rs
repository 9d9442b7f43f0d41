//! The connection between ranks.

use rungrad::Result;

/// The connection of one rank to all others. It is the only trait that a new
/// kind of network implements.
pub trait Link {
    /// Returns the index of this rank, counted from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    // ANCHOR: exchange
    /// Sends values to rank `to`, and passes the values from rank `from` to
    /// `receive`, in one or more pieces. Both happen at the same time, so a
    /// ring of ranks that all exchange with their neighbors cannot deadlock.
    /// Messages between two ranks arrive in the order in which they were sent.
    ///
    /// # Errors
    ///
    /// If rank `from` has ended, or sends nothing within the time limit.
    fn exchange(
        &mut self,
        to: usize,
        values: &[f32],
        from: usize,
        receive: &mut dyn FnMut(&[f32]),
    ) -> Result<()>;
    // ANCHOR_END: exchange

    /// Ends the connection when every rank has called this method. A link that
    /// is dropped without it belongs to a rank that has failed.
    ///
    /// # Errors
    ///
    /// If a rank has ended, or sends nothing within the time limit.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns the time on the clock of a simulated network in seconds, and 0
    /// on a real one.
    fn time(&self) -> f64 {
        0.0
    }

    /// Advances the clock of a simulated network to `time`.
    fn advance_to(&mut self, _time: f64) {}
}
