//! The kernels of the crate, grouped into families. Each family has its own
//! tests for each of three properties, so that a change to one kernel needs
//! seconds of simulator time instead of minutes.

use rungrad::opencl::Kernel;

use super::{every_kernel, oclgrind, reach};

/// A group of kernels that are tested together.
pub(crate) struct Family {
    name: &'static str,
    /// How the path of a kernel's file begins after `kernels/`, followed by
    /// the options that the kernel must have.
    patterns: &'static [&'static str],
    /// The options of Oclgrind for this family.
    pub(crate) options: &'static [&'static str],
    /// The simulation time of a launch, as a multiple of a launch of an
    /// elementwise kernel.
    pub(crate) cost: u64,
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

    /// Returns whether these kernels compute tiles in unrolled loops, which
    /// the optimizer of a driver takes long to compile.
    pub(crate) fn is_tiled(&self) -> bool {
        self.cost > 10
    }

    /// Returns the kernels that the fast tier runs in the simulator: every
    /// fourteenth. The slow tier runs all of them.
    pub(crate) fn sample(&self) -> Vec<Kernel> {
        let mut kernels = self.kernels();
        kernels.retain(oclgrind::is_simulated);
        kernels.into_iter().step_by(14).collect()
    }

    /// Returns the full path of one of the family's tests.
    pub(crate) fn test(&self, property: &str) -> String {
        format!("families::{}::{property}", self.name)
    }
}

/// Oclgrind 21 does not know an instruction into which the optimizer combines
/// a division and its remainder.
pub(crate) const WITHOUT_OPTIMIZER: &[&str] =
    &["--build-options", "-cl-opt-disable"];

macro_rules! families {
    ($($name:ident: $options:expr, $cost:expr, $patterns:expr;)*) => {
        const FAMILIES: &[Family] = &[$(Family {
            name: stringify!($name),
            patterns: &$patterns,
            options: $options,
            cost: $cost,
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
            fn stays_within_its_reach() {
                let name = "stays_within_its_reach";
                super::reach::stays_within_its_reach(
                    family(), name, &family().sample(),
                );
            }

            #[test]
            #[ignore = "slow: up to 60 s, each kernel of the family in Oclgrind"]
            fn every_kernel_stays_within_its_reach() {
                let name = "every_kernel_stays_within_its_reach";
                super::reach::stays_within_its_reach(
                    family(), name, &family().kernels(),
                );
            }
        })*
    };
}

families! {
    elements_of_part_2: WITHOUT_OPTIMIZER, 1,
        ["part2/ew_", "part2/broadcast", "part2/chain"];
    rows_of_part_2: WITHOUT_OPTIMIZER, 1,
        ["part2/reduce_", "part2/softmax", "part2/pick", "part2/transpose"];
    products_by_a_vector: WITHOUT_OPTIMIZER, 1, ["part2/matvec", "engine/vector"];
    // These kernels do much work per item, so the simulator needs the
    // optimizer; none of them has the division that it must not touch.
    ladder: &[], 24, ["part2/matmul"];
    elements_of_part_3: WITHOUT_OPTIMIZER, 1, ["engine/adam", "engine/elementwise", "engine/where"];
    plain: WITHOUT_OPTIMIZER, 1, ["part3/"];
    // Two of these kernels have groups of 256 items with barriers.
    copies: WITHOUT_OPTIMIZER, 6, ["engine/copy", "engine/pack", "engine/fill"];
    indices: WITHOUT_OPTIMIZER, 1, ["engine/index", "engine/fold"];
    reductions: WITHOUT_OPTIMIZER, 1, ["engine/reduce"];
    transformers: WITHOUT_OPTIMIZER, 2, ["engine/attention", "engine/norm"];
    // A pair of tiles takes the simulator long without the optimizer.
    long_texts: WITHOUT_OPTIMIZER, 40, ["engine/long_attention"];
    softmaxes: WITHOUT_OPTIMIZER, 1, ["engine/softmax"];
    // Each group takes seconds, so a kernel gets at most one launch in the
    // fast tier and more in the slow one.
    small_products: WITHOUT_OPTIMIZER, 40,
        ["engine/few_rows", "engine/long_sums", "engine/product -DTILE_M=32"];
    products: WITHOUT_OPTIMIZER, 40, ["engine/product -DTILE_M=64"];
    large_products: WITHOUT_OPTIMIZER, 40,
        ["engine/product -DTILE_M=128 -DFOURS=0"];
    large_products_by_fours: WITHOUT_OPTIMIZER, 40,
        ["engine/product -DTILE_M=128 -DFOURS=1"];
    tensor_cores: WITHOUT_OPTIMIZER, 80, ["engine/tensor_cores -DFOURS=0"];
    tensor_cores_by_fours: WITHOUT_OPTIMIZER, 80,
        ["engine/tensor_cores -DFOURS=1"];
    warpgroups: WITHOUT_OPTIMIZER, 40, ["engine/warpgroups"];
}

/// Promise: Every kernel of the crate belongs to exactly one tested family.
#[test]
fn every_kernel_belongs_to_one_family() {
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
