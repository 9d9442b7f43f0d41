//! Evaluates one expression on one of the three engines.

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

/// Evaluates the expression on the engine that the request names.
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
use self::{not_built as part2, not_built as part3};

/// Returns an error, because this program was built for Part 1 only. `cargo
/// learn try` builds the version that the request needs.
#[cfg(not(feature = "opencl"))]
fn not_built(request: &Request) -> Result<Outcome, Error> {
    Err(Error::Usage(format!(
        "this bench was built without {}; build it with the feature opencl",
        request.engine
    )))
}
