//! One expression on each of the three engines.

use rungrad::Error;

use super::part1;
pub use super::part1::Outcome;
use super::request::Request;

#[cfg(feature = "opencl")]
mod part2;
#[cfg(feature = "opencl")]
mod part3;
#[cfg(feature = "opencl")]
use self::{part2::run as part2, part3::run as part3};

/// Computes the request on the engine that it names.
pub fn run(request: &Request) -> Result<Outcome, Error> {
    match request.engine.as_str() {
        "part1" => part1::run(request),
        "part2" => part2(request),
        "part3" => part3(request),
        other => Err(Error::Usage(format!(
            "`{other}` is no engine; there are part1, part2, part3 and mine"
        ))),
    }
}

#[cfg(not(feature = "opencl"))]
use self::{left_out as part2, left_out as part3};

/// Says that this bench was built for Part 1 alone. `cargo learn try` builds
/// the one that the request needs.
#[cfg(not(feature = "opencl"))]
fn left_out(request: &Request) -> Result<Outcome, Error> {
    Err(Error::Usage(format!(
        "this bench was built without {}; build it with the feature opencl",
        request.engine
    )))
}
