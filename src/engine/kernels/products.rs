//! The kernels of `kernels/engine/product.cl`, `tensor_cores.cl` and
//! `warpgroups.cl`. Each file is compiled for several tile sizes and for
//! several layouts of the operands.

use smallvec::smallvec;

use crate::opencl::{self, DeviceInfo, Kernel, LaunchArgs, Reached, view};

/// A tile size and the kernels that use it.
#[derive(Debug)]
pub struct Tiles {
    /// The name, such as `64x64`.
    pub name: &'static str,
    /// The rows and columns of the result that a work-group computes.
    pub sides: [usize; 2],
    /// The items of a work-group.
    pub items: usize,
    /// The tiles are chosen if they keep one in `of_units` compute units busy.
    pub of_units: usize,
    /// The bytes of local memory that a work-group needs.
    pub local_memory: u64,
    /// The supported layouts. There are four kernels for each, or one if it is
    /// [`Layout::Packed`].
    pub layouts: &'static [Layout],
    /// The kernels in plain OpenCL C, by layout and by the contiguous axis of
    /// each operand.
    pub kernels: &'static [Kernel],
    /// The same kernels with tensor-core instructions, for tiles that are made
    /// for them. A device without tensor cores uses other tiles.
    pub on_cores: Option<&'static [Kernel]>,
}

/// The layout of the operands of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Matrices with any strides.
    Matrices,
    /// Matrices that can be read with aligned `float4` loads.
    Fours,
    /// The same, and both operands are contiguous along `k`.
    Packed,
    /// Views whose rows, columns and inner axes are up to three axes each.
    Views,
}

/// The four kernels of a layout, by whether the first operand is contiguous
/// along `k`, and the second along `n`.
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
            kernels: const { &[$(layout!("engine/product.cl", "product", [
                " -DDEPTH=16 -DTILE_M=", $m, " -DTILE_N=", $n,
                " -DOWN_M=", $own_m, " -DOWN_N=", $own_n, $what
            ], $reach)),*] }.as_flattened(),
            on_cores: None,
        }
    };
}

/// Tiles for tensor cores, which the 32 items of a warp use together.
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
            &[$(layout!("engine/tensor_cores.cl", "product_tensor_cores", [
                $cores, " -DTILE_M=", $m, " -DTILE_N=", $n,
                " -DWARP_M=", $warp_m, " -DWARP_N=", $warp_n, $what
            ], $reach)),*]
        }
        .as_flattened()
    };
}

/// Tiles for tensor cores that a warpgroup of 128 items uses together. Both
/// operands are contiguous along `k`.
macro_rules! warpgroup_tiles {
    (@kernels $cores:literal) => {
        const {
            &[kernel!(
                "engine/warpgroups.cl",
                "product_warpgroups",
                fours::<true, false>,
                [$cores, " -DA_ALONG_K=1 -DB_ALONG_N=0 -DFOURS=1"]
            )]
        }
    };
}

/// All tiles: first those for tensor cores, then the others, the largest
/// first. The largest tiles for tensor cores do not support
/// [`Layout::Matrices`], because with scalar loads the next ones are faster;
/// see docs/benchmarks.md.
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
    /// Returns whether a device supports these tiles for `f32`; see
    /// [`Tiles::fit_numbers`].
    pub fn fit(&self, device: &DeviceInfo) -> bool {
        self.fit_numbers(device, size_of::<f32>())
    }

    /// Returns whether a device supports these tiles for elements of this many
    /// bytes: their work-group size, their local memory, and tensor cores if
    /// they use them.
    pub fn fit_numbers(&self, device: &DeviceInfo, bytes: usize) -> bool {
        self.items <= device.max_work_group
            && self.local_memory / 4 * bytes as u64 <= device.local_memory
            && (self.on_cores.is_none() || device.tensor_cores)
            && (!self.are_packed() || device.warpgroups)
    }

    /// Returns whether they only support [`Layout::Packed`].
    pub fn are_packed(&self) -> bool {
        self.layouts == [Layout::Packed]
    }

    /// Returns the kernel for a layout, if there is one. The flags say whether
    /// the first operand is contiguous along `k` and the second along `n`. The
    /// kernels of [`Layout::Matrices`] also accept [`Layout::Fours`].
    pub fn kernel(
        &self,
        layout: Layout,
        [along_k, along_n]: [bool; 2],
    ) -> Option<&'static Kernel> {
        let index = |layout| {
            self.layouts.iter().position(|supported| *supported == layout)
        };
        let kernels = self.on_cores.unwrap_or(self.kernels);
        if self.are_packed() {
            let is_packed = layout == Layout::Fours && along_k && !along_n;
            return is_packed.then(|| &kernels[0]);
        }
        let first = match layout {
            Layout::Fours => index(layout).or_else(|| index(Layout::Matrices)),
            _ => index(layout),
        };
        let which = 2 * usize::from(along_k) + usize::from(along_n);
        kernels.get(4 * first? + which)
    }
}

/// Products of at most 8 rows, and of at most [`FEW_ROWS`] rows, with one item
/// per column. They take the same arguments as the tiled kernels.
pub const PRODUCT_FEW_ROWS: [Kernel; 2] = [
    kernel!(
        "engine/few_rows.cl",
        "product_few_rows",
        few_rows::<8>,
        [" -DROWS=8"]
    ),
    kernel!(
        "engine/few_rows.cl",
        "product_few_rows",
        few_rows::<16>,
        [" -DROWS=16"]
    ),
];

/// Products with few results and a long `k`: a work-group computes 8 x 8
/// results, and its items share `k`. Takes the same arguments as the tiled
/// kernels.
pub const PRODUCT_LONG_SUMS: Kernel = kernel!(
    "engine/long_sums.cl",
    "product_long_sums",
    views::<true, true>,
    []
);

/// Packs an operand: copies its lines to contiguous lines along `k`, each
/// padded with zeros to `room` elements.
pub const COPY_LINES: Kernel =
    kernel!("engine/pack.cl", "copy_lines", packed, []);

/// Maximum number of rows of [`PRODUCT_FEW_ROWS`].
pub const FEW_ROWS: usize = 16;

/// The reach for operands whose rows, columns and inner axes are up to three
/// axes each.
fn views<const K: bool, const N: bool>(args: &LaunchArgs) -> Option<Reached> {
    const MAX: u64 = 1 << 30;
    let [m, k, n] = ["m", "k", "n"].map(|name| args.int(name));
    let (m, k, n) = (m?, k?, n?);
    let [a_to, b_to, sizes] =
        ["a_to", "b_to", "sizes"].map(|name| args.int8(name));
    let (a_to, b_to, sizes) = (a_to?, b_to?, sizes?);
    let size = |at: usize| {
        let size = u64::try_from(sizes[at]).ok()?;
        (1..=MAX).contains(&size).then_some(size)
    };
    let axes = |all: u64, at: usize| {
        let (middle, last) = (size(at)?, size(at + 1)?);
        let inside = middle.checked_mul(last)?;
        let whole = (1..=MAX).contains(&all) && all.is_multiple_of(inside);
        whole.then(|| [all / inside, middle, last].map(i128::from))
    };
    let (batch, length) = (size(6)?, size(7)?);
    let (rows, columns, inner) = (axes(m, 0)?, axes(n, 2)?, axes(k, 4)?);
    let reach = |offset: &str, lines: [i128; 3], to: [i128; 8]| {
        let mut shape = [1; 8];
        shape[..3].copy_from_slice(&lines);
        shape[3..6].copy_from_slice(&inner);
        shape[6] = batch.into();
        view(args.uint(offset)?, shape, to)
    };
    let matrices = batch.checked_mul(k.div_ceil(length))?;
    let out = matrices.checked_mul(m)?.checked_mul(n)?;
    (out <= MAX << 1).then_some(())?;
    Some(smallvec![
        reach("a_offset", rows, a_to)?,
        reach("b_offset", columns, b_to)?,
        out
    ])
}

/// The same reach for at most `ROWS` rows.
fn few_rows<const ROWS: u64>(args: &LaunchArgs) -> Option<Reached> {
    args.int("m").is_some_and(|rows| rows <= ROWS).then_some(())?;
    views::<true, true>(args)
}

/// The same reach for operands with one axis of each kind, the last.
fn matrices<const K: bool, const N: bool>(
    args: &LaunchArgs,
) -> Option<Reached> {
    let sizes = args.int8("sizes")?;
    let last = [(1, "m"), (3, "n"), (5, "k")];
    let is_last = |(at, size): (usize, &str)| {
        u64::try_from(sizes[at]).ok() == args.int(size)
    };
    last.into_iter().all(is_last).then_some(())?;
    views::<K, N>(args)
}

/// The same reach for operands that are read with aligned `float4` loads.
fn fours<const K: bool, const N: bool>(args: &LaunchArgs) -> Option<Reached> {
    let [a_to, b_to, sizes] =
        ["a_to", "b_to", "sizes"].map(|name| args.int8(name));
    let (a_to, b_to, sizes) = (a_to?, b_to?, sizes?);
    let four = |n: i128| n % 4 == 0;
    // One axis is contiguous, and its size is a multiple of four. The strides
    // of the other axis and of the batch are multiples of four.
    let is_aligned = |along_k: bool, to: [i128; 8], lines: i128| {
        let (along, across, count) = match along_k {
            true => (to[5], to[2], sizes[5]),
            false => (to[2], to[5], lines),
        };
        along == 1 && four(across) && four(count) && four(to[6])
    };
    let length = sizes[7];
    let [a, b] = ["a_offset", "b_offset"].map(|name| args.uint(name));
    let whole = four(a?.into())
        && four(b?.into())
        && four(length)
        && is_aligned(K, a_to, sizes[1])
        && is_aligned(!N, b_to, sizes[3]);
    whole.then_some(())?;
    matrices::<K, N>(args)
}

/// The reach of a copy of lines.
fn packed(args: &LaunchArgs) -> Option<Reached> {
    const MAX: u64 = 1 << 30;
    let [lines, k, room] = ["lines", "k", "room"].map(|name| args.uint(name));
    let (lines, k, room) = (lines?, k?, room?);
    let (to, mut shape, mut strides) = (args.int8("to")?, [1; 8], [0; 8]);
    (shape[0], shape[1]) = (lines.into(), k.into());
    (strides[0], strides[1]) = (to[2], to[5]);
    let out = lines.checked_mul(room)?;
    let all = [lines, k, room, out];
    all.iter().all(|&n| n < MAX).then_some(())?;
    Some(smallvec![view(args.uint("offset")?, shape, strides)?, out])
}
