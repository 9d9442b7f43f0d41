//! The data sheets of cards: the occupancy of a compute unit, and the
//! roofline.

use crate::record::Launch;

/// The data sheet of a card.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name on the data sheet.
    pub title: &'static str,
    /// The source of the figures, in addition to the tables of the CUDA C++
    /// Programming Guide for the card's compute capability.
    pub source: &'static str,
    /// Compute units (streaming multiprocessors).
    pub units: u64,
    /// Items of a warp.
    pub warp: u64,
    /// Maximum number of resident items in a unit.
    pub items: u64,
    /// Maximum number of resident work-groups in a unit.
    pub groups: u64,
    /// Bytes of local memory of a unit, and the bytes that are reserved for
    /// each work-group.
    pub local: [u64; 2],
    /// Registers of a unit, of 4 bytes each.
    pub registers: u64,
    /// `f32` operations per second, without tensor cores.
    pub operations: f64,
    /// Memory bandwidth in bytes per second.
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

/// The known cards. The first is the default.
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

/// Returns the card with this name. An error lists the known ones.
pub fn card(name: &str) -> Result<&'static Card, String> {
    let known = CARDS.iter().find(|card| card.name == name.to_lowercase());
    known.ok_or_else(|| {
        let names: Vec<&str> = CARDS.iter().map(|card| card.name).collect();
        format!("there is no card {name:?}: say one of {}", names.join(", "))
    })
}

/// The occupancy of a compute unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// The number of resident work-groups.
    pub groups: u64,
    /// The fraction of the maximum number of warps.
    pub fraction: f64,
    /// The resource that limits the number of work-groups.
    pub limit: &'static str,
}

impl Card {
    /// Returns the occupancy of a unit, for a number of registers per item if
    /// it is known.
    pub fn occupancy(
        &self,
        launch: &Launch,
        registers: Option<u64>,
    ) -> Occupancy {
        let warps = launch.items().div_ceil(self.warp).max(1);
        let slots = self.items / self.warp;
        let [local, extra] = self.local;
        let mut limits = vec![
            (slots / warps, "the number of resident warps"),
            (self.groups, "the number of resident groups"),
        ];
        if launch.local > 0 {
            let room = local / (launch.local + extra);
            limits.push((room, "local memory"));
        }
        if let Some(registers) = registers.filter(|&count| count > 0) {
            // Registers are allocated to a warp in units of 256.
            let each = (registers * self.warp).next_multiple_of(256);
            let room = self.registers / each / warps;
            limits.push((room, "registers"));
        }
        let limit = limits.iter().min_by_key(|(groups, _)| *groups);
        let &(groups, limit) = limit.expect("items are always a limit");
        let fraction = (groups * warps) as f64 / slots as f64;
        Occupancy { groups, fraction, limit }
    }

    /// Returns the maximum operations per second at this arithmetic intensity,
    /// in operations per byte.
    pub fn roof(&self, intensity: f64) -> f64 {
        (intensity * self.bytes).min(self.operations)
    }

    /// Returns the intensity at which arithmetic becomes the limit.
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
    fn the_scarcest_resource_limits_the_occupancy() {
        let limit = |group, local, registers| {
            let found = HOPPER.occupancy(&launch(group, local), registers);
            (found.groups, found.limit)
        };
        assert_eq!(limit(256, 0, None), (8, "the number of resident warps"));
        assert_eq!(limit(32, 0, None), (32, "the number of resident groups"));
        assert_eq!(limit(256, 48 << 10, None), (4, "local memory"));
        assert_eq!(limit(256, 0, Some(128)), (2, "registers"));
        // A work-group of 33 items takes two warps.
        let found = HOPPER.occupancy(&launch(33, 0), None);
        assert_eq!((found.groups, found.fraction), (32, 1.0));
        assert_eq!(HOPPER.occupancy(&launch(1024, 300 << 10), None).groups, 0);
    }

    #[test]
    fn below_the_ridge_memory_is_the_limit_and_above_it_arithmetic() {
        assert_eq!(HOPPER.roof(1.0), 4.8e12);
        assert_eq!(HOPPER.roof(100.0), 67e12);
        assert!((HOPPER.ridge() - 13.96).abs() < 0.01);
        assert!(card("H100").is_ok());
        let sentence = card("h300").unwrap_err();
        assert!(sentence.contains("h200, h100, a100"), "{sentence}");
    }
}
