//! The kernels of `kernels/part3/product.cl`, `tensor_cores.cl` and
//! `warpgroups.cl`: each one text, compiled for tiles of several sizes and for
//! several ways in which the operands lie.

use smallvec::smallvec;

use crate::opencl::{self, DeviceInfo, Given, Kernel, Reached, view};

/// A size of tiles, and the kernels that have it.
#[derive(Debug)]
pub struct Tiles {
    /// What they are called: `64x64`.
    pub name: &'static str,
    /// The rows and the columns of the result that a group computes.
    pub sides: [usize; 2],
    /// The items of a group.
    pub items: usize,
    /// They are worth it if they keep one of so many units busy.
    pub of_units: usize,
    /// The bytes of local memory that a group needs.
    pub local_memory: u64,
    /// How operands may lie: for each there are four kernels, or one.
    pub layouts: &'static [Layout],
    /// By their layout and where neighbors lie, which where they are packed is
    /// one way only; in plain OpenCL C.
    pub kernels: &'static [Kernel],
    /// The same with the instruction of tensor cores, for tiles that are made
    /// for them: a device that has none uses other tiles.
    pub on_cores: Option<&'static [Kernel]>,
}

/// How the operands of a product lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Rows and columns have a stride each.
    Matrices,
    /// And four neighbors can be read at once.
    Fours,
    /// And they lie along `k` in both operands.
    Packed,
    /// Rows, columns and sums go over up to three axes each.
    Views,
}

/// Four kernels of a layout, by whether neighbors of the first operand lie
/// along `k`, and those of the second along `n`.
macro_rules! layout {
    ($file:literal, $name:literal, $options:tt, $reach:ident) => {
        [
            layout!(@one $file, $name, $options, $reach false false,
                    " -DA_ALONG_K=0 -DB_ALONG_N=0"),
            layout!(@one $file, $name, $options, $reach false true,
                    " -DA_ALONG_K=0 -DB_ALONG_N=1"),
            layout!(@one $file, $name, $options, $reach true false,
                    " -DA_ALONG_K=1 -DB_ALONG_N=0"),
            layout!(@one $file, $name, $options, $reach true true,
                    " -DA_ALONG_K=1 -DB_ALONG_N=1"),
        ]
    };
    (@one $file:literal, $name:literal, [$($option:expr),*],
     $reach:ident $k:literal $n:literal, $along:literal) => {
        kernel!($file, $name, $reach::<$k, $n>, [$($option,)* $along])
    };
}

macro_rules! tiles {
    ([$m:literal, $n:literal] by [$own_m:literal, $own_n:literal],
     $($layout:ident $what:literal $reach:ident),*) => {
        Tiles {
            name: concat!($m, "x", $n),
            sides: [$m, $n],
            items: ($m / $own_m) * ($n / $own_n),
            of_units: 1,
            local_memory: 2 * 16 * 4 * ($m + 4 + $n + 4),
            layouts: &[$(Layout::$layout),*],
            kernels: const { &[$(layout!("part3/product.cl", "product", [
                " -DDEPTH=16 -DTILE_M=", $m, " -DTILE_N=", $n,
                " -DOWN_M=", $own_m, " -DOWN_N=", $own_n, $what
            ], $reach)),*] }.as_flattened(),
            on_cores: None,
        }
    };
}

/// The same for tensor cores, of which 32 items have a share.
macro_rules! tensor_tiles {
    ([$m:literal, $n:literal] by $warp:tt, $of_units:literal, $layouts:tt) => {
        Tiles {
            name: concat!("cores ", $m, "x", $n),
            sides: [$m, $n],
            items: tensor_tiles!(@items [$m, $n] $warp),
            of_units: $of_units,
            local_memory: 2 * 16 * 4 * ($m + $n),
            layouts: tensor_tiles!(@layouts $layouts),
            kernels: tensor_tiles!(@kernels " -DCORES=0", $m $n $warp $layouts),
            on_cores: Some(
                tensor_tiles!(@kernels " -DCORES=1", $m $n $warp $layouts)
            ),
        }
    };
    (@items [$m:literal, $n:literal] [$warp_m:literal, $warp_n:literal]) => {
        ($m / $warp_m) * ($n / $warp_n) * 32
    };
    (@layouts [$($layout:ident $what:literal $reach:ident),*]) => {
        &[$(Layout::$layout),*]
    };
    (@kernels $cores:literal, $m:literal $n:literal
     [$warp_m:literal, $warp_n:literal]
     [$($layout:ident $what:literal $reach:ident),*]) => {
        const {
            &[$(layout!("part3/tensor_cores.cl", "product_tensor_cores", [
                $cores, " -DTILE_M=", $m, " -DTILE_N=", $n,
                " -DWARP_M=", $warp_m, " -DWARP_N=", $warp_n, $what
            ], $reach)),*]
        }
        .as_flattened()
    };
}

/// And for 128 items that give them work together, where both operands lie
/// along `k`.
macro_rules! warpgroup_tiles {
    (@kernels $cores:literal) => {
        const {
            &[kernel!(
                "part3/warpgroups.cl",
                "product_warpgroups",
                fours::<true, false>,
                [$cores, " -DA_ALONG_K=1 -DB_ALONG_N=0 -DFOURS=1"]
            )]
        }
    };
}

/// The tiles: those for tensor cores, then the others, the largest first. The
/// largest for tensor cores are not there for numbers that are read one by one:
/// two matrices of 4097 x 4097 took 4.95 ms by them on an NVIDIA H100, and 3.7
/// by the next (November 2026).
pub const TILES: [Tiles; 6] = [
    Tiles {
        name: "warpgroups 64x128",
        sides: [64, 128],
        items: 128,
        of_units: 1,
        local_memory: 2 * 2 * 16 * 4 * 128,
        layouts: &[Layout::Packed],
        kernels: warpgroup_tiles!(@kernels " -DCORES=0"),
        on_cores: Some(warpgroup_tiles!(@kernels " -DCORES=1")),
    },
    tensor_tiles!([128, 64] by [64, 32], 1, [Fours " -DFOURS=1" fours]),
    tensor_tiles!([64, 64] by [32, 32], 4, [
        Matrices " -DFOURS=0" matrices, Fours " -DFOURS=1" fours
    ]),
    tiles!([128, 128] by [8, 8], Matrices " -DFOURS=0 -DVIEWS=0" matrices,
           Fours " -DFOURS=1 -DVIEWS=0" fours),
    tiles!([64, 64] by [8, 8], Matrices " -DFOURS=0 -DVIEWS=0" matrices,
           Fours " -DFOURS=1 -DVIEWS=0" fours),
    tiles!([32, 32] by [4, 4], Matrices " -DFOURS=0 -DVIEWS=0" matrices,
           Views " -DFOURS=0 -DVIEWS=1" views),
];

impl Tiles {
    /// Tells whether a device can have groups of this size, and has tensor
    /// cores if these are for them.
    pub fn fit(&self, device: &DeviceInfo) -> bool {
        self.fit_numbers(device, size_of::<f32>())
    }

    /// Tells whether a device can have groups of this size, of numbers of so
    /// many bytes, and has tensor cores if these are for them.
    pub fn fit_numbers(&self, device: &DeviceInfo, bytes: usize) -> bool {
        self.items <= device.max_work_group
            && self.local_memory / 4 * bytes as u64 <= device.local_memory
            && (self.on_cores.is_none() || device.tensor_cores)
            && (!self.are_packed() || device.warpgroups)
    }

    /// Tells whether they are for operands that lie along `k` alone.
    pub fn are_packed(&self) -> bool {
        self.layouts == [Layout::Packed]
    }

    /// Finds the kernel for operands that lie like this, if there is one:
    /// along `k` and along `n`. What can be read four at a time can be read
    /// one by one.
    pub fn kernel(
        &self,
        layout: Layout,
        [along_k, along_n]: [bool; 2],
    ) -> Option<&'static Kernel> {
        let at = |layout| self.layouts.iter().position(|it| *it == layout);
        let kernels = self.on_cores.unwrap_or(self.kernels);
        if self.are_packed() {
            let is_packed = layout == Layout::Fours && along_k && !along_n;
            return is_packed.then(|| &kernels[0]);
        }
        let first = match layout {
            Layout::Fours => at(layout).or_else(|| at(Layout::Matrices)),
            _ => at(layout),
        };
        let which = 2 * usize::from(along_k) + usize::from(along_n);
        kernels.get(4 * first? + which)
    }
}

/// Products of at most [`FEW_ROWS`] rows, where an item has a column: for 8
/// rows, and for all. The arguments are those of the others.
pub const PRODUCT_FEW_ROWS: [Kernel; 2] = [
    kernel!(
        "part3/few_rows.cl",
        "product_few_rows",
        few_rows::<8>,
        [" -DROWS=8"]
    ),
    kernel!(
        "part3/few_rows.cl",
        "product_few_rows",
        few_rows::<16>,
        [" -DROWS=16"]
    ),
];

/// Products of few results with long sums, where a group has a square of 8 by
/// 8 and its items share `k`. The arguments are those of the others.
pub const PRODUCT_LONG_SUMS: Kernel =
    kernel!("part3/long_sums.cl", "product_long_sums", views::<true, true>, []);

/// The lines of an operand, which go along `k` then, each with zeros up to its
/// room: arguments `a, offset, to, out, lines, k, room`.
pub const COPY_LINES: Kernel =
    kernel!("part3/pack.cl", "copy_lines", packed, []);

/// So many rows are few.
pub const FEW_ROWS: usize = 16;

/// States the reach where rows, columns and sums go over up to three axes
/// each: arguments `a, a_offset, a_to, b, b_offset, b_to, sizes, out, m, k,
/// n`.
fn views<const K: bool, const N: bool>(given: &Given) -> Option<Reached> {
    const MOST: u64 = 1 << 30;
    let [m, k, n] = [8, 9, 10].map(|at| given.int(at));
    let (m, k, n) = (m?, k?, n?);
    let (a_to, b_to, sizes) = (given.int8(2)?, given.int8(5)?, given.int8(6)?);
    let size = |at: usize| {
        let size = u64::try_from(sizes[at]).ok()?;
        (1..=MOST).contains(&size).then_some(size)
    };
    let axes = |all: u64, at: usize| {
        let (middle, last) = (size(at)?, size(at + 1)?);
        let inside = middle.checked_mul(last)?;
        let whole = (1..=MOST).contains(&all) && all.is_multiple_of(inside);
        whole.then(|| [all / inside, middle, last].map(i128::from))
    };
    let (batch, length) = (size(6)?, size(7)?);
    let (rows, columns, inner) = (axes(m, 0)?, axes(n, 2)?, axes(k, 4)?);
    let reach = |offset: usize, lines: [i128; 3], to: [i128; 8]| {
        let mut shape = [1; 8];
        shape[..3].copy_from_slice(&lines);
        shape[3..6].copy_from_slice(&inner);
        shape[6] = batch.into();
        view(given.uint(offset)?, shape, to)
    };
    let matrices = batch.checked_mul(k.div_ceil(length))?;
    let out = matrices.checked_mul(m)?.checked_mul(n)?;
    (out <= MOST << 1).then_some(())?;
    Some(smallvec![reach(1, rows, a_to)?, reach(4, columns, b_to)?, out])
}

/// States the same with at most so many rows.
fn few_rows<const ROWS: u64>(given: &Given) -> Option<Reached> {
    given.int(8).is_some_and(|rows| rows <= ROWS).then_some(())?;
    views::<true, true>(given)
}

/// States the same where each has one axis, the last.
fn matrices<const K: bool, const N: bool>(given: &Given) -> Option<Reached> {
    let sizes = given.int8(6)?;
    let last = [(1, 8), (3, 10), (5, 9)];
    let is_last = |(at, size)| u64::try_from(sizes[at]).ok() == given.int(size);
    last.into_iter().all(is_last).then_some(())?;
    views::<K, N>(given)
}

/// States the same where fours begin at whole fours.
fn fours<const K: bool, const N: bool>(given: &Given) -> Option<Reached> {
    let (a_to, b_to, sizes) = (given.int8(2)?, given.int8(5)?, given.int8(6)?);
    let four = |at: i128| at % 4 == 0;
    // Along one axis the fours lie, and have a whole number; the other goes
    // from four to four.
    let lies = |along_k: bool, to: [i128; 8], lines: i128| {
        let (along, across, count) = match along_k {
            true => (to[5], to[2], sizes[5]),
            false => (to[2], to[5], lines),
        };
        along == 1 && four(across) && four(count) && four(to[6])
    };
    let length = sizes[7];
    let offsets = [given.uint(1)?, given.uint(4)?].map(i128::from);
    let whole = offsets.into_iter().all(four)
        && four(length)
        && lies(K, a_to, sizes[1])
        && lies(!N, b_to, sizes[3]);
    whole.then_some(())?;
    matrices::<K, N>(given)
}

/// States how far a copy of lines reaches.
fn packed(given: &Given) -> Option<Reached> {
    const MOST: u64 = 1 << 30;
    let [lines, k, room] = [4, 5, 6].map(|at| given.uint(at));
    let (lines, k, room) = (lines?, k?, room?);
    let (to, mut shape, mut strides) = (given.int8(2)?, [1; 8], [0; 8]);
    (shape[0], shape[1]) = (lines.into(), k.into());
    (strides[0], strides[1]) = (to[2], to[5]);
    let out = lines.checked_mul(room)?;
    let all = [lines, k, room, out];
    all.iter().all(|&it| it < MOST).then_some(())?;
    Some(smallvec![view(given.uint(1)?, shape, strides)?, out])
}
