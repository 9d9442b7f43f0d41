/// Sends values to rank `to` and receives values from rank `from`. Both
/// happen at the same time, so a ring of ranks that all exchange with
/// their neighbors cannot deadlock. Messages between two ranks arrive in
/// the order in which they were sent.
///
/// # Errors
///
/// If rank `from` has ended, or sends nothing within the time limit.
fn exchange(
    &mut self,
    to: usize,
    values: Vec<f32>,
    from: usize,
) -> Result<Vec<f32>>;
