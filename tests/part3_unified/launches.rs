//! The kernels of an operation, their number of groups and their group size,
//! on both sides of each threshold between two kernels.

use rungrad::nn::{LayerNorm, Linear, Module, Parameters};
use rungrad::opencl::{DeviceInfo, GeneratedKernel, Kind, devices, record};
use rungrad::ops::Keep;
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{Array, Binary, Device, Reduce, Tensor, Window};
use rungrad::rng::Random;
use rungrad::timeline::SliceKind;

use testkit::child::{is_child, succeed, untuned};
use testkit::clean;
use testkit::device::gpu_or_skip;

/// Lists the launches of some work on a device that has built its kernels
/// already.
fn launches(work: impl Fn() -> Array) -> String {
    work();
    let (_, timeline) = record(work).unwrap();
    let slices = timeline.slices.iter();
    let launches = slices.filter(|slice| slice.kind == SliceKind::Launch);
    let names = launches.map(|it| format!("{} {}", it.name, it.amount));
    names.collect::<Vec<_>>().join(", ")
}

const EXPECTED: &str = "\
turned [33, 16]: copy_tiled 2 x 256
turned [33, 15]: copy_strided 2 x 256
turned [16, 40]: copy_tiled 2 x 256
turned [15, 40]: copy_strided 3 x 256
turned around 1: copy_tiled 1 x 256
backwards: copy_strided 2 x 256
pairs: binary_mul 2 x 256
stretched: strided_mul 2 x 256
right turned: copy_tiled 4 x 256, binary_mul 2 x 256
left turned: copy_tiled 4 x 256, binary_mul 2 x 256
sum [100, 63] along 1: reduce_columns_sum 1 x 256
sum [100, 64] along 1: reduce_rows_sum 4 x 256
sum [1, 4096] along 1: reduce_rows_sum 1 x 256
sum [1, 4097] along 1: reduce_rows_sum 2 x 256, reduce_columns_sum 1 x 256
sum [1, 1048576] along 1: reduce_rows_sum 256 x 256, reduce_rows_sum 1 x 256
sum [1024, 8192] along 1: reduce_rows_sum 1024 x 256
sum [2, 100] along 0: reduce_columns_sum 1 x 256
sum [3, 2] along 0: reduce_columns_sum 1 x 256
sum [64, 100] along 0: reduce_columns_sum 1 x 256
sum [65, 100] along 0: reduce_short_sum 13 x 256
sum [2048, 256] along 0: reduce_short_sum 32 x 256
sum [2048, 257] along 0: reduce_columns_sum 33 x 256, reduce_columns_sum 2 x 256
sum [2049, 9] along 0: reduce_columns_sum 2 x 256, reduce_columns_sum 1 x 256
sum [4096, 1000] along 0: reduce_columns_sum 250 x 256, reduce_columns_sum 4 x 256
sum [100, 1] along 1: reduce_columns_sum 1 x 256
sum [1, 100] along 0: reduce_columns_sum 1 x 256
windows of [7, 9]: reduce_few_sum 1 x 256
windows of [8, 8]: reduce_columns_sum 1 x 256, reduce_few_sum 1 x 256
the middle of 7: reduce_few_sum 1 x 256
the middle of 70: reduce_short_sum 4 x 256
sum of all that is cut out: reduce_few_sum 1 x 256
sum along what is cut out: reduce_columns_sum 1 x 256
shares: reduce_few_share 1 x 256
rows: index_select 2 x 256
fold: fold_windows 3 x 256
fold turned: copy_strided 8 x 256, fold_windows 3 x 256
[8, 5, 3] x [100, 5, 3]: product_few_rows
[9, 5, 3] x [100, 5, 3]: product_few_rows
[64, 16, 4] x [64, 16, 4]: copy_strided, copy_strided, product
[63, 16, 4] x [64, 16, 4]: product
[8, 1024, 16] x [8, 1024, 16]: product
";

/// A CPU device uses one item per several rows, because a row group would be a
/// loop with barriers there.
const ON_A_CPU: &str = "\
sum [100, 64] along 1: reduce_columns_sum 1 x 256
sum [1, 4096] along 1: reduce_columns_sum 1 x 256, reduce_columns_sum 1 x 256
sum [1, 4097] along 1: reduce_columns_sum 1 x 256, reduce_columns_sum 1 x 256
sum [1, 1048576] along 1: reduce_columns_sum 4 x 256, reduce_columns_sum 1 x 256
sum [1024, 8192] along 1: reduce_columns_sum 32 x 256, reduce_columns_sum 4 x 256
sum [65, 100] along 0: reduce_columns_sum 1 x 256
sum [2048, 256] along 0: reduce_columns_sum 1 x 256
the middle of 70: reduce_columns_sum 1 x 256
";

/// A recording would contain the launches of other tests, so this test runs in
/// its own process.
///
/// Promise: Each shape runs on the kernels that are tuned for it.
#[test]
fn each_shape_uses_the_kernels_tuned_for_it() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !is_child() {
        let test = "each_shape_uses_the_kernels_tuned_for_it";
        succeed(&mut untuned(&format!("launches::{test}")));
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    let array = |shape: &[usize]| {
        let ones = vec![1.0; shape.iter().product()];
        Array::new(shape, &ones, device).unwrap()
    };
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: String, work: &dyn Fn() -> Array| {
        found.push(format!("{name}: {}", launches(work)));
    };

    // A transposed matrix is copied by tiles, unless it is narrow.
    for shape in [[33, 16], [33, 15], [16, 40], [15, 40]] {
        let a = array(&shape).permute(&[1, 0]).unwrap();
        add(format!("turned {shape:?}"), &|| a.compact().unwrap());
    }
    let a = array(&[20, 1, 20]).permute(&[2, 1, 0]).unwrap();
    add("turned around 1".into(), &|| a.compact().unwrap());
    let a = array(&[20, 20]).flip(&[1]).unwrap();
    add("backwards".into(), &|| a.compact().unwrap());

    // Dense, broadcast and transposed operands.
    let (a, b) = (array(&[40, 40]), array(&[40, 40]));
    add("pairs".into(), &|| a.binary(Binary::Mul, &b).unwrap());
    let row = array(&[40]).expand(&[40, 40]).unwrap();
    add("stretched".into(), &|| a.binary(Binary::Mul, &row).unwrap());
    let turned = b.permute(&[1, 0]).unwrap();
    add("right turned".into(), &|| a.binary(Binary::Mul, &turned).unwrap());
    add("left turned".into(), &|| turned.binary(Binary::Mul, &a).unwrap());

    // Sums along rows, down columns, and of short non-contiguous rows.
    let sum = |a: &Array, axes: &[usize]| {
        a.reduce(Reduce::Sum, axes, Keep::No).unwrap()
    };
    for (shape, axis) in [
        ([100, 63], 1),
        ([100, 64], 1),
        ([1, 4096], 1),
        ([1, 4097], 1),
        ([1, 1 << 20], 1),
        ([1024, 8192], 1),
        ([2, 100], 0),
        ([3, 2], 0),
        ([64, 100], 0),
        ([65, 100], 0),
        ([2048, 256], 0),
        ([2048, 257], 0),
        ([2049, 9], 0),
        ([4096, 1000], 0),
        ([100, 1], 1),
        ([1, 100], 0),
    ] {
        let a = array(&shape);
        add(format!("sum {shape:?} along {axis}"), &|| sum(&a, &[axis]));
    }
    for sizes in [[7, 9], [8, 8]] {
        let a = array(&[3, sizes[0], 5, sizes[1]]);
        add(format!("windows of {sizes:?}"), &|| sum(&a, &[1, 3]));
    }
    for size in [7, 70] {
        let a = array(&[5, size, 6]);
        add(format!("the middle of {size}"), &|| sum(&a, &[1]));
    }
    let a = array(&[6, 5]).slice(&[0..6, 0..4]).unwrap();
    add("sum of all that is cut out".into(), &|| sum(&a, &[0, 1]));
    add("sum along what is cut out".into(), &|| sum(&a, &[1]));

    // Maxima that share a gradient.
    let (a, rows) = (array(&[10, 70]), array(&[10, 1]));
    add("shares".into(), &|| a.max_backward(&rows, &rows, &[1]).unwrap());

    // Rows by index, and windows that are added up.
    let a = array(&[10, 70]);
    let places = vec![3; 20];
    add("rows".into(), &|| a.index_select(0, &places).unwrap());
    let a = array(&[2, 3, 9, 9, 2, 2]);
    add("fold".into(), &|| a.fold(&Window::new([2, 2]), [10, 10]).unwrap());
    let a = a.permute(&[1, 0, 2, 3, 4, 5]).unwrap();
    add("fold turned".into(), &|| {
        a.fold(&Window::new([2, 2]), [10, 10]).unwrap()
    });

    // Matmuls of views, listed by kernel name, because the number of groups
    // and whether a matmul is split depend on the device.
    let mut names: Vec<String> = Vec::new();
    let mut product = |a: &[usize], b: &[usize], inner: usize| {
        let (a, b) = (array(a), array(b));
        // The axes between rows and columns, so that neither is a single axis.
        let turned = |a: &Array| {
            let last = a.shape().len() - 1;
            let mut axes: Vec<usize> = (0..=last).collect();
            axes.swap(0, last);
            let a = a.permute(&axes).unwrap().compact().unwrap();
            a.permute(&axes).unwrap()
        };
        let (a, b) = (turned(&a), turned(&b));
        let found = launches(|| a.contract(&b, 0, inner).unwrap());
        let kernels = found.split(", ").filter_map(|it| it.split(' ').next());
        let kernels = kernels.filter(|name| *name != "reduce_columns_sum");
        let kernels: Vec<&str> = kernels.collect();
        let shapes = format!("{:?} x {:?}", a.shape(), b.shape());
        names.push(format!("{shapes}: {}", kernels.join(", ")));
    };
    product(&[8, 5, 3], &[100, 5, 3], 2);
    product(&[9, 5, 3], &[100, 5, 3], 2);
    product(&[64, 16, 4], &[64, 16, 4], 2);
    product(&[63, 16, 4], &[64, 16, 4], 2);
    product(&[8, 1 << 10, 16], &[8, 1 << 10, 16], 2);
    let is_processor = gpu.info().kind == Kind::Cpu;
    let others = ON_A_CPU.lines().filter(|_| is_processor);
    let others: Vec<&str> = others.collect();
    let of = |line: &str| line.split_once(": ").map(|it| it.0.to_string());
    let expected = EXPECTED.lines().map(|line| {
        let other = others.iter().find(|other| of(other) == of(line));
        *other.unwrap_or(&line)
    });
    let expected: Vec<&str> = expected.collect();
    assert_eq!([found, names].concat(), expected);
}

/// A kernel that computes a step in two places contains it once.
#[test]
fn a_generated_kernel_lists_its_operations() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let index = gpu.info().index;
    let held = |device, work: fn(&Tensor) -> Tensor| {
        let x = Tensor::rand(&[4, 4], 1, device).unwrap();
        x.realize().unwrap();
        let (numbers, timeline) = record(|| work(&x).to_vec()).unwrap();
        numbers.unwrap();
        let launches = timeline.launches();
        let names = launches.map(|it| (it.name.clone(), it.holds.clone()));
        names.collect::<Vec<_>>()
    };
    let sum: fn(&Tensor) -> Tensor =
        |x| x.scale(2.0).relu().sum_over(&[1], Keep::No).exp();
    let turned: fn(&Tensor) -> Tensor = |x| {
        let y = x.exp();
        y.add(&y.transpose())
    };
    let one = |name: &str, holds: &str| {
        vec![(name.to_string(), Some(holds.to_string()))]
    };
    assert_eq!(
        held(Device::Fused(index), sum),
        one("fused_scale_relu_sum_exp", "scale, relu [4, 4]; sum, exp [4]")
    );
    assert_eq!(
        held(Device::Fused(index), turned),
        one("fused_exp_exp_add", "exp, add [4, 4]")
    );
    // An item on a CPU reads its row again and caches nothing.
    held(Device::Fused(index), |x| x.softmax());
    let is_processor = |it: &DeviceInfo| it.kind == Kind::Cpu;
    if devices().unwrap().iter().all(is_processor) {
        assert!(
            GeneratedKernel::all()
                .iter()
                .all(|it| !it.text().contains("float kept"))
        );
    }
    // A single operation runs the kernel of the eager device.
    let alone = held(Device::Fused(index), |x| x.exp());
    assert_eq!(alone, [("unary_exp".to_string(), None)]);
    let eager = held(Device::Gpu(index), turned);
    assert!(eager.len() > 1 && eager.iter().all(|it| it.1.is_none()));
}

/// The gradients of biases and norms, and of weights whose matmuls are split,
/// are sums down columns.
///
/// Promise: The sums that a lazy optimizer step requests run in one launch.
#[test]
fn the_sums_of_a_lazy_step_take_one_launch() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !is_child() {
        succeed(&mut untuned(
            "launches::the_sums_of_a_lazy_step_take_one_launch",
        ));
        return;
    }
    let index = gpu.info().index;
    let step = |device: Device| {
        let random = &mut Random::new(3);
        let mut layer = Linear::new(12, 20, random);
        let mut norm = LayerNorm::new(20);
        layer.to(device).unwrap();
        norm.to(device).unwrap();
        let x = Tensor::rand(&[1024, 12], 1, device).unwrap();
        // A step that needs the gradient values, not only their signs.
        let mut adam = AdamW::new(0.5, 0.0);
        adam.adam.epsilon = 1.0;
        let mut step = || {
            norm.forward(&layer.forward(&x)).sin().sum().backward();
            let mut all = layer.parameters_mut();
            all.extend(norm.parameters_mut());
            let (_, timeline) = record(|| adam.step(all)).unwrap();
            timeline.launches().map(|it| it.name.clone()).collect()
        };
        step();
        let names: Vec<String> = step();
        let all = [layer.parameters(), norm.parameters()].concat();
        let numbers = all.iter().flat_map(|(_, it)| it.to_vec().unwrap());
        (names, numbers.collect::<Vec<f32>>())
    };
    let (names, yours) = step(Device::Fused(index));
    let sums = names.iter().filter(|name| name.starts_with("reduce_"));
    assert_eq!(sums.collect::<Vec<_>>(), ["reduce_sums_4"], "of {names:?}");
    let (_, right) = step(Device::Gpu(index));
    assert_eq!(yours.len(), right.len());
    for (at, (x, y)) in yours.iter().zip(&right).enumerate() {
        assert!((x - y).abs() < 1e-5, "number {at}: {x}, eagerly {y}");
    }
}

/// The kernel that uses a split matmul adds up its partial sums.
///
/// Promise: The partial sums of a split matmul are added where the result is
/// used.
#[test]
fn a_split_matmul_is_added_where_it_is_used() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    if !is_child() {
        let test = "launches::a_split_matmul_is_added_where_it_is_used";
        succeed(&mut untuned(test));
        return;
    }
    let work = |device: Device| {
        let a = Tensor::rand(&[8, 4096], 1, device).unwrap();
        let b = Tensor::rand(&[4096, 24], 2, device).unwrap();
        let made = || a.matmul(&b).scale(0.5).relu().to_vec().unwrap();
        made();
        let (made, timeline) = record(made).unwrap();
        let names = timeline.launches().map(|it| it.name.clone());
        (names.collect::<Vec<_>>(), made)
    };
    let index = gpu.info().index;
    let (names, yours) = work(Device::Fused(index));
    let (_, right) = work(Device::Gpu(index));
    let [product, rest] = &names[..] else { panic!("{names:?}") };
    assert!(product.starts_with("product"), "{names:?}");
    // A device with one compute unit splits no matmul.
    let name = match gpu.info().compute_units {
        0..=1 => "fused_scale_relu",
        _ => "fused_sum_scale_relu",
    };
    assert_eq!(rest, name);
    for (x, y) in yours.iter().zip(&right) {
        assert!((x - y).abs() <= 1e-5 * y.abs(), "{x}, eagerly {y}");
    }
}
