//! Matrix products: chooses a kernel by the shapes, the strides of the
//! operands and the features of the device.
//!
//! Every kernel computes `out[i][j] = sum over k of a[i][k] * b[j][k]`. The
//! choice, in this order:
//!
//! 1. `f16` operands are converted to `f32` where tensor cores pay off.
//! 2. Operands whose lines span several axes (convolutions): copied to
//!    matrices if they are large; otherwise a kernel for long sums, for few
//!    rows, or tiles that read views.
//! 3. A product by one column: [`OpenCl::by_rows`].
//! 4. Tiles, the largest that keep the device busy. Operands that tensor cores
//!    read badly are packed first.
//!
//! If the results are too few to keep the device busy, `k` is split, and a
//! second launch adds the parts.

use std::env;
use std::ffi::OsString;
use std::sync::LazyLock;

use super::launch_shape::{DeviceLimits, LaunchShape, Sizes, TileKind};
use super::operands::{Matmul, Operand};
use super::reduce::Columns;
use super::{
    Array, ArrayArgs, Backend, DType, Kernel, Launch, OpenCl, PooledStorage,
};
use super::{Reduce, Shared, Types};
use crate::engine::kernels::{
    self, Layout, PRODUCT_FEW_ROWS, PRODUCT_LONG_SUMS, TILES, Tiles,
};
use crate::engine::tuning;
use crate::error::{Result, zeros};
use crate::part3_unified::defaults;

/// Length of `k` that counts as one more tile when the choice is made whether
/// large tiles keep the device busy: `k` can be split into parts of this
/// length.
const K_PER_PART: usize = 1024;

/// Shortest `k` for tensor cores. If neither operand is contiguous along `k`,
/// they are not used at all; see docs/benchmarks.md.
const MIN_CORE_K: usize = 64;
/// Whether tensor cores are switched off, by `RUNGRAD_TENSOR_CORES=off`.
static NO_CORES: LazyLock<bool> =
    LazyLock::new(|| is_switched_off(env::var_os("RUNGRAD_TENSOR_CORES")));

/// Returns whether the value of the variable switches tensor cores off. Only
/// `off` does.
fn is_switched_off(value: Option<OsString>) -> bool {
    value.is_some_and(|value| value == "off")
}

/// Operands are packed if each element is used at least this often; see
/// docs/benchmarks.md.
const MIN_USES: usize = 2048;
/// The same threshold if neither operand is contiguous along `k`, as in the
/// gradient of a layer's weight. Tensor cores are not used for such operands
/// without packing; see docs/benchmarks.md.
// TODO(perf): measure apart from attention's copies.
const MIN_USES_ACROSS: usize = 256;

/// The parts of a product, one after another in a storage, and their number.
/// The product is their sum.
type PartialProducts = (Shared, usize);

impl OpenCl {
    /// Computes [`Backend::contract`](super::Backend::contract).
    pub(super) fn product(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let (out, parts) = self.product_in_parts(a, b, batch, inner)?;
        self.add_parts(a, out, parts)
    }

    /// Computes [`Backend::contract`](super::Backend::contract), but leaves
    /// the sum of the parts to the caller.
    pub(crate) fn product_in_parts(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<PartialProducts> {
        let matrices = |a: &Array| defaults::matrices(a, batch, inner);
        let Some(product) = Matmul::new(a, b, batch, inner) else {
            return self.product_in_parts(&matrices(a)?, &matrices(b)?, 1, 1);
        };
        if product.k == 0 || product.len() == 0 {
            return Ok((self.upload_zeros(a.dtype(), product.len())?, 1));
        }
        if self.uses_cores_in_f32(&product) {
            let [a, b] = [a, b].map(|a| a.to_dtype(DType::F32));
            let out = self.product(&a?, &b?, batch, inner)?;
            let n = out.len();
            let out = Array::dense(product.a.array.device(), out, &[n]);
            return Ok((self.cast(&out, DType::F16)?, 1));
        }
        if !product.is_of_matrices() {
            // Large products gain more from tiles of matrices than the copy
            // costs.
            let least = product.a.lines.min(product.b.lines);
            if least >= 64 && product.k >= 64 {
                let [a, b] = [matrices(a)?, matrices(b)?];
                return self.product_in_parts(&a, &b, 1, 1);
            }
            if product.has_long_sums() {
                return self.by_squares(&product);
            }
            if product.has_few_rows() {
                return self.by_columns(&product);
            }
            return self.by_tiles(&product, Layout::Views);
        }
        match (product.a.lines, product.b.lines) {
            (_, 1) => self.by_rows(&product, product.a, product.b),
            (1, _) => self.by_rows(&product, product.b, product.a),
            _ if self.pays_to_pack(&product) => {
                let Matmul { a, b, k, .. } = product;
                let [a, b] = [self.packed(a, k)?, self.packed(b, k)?];
                self.product_in_parts(&a, &b, 0, 1)
            }
            _ => {
                let [a, b] = [product.a, product.b];
                let fours = a.has_fours(product.k) && b.has_fours(product.k);
                let layout =
                    if fours { Layout::Fours } else { Layout::Matrices };
                self.by_tiles(&product, layout)
            }
        }
    }

    /// Returns whether products of a type can use tensor cores. The kernels
    /// use them with `f32` operands only.
    pub(super) fn has_cores(&self, dtype: DType) -> bool {
        let may = self.gpu.info().tensor_cores && !*NO_CORES;
        may && dtype == DType::F32
    }

    /// Returns whether `f16` operands are converted to `f32` to use tensor
    /// cores. Where those pay off, the conversion costs little in comparison.
    fn uses_cores_in_f32(&self, product: &Matmul) -> bool {
        let Matmul { a, b, k, .. } = product;
        let is_half = a.array.dtype() == DType::F16;
        let many = a.lines.min(b.lines).min(*k) >= MIN_CORE_K;
        is_half && self.has_cores(DType::F32) && many
    }

    /// Returns whether the driver compiles the warpgroup kernel. The result is
    /// cached.
    fn has_warpgroups(&self) -> bool {
        let compiles = || {
            let tiles = TILES.iter().find(|tiles| tiles.are_packed());
            let kernel = tiles?.kernel(Layout::Fours, [true, false])?;
            self.gpu.compile(kernel).ok()
        };
        self.gpu.info().warpgroups
            && *self.warpgroups.get_or_init(|| compiles().is_some())
    }

    pub(super) fn upload_zeros(
        &self,
        dtype: DType,
        n: usize,
    ) -> Result<Shared> {
        self.upload(&zeros(n)?, dtype)
    }

    pub(crate) fn limits(&self) -> DeviceLimits {
        DeviceLimits::new(self.gpu.info())
    }

    fn tiles(
        &self,
        product: &Matmul,
        layout: Layout,
        along: [bool; 2],
    ) -> &'static Tiles {
        let (info, sizes) = (self.gpu.info(), product.sizes());
        let timed = match sizes.batches {
            1 => tuning::tiles(info, [sizes.m, sizes.k, sizes.n]),
            _ => None,
        };
        let dtype = product.a.array.dtype();
        let off = !self.has_cores(dtype);
        let can = |tiles: &&Tiles| {
            is_candidate(tiles, sizes.k, along, off)
                && tiles.fit_numbers(info, dtype.wide().size())
                && tiles.kernel(layout, along).is_some()
                && (!tiles.are_packed() || self.has_warpgroups())
        };
        choose_tiles(timed, can, sizes, self.limits().compute_units)
    }

    /// Adds the arguments that all product kernels share, except those for one
    /// column.
    fn add_args<'a>(
        &self,
        launch: Launch<'a>,
        product: &'a Matmul,
        length: usize,
        out: &'a PooledStorage,
    ) -> Launch<'a> {
        let Matmul { a, b, batches, k, inner } = product;
        let sizes = [
            a.sizes[1], a.sizes[2], b.sizes[1], b.sizes[2], inner[1], inner[2],
            *batches, length,
        ];
        launch
            .reads(a.array)
            .scalar(a.array.offset() as u32)
            .scalar(a.strides_arg())
            .reads(b.array)
            .scalar(b.array.offset() as u32)
            .scalar(b.strides_arg())
            .scalar(sizes.map(|size| size as i32))
            .writes(out)
            .scalar(a.lines as i32)
            .scalar(*k as i32)
            .scalar(b.lines as i32)
    }

    /// Multiplies few rows: one item per column.
    fn by_columns(&self, product: &Matmul) -> Result<PartialProducts> {
        let kernel = &PRODUCT_FEW_ROWS[usize::from(product.a.lines > 8)];
        self.launch_parts(
            product,
            kernel,
            self.limits().by_columns(product.sizes()),
        )
    }

    /// Multiplies with few results and a long `k`: a group computes a square
    /// of results, and its items share `k`.
    fn by_squares(&self, product: &Matmul) -> Result<PartialProducts> {
        let shape = self.limits().by_squares(product.sizes());
        self.launch_parts(product, &PRODUCT_LONG_SUMS, shape)
    }

    /// Multiplies with tiles of the result, one for each group.
    fn by_tiles(
        &self,
        product: &Matmul,
        layout: Layout,
    ) -> Result<PartialProducts> {
        let Matmul { a, b, .. } = product;
        let along = [a.is_along_k(), !b.is_along_k()];
        let tiles = self.tiles(product, layout, along);
        let kernel = tiles
            .kernel(layout, along)
            .expect("the chosen tiles have a kernel");
        let kind = match (layout, tiles.on_cores) {
            (Layout::Views, _) => TileKind::Views,
            (_, Some(_)) => TileKind::OnCores,
            _ => TileKind::Matrices,
        };
        let (limits, sizes) = (self.limits(), product.sizes());
        let shape = limits.by_tiles(sizes, tiles.sides, tiles.items, kind);
        self.launch_parts(product, kernel, shape)
    }

    fn launch_parts(
        &self,
        product: &Matmul,
        kernel: &Kernel,
        shape: LaunchShape,
    ) -> Result<PartialProducts> {
        let dtype = product.a.array.dtype();
        let types = Types::of_parts(dtype, dtype, shape.parts);
        let out = self.fill(types.to, shape.parts * product.len(), |out| {
            let launch = self.launch(kernel, types);
            self.add_args(launch, product, shape.length, out)
                .global(shape.global)
                .local(shape.local)
                .run()
        })?;
        Ok((out, shape.parts))
    }

    /// Multiplies by one column: a group of items per row.
    fn by_rows(
        &self,
        product: &Matmul,
        a: Operand,
        b: Operand,
    ) -> Result<PartialProducts> {
        let sizes = Sizes { m: a.lines, ..product.sizes() };
        let shape = self.limits().by_rows(sizes, a.is_along_k());
        // The last element is padding.
        let strides = [
            a.batch_step,
            a.line_steps[2],
            a.inner_steps[2],
            b.batch_step,
            b.inner_steps[2],
            sizes.batches as isize,
            shape.length as isize,
            0,
        ];
        let kernel =
            vectors(strides, [a.array.offset(), b.array.offset(), sizes.k]);
        let dtype = a.array.dtype();
        let types = Types::of_parts(dtype, dtype, shape.parts);
        let out = self.fill(types.to, shape.parts * product.len(), |out| {
            self.launch(&kernel, types)
                .reads(a.array)
                .scalar(a.array.offset() as u32)
                .reads(b.array)
                .scalar(b.array.offset() as u32)
                .scalar(strides.map(|stride| stride as i32))
                .writes(out)
                .scalar(a.lines as u32)
                .scalar(sizes.k as u32)
                .global(shape.global)
                .local(shape.local)
                .run()
        })?;
        Ok((out, shape.parts))
    }

    /// Adds the parts of a product. The result has the type of `operand`.
    fn add_parts(
        &self,
        operand: &Array,
        out: Shared,
        parts: usize,
    ) -> Result<Shared> {
        if parts == 1 {
            return Ok(out);
        }
        let n = out.len() / parts;
        let parts = Array::dense(operand.device(), out, &[parts, n]);
        let sums = parts.permute(&[1, 0])?;
        let (dtype, columns) = (operand.dtype(), Columns::from_rows(&sums));
        self.reduce_down(dtype, Reduce::Sum, &sums, columns)
    }
}

impl OpenCl {
    /// Returns whether tensor cores read packed operands so much faster that
    /// the copies pay off.
    pub(super) fn pays_to_pack(&self, product: &Matmul) -> bool {
        let Matmul { a, b, batches, k, .. } = product;
        let least = a.lines.min(b.lines);
        let across = !a.is_along_k() && !b.is_along_k();
        let min_uses = if across { MIN_USES_ACROSS } else { MIN_USES };
        self.has_cores(a.array.dtype())
            && *batches == 1
            && least >= min_uses
            && *k >= MIN_USES
            && !(a.is_packed(*k) && b.is_packed(*k))
    }

    /// Returns the operand as a packed matrix. Copies only if it is not
    /// packed.
    pub(super) fn packed(&self, operand: Operand, k: usize) -> Result<Array> {
        if operand.is_packed(k) {
            let lines = [operand.lines, k];
            return operand.array.reshape(&lines);
        }
        let (lines, room) = (operand.lines, k.next_multiple_of(4));
        let dtype = operand.array.dtype();
        let out = self.fill(dtype, lines * room, |out| {
            self.launch(&kernels::COPY_LINES, dtype)
                .reads(operand.array)
                .scalar(operand.array.offset() as u32)
                .scalar(operand.strides_arg())
                .writes(out)
                .scalar(lines as u32)
                .scalar(k as u32)
                .scalar(room as u32)
                .global([room.next_multiple_of(32), lines.div_ceil(32) * 8])
                .local([32, 8])
                .run()
        })?;
        let device = operand.array.device();
        Ok(Array::dense(device, out, &[lines, room]))
    }
}

/// Returns the kernel for a product by one column: with `float4` loads if all
/// strides, offsets and sizes allow them.
fn vectors(strides: [isize; 8], sizes: [usize; 3]) -> Kernel {
    let [batch, row, one, b_batch, b_one, _, length, _] = strides;
    let steps = [batch, row, b_batch, length];
    let fours = steps.iter().all(|step| step % 4 == 0)
        && sizes.iter().all(|size| size.is_multiple_of(4));
    if one == 1 && b_one == 1 && fours {
        kernels::PRODUCT_VECTOR_FOURS
    } else {
        kernels::PRODUCT_VECTOR
    }
}

/// Returns whether tiles are candidates: those for tensor cores only where
/// they pay off and are not switched off.
fn is_candidate(tiles: &Tiles, k: usize, along: [bool; 2], off: bool) -> bool {
    let pays = k >= MIN_CORE_K && along != [false, true];
    tiles.on_cores.is_none() || (pays && !off)
}

/// Returns the tiles that were timed as the fastest, if any. Otherwise returns
/// the largest tiles that the device supports and that keep it busy, or the
/// smallest tiles if none do.
fn choose_tiles(
    timed: Option<&'static Tiles>,
    can: impl Fn(&&'static Tiles) -> bool,
    product: Sizes,
    units: usize,
) -> &'static Tiles {
    // ANCHOR: by-rule
    let busy = |tiles: &&Tiles| {
        let [m, n] = tiles.sides;
        let all = product.m.div_ceil(m) * product.n.div_ceil(n);
        // A long k can be split into parts, which count as tiles.
        let parts = (product.k / K_PER_PART).max(1);
        all * product.batches * parts * tiles.of_units >= units
    };
    let by_rule = || TILES.iter().find(|tiles| can(tiles) && busy(tiles));
    let chosen = timed.filter(&can).or_else(by_rule);
    chosen.unwrap_or(&TILES[TILES.len() - 1])
    // ANCHOR_END: by-rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensor_cores_are_used_where_they_pay() {
        let on_cores =
            TILES.iter().find(|tiles| tiles.on_cores.is_some()).unwrap();
        let plain =
            TILES.iter().find(|tiles| tiles.on_cores.is_none()).unwrap();
        let on = |k, along| is_candidate(on_cores, k, along, false);
        assert!(on(64, [true, false]) && on(64, [false, false]));
        assert!(!on(63, [true, false]), "short sums");
        assert!(!on(64, [false, true]), "neither is contiguous along k");
        assert!(
            !is_candidate(on_cores, 64, [true, true], true),
            "switched off"
        );
        assert!(is_candidate(plain, 1, [false, true], true));
    }

    /// Promise: No value of `RUNGRAD_TENSOR_CORES` except `off` disables
    /// tensor cores.
    #[test]
    fn only_the_value_off_disables_tensor_cores() {
        let is_off_by = |value: &str| is_switched_off(Some(value.into()));
        assert!(is_off_by("off"));
        assert!(!is_switched_off(None), "the variable is not set");
        for value in ["", "on", "OFF", "off ", "0"] {
            assert!(!is_off_by(value), "{value:?}");
        }
    }

    /// Promise: A matmul uses the largest tiles that still occupy every
    /// compute unit.
    #[test]
    fn the_largest_tiles_that_fill_the_device_are_chosen() {
        let plain = |tiles: &&Tiles| tiles.on_cores.is_none();
        let all: Vec<&Tiles> = TILES.iter().filter(plain).collect();
        let [large, .., small] = all[..] else { panic!("two at least") };
        let [m, n] = large.sides;
        let sizes = |down: usize, across: usize, k: usize, batches: usize| {
            Sizes { m: down * m, k, n: across * n, batches }
        };
        let of = |sizes: Sizes, units: usize| {
            choose_tiles(None, plain, sizes, units * large.of_units).name
        };
        assert_eq!(of(sizes(2, 3, 1, 5), 30), large.name);
        assert_ne!(of(sizes(2, 3, 1, 5), 31), large.name);
        // A part of a long sum counts as a tile.
        assert_eq!(of(sizes(2, 3, 2 * K_PER_PART, 5), 60), large.name);
        assert_ne!(of(sizes(2, 3, 2 * K_PER_PART - 1, 5), 60), large.name);
        assert_eq!(of(sizes(1, 1, 1, 1), usize::MAX / 8), small.name);
        // Tiles that were timed are taken if the device supports them.
        let timed = |can: fn(&&Tiles) -> bool| {
            choose_tiles(Some(small), can, sizes(9, 9, 1, 9), 1).name
        };
        assert_eq!(timed(|tiles| tiles.on_cores.is_none()), small.name);
        let refused = timed(|it| it.name != TILES[TILES.len() - 1].name);
        assert_ne!(refused, small.name);
    }
}
