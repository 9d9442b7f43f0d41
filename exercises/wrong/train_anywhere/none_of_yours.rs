// Ours, all of them: this learns well.

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    Ops::reference()
}
