//! Weights are written to files and loaded again, or an error says why not.
//!
//! The files in `tests/vectors` were written by Python's `safetensors` with
//! `make_files.py`. If Python has the library, our files are also read and
//! written by it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rungrad::io;
use rungrad::nn::{
    Linear, Module, Parameter, ParameterMut, Parameters, Sequential,
};
use rungrad::optim::{Optimizer, Sgd};
#[cfg(feature = "engine")]
use rungrad::part3_unified::DType;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random as Bits;
use rungrad::{Error, Result};

use super::devices;
use super::{leaf, third};
#[cfg(unix)]
use testkit::child::{child, finish, is_child};
use testkit::clean;
use testkit::device::skip_by_name;

/// Creates an empty folder for one test.
pub(super) fn folder(test: &str) -> PathBuf {
    let folder = testkit::place::scratch().join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    // Errors name the file itself instead of a link to it.
    folder.canonicalize().unwrap()
}

pub(super) fn written_by_python(name: &str) -> PathBuf {
    testkit::place::root().join("tests/vectors").join(name)
}

/// The network of `make_files.py` with different weights.
pub(super) fn layers() -> Sequential {
    let mut random = Bits::new(5);
    Sequential::new().then(Linear::new(2, 3, &mut random)).then(Linear::new(
        3,
        1,
        &mut random,
    ))
}

pub(super) fn values(model: &dyn Parameters) -> Vec<f32> {
    let parameters = model.parameters();
    parameters.iter().flat_map(|(_, p)| p.to_vec().unwrap()).collect()
}

/// The weights that `make_files.py` wrote.
const LAYERS: [f32; 13] =
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, -1.0, 0.0, 1.0, 0.0, -1.0, -2.0, 0.5];

#[track_caller]
pub(super) fn sentence<T>(what: &str, result: Result<T>) -> String {
    match result {
        Err(
            error @ (Error::File(_) | Error::Io { .. } | Error::Mistake(_)),
        ) => {
            let sentence = error.to_string();
            assert!(!sentence.contains('\n'), "{what}: {sentence}");
            assert!(sentence.len() < 600, "{what}: {sentence}");
            sentence
        }
        Err(other) => panic!("{what} is an error of another kind: {other:?}"),
        Ok(_) => panic!("{what} was not refused"),
    }
}

/// Promise: Saved weights are loaded bit by bit on every device.
#[test]
fn saved_weights_are_loaded_on_every_device() {
    let _clean = clean();
    let path = folder("comes_back").join("all.safetensors");
    for device in devices() {
        let new = |shape: &[usize], values: &[f32]| {
            Tensor::new(shape, values, device).unwrap()
        };
        let edges = [f32::INFINITY, f32::NAN, -0.0, 1e-45, f32::MIN];
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let saved = [
            ("scalar", new(&[], &[3.0])),
            ("none", new(&[2, 0, 3], &[])),
            ("edges", new(&[5], &edges)),
            // A view is saved with the elements that it shows.
            ("turned", new(&[2, 3], &six).transpose()),
            ("µ \"x\"\n", new(&[1], &[1.0]).requires_grad()),
        ];
        let named = saved.iter().map(|(name, tensor)| (*name, tensor));
        io::write(&path, named).unwrap();
        let mut read = io::read(&path, device).unwrap();
        assert_eq!(read.len(), saved.len());
        for (name, right) in &saved {
            let at = read.iter().position(|(n, _)| n == name).expect(name);
            let (_, tensor) = read.remove(at);
            assert_eq!(tensor.shape(), right.shape(), "{name}");
            assert_eq!(tensor.device(), device);
            assert!(!tensor.records());
            let bits = |t: &Tensor| -> Vec<u32> {
                t.to_vec().unwrap().iter().map(|x| x.to_bits()).collect()
            };
            assert_eq!(bits(&tensor), bits(right), "{name} on {device}");
        }
    }
}

/// Promise: Training continues from saved weights.
#[test]
fn training_continues_from_saved_weights() {
    let _clean = clean();
    let path = folder("goes_on").join("model.safetensors");
    for device in devices() {
        let [mut model, mut again] = [layers(), layers()];
        model.to(device).unwrap();
        again.to(device).unwrap();
        let x = Tensor::rand(&[4, 2], 1, device).unwrap();
        let learn = |model: &mut Sequential| {
            model.forward(&x).mse(&x.slice(&[0..4, 0..1])).backward();
            Sgd::new(0.1, 0.0).step(model.parameters_mut());
        };
        learn(&mut model);
        io::save(&path, &model).unwrap();
        // A gradient of the old weights must not survive the load.
        again.forward(&x).sum().backward();
        io::load(&path, &mut again).unwrap();
        for (name, parameter) in again.parameters() {
            assert_eq!(parameter.device(), device, "{name}");
            assert_eq!(parameter.tape().ops(), ["leaf"], "{name}");
            assert!(parameter.grad().is_none(), "{name}");
        }
        assert_eq!(values(&again), values(&model));
        learn(&mut model);
        learn(&mut again);
        assert_eq!(values(&again), values(&model));
    }
}

/// Promise: Files that Python wrote can be loaded.
#[test]
fn files_from_python_are_loaded() {
    let _clean = clean();
    let mut model = layers();
    let path = written_by_python("layers.safetensors");
    io::load(path, &mut model).unwrap();
    assert_eq!(values(&model), LAYERS);
    let odd = io::read(written_by_python("odd.safetensors"), Device::Cpu);
    let odd = odd.unwrap();
    let find = |name: &str| {
        let found = odd.iter().find(|(n, _)| n == name);
        &found.unwrap_or_else(|| panic!("{name}")).1
    };
    assert_eq!(find("scalar").shape(), [0; 0]);
    assert_eq!(find("none").shape(), [2, 0, 3]);
    let edges = find("edges").to_vec().unwrap();
    assert_eq!(edges[..2], [f32::INFINITY, f32::NEG_INFINITY]);
    assert!(edges[2].is_nan() && edges[3].is_sign_negative());
    assert_eq!(edges[4].to_bits(), 1);
    assert_eq!(find("µ \"x\"\n").to_vec().unwrap(), [1.0]);
}

/// `RUNGRAD_PYTHON` names a Python that must have the library; without it, the
/// test uses `python3` if that has the library.
///
/// Promise: Python's `safetensors` reads saved weights and writes them back
/// unchanged.
#[test]
fn python_reads_and_rewrites_saved_weights() {
    let _clean = clean();
    let named = std::env::var("RUNGRAD_PYTHON").ok();
    let python = named.clone().unwrap_or("python3".to_string());
    let import = ["-c", "import numpy, safetensors"];
    let has = Command::new(&python).args(import).output();
    if !has.is_ok_and(|it| it.status.success()) {
        assert!(named.is_none(), "{python} has no safetensors and numpy");
        return skip_by_name("python3 with safetensors and numpy");
    }
    let folder = folder("python");
    let [ours, theirs] = ["ours", "theirs"].map(|name| folder.join(name));
    let mut model = layers();
    let path = written_by_python("layers.safetensors");
    io::load(path, &mut model).unwrap();
    io::save(&ours, &model).unwrap();
    let script = written_by_python("round_trip.py");
    let run = Command::new(&python).arg(script).args([&ours, &theirs]).output();
    let run = run.unwrap();
    let error = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{error}");
    assert_eq!(
        String::from_utf8_lossy(&run.stdout).replace('\r', ""),
        "\
0.bias [3] [-1.0, 0.0, 1.0]
0.weight [2, 3] [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
1.bias [1] [0.5]
1.weight [3, 1] [-0.0, -1.0, -2.0]
"
    );
    io::load(&theirs, &mut model).unwrap();
    assert_eq!(values(&model), LAYERS.map(|x| 2.0 * x));
}

/// A model that consists of a list of parameters.
struct Fields(Vec<(&'static str, Tensor)>);

impl Module for Fields {
    fn forward(&self, x: &Tensor) -> Tensor {
        x.clone()
    }
}

impl Parameters for Fields {
    fn parameters(&self) -> Vec<Parameter<'_>> {
        self.0.iter().map(|(name, it)| (name.to_string(), it)).collect()
    }

    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>> {
        self.0.iter_mut().map(|(name, it)| (name.to_string(), it)).collect()
    }
}

/// Promise: A file that does not fit the model is rejected with the name of the
/// tensor, and the model does not change.
#[test]
fn a_file_of_a_different_model_is_rejected() {
    let _clean = clean();
    let path = folder("refused").join("m.safetensors");
    let file = path.display();
    let [x, y, z] = [leaf(&[1.0]), leaf(&[1.0, 2.0]), leaf(&[3.0])];
    let load = |saved: &[(&str, &Tensor)],
                wanted: &[(&'static str, &Tensor)]| {
        io::write(&path, saved.iter().copied()).unwrap();
        let mut model =
            Fields(wanted.iter().map(|(n, t)| (*n, (*t).clone())).collect());
        let result = io::load(&path, &mut model);
        let ids = model.0.iter().map(|(_, t)| t.id());
        assert!(ids.eq(wanted.iter().map(|(_, t)| t.id())), "it has changed");
        sentence(&format!("{wanted:?} from {saved:?}"), result)
    };
    assert_eq!(
        load(&[("x", &x)], &[("x", &x), ("y", &y)]),
        format!(
            "{file}: tensor \"y\" is missing; load a file of this model, or \
             use `load_partial`"
        )
    );
    assert_eq!(
        load(&[("x", &x), ("y", &y)], &[("x", &x)]),
        format!(
            "{file}: tensor \"y\" is unexpected: the model has no such \
             tensor; load a file of this model, or use `load_partial`"
        )
    );
    // The first tensor would fit, and must not change.
    assert_eq!(
        load(&[("x", &x), ("y", &y)], &[("x", &x), ("y", &z)]),
        format!(
            "{file}: tensor \"y\" has shape [2], but the model has [1]; load \
             a file of this model"
        )
    );
}

#[cfg(feature = "engine")]
#[test]
fn weights_of_the_wrong_type_are_rejected() {
    let _clean = clean();
    let path = written_by_python("half.safetensors");
    let expected = format!(
        "{}: tensor \"1.bias\" is of type F16, but the model has F32; change \
         the model first with `.to_dtype(DType::F16)`",
        path.display()
    );
    let mut model = layers();
    let before = values(&model);
    let refused = io::load(&path, &mut model);
    assert_eq!(sentence("a load of F16", refused), expected);
    assert_eq!(values(&model), before);
    // `read` accepts any element type.
    let read = io::read(&path, Device::Cpu).unwrap();
    let is_half = |(_, tensor): &&(_, Tensor)| tensor.dtype() == DType::F16;
    let half = read.iter().find(is_half).map(|(name, _)| &name[..]);
    assert_eq!(half, Some("1.bias"));
}

/// The device accepts the first tensor and has no memory for the second.
///
/// Promise: A load that fails on the device changes nothing.
#[test]
fn a_load_that_fails_on_the_device_changes_nothing() {
    let _clean = clean();
    let path = written_by_python("layers.safetensors");
    let mut model = layers();
    model.to(third::device()).unwrap();
    let before = values(&model);
    let refused =
        third::with_room_for(1, || io::load(&path, &mut model).unwrap_err());
    assert!(matches!(refused, Error::Device(_)), "{refused:?}");
    assert_eq!(values(&model), before);
}

#[test]
fn duplicate_tensor_names_are_rejected() {
    let _clean = clean();
    let path = folder("names").join("m.safetensors");
    let x = leaf(&[1.0]);
    for names in [["x", "x"], ["x", "__metadata__"]] {
        let saved = io::write(&path, names.map(|name| (name, &x)));
        assert_eq!(
            sentence(&format!("{names:?}"), saved),
            format!(
                "save: {} cannot take the name {:?}, which is taken; give \
                 each tensor a name of its own",
                path.display(),
                names[1]
            )
        );
        assert!(!path.exists());
    }
}

#[test]
fn paths_that_are_not_files_are_rejected() {
    let _clean = clean();
    let folder = folder("no_file");
    for (path, words) in [
        (folder.join("none"), "cannot be read: "),
        (folder.clone(), "cannot be read: it is not a regular file"),
        #[cfg(unix)]
        (
            PathBuf::from("/dev/zero"),
            "cannot be read: it is not a regular file",
        ),
    ] {
        let what = path.display().to_string();
        let refused = sentence(&what, io::read(&path, Device::Cpu));
        let start = format!("{} {words}", path.display());
        assert!(refused.starts_with(&start), "{refused}");
    }
}

#[test]
fn a_failed_write_leaves_existing_files_unchanged() {
    let _clean = clean();
    let folder = folder("unwritable");
    let x = leaf(&[1.0]);
    // A folder has the name of the file.
    let taken = folder.join("taken");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("inside"), "kept").unwrap();
    for path in [taken.clone(), folder.join("none/m.safetensors")] {
        let what = path.display().to_string();
        let refused = sentence(&what, io::write(&path, [("x", &x)]));
        let start = format!("{} cannot be written: ", path.display());
        assert!(refused.starts_with(&start), "{refused}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a file is left");
    assert_eq!(fs::read(taken.join("inside")).unwrap(), b"kept");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions_and_links() {
    let _clean = clean();
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder("rights");
    let [path, link] = ["m", "link"].map(|name| folder.join(name));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("m", &link).unwrap();
    let x = leaf(&[1.0]);
    io::write(&link, [("x", &x)]).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(io::read(&path, Device::Cpu).unwrap().len(), 1);
}

/// The system kills a writer as soon as its file has reached some size; the
/// old file must be unchanged.
///
/// Promise: A writer that is killed leaves the old file intact.
#[cfg(unix)]
#[test]
fn a_writer_that_is_killed_leaves_the_old_file() {
    let _clean = clean();
    use std::os::unix::process::ExitStatusExt;

    let test = "files::a_writer_that_is_killed_leaves_the_old_file";
    let save = |path: &Path, value: f32| {
        let x = Tensor::full(&[1 << 18], value, Device::Cpu).unwrap();
        io::write(path, [("x", &x)]).unwrap();
    };
    if is_child() {
        let path = std::env::var("RUNGRAD_TEST_FILE").unwrap();
        save(Path::new(&path), 2.0);
        return;
    }
    let _clean = clean();
    let folder = folder("killed");
    let path = folder.join("m.safetensors");
    save(&path, 1.0);
    let old = fs::read(&path).unwrap();
    // `ulimit` counts blocks of 512 bytes, or of 1024 in some shells; the file
    // has a million bytes.
    for blocks in [0, 1, 100, 900, 1 << 20] {
        let writer = child(test);
        let mut limited = Command::new("sh");
        let limit = format!("ulimit -f {blocks} && exec \"$@\"");
        limited.args(["-c", &limit, "sh"]).arg(writer.get_program());
        limited.args(writer.get_args());
        for (name, value) in writer.get_envs() {
            value.map(|value| limited.env(name, value));
        }
        let ended = finish(limited.env("RUNGRAD_TEST_FILE", &path));
        if blocks < 1000 {
            // SIGXFSZ ends the process like a kill.
            assert_eq!(ended.status.signal(), Some(25), "{}", ended.text);
            assert!(fs::read(&path).unwrap() == old, "at {blocks} blocks");
        } else {
            assert!(ended.status.success(), "{}", ended.text);
        }
    }
    let read = io::read(&path, Device::Cpu).unwrap();
    assert_eq!(read[0].1.to_vec().unwrap(), vec![2.0; 1 << 18]);
    // The temporary files of killed writers have the documented name.
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "m.safetensors" || name.starts_with(".rungrad-"),
            "{name}"
        );
    }
    fs::remove_dir_all(&folder).unwrap();
}
