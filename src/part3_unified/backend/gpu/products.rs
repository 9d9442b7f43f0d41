//! Products: which kernel, by the shapes, by how the operands lie, and by
//! what the device has.

use std::env;
use std::sync::LazyLock;

use super::super::super::kernels::{
    self, Layout, PRODUCT_FEW_ROWS, PRODUCT_LONG_SUMS, TILES, Tiles,
};
use super::super::super::tuning::{self, Tuned};
use super::super::matrices;
use super::operands::{Operand, Product};
use super::{Array, Buffer, GROUP, Launch, OpenCl, Reduce, Shared, buffer};
use crate::error::{Result, zeros};
use crate::opencl::Kind;

/// So many products of an element are at least one part: to share fewer costs
/// more than it saves.
const ALONE: usize = 256;
/// So many are worth a part of their own where that lets the tiles be large.
const PART: usize = 1024;
/// More than so many of them are shared in any case, which keeps what is
/// rounded away small.
const LONGEST: usize = 1 << 13;

/// So many products of an element are worth tensor cores, unless both operands
/// lie across `k`: on an NVIDIA H100 two matrices of 4096 x 4096 then took 3.24
/// ms by the cores and 3.09 without (`cargo learn bench "left transposed"`,
/// November 2026).
const WORTH: usize = 64;
/// A number that is multiplied so often is worth a copy that suits the cores:
/// products of 2048, 4096 and 4097 took 0.87, 0.87 and 0.81 of PyTorch's time
/// with copies on an NVIDIA H100, and 0.96, 0.93 and 1.21 without; with those by
/// warpgroups two of 1024 took 1.05 with copies on an H200, and 0.88 without
/// (`cargo learn bench matmul`, November 2026).
const OFTEN: usize = 2048;

/// Whether tensor cores are switched off, by `RUNGRAD_TENSOR_CORES=off`.
static NO_CORES: LazyLock<bool> = LazyLock::new(|| {
    env::var_os("RUNGRAD_TENSOR_CORES").is_some_and(|it| it == "off")
});

impl OpenCl {
    /// Multiplies as [`Backend::contract`](super::Backend::contract) does.
    pub(super) fn product(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let matrices = |a: &Array| matrices(a, batch, inner);
        let Some(product) = Product::new(a, b, batch, inner) else {
            return self.product(&matrices(a)?, &matrices(b)?, 1, 1);
        };
        if product.k == 0 || product.len() == 0 {
            return self.upload_zeros(product.len());
        }
        if !product.is_of_matrices() {
            // Large tiles want matrices, and pay for the copy.
            let least = product.a.lines.min(product.b.lines);
            if least >= 64 && product.k >= 64 {
                return self.product(&matrices(a)?, &matrices(b)?, 1, 1);
            }
            if product.has_long_sums() {
                return self.by_squares(&product);
            }
            if product.has_few_rows() {
                return self.by_columns(&product);
            }
            return self.by_tiles(&product, Layout::Views);
        }
        // ANCHOR: kinds
        match (product.a.lines, product.b.lines) {
            (_, 1) => self.by_rows(&product, product.a, product.b),
            (1, _) => self.by_rows(&product, product.b, product.a),
            _ if self.pays_to_pack(&product) => {
                let Product { a, b, k, .. } = product;
                let [a, b] = [self.packed(a, k)?, self.packed(b, k)?];
                self.product(&a, &b, 0, 1)
            }
            _ => {
                let [a, b] = [product.a, product.b];
                let fours = a.has_fours(product.k) && b.has_fours(product.k);
                let layout =
                    if fours { Layout::Fours } else { Layout::Matrices };
                self.by_tiles(&product, layout)
            }
        }
        // ANCHOR_END: kinds
    }

    /// Tells whether tensor cores read an operand faster from a copy, in which
    /// its lines go along `k` and begin at whole fours, and whether there are
    /// so many products that they make good for the copies.
    fn pays_to_pack(&self, product: &Product) -> bool {
        let Product { a, b, batches, k, .. } = product;
        let has_cores = self.gpu.info().tensor_cores && !*NO_CORES;
        let many = *batches == 1 && a.lines.min(b.lines).min(*k) >= OFTEN;
        has_cores && many && !(a.is_packed(*k) && b.is_packed(*k))
    }

    /// Tells whether the device takes the kernel for warpgroups: a driver that
    /// does not is not asked again.
    fn has_warpgroups(&self) -> bool {
        let takes = || {
            let tiles = TILES.iter().find(|tiles| tiles.are_packed());
            let kernel = tiles?.kernel(Layout::Fours, [true, false])?;
            self.gpu.compile(kernel).ok()
        };
        self.gpu.info().warpgroups
            && *self.warpgroups.get_or_init(|| takes().is_some())
    }

    /// Copies the lines of an operand, unless it lies well.
    fn packed(&self, operand: Operand, k: usize) -> Result<Array> {
        if operand.is_packed(k) {
            let lines = [operand.lines, k];
            return operand.array.reshape(&lines);
        }
        let (lines, room) = (operand.lines, k.next_multiple_of(4));
        let out = self.fill(lines * room, |out| {
            self.gpu
                .launch(&kernels::COPY_LINES)
                .input(buffer(operand.array))
                .scalar(operand.array.offset() as u32)
                .scalar(operand.to())
                .output(out)
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

    pub(super) fn upload_zeros(&self, n: usize) -> Result<Shared> {
        use super::{Backend, DType};
        self.upload(&zeros(n)?, DType::F32)
    }

    /// Counts the units that work at the same time.
    fn units(&self) -> usize {
        self.gpu.info().compute_units.max(1) as usize
    }

    /// Chooses the tiles that were timed as the fastest. Without a time, the
    /// largest that the device can have and that are enough to keep it busy;
    /// the smallest, if none are.
    fn tiles(
        &self,
        product: &Product,
        layout: Layout,
        along: [bool; 2],
    ) -> &'static Tiles {
        let (info, units) = (self.gpu.info(), self.units());
        let can = |tiles: &&Tiles| {
            let pays = product.k >= WORTH && along != [false, true];
            let is_on = tiles.on_cores.is_none() || pays && !*NO_CORES;
            is_on
                && tiles.fit(info)
                && tiles.kernel(layout, along).is_some()
                && (!tiles.are_packed() || self.has_warpgroups())
        };
        let tuned = self.tuned.get_or_init(|| {
            let tuned = tuning::file().map(|file| Tuned::load(&file));
            tuned.unwrap_or_default().of(info)
        });
        let timed = match product.batches {
            1 => tuned.tiles([product.a.lines, product.k, product.b.lines]),
            _ => None,
        };
        // ANCHOR: by-rule
        let busy = |tiles: &&Tiles| {
            let [m, n] = tiles.sides;
            let all = product.a.lines.div_ceil(m) * product.b.lines.div_ceil(n);
            // Where k is long, what is missing is made up by its parts.
            let parts = (product.k / PART).max(1);
            all * product.batches * parts * tiles.of_units >= units
        };
        let by_rule = || TILES.iter().find(|it| can(it) && busy(it));
        let chosen = timed.filter(can).or_else(by_rule);
        chosen.unwrap_or(&TILES[TILES.len() - 1])
        // ANCHOR_END: by-rule
    }

    /// Gives a launch the arguments that all kernels of products have, but for
    /// those of one column.
    fn give<'a>(
        &self,
        launch: Launch<'a>,
        product: &'a Product,
        length: usize,
        out: &'a Buffer<f32>,
    ) -> Launch<'a> {
        let Product { a, b, batches, k, inner } = product;
        let sizes = [
            a.sizes[1], a.sizes[2], b.sizes[1], b.sizes[2], inner[1], inner[2],
            *batches, length,
        ];
        launch
            .input(buffer(a.array))
            .scalar(a.array.offset() as u32)
            .scalar(a.to())
            .input(buffer(b.array))
            .scalar(b.array.offset() as u32)
            .scalar(b.to())
            .scalar(sizes.map(|size| size as i32))
            .output(out)
            .scalar(a.lines as i32)
            .scalar(*k as i32)
            .scalar(b.lines as i32)
    }

    /// Multiplies few rows: an item has a column.
    fn by_columns(&self, product: &Product) -> Result<Shared> {
        let Product { a, b, batches, k, .. } = product;
        let walls = b.lines.div_ceil(128);
        let (length, parts) =
            self.parts(walls * batches, 4, *k, [ALONE, LONGEST], 64);
        let all = batches * parts;
        let out = self.fill(parts * product.len(), |out| {
            let kernel = &PRODUCT_FEW_ROWS[usize::from(a.lines > 8)];
            self.give(self.gpu.launch(kernel), product, length, out)
                .global([walls * 128, all.min((1 << 22) / walls).max(1)])
                .local([128, 1])
                .run()
        })?;
        self.joined(a.array, out, parts, product.len())
    }

    /// Multiplies few results with long sums: a group has a square of them,
    /// and its items share `k`.
    fn by_squares(&self, product: &Product) -> Result<Shared> {
        const SIDE: usize = 8;
        let Product { a, b, batches, k, .. } = product;
        let squares = [a, b].map(|it| it.lines.div_ceil(SIDE));
        let all = squares[0] * squares[1];
        let bounds = [16 * GROUP, 128 * GROUP];
        let (length, parts) = self.parts(all * batches, 2, *k, bounds, GROUP);
        let out = self.fill(parts * product.len(), |out| {
            let most = ((1 << 22) / all).max(1);
            let launch = self.gpu.launch(&PRODUCT_LONG_SUMS);
            self.give(launch, product, length, out)
                .global([
                    squares[1] * GROUP,
                    squares[0],
                    (batches * parts).min(most),
                ])
                .local([GROUP, 1, 1])
                .run()
        })?;
        self.joined(a.array, out, parts, product.len())
    }

    fn by_tiles(&self, product: &Product, layout: Layout) -> Result<Shared> {
        let Product { a, b, batches, k, .. } = product;
        let along = [a.lies_along_inner(), !b.lies_along_inner()];
        let tiles = self.tiles(product, layout, along);
        let kernel = tiles.kernel(layout, along).expect("tiles that can");
        let [m, n] = tiles.sides;
        let groups = [b.lines.div_ceil(n), a.lines.div_ceil(m)];
        let all = groups[0] * groups[1] * batches;
        let beside = match (layout, tiles.on_cores) {
            (Layout::Views, _) => 8,
            (_, Some(_)) if all < self.units() => 2,
            _ => 1,
        };
        let (length, parts) = self.parts(all, beside, *k, [ALONE, LONGEST], 16);
        let out = self.fill(parts * product.len(), |out| {
            // A device runs so many items and no more; beyond them a group has
            // several tiles.
            let most = ((1 << 22) / (groups[0] * groups[1])).max(1);
            self.give(self.gpu.launch(kernel), product, length, out)
                .global([
                    groups[0] * tiles.items,
                    groups[1],
                    (batches * parts).min(most),
                ])
                .local([tiles.items, 1, 1])
                .run()
        })?;
        self.joined(a.array, out, parts, product.len())
    }

    /// Multiplies by one column: rows by teams of items.
    fn by_rows(
        &self,
        product: &Product,
        a: Operand,
        b: Operand,
    ) -> Result<Shared> {
        let (k, batches) = (product.k, product.batches);
        let team = self.team(k, a.lies_along_inner());
        let rows = GROUP / team;
        let walls = a.lines.div_ceil(rows);
        let (length, parts) =
            self.parts(walls * batches, 8, k, [64, LONGEST], 8 * team);
        let strides = [
            a.batch_step,
            a.line_steps[2],
            a.inner_steps[2],
            b.batch_step,
            b.inner_steps[2],
            batches as isize,
            length as isize,
            0,
        ];
        let out = self.fill(parts * product.len(), |out| {
            self.gpu
                .launch(&kernels::PRODUCT_VECTOR)
                .input(buffer(a.array))
                .scalar(a.array.offset() as u32)
                .input(buffer(b.array))
                .scalar(b.array.offset() as u32)
                .scalar(strides.map(|it| it as i32))
                .output(out)
                .scalar(a.lines as u32)
                .scalar(k as u32)
                .global([(walls * batches * parts).min(1 << 20) * team, rows])
                .local([team, rows])
                .run()
        })?;
        self.joined(a.array, out, parts, product.len())
    }

    /// Tells how many items have a row of `k` elements. On a processor one has
    /// it: there a team is a loop with barriers.
    pub(super) fn team(&self, k: usize, lie_side_by_side: bool) -> usize {
        let is_processor = self.gpu.info().kind == Kind::Cpu;
        match k {
            _ if is_processor || !lie_side_by_side => 1,
            0..=16 => 1,
            17..=128 => 8,
            129..=2048 => 32,
            _ => GROUP,
        }
    }

    /// Computes how much of `k` one of its parts is, in whole steps, not less
    /// than `least` and not more than `longest`, and how many there are: more than one where
    /// `groups` alone, so many beside each other in a unit, would leave some
    /// of the device idle, or where sums would be too long.
    fn parts(
        &self,
        groups: usize,
        beside: usize,
        k: usize,
        [least, longest]: [usize; 2],
        step: usize,
    ) -> (usize, usize) {
        // A processor's unit works on one group at a time.
        let beside = match self.gpu.info().kind {
            Kind::Cpu => 1,
            _ => beside,
        };
        let idle = (self.units() * beside).div_ceil(groups).min(k / least);
        let parts = idle.max(k.div_ceil(longest)).max(1);
        let length = k.div_ceil(parts).next_multiple_of(step);
        (length, k.div_ceil(length))
    }

    /// Adds up the parts of a result.
    fn joined(
        &self,
        like: &Array,
        out: Shared,
        parts: usize,
        n: usize,
    ) -> Result<Shared> {
        if parts == 1 {
            return Ok(out);
        }
        let parts = Array::dense(like.device(), out, &[parts, n]);
        self.reduce_down(Reduce::Sum, &parts.permute(&[1, 0])?)
    }
}
