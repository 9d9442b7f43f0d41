//! Cards by their data sheets: how many groups are at home in a unit, and the
//! roof over a kernel.

use crate::record::Launch;

/// What a data sheet says of a card.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name on the data sheet.
    pub title: &'static str,
    /// Where the figures stand, beside the tables of the CUDA C++ Programming
    /// Guide for its compute capability.
    pub source: &'static str,
    /// Compute units: streaming multiprocessors.
    pub units: u64,
    /// Items of a warp.
    pub warp: u64,
    /// Places for items in a unit.
    pub items: u64,
    /// Places for groups in a unit.
    pub groups: u64,
    /// Bytes of local memory of a unit, and those that a group costs beside
    /// its own.
    pub local: [u64; 2],
    /// Registers of a unit, of 4 bytes.
    pub registers: u64,
    /// Operations on `f32` in a second, without tensor cores.
    pub operations: f64,
    /// Bytes of memory in a second.
    pub bytes: f64,
}

const HOPPER: Card = Card {
    name: "h200",
    title: "NVIDIA H200 SXM",
    source: "NVIDIA H200 Tensor Core GPU data sheet (2024)",
    units: 132,
    warp: 32,
    items: 2048,
    groups: 32,
    local: [228 << 10, 1 << 10],
    registers: 1 << 16,
    operations: 67e12,
    bytes: 4.8e12,
};

/// The cards that are known; the first is the usual one.
pub const CARDS: &[Card] = &[
    HOPPER,
    Card {
        name: "h100",
        title: "NVIDIA H100 SXM",
        source: "NVIDIA H100 Tensor Core GPU data sheet (2023)",
        bytes: 3.35e12,
        ..HOPPER
    },
    Card {
        name: "a100",
        title: "NVIDIA A100 SXM 80GB",
        source: "NVIDIA A100 Tensor Core GPU data sheet (2021)",
        units: 108,
        local: [164 << 10, 1 << 10],
        operations: 19.5e12,
        bytes: 2.039e12,
        ..HOPPER
    },
    Card {
        name: "rtx4090",
        title: "NVIDIA GeForce RTX 4090",
        source: "NVIDIA Ada GPU Architecture, white paper (2023)",
        units: 128,
        items: 1536,
        groups: 24,
        local: [100 << 10, 1 << 10],
        operations: 82.6e12,
        bytes: 1.008e12,
        ..HOPPER
    },
    Card {
        name: "t4",
        title: "NVIDIA T4",
        source: "NVIDIA Turing GPU Architecture, white paper (2018)",
        units: 40,
        items: 1024,
        groups: 16,
        local: [64 << 10, 0],
        operations: 8.1e12,
        bytes: 320e9,
        ..HOPPER
    },
];

/// Finds a card by its name, or says which there are.
pub fn card(name: &str) -> Result<&'static Card, String> {
    let known = CARDS.iter().find(|card| card.name == name.to_lowercase());
    known.ok_or_else(|| {
        let names: Vec<&str> = CARDS.iter().map(|card| card.name).collect();
        format!("there is no card {name:?}: say one of {}", names.join(", "))
    })
}

/// How many groups of a launch are at home in a unit of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Home {
    /// The groups.
    pub groups: u64,
    /// The share of the unit's places for warps that they take.
    pub share: f64,
    /// What keeps more of them out.
    pub limit: &'static str,
}

impl Card {
    /// Computes how many groups are at home in a unit, if an item needs so
    /// many registers.
    pub fn home(&self, launch: &Launch, registers: Option<u64>) -> Home {
        let warps = launch.items().div_ceil(self.warp).max(1);
        let places = self.items / self.warp;
        let [local, extra] = self.local;
        let mut limits = vec![
            (places / warps, "the places for warps"),
            (self.groups, "the places for groups"),
        ];
        if launch.local > 0 {
            let room = local / (launch.local + extra);
            limits.push((room, "local memory"));
        }
        if let Some(registers) = registers.filter(|&count| count > 0) {
            // A warp gets them by 256.
            let each = (registers * self.warp).next_multiple_of(256);
            let room = self.registers / each / warps;
            limits.push((room, "registers"));
        }
        let limit = limits.iter().min_by_key(|(groups, _)| *groups);
        let &(groups, limit) = limit.expect("items are always a limit");
        let share = (groups * warps) as f64 / places as f64;
        Home { groups, share, limit }
    }

    /// Returns the operations in a second that the roof allows to so many for
    /// each byte.
    pub fn roof(&self, intensity: f64) -> f64 {
        (intensity * self.bytes).min(self.operations)
    }

    /// Returns the intensity from which on arithmetic is the limit.
    pub fn ridge(&self) -> f64 {
        self.operations / self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(group: usize, local: u64) -> Launch {
        Launch { group: [group, 1, 1], local, ..Launch::default() }
    }

    #[test]
    fn what_runs_out_first_limits_the_groups_of_a_unit() {
        let home = |group, local, registers| {
            let home = HOPPER.home(&launch(group, local), registers);
            (home.groups, home.limit)
        };
        assert_eq!(home(256, 0, None), (8, "the places for warps"));
        assert_eq!(home(32, 0, None), (32, "the places for groups"));
        assert_eq!(home(256, 48 << 10, None), (4, "local memory"));
        assert_eq!(home(256, 0, Some(128)), (2, "registers"));
        // A group of 33 items takes two warps.
        let home = HOPPER.home(&launch(33, 0), None);
        assert_eq!((home.groups, home.share), (32, 1.0));
        assert_eq!(HOPPER.home(&launch(1024, 300 << 10), None).groups, 0);
    }

    #[test]
    fn the_roof_is_memory_up_to_the_ridge_and_then_arithmetic() {
        assert_eq!(HOPPER.roof(1.0), 4.8e12);
        assert_eq!(HOPPER.roof(100.0), 67e12);
        assert!((HOPPER.ridge() - 13.96).abs() < 0.01);
        assert!(card("H100").is_ok());
        let sentence = card("h300").unwrap_err();
        assert!(sentence.contains("h200, h100, a100"), "{sentence}");
    }
}
