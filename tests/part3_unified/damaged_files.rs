//! Weight files that are damaged or malicious: each is rejected with one
//! sentence, and none makes the loader allocate memory that the file does not
//! contain.

use std::fs;

use rungrad::io;
use rungrad::part3_unified::Device;

use super::files::{folder, layers, sentence, values, written_by_python};
use testkit::child::{child, is_child, succeed};
use testkit::clean;
use testkit::damage::damaged;
use testkit::random::{Random, cases, first_seed};

/// Returns a file with this header, followed by `bytes` zeros.
pub(super) fn hostile(header: &str, bytes: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + bytes, 0);
    file
}

#[test]
fn a_truncated_or_extended_file_is_rejected() {
    let _clean = clean();
    let whole = fs::read(written_by_python("layers.safetensors")).unwrap();
    let path = folder("truncated").join("m.safetensors");
    let longer = [&whole[..], &[0]].concat();
    let shorter = (0..whole.len()).map(|end| &whole[..end]);
    for bytes in shorter.chain([&longer[..]]) {
        fs::write(&path, bytes).unwrap();
        let what = format!("{} of {} bytes", bytes.len(), whole.len());
        let refused = sentence(&what, io::read(&path, Device::Cpu));
        let start = format!("{} is damaged: it", path.display());
        assert!(refused.starts_with(&start), "{refused}");
    }
}

/// Promise: A hostile header cannot make the loader allocate memory that the
/// file does not contain.
#[test]
fn a_header_cannot_claim_memory_the_file_lacks() {
    let _clean = clean();
    let path = folder("hostile").join("m.safetensors");
    let tensor = |name: &str, shape: &str, from: u64, to: u64| {
        format!(
            "\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape},\
             \"data_offsets\":[{from},{to}]}}"
        )
    };
    let one = |shape: &str, from: u64, to: u64| {
        format!("{{{}}}", tensor("x", shape, from, to))
    };
    // Eight tensors, each with a size that can be counted. Together with the
    // header, their sum exceeds 2^64, where the library's own reader panics.
    let large = "[576460752303423487]";
    let each = 4 * 576_460_752_303_423_487_u64;
    let many: Vec<String> = (0..8)
        .map(|i| tensor(&format!("x{i}"), large, i * each, (i + 1) * each))
        .collect();
    let wraps = format!("{{{}}}", many.join(","));
    let pad = |header: String, n: usize| format!("{header:<n$}");
    for (header, bytes, words) in [
        (one("[1]", 0, u64::MAX), 4, "its header: "),
        (one("[4611686018427387904,4]", 0, 0), 0, "its header: "),
        (one("[1000000000000]", 0, 4_000_000_000_000), 4, "its header desc"),
        (one("[1]", 4, 8), 8, "its header: invalid offset"),
        (one("[1]", 0, 4), 8, "its header describes 4 bytes of numbers"),
        (one("[-1]", 0, 4), 4, "its header: "),
        (one("[1.5]", 0, 4), 4, "its header: "),
        (one("[2]", 0, 4), 4, "its header: "),
        (pad(wraps, 1000), 0, "its header describes 184467440737095515"),
        ("[".repeat(100_000), 0, "its header: "),
        ("{\"x\":1}".to_string(), 0, "its header: "),
        ("{\"x\\u001b[2J\":{}}".to_string(), 0, "its header: "),
        (one("[1]", 0, 4).replace("F32", &"N".repeat(9999)), 4, "its header"),
        (one("[1]", 0, 4).replace("F32", "F32\\n"), 4, "its header"),
        ("{}".to_string(), 1, "its header describes 0 bytes"),
        ("\u{feff}{}".to_string(), 0, "its header: "),
        (String::new(), 0, "its header: "),
    ] {
        fs::write(&path, hostile(&header, bytes)).unwrap();
        let what = format!("{header:.99}");
        let refused = sentence(&what, io::read(&path, Device::Cpu));
        let start = format!("{} is damaged: {words}", path.display());
        assert!(refused.starts_with(&start), "{what}: {refused}");
        assert!(!refused.contains('\u{1b}'), "{refused:?}");
    }
    // Longer than any header length that a test claims.
    for claimed in [u64::MAX, u64::MAX - 7, 1 << 40, 3] {
        let mut file = hostile("{}", 0);
        file[..8].copy_from_slice(&claimed.to_le_bytes());
        fs::write(&path, file).unwrap();
        let what = format!("a header of {claimed} bytes");
        let refused = sentence(&what, io::read(&path, Device::Cpu));
        assert!(refused.contains("end of its header"), "{refused}");
    }
    // A shape that the format allows and no tensor can have.
    fs::write(&path, hostile(&one("[0,4611686018427387904]", 0, 0), 0))
        .unwrap();
    let refused = sentence("a huge shape", io::read(&path, Device::Cpu));
    let start = format!("{}: tensor \"x\" has shape [0, 46", path.display());
    assert!(refused.starts_with(&start), "{refused}");
    assert!(refused.contains("larger than any memory"), "{refused}");
}

/// Returns the peak virtual memory of this process on Linux.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

/// Half of the damage is in the header, whose sizes and names are the most
/// delicate part.
///
/// Promise: A damaged weight file is rejected in one sentence.
#[test]
fn a_damaged_weight_file_is_rejected_or_valid() {
    let _clean = clean();
    // The test measures the memory of its process.
    if !is_child() {
        let test = "a_damaged_weight_file_is_rejected_or_valid";
        succeed(&mut child(&format!("damaged_files::{test}")));
        return;
    }
    let _clean = clean();
    let whole = fs::read(written_by_python("layers.safetensors")).unwrap();
    let header = 8 + u64::from_le_bytes(*whole.first_chunk().unwrap()) as usize;
    let path = folder("damaged").join("m.safetensors");
    let mut model = layers();
    let (mut read, mut refused) = (0, 0);
    let before = peak_memory();
    for seed in first_seed()..first_seed() + cases(3000) {
        let mut random = Random(seed);
        let file = match random.below(2) {
            0 => damaged(&whole, &mut random),
            _ => {
                let (front, numbers) = whole.split_at(header);
                let text = damaged(&front[8..], &mut random);
                let front = (text.len() as u64).to_le_bytes();
                [&front[..], &text, numbers].concat()
            }
        };
        fs::write(&path, &file).unwrap();
        let old = values(&model);
        match io::load(&path, &mut model) {
            Ok(()) => read += 1,
            result => {
                let words = sentence(&format!("seed {seed}"), result);
                let start = format!("{}", path.display());
                assert!(words.starts_with(&start), "seed {seed}: {words}");
                let new = values(&model);
                let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
                assert!(new.iter().zip(&old).all(same), "seed {seed}");
                refused += 1;
            }
        }
    }
    if cases(3000) >= 1000 {
        assert!(read > 50 && refused > 500, "{read} read, {refused} refused");
    }
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        // The allocator's own granularity; the file has 340 bytes.
        assert!(after - before <= 4 << 20, "{} bytes", after - before);
    }
}
