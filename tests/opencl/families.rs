//! The kernels of the crate by families. Each family has a test of its own for
//! each of three promises, so that a change of one kernel asks for seconds of
//! the simulator's time and not for minutes.

use rungrad::opencl::Kernel;

use super::{every_kernel, oclgrind, reach};

/// What the tests know of a family.
pub(crate) struct Family {
    name: &'static str,
    /// How the file of a kernel begins, behind `kernels/`, and what its options
    /// have to hold.
    patterns: &'static [&'static str],
    /// Of Oclgrind.
    pub(crate) options: &'static [&'static str],
    /// How many launches of single elements are as much work as one of theirs.
    pub(crate) price: u64,
}

impl Family {
    pub(crate) fn kernels(&self) -> Vec<Kernel> {
        every_kernel().filter(|kernel| self.has(kernel)).copied().collect()
    }

    fn has(&self, kernel: &Kernel) -> bool {
        self.patterns.iter().any(|pattern| {
            let mut words = pattern.split(' ');
            let file = words.next().unwrap_or_default();
            let of = kernel.file().strip_prefix("kernels/");
            of.is_some_and(|of| of.starts_with(file))
                && words.all(|word| kernel.options().contains(word))
        })
    }

    /// Whether an optimizer takes long for one of its kernels: a group of them
    /// computes a tile, in loops that are unrolled.
    pub(crate) fn is_of_tiles(&self) -> bool {
        self.price > 10
    }

    /// Returns the kernels that the fast tier runs in the simulator: every
    /// fourteenth. The slow tier runs all of them.
    pub(crate) fn sample(&self) -> Vec<Kernel> {
        let mut kernels = self.kernels();
        kernels.retain(oclgrind::is_simulated);
        kernels.into_iter().step_by(14).collect()
    }

    /// The path of one of its tests.
    pub(crate) fn test(&self, promise: &str) -> String {
        format!("families::{}::{promise}", self.name)
    }
}

/// Version 21 does not know an instruction that the optimizer makes of a
/// division beside its remainder.
pub(crate) const OF_A_DIVISION: &[&str] =
    &["--build-options", "-cl-opt-disable"];

macro_rules! families {
    ($($name:ident: $options:expr, $price:expr, $patterns:expr;)*) => {
        const FAMILIES: &[Family] = &[$(Family {
            name: stringify!($name),
            patterns: &$patterns,
            options: $options,
            price: $price,
        }),*];

        $(mod $name {
            use super::{FAMILIES, Family};

            fn family() -> &'static Family {
                let mut all = FAMILIES.iter();
                all.find(|it| it.name == stringify!($name)).expect("a row")
            }

            /// Promise: Oclgrind runs every kernel of the crate on ragged
            /// sizes, which cover its stated reach and more rows than groups,
            /// and reports nothing.
            #[test]
            fn is_clean() {
                super::oclgrind::is_clean(family(), "is_clean", &family().sample());
            }

            #[test]
            #[ignore = "slow: up to 60 s, each kernel of the family in Oclgrind"]
            fn every_kernel_is_clean() {
                let kernels = family().kernels();
                super::oclgrind::is_clean(family(), "every_kernel_is_clean", &kernels);
            }

            /// Promise: Every kernel family computes on a device what the host
            /// computes.
            #[test]
            fn agrees_with_the_host() {
                super::oclgrind::agrees_with_the_host(family());
            }

            /// Promise: No argument makes a kernel of the crate leave buffers
            /// of exactly the required size.
            #[test]
            fn reaches_no_further_than_it_says() {
                let name = "reaches_no_further_than_it_says";
                super::reach::reaches_no_further_than_it_says(
                    family(), name, &family().sample(),
                );
            }

            #[test]
            #[ignore = "slow: up to 60 s, each kernel of the family in Oclgrind"]
            fn every_kernel_reaches_no_further_than_it_says() {
                let name = "every_kernel_reaches_no_further_than_it_says";
                super::reach::reaches_no_further_than_it_says(
                    family(), name, &family().kernels(),
                );
            }
        })*
    };
}

families! {
    elements_of_part_2: OF_A_DIVISION, 1,
        ["part2/ew_", "part2/broadcast", "part2/chain"];
    rows_of_part_2: OF_A_DIVISION, 1,
        ["part2/reduce_", "part2/softmax", "part2/pick", "part2/transpose"];
    products_by_a_vector: OF_A_DIVISION, 1, ["part2/matvec", "engine/vector"];
    // Many items do much here, so the optimizer has to help; the division that
    // it may not touch is none of theirs.
    ladder: &[], 24, ["part2/matmul"];
    elements_of_part_3: OF_A_DIVISION, 1, ["engine/adam", "engine/elementwise", "engine/where"];
    // Two of them have groups of 256 items with barriers.
    copies: OF_A_DIVISION, 6, ["engine/copy", "engine/pack", "engine/fill"];
    indices: OF_A_DIVISION, 1, ["engine/index", "engine/fold"];
    reductions: OF_A_DIVISION, 1, ["engine/reduce"];
    transformers: OF_A_DIVISION, 2, ["engine/attention", "engine/norm"];
    // A pair of tiles is a lot for the simulator without the optimizer.
    long_texts: OF_A_DIVISION, 40, ["engine/long_attention"];
    softmaxes: OF_A_DIVISION, 1, ["engine/softmax"];
    // A group is seconds of work, so that a kernel has one launch or a half,
    // and more at night.
    small_products: OF_A_DIVISION, 40,
        ["engine/few_rows", "engine/long_sums", "engine/product -DTILE_M=32"];
    products: OF_A_DIVISION, 40, ["engine/product -DTILE_M=64"];
    large_products: OF_A_DIVISION, 40,
        ["engine/product -DTILE_M=128 -DFOURS=0"];
    large_products_by_fours: OF_A_DIVISION, 40,
        ["engine/product -DTILE_M=128 -DFOURS=1"];
    tensor_cores: OF_A_DIVISION, 80, ["engine/tensor_cores -DFOURS=0"];
    tensor_cores_by_fours: OF_A_DIVISION, 80,
        ["engine/tensor_cores -DFOURS=1"];
    warpgroups: OF_A_DIVISION, 40, ["engine/warpgroups"];
}

/// Promise: Every kernel of the crate belongs to exactly one tested family.
#[test]
fn every_kernel_is_of_one_family() {
    for kernel in every_kernel() {
        let of = FAMILIES.iter().filter(|family| family.has(kernel));
        let of: Vec<&str> = of.map(|family| family.name).collect();
        assert_eq!(
            of.len(),
            1,
            "{} of {} is of {of:?}: it belongs into one row of `families!` in \
             tests/opencl/families.rs",
            kernel.name(),
            kernel.file()
        );
    }
    for family in FAMILIES {
        assert!(!family.kernels().is_empty(), "{} has none", family.name);
    }
}
