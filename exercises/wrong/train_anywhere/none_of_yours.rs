// Ours, all of them: this learns well.

use super::Ops;

/// The operations that the network is made of.
pub fn ops() -> Ops {
    Ops::reference()
}
