//! The figures that examples draw.

use super::{Needs, Picture};

pub(crate) const PICTURES: &[Picture] = &[
    Picture {
        out: "book/figures/moons.svg",
        written: "target/moons.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/digits-loss.svg",
        written: "target/digits-loss.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/strides.svg",
        written: "target/strides.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/filters.svg",
        written: "target/filters.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/attention-map.svg",
        written: "target/attention-map.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/warp_naive.svg",
        written: "target/warp_naive.svg",
        needs: Needs::Counters,
    },
];
