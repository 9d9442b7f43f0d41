//! Rejected types, operands that adopt a tensor's type, and files and models
//! of each type.

use super::*;

/// Promise: Two element types in one operation are rejected in one sentence.
#[test]
fn operands_of_two_types_are_rejected() {
    let _clean = clean();
    for device in devices() {
        let of = |dtype| tensor(&[2, 2], &[1.0; 4], (device, dtype));
        let (a, b) = (of(DType::F32), of(DType::F64));
        let sentence = |op: &str| {
            format!(
                "{op}: the operands are of two types, f32 and f64; change one \
                 with .to_dtype(..)"
            )
        };
        type Two = (&'static str, fn(&Tensor, &Tensor) -> Tensor);
        let calls: [Two; 7] = [
            ("add", |a, b| a + b),
            ("mul", |a, b| a.expand(&[3, 2, 2]).mul(b)),
            ("lt", |a, b| a.lt(b)),
            ("where_cond", |a, b| a.where_cond(b, b)),
            ("matmul", |a, b| a.matmul(b)),
            ("cat", |a, b| Tensor::cat(&[a, b], 0)),
            ("set", |a, b| a.slice_assign(&[0..2, 0..2], b)),
        ];
        for (op, call) in calls {
            let refused = attempt(|| call(&a, &b));
            assert_eq!(mistake(op, refused), sentence(op));
        }
        let leaf = a.clone().requires_grad();
        let refused = attempt(|| leaf.sum().backward_with(&b.sum()));
        let words = mistake("backward_with", refused);
        assert_eq!(words, sentence("backward_with"));
    }
}

/// Promise: Reading a tensor as a type that would round its values is rejected.
#[test]
fn reading_as_a_narrower_type_is_rejected() {
    let _clean = clean();
    let x = Tensor::of(&[1], &[0.1_f64], Device::Cpu).unwrap();
    let words = "to_vec: the elements are f64 and would be rounded to f32; \
                 read them by `.to_vec_of::<f64>()`, or round them first by \
                 `.to_dtype(DType::F32)`";
    assert_eq!(mistake("to_vec", x.to_vec()), words);
    assert_eq!(mistake("item", x.item()), words);
    assert_eq!(x.item_of::<f64>().unwrap(), 0.1);
    assert!(x.to_vec_of::<F16>().is_err());
    let half = x.to_dtype(DType::F16).unwrap();
    assert_eq!(half.item().unwrap(), 0.099975586);
    assert_eq!(half.item_of::<f64>().unwrap(), 0.0999755859375);
    assert_eq!(
        format!("{:?}", half.item_of::<F16>().unwrap()),
        "0.099975586_f16"
    );
}

/// Promise: A device that lacks an element type says so.
#[test]
fn a_device_without_a_type_reports_it() {
    let _clean = clean();
    let device = third::device();
    let expected = |dtype| {
        format!(
            "{device} keeps no {dtype}: compute with them on another device, or \
             change them first by `.to_dtype(DType::F32)`"
        )
    };
    let x = Tensor::new(&[1], &[1.0], device).unwrap();
    let here = Tensor::of(&[1], &[F16::EPSILON], Device::Cpu).unwrap();
    let wide = here.to_dtype(DType::F64).unwrap();
    for (error, dtype) in [
        (x.to_dtype(DType::F16), "f16"),
        (x.to_dtype(DType::F64), "f64"),
        (here.to(device), "f16"),
        (wide.to(device), "f64"),
    ] {
        match error {
            Err(Error::Device(words)) => assert_eq!(words, expected(dtype)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn scalars_take_the_type_of_the_tensor() {
    let _clean = clean();
    for device in devices() {
        let x = Tensor::of(&[2], &[1.0_f64, 2.0], device).unwrap();
        let f64s = |t: Tensor| t.to_vec_of::<f64>().unwrap();
        assert_eq!(f64s(&x * 0.1), [0.1, 0.2]);
        assert_eq!(f64s(0.1 + &x), [1.1, 2.1]);
        assert_eq!(f64s(0.3 - &x), [0.3 - 1.0, 0.3 - 2.0]);
        assert_eq!(f64s(&x / 3.0), [1.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(f64s(&x * 0.1_f32), [0.1_f32, 0.2].map(f64::from));
        assert_eq!(f64s(x.full_like(0.1)), [0.1; 2]);
        assert_eq!(f64s(2 * &x), [2.0, 4.0]);
        let half = x.to_dtype(DType::F16).unwrap();
        assert_eq!((&half * 0.1).to_vec().unwrap(), [0.099975586, 0.19995117]);
        let shown = format!("{}", x.to_dtype(DType::F16).unwrap() / 3.0);
        assert!(
            shown.contains("0.33325195") && shown.contains("f16"),
            "{shown}"
        );
        let shown = format!("{}", &x / 3.0);
        assert!(shown.contains("0.3333333333333333, "), "{shown}");
    }
}

/// Sums are accumulated in more than 16 bits, however many stages they have.
#[test]
fn f16_sums_are_rounded_once() {
    let _clean = clean();
    for device in devices() {
        for n in [100, 5000, 1 << 17] {
            let x = Tensor::of(&[1], &[F16::round(0.25)], device).unwrap();
            let x = x.expand(&[n]).shift(0.0);
            assert_eq!(x.sum().item().unwrap(), n as f32 / 4.0, "{n}");
            let columns = x.reshape(&[n / 4, 4]);
            let sums = columns.sum_over(&[0], rungrad::part3_unified::Keep::No);
            assert_eq!(sums.to_vec().unwrap(), [n as f32 / 16.0; 4], "{n}");
        }
        // 40001 ones: a sum in `f16` would stop at 2048.
        let rows = Tensor::of(&[1, 1], &[F16::round(1.0)], device).unwrap();
        let row = rows.expand(&[2, 40_000]).shift(0.0);
        let product = row.matmul(&row.transpose()).to_vec().unwrap();
        assert_eq!(product, [40_000.0; 4]);
        let vector = row.slice(&[0..1, 0..40_000]).transpose();
        let product = row.matmul(&vector).to_vec().unwrap();
        assert_eq!(product, [40_000.0; 2]);
    }
}

#[test]
fn random_values_of_each_type_are_below_1() {
    let _clean = clean();
    use rungrad::part3_unified::Array;
    let n = 1 << 14;
    let right: Vec<f32> =
        (0..n as u64).map(|k| rng::unit(rng::bits(7, k))).collect();
    for device in devices() {
        let of = |dtype| {
            let array = Array::uniform_of(&[n], 7, dtype, device).unwrap();
            Tensor::from(array)
        };
        let wide: Vec<f64> = of(DType::F64).to_vec_of().unwrap();
        let halves = of(DType::F16).to_vec().unwrap();
        for ((right, wide), half) in right.iter().zip(wide).zip(halves) {
            assert_eq!(f64::from(*right), wide);
            // Truncated instead of rounded, so less by less than a step.
            assert!((0.0..1.0 / 2048.0).contains(&(right - half)), "{half}");
        }
    }
}

#[test]
fn files_keep_the_type_of_each_tensor() {
    let _clean = clean();
    let path = testkit::place::scratch().join("types.safetensors");
    for device in devices() {
        let x = Tensor::of(&[3], &[0.1_f64, -2.0, 1e-7], device).unwrap();
        let of = |dtype| x.to_dtype(dtype).unwrap();
        let all = [DType::F32, DType::F64, DType::F16].map(of);
        let named = all.iter().map(|t| (t.dtype().to_string(), t));
        io::write(&path, named).unwrap();
        for (name, read) in io::read(&path, device).unwrap() {
            assert_eq!(read.dtype().to_string(), name);
            let right: Vec<f64> = of(read.dtype()).to_vec_of().unwrap();
            assert_eq!(read.to_vec_of::<f64>().unwrap(), right, "{name}");
        }
    }
    let mut random = rungrad::rng::Random::new(1);
    let mut model = Linear::new(2, 3, &mut random);
    model.to_dtype(DType::F64).unwrap();
    io::save(&path, &model).unwrap();
    let mut wide = Linear::new(2, 3, &mut random);
    let error = io::load(&path, &mut wide).unwrap_err().to_string();
    let expected = "is of type F64, but the model has F32; change the \
                    model first with `.to_dtype(DType::F64)`";
    assert!(error.contains(expected), "{error}");
    wide.to_dtype(DType::F64).unwrap();
    io::load(&path, &mut wide).unwrap();
    let values = |t: &Tensor| t.to_vec_of::<f64>().unwrap();
    assert_eq!(values(&wide.weight), values(&model.weight));
}

#[test]
#[ignore = "slow: 13 s, trains in two types"]
fn models_of_other_types_learn() {
    let _clean = clean();
    for device in devices() {
        for (dtype, least) in [(DType::F64, 1e-20), (DType::F16, 1e-3)] {
            let mut random = rungrad::rng::Random::new(2);
            let mut line = Linear::new(1, 1, &mut random);
            line.to(device).unwrap();
            line.to_dtype(dtype).unwrap();
            assert_eq!(line.weight.dtype(), dtype);
            let x = Tensor::linspace(-1.0, 1.0, 16, device).unwrap();
            let x = x.reshape(&[16, 1]).to_dtype(dtype).unwrap();
            let y = &x * 3.0 + 0.5;
            let mut sgd = Sgd::new(0.2, 0.5);
            for _ in 0..200 {
                line.forward(&x).mse(&y).backward();
                sgd.step(line.parameters_mut());
            }
            let loss = line.forward(&x).mse(&y).item_of::<f64>().unwrap();
            assert!(loss < least, "{dtype} on {device}: {loss:e}");
            line.forward(&x).mse(&y).backward();
            Adam::new(0.01).step(line.parameters_mut());
            assert_eq!(line.weight.dtype(), dtype);
        }
    }
}
