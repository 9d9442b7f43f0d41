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
