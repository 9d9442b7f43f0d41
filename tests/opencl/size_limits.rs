//! Checks which sizes a kernel accepts, on both sides of every limit of its
//! reach and without a launch. A size that a kernel's counters cannot hold
//! must be rejected, and every other size accepted.

use rungrad::engine::kernels::{self as part3, TILES};
use rungrad::opencl::{Buffer, DeviceInfo, Gpu, Kernel};
use rungrad::part2_gpu::kernels as part2;

use testkit::device::gpu_or_skip;
use testkit::launches::draft::Drawn::{self, In, Number, Out};
use testkit::launches::draft::extent;

struct Probe {
    gpu: Gpu,
    buffer: Buffer<f32>,
}

/// Largest size that a kernel counting in `int` can handle.
const MAX_COUNT: u32 = i32::MAX as u32;

impl Probe {
    fn new() -> Option<Probe> {
        let gpu = gpu_or_skip()?;
        let buffer = gpu.allocate(1).unwrap();
        Some(Probe { gpu, buffer })
    }

    /// Returns whether a kernel accepts these arguments, launched with a
    /// single work-group.
    #[track_caller]
    fn takes(
        &self,
        kernel: &Kernel,
        local: &[usize],
        arguments: &[Drawn],
    ) -> bool {
        let others = arguments.iter().map(|_| self.gpu.allocate(1).unwrap());
        let others: Vec<Buffer<f32>> = others.collect();
        let mut launch = self.gpu.launch(kernel);
        for (argument, out) in arguments.iter().zip(&others) {
            launch = match argument {
                Number(number) => launch.scalar(*number),
                Out => launch.output(out),
                _ => launch.input(&self.buffer),
            };
        }
        let launch = launch.global(extent(local)).local(extent(local));
        match launch.unreached() {
            Ok(_) => true,
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains("that it cannot take"), "{told}");
                false
            }
        }
    }
}

#[test]
fn rows_and_columns_have_at_most_31_bits() {
    let Some(probe) = Probe::new() else { return };
    let rows = |columns: u32, part: u32, n: u32| {
        let [columns, part, n] = [columns, part, n].map(|it| Number(it.into()));
        let (zero, one) = (Number(0_u32.into()), Number(1_u32.into()));
        let arguments = [In, zero, one, columns, part, Out, n];
        probe.takes(&part3::REDUCE_ROWS_SUM, &[256], &arguments)
    };
    assert!(rows(1, 1, 1) && rows(MAX_COUNT, 1, 1) && rows(1, 1, MAX_COUNT));
    assert!(rows(1, 1, 0) && rows(1, MAX_COUNT + 1, 1));
    assert!(!rows(0, 1, 1) && !rows(MAX_COUNT + 1, 1, 1));
    assert!(!rows(1, 0, 1) && !rows(1, 1, MAX_COUNT + 1));

    let columns = |width: u32, height: u32, part: u32| {
        let [width, height, part] =
            [width, height, part].map(|it| Number(it.into()));
        let (zero, one) = (Number(0_u32.into()), Number(1_u32.into()));
        let arguments =
            [In, zero, one, one, one, zero, width, height, part, Out];
        probe.takes(&part3::REDUCE_COLUMNS_SUM, &[256], &arguments)
    };
    assert!(columns(1, 1, 1) && columns(1, MAX_COUNT, 1));
    assert!(!columns(0, 1, 1) && !columns(1, 0, 1) && !columns(1, 1, 0));
    assert!(!columns(1, MAX_COUNT + 1, 1));

    let row_of_part_2 = |kernel, columns: u32| {
        probe.takes(kernel, &[256], &[In, Out, Number(columns.into())])
    };
    assert!(row_of_part_2(&part2::REDUCE_ROWS, MAX_COUNT));
    assert!(!row_of_part_2(&part2::REDUCE_ROWS, MAX_COUNT + 1));

    let matvec = |m: u32, k: u32| {
        let sizes = [m, k].map(|it| Number(it.into()));
        let arguments = [In, In, Out, sizes[0], sizes[1]];
        probe.takes(&part2::MATVEC_ROWS, &[256], &arguments)
    };
    assert!(matvec(MAX_COUNT, 1) && matvec(1, MAX_COUNT));
    assert!(!matvec(MAX_COUNT + 1, 1) && !matvec(1, MAX_COUNT + 1));
}

#[test]
fn a_row_group_is_a_power_of_two_of_256_items() {
    let Some(probe) = Probe::new() else { return };
    let rows = |local: &[usize], columns: u32, n: u32| {
        let [columns, n] = [columns, n].map(|it| Number(it.into()));
        let zero = Number(0_u32.into());
        let arguments = [In, zero, columns, zero, Out, n];
        probe.takes(&part3::SOFTMAX_ROWS, local, &arguments)
    };
    for (local, is_taken) in [
        (&[16, 8][..], true),
        (&[256, 1], true),
        (&[1, 256], true),
        (&[24, 8], false),
        (&[256, 2], false),
        (&[2, 129], false),
        (&[16, 4, 2], false),
    ] {
        assert_eq!(rows(local, 3, 5), is_taken, "{local:?}");
    }
    let local = [16, 8];
    assert!(rows(&local, 1 << 15, 1 << 15) && rows(&local, MAX_COUNT, 1));
    assert!(rows(&local, 0, MAX_COUNT) && rows(&local, 3, 0));
    assert!(!rows(&local, 1 << 16, 1 << 15) && !rows(&local, 0, MAX_COUNT + 1));

    let kept = |kernel, offset: u32, columns: u32| {
        let [offset, columns] = [offset, columns].map(|it| Number(it.into()));
        let (logs, n) = (Number(0_u32.into()), Number(2_u32.into()));
        let arguments = [In, offset, columns, logs, Out, n];
        probe.takes(kernel, &local, &arguments)
    };
    let most = 16 * part3::KEPT as u32;
    let fours = &part3::SOFTMAX_FOURS;
    assert!(kept(fours, 0, 4) && kept(fours, 4, 8) && !kept(fours, 0, 6));
    assert!(kept(fours, 0, most) && !kept(fours, 0, most + 4));
    // A `float4` load requires an offset that is a multiple of four.
    assert!(!kept(fours, 2, 4) && !kept(&part3::SOFTMAX_ROWS, 2, 4));

    let vector = |batch: i32, length: i32, m: u32, k: u32| {
        let strides = [0, 0, 0, 0, 0, batch, length, 0];
        let [m, k] = [m, k].map(|it| Number(it.into()));
        let (strides, zero) = (Number(strides.into()), Number(0_u32.into()));
        let arguments = [In, zero, In, zero, strides, Out, m, k];
        probe.takes(&part3::PRODUCT_VECTOR, &local, &arguments)
    };
    let most = 1 << 30;
    assert!(vector(1, 1, 1, 1) && vector(1, 1 << 20, most - 1, 1));
    assert!(vector(1, 1 << 20, 1, most - 1));
    assert!(!vector(-1, 1, 1, 1) && !vector(1, 0, 1, 1));
    assert!(!vector(0, 1, 1, 1) && !vector(1, 1, 0, 1) && !vector(1, 1, 1, 0));
    assert!(!vector(1, 1 << 20, most, 1) && !vector(1, 1 << 20, 1, most));
    assert!(vector(2, 1, most - 1, 1) && !vector(4, 1, most / 2, 1));
}

#[test]
fn the_elements_of_a_view_have_31_bit_offsets() {
    let Some(probe) = Probe::new() else { return };
    let copy = |offset: u32, axes: [[i32; 2]; 2]| {
        let (mut shape, mut strides) = ([1; 8], [0; 8]);
        for (axis, [size, stride]) in axes.into_iter().enumerate() {
            (shape[6 + axis], strides[6 + axis]) = (size, stride);
        }
        let (shape, strides) = (Number(shape.into()), Number(strides.into()));
        let offset = Number(offset.into());
        let arguments = [In, offset, shape, strides, Out, Number(1_u32.into())];
        probe.takes(&part3::COPY_STRIDED, &[256], &arguments)
    };
    let one = [1, 7];
    assert!(copy(MAX_COUNT - 1, [one; 2]) && !copy(MAX_COUNT, [one; 2]));
    assert!(copy(1, [one, [2, -1]]) && !copy(0, [one, [2, -1]]));
    // A positive stride on one axis does not compensate for a negative offset
    // on another.
    assert!(!copy(0, [[2, 1], [2, -1]]) && !copy(1, [[2, -2], [9, 1]]));
    assert!(!copy(MAX_COUNT - 2, [[2, -1], [2, 2]]));
    assert!(!copy(0, [one, [0, 1]]) && !copy(0, [[-1, 0], one]));
}

/// The arguments of a matmul kernel.
#[derive(Clone, Copy)]
struct MatmulArguments {
    offsets: [u32; 2],
    to: [[i32; 8]; 2],
    sizes: [i32; 8],
    mkn: [i32; 3],
}

impl MatmulArguments {
    fn arguments(&self) -> [Drawn; 11] {
        let [a, b] = self.offsets.map(|it| Number(it.into()));
        let [a_to, b_to] = self.to.map(|it| Number(it.into()));
        let [m, k, n] = self.mkn.map(|it| Number(it.into()));
        let sizes = Number(self.sizes.into());
        [In, a, a_to, In, b, b_to, sizes, Out, m, k, n]
    }
}

#[test]
fn matmul_rejects_inconsistent_sizes() {
    let Some(probe) = Probe::new() else { return };
    let base = MatmulArguments {
        offsets: [0; 2],
        to: [[0; 8]; 2],
        sizes: [1, 4, 1, 4, 1, 4, 1, 4],
        mkn: [4; 3],
    };
    let takes = |it: &MatmulArguments| {
        probe.takes(&part3::PRODUCT_LONG_SUMS, &[256, 1, 1], &it.arguments())
    };
    assert!(takes(&base));
    for at in 0..8 {
        let mut other = base;
        other.sizes[at] = 0;
        assert!(!takes(&other), "size {at} is 0");
        other.sizes[at] = -4;
        assert!(!takes(&other), "size {at} is negative");
    }
    for at in 0..3 {
        let mut other = base;
        other.mkn[at] = 8;
        assert!(takes(&other), "two times four are eight");
        for size in [0, 5, -4] {
            other.mkn[at] = size;
            assert!(!takes(&other), "{at} has {size}");
        }
    }
    let of_rows = |m: i32, n: i32| {
        let (sizes, mkn) = ([1, m, 1, n, 1, 4, 1, 4], [m, 4, n]);
        takes(&MatmulArguments { sizes, mkn, ..base })
    };
    assert!(of_rows(1 << 30, 1) && of_rows(1 << 20, 1 << 11));
    assert!(!of_rows((1 << 30) + 1, 1) && !of_rows(1 << 20, (1 << 11) + 1));

    for (kernel, rows) in part3::PRODUCT_FEW_ROWS.iter().zip([8, 16]) {
        for (m, is_taken) in [(rows, true), (rows + 1, false)] {
            let mut it = base;
            (it.mkn[0], it.sizes[1]) = (m, m);
            let took = probe.takes(kernel, &[128, 1, 1], &it.arguments());
            assert_eq!(took, is_taken, "{m} of {rows} rows");
        }
    }
}

#[test]
fn matmul_kernels_check_alignment_and_axes() {
    let Some(probe) = Probe::new() else { return };
    for tiles in TILES {
        for kernel in tiles.kernels {
            let has = |option: &str| kernel.options().contains(option);
            if has("-DVIEWS=1") {
                continue;
            }
            let along = |is_along: bool| match is_along {
                true => [0, 0, 8, 0, 0, 1, 16, 0],
                false => [0, 0, 1, 0, 0, 8, 16, 0],
            };
            let is_packed = kernel.name() == "product_warpgroups";
            let a_along = is_packed || has("-DA_ALONG_K=1");
            let b_along = is_packed || has("-DB_ALONG_N=0");
            let base = MatmulArguments {
                offsets: [4; 2],
                to: [along(a_along), along(b_along)],
                sizes: [1, 8, 1, 8, 1, 8, 2, 8],
                mkn: [8; 3],
            };
            let takes = |what: &str, it: &MatmulArguments, expected: bool| {
                let local = [tiles.items, 1, 1];
                let took = probe.takes(kernel, &local, &it.arguments());
                let of = (kernel.name(), kernel.options());
                assert_eq!(took, expected, "{what}: {of:?}");
            };
            takes("the base", &base, true);
            for at in 0..3 {
                let mut other = base;
                other.mkn[at] = 16;
                takes("a second axis", &other, false);
            }
            let any = !has("-DFOURS=1");
            for side in 0..2 {
                let mut other = base;
                other.offsets[side] = 6;
                takes("an offset", &other, any);
                for (at, step) in [(2, 3), (5, 3), (6, 18)] {
                    let mut other = base;
                    other.to[side][at] = step;
                    takes("a stride", &other, any);
                }
            }
            let mut other = base;
            other.sizes[7] = 6;
            takes("a part", &other, any);
            for (side, of_k, axis, place) in
                [(0, a_along, 1, 0), (1, b_along, 3, 2)]
            {
                let mut other = base;
                let (axis, place) = if of_k { (5, 1) } else { (axis, place) };
                (other.sizes[axis], other.mkn[place]) = (6, 6);
                takes(["a", "b"][side], &other, any);
            }
        }
    }
}

#[test]
fn packed_lines_have_at_most_30_bits() {
    let Some(probe) = Probe::new() else { return };
    let packed = |lines: u32, k: u32, room: u32| {
        let [lines, k, room] = [lines, k, room].map(|it| Number(it.into()));
        let (zero, to) = (Number(0_u32.into()), Number([0_i32; 8].into()));
        let arguments = [In, zero, to, Out, lines, k, room];
        probe.takes(&part3::COPY_LINES, &[32, 8], &arguments)
    };
    let most = 1 << 30;
    assert!(packed(1, 1, 0) && packed(most - 1, 1, 1));
    assert!(packed(1, most - 1, 1) && packed(1, 1, most - 1));
    assert!(packed(1 << 15, 1, 1 << 14) && !packed(1 << 15, 1, 1 << 15));
    assert!(!packed(0, 1, 1) && !packed(most, 1, 0) && !packed(1, most, 1));
    assert!(!packed(1, 0, 1) && !packed(1, 1, most));
}

#[test]
fn tiles_fit_devices_with_exactly_enough_resources() {
    let Some(probe) = Probe::new() else { return };
    for tiles in TILES {
        let mut enough = probe.gpu.info().clone();
        enough.max_work_group = tiles.items;
        enough.local_memory = tiles.local_memory;
        (enough.tensor_cores, enough.warpgroups) = (true, true);
        let fit = |change: fn(&mut DeviceInfo)| {
            let mut info = enough.clone();
            change(&mut info);
            tiles.fit(&info)
        };
        let name = tiles.name;
        assert!(fit(|_| ()), "{name}");
        assert!(!fit(|it| it.max_work_group -= 1), "{name}: items");
        assert!(!fit(|it| it.local_memory -= 1), "{name}: memory");
        let without = fit(|it| it.tensor_cores = false);
        assert_eq!(without, tiles.on_cores.is_none(), "{name}: cores");
        let without = fit(|it| it.warpgroups = false);
        assert_eq!(without, !tiles.are_packed(), "{name}: warpgroups");
    }
}
