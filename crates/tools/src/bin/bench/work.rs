//! A piece of work that every engine can do: its name, its minimum memory
//! traffic and arithmetic, its memory use, and its code for Part 3 and Part 1.

use std::fmt;

use rungrad::Error;
use rungrad::part3_unified::Device;

use crate::clock::Run;

/// The number of bytes of an `f32`.
const BYTES_PER_ELEMENT: usize = 4;

/// Prepares the work on a device and returns a function that runs it.
type Prepare = Box<dyn Fn(Device) -> Result<Run, Error>>;

/// A row of the table. Its name contains the sizes, so that two rows have the
/// same name only if they are the same work.
pub(crate) struct Work {
    name: String,
    /// The kind of work and the sizes, for a peer.
    pub(crate) kind: &'static str,
    pub(crate) sizes: Vec<usize>,
    /// A description for the list of rows.
    pub(crate) about: &'static str,
    /// Whether the quick run includes it.
    pub(crate) is_quick: bool,
    /// The number of bytes that any engine must read and write.
    pub(crate) bytes: Option<f64>,
    /// The number of additions and multiplications. A function call counts as
    /// one.
    pub(crate) operations: Option<f64>,
    /// Whether its speed is reported in operations instead of bytes.
    pub(crate) is_arithmetic: bool,
    /// The number of elements of the largest array, and of all arrays that
    /// exist at once.
    memory: [usize; 2],
    pub(crate) part3: Prepare,
    /// `None` if Part 1 lacks the operations.
    pub(crate) part1: Option<Box<dyn Fn() -> Result<Run, Error>>>,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl Work {
    pub(crate) fn new(
        kind: &'static str,
        sizes: &[usize],
        name: String,
        about: &'static str,
        part3: impl Fn(Device) -> Result<Run, Error> + 'static,
    ) -> Work {
        Work {
            name: format!("{kind} {name}"),
            kind,
            sizes: sizes.to_vec(),
            about,
            is_quick: false,
            bytes: None,
            operations: None,
            is_arithmetic: false,
            memory: [0; 2],
            part3: Box::new(part3),
            part1: None,
        }
    }

    /// Replaces the default name, which begins with the kind.
    pub(crate) fn named(self, name: String) -> Work {
        Work { name, ..self }
    }

    pub(crate) fn quick(self) -> Work {
        Work { is_quick: true, ..self }
    }

    /// Sets the number of elements that must be read and written.
    pub(crate) fn moves(self, elements: usize) -> Work {
        Work { bytes: Some((BYTES_PER_ELEMENT * elements) as f64), ..self }
    }

    pub(crate) fn computes(self, operations: usize) -> Work {
        Work { operations: Some(operations as f64), ..self }
    }

    pub(crate) fn arithmetic(self, operations: usize) -> Work {
        Work { is_arithmetic: true, ..self.computes(operations) }
    }

    pub(crate) fn needs(self, largest: usize, all: usize) -> Work {
        Work { memory: [largest, all], ..self }
    }

    pub(crate) fn part1(
        self,
        part1: impl Fn() -> Result<Run, Error> + 'static,
    ) -> Work {
        Work { part1: Some(Box::new(part1)), ..self }
    }

    /// Returns an error if the work does not fit into memory: into the largest
    /// possible array, or into the total number of bytes.
    pub(crate) fn fits(
        &self,
        [one, all]: [f64; 2],
        engines: usize,
    ) -> Result<(), String> {
        let [largest, sum] =
            self.memory.map(|elements| (BYTES_PER_ELEMENT * elements) as f64);
        let sum = sum * engines as f64;
        if largest <= one && sum <= all {
            return Ok(());
        }
        let gb = |bytes: f64| format!("{:.1} GB", bytes * 1e-9);
        Err(format!(
            "it needs {}, {} of them in one piece, and the device has {} and {}",
            gb(sum),
            gb(largest),
            gb(all),
            gb(one)
        ))
    }
}

/// Formats a large size as a power.
pub(crate) fn power(n: usize) -> String {
    let tens = n.ilog10();
    match n {
        _ if n >= 1 << 20 && n.is_power_of_two() => format!("2^{}", n.ilog2()),
        _ if n >= 1_000_000 && n == 10usize.pow(tens) => format!("10^{tens}"),
        _ => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::*;

    #[test]
    fn a_name_says_the_size() {
        let square = |turned| matmul(1, [9; 3], turned);
        for (work, name) in [
            (multiply(1), "multiply 1"),
            (multiply(1 << 28), "multiply 2^28"),
            (multiply(1_000_000), "multiply 10^6"),
            (multiply(1_000_001), "multiply 1000001"),
            (square([true, false]), "matmul 9 left transposed"),
            (matmul(8, [1, 2, 3], [false; 2]), "matmul 8 of 1x2x3"),
            (sum(5, Some(1)), "sum 5x5 axis 1"),
            (sum_over([2, 3, 4], &[0, 2]), "sum 2x3x4 axes 0 and 2"),
            (mlp(1, 2, 3), "mlp 1x2-3-10"),
        ] {
            assert_eq!(work.to_string(), name);
        }
    }

    #[test]
    fn work_that_does_not_fit_into_memory_names_its_size() {
        let work = multiply(1 << 28);
        assert_eq!(work.fits([2e9, 8e9], 1), Ok(()));
        let two = work.fits([2e9, 8e9], 2).unwrap_err();
        assert!(two.starts_with("it needs 8.6 GB, 1.1 GB of them"), "{two}");
        let piece = work.fits([1e9, 80e9], 1).unwrap_err();
        assert!(piece.ends_with("has 80.0 GB and 1.0 GB"), "{piece}");
    }

    #[test]
    fn bytes_and_operations_are_as_documented() {
        let product = matmul(1, [4096; 3], [false; 2]);
        assert_eq!(product.operations, Some(137_438_953_472.0));
        assert_eq!(multiply(10).bytes, Some(120.0));
        // (16384, 16384) + (16384), read and written: 2.1 GB.
        assert_eq!(broadcast(16384).bytes, Some(2_147_483_648.0));
    }
}
