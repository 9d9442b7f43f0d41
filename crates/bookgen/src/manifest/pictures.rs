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
        out: "book/figures/read-digits.svg",
        written: "target/read-digits.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/inside.svg",
        written: "target/inside.svg",
        needs: Needs::Device,
    },
    Picture {
        out: "book/figures/rates.svg",
        written: "target/rates.svg",
        needs: Needs::Nothing,
    },
    Picture {
        out: "book/figures/warp_naive.svg",
        written: "target/warp_naive.svg",
        needs: Needs::Counters,
    },
];
