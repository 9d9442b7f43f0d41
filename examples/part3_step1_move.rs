//! Step 1: a device word, and data that moves to the device it names.
//!
//! The tutorial's `_move_data` tests six cases by hand. Here a `match` has the
//! same six, and the compiler reports a missing one. The buffer is simulated,
//! so that the program runs without a GPU. Step 2 computes on both devices.

use std::cell::Cell;

// ANCHOR: step1-data
#[derive(Clone, Copy, Debug)]
enum Device {
    Cpu,
    Gpu,
}

fn device(word: &str) -> Result<Device, String> {
    match word {
        "cpu" => Ok(Device::Cpu),
        "gpu" => Ok(Device::Gpu),
        _ => Err(format!("`{word}` is not a device; write `cpu` or `gpu`")),
    }
}

/// Memory of the second device. The host can only copy to it and from it.
#[derive(Clone)]
struct Buffer(Vec<f32>);

/// The kinds of data that a tensor can be made from.
#[derive(Clone)]
enum Data {
    /// A list as typed, whose elements have 64 bits.
    List(Vec<f64>),
    Array(Vec<f32>),
    Buffer(Buffer),
}

/// The data of a tensor, on its device.
#[derive(Clone)]
enum Storage {
    Array(Vec<f32>),
    Buffer(Buffer),
}

fn move_data(data: Data, device: Device) -> Storage {
    match (data, device) {
        (Data::List(list), Device::Cpu) => Storage::Array(convert(&list)),
        (Data::Array(array), Device::Cpu) => Storage::Array(array),
        (Data::Buffer(buffer), Device::Cpu) => Storage::Array(buffer.read()),
        (Data::List(list), Device::Gpu) => {
            Storage::Buffer(Buffer::upload(&convert(&list)))
        }
        (Data::Array(array), Device::Gpu) => {
            Storage::Buffer(Buffer::upload(&array))
        }
        (Data::Buffer(buffer), Device::Gpu) => Storage::Buffer(buffer),
    }
}
// ANCHOR_END: step1-data

thread_local!(static BYTES: Cell<usize> = const { Cell::new(0) });

impl Buffer {
    fn upload(array: &[f32]) -> Buffer {
        BYTES.set(BYTES.get() + size_of_val(array));
        Buffer(array.to_vec())
    }

    fn read(&self) -> Vec<f32> {
        BYTES.set(BYTES.get() + size_of_val(&self.0[..]));
        self.0.clone()
    }
}

fn convert(list: &[f64]) -> Vec<f32> {
    list.iter().map(|&x| x as f32).collect()
}

fn main() -> Result<(), String> {
    let kinds = [
        ("list", Data::List(vec![2.0, 3.0])),
        ("array", Data::Array(vec![2.0, 3.0])),
        ("buffer", Data::Buffer(Buffer(vec![2.0, 3.0]))),
    ];
    println!("from    to   result  elements    bytes copied");
    for word in ["cpu", "gpu"] {
        for (kind, data) in &kinds {
            BYTES.set(0);
            let storage = move_data(data.clone(), device(word)?);
            let bytes = BYTES.get();
            let (result, elements) = match storage {
                Storage::Array(array) => ("array", array),
                Storage::Buffer(buffer) => ("buffer", buffer.read()),
            };
            println!("{kind:6}  {word}  {result:6}  {elements:?}  {bytes:12}");
            assert_eq!(elements, [2.0, 3.0], "from {kind} to {word}");
        }
    }
    println!("error: {}", device("GPU").unwrap_err());
    Ok(())
}
