//! The number of work-items of a launch.

use std::fmt;

/// A size in one, two or three dimensions: `n`, `[columns, rows]`.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub(super) sizes: [usize; 3],
    pub(super) dimensions: usize,
}

impl Extent {
    pub(super) fn items(self) -> usize {
        self.sizes.iter().fold(1, |all, size| all.saturating_mul(*size))
    }

    pub(super) fn is_empty(self) -> bool {
        self.sizes.contains(&0)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = &self.sizes[..self.dimensions];
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        f.write_str(&sizes.join("x"))
    }
}

impl From<usize> for Extent {
    fn from(size: usize) -> Extent {
        [size].into()
    }
}

impl<const N: usize> From<[usize; N]> for Extent {
    fn from(given: [usize; N]) -> Extent {
        const { assert!(1 <= N && N <= 3, "one, two or three dimensions") };
        let mut sizes = [1; 3];
        sizes[..N].copy_from_slice(&given);
        Extent { sizes, dimensions: N }
    }
}
