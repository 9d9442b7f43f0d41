//! Reads MNIST files: 60,000 training digits of 28 x 28 pixels and 10,000 test
//! digits.
//!
//! The files have the IDX format. The header consists of two zero bytes, the
//! element type (8 for unsigned bytes), the number of axes, and the size of
//! each axis as a big-endian 32-bit integer. The elements follow.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::Dataset;
use crate::error::{CHECK_PATH, Error, Result};

/// Reads MNIST's four files from a folder and returns the training set and the
/// test set. Each file may be compressed (`.gz`). Pixels are from 0 (paper) to
/// 1 (ink), in row-major order.
///
/// The folder may hold a different data set with the same format, such as
/// Fashion-MNIST.
///
/// ```no_run
/// let (train, test) = rungrad::data::mnist("mnist")?;
/// assert_eq!(train.shape(), [60_000, 28 * 28]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If a file is missing, has a different format, is too short or too long, has
/// no pixels, or if the number of labels differs from the number of images.
pub fn mnist(folder: impl AsRef<Path>) -> Result<(Dataset, Dataset)> {
    let folder = folder.as_ref();
    Ok((read_set(folder, "train")?, read_set(folder, "t10k")?))
}

/// Reads the images and labels of the set that `kind` names.
fn read_set(folder: &Path, kind: &str) -> Result<Dataset> {
    let pictures = find(folder, &format!("{kind}-images-idx3-ubyte"))?;
    let labels = find(folder, &format!("{kind}-labels-idx1-ubyte"))?;
    let ([rows, height, width], pixels) = read_idx::<3>(&pictures)?;
    let ([count], digits) = read_idx::<1>(&labels)?;
    if rows != count {
        let pictures = pictures.display();
        return Err(damaged(
            &labels,
            format!("it has {count} labels, and {pictures} {rows} pictures"),
        ));
    }
    if pixels.is_empty() {
        let what = format!(
            "it has {rows} pictures of {height} x {width} pixels, and a data \
             set needs at least one of each"
        );
        return Err(damaged(&pictures, what));
    }
    if let Some(at) = digits.iter().position(|&digit| digit > 9) {
        return Err(damaged(
            &labels,
            format!("label {at} is {}, and 9 is the largest", digits[at]),
        ));
    }
    Ok(Dataset {
        inputs: pixels.iter().map(|&p| f32::from(p) / 255.0).collect(),
        columns: height * width,
        labels: digits.into_iter().map(usize::from).collect(),
        classes: 10,
    })
}

/// Finds a file, compressed or not. Some distributions have a dot before `idx`
/// instead of a hyphen.
fn find(folder: &Path, name: &str) -> Result<PathBuf> {
    let dotted = name.replace("-idx", ".idx");
    let names = [name, &dotted].into_iter();
    let names = names.flat_map(|name| [name.to_string(), format!("{name}.gz")]);
    let mut paths = names.map(|name| folder.join(name));
    paths.find(|path| path.is_file()).ok_or_else(|| {
        Error::File(format!(
            "{} has no file {name}, and none with .gz behind it; name the \
             folder that MNIST's four files are in",
            folder.display()
        ))
    })
}

/// Reads an IDX file of bytes with `AXES` axes and returns its shape and its
/// elements. Memory is allocated for the bytes that are in the file, not for
/// the size that a damaged header claims.
fn read_idx<const AXES: usize>(
    path: &Path,
) -> Result<([usize; AXES], Vec<u8>)> {
    let mut file = open(path)?;
    let mut word = || -> Result<[u8; 4]> {
        let mut word = [0; 4];
        let read = file.read_exact(&mut word);
        read.map(|()| word).map_err(|error| unread(path, "its sizes", error))
    };
    let (magic, expected) = (word()?, [0, 0, 8, AXES as u8]);
    if magic != expected {
        return Err(damaged(
            path,
            format!(
                "it begins with the bytes {magic:?}, and a file of this kind \
                 with {expected:?}"
            ),
        ));
    }
    let mut shape = [0; AXES];
    for size in &mut shape {
        *size = u32::from_be_bytes(word()?) as usize;
    }
    let product = |n: usize, &size: &usize| n.checked_mul(size);
    let Some(n) = shape.iter().try_fold(1, product) else {
        let what = format!("its sizes are {shape:?}, more than any memory has");
        return Err(damaged(path, what));
    };
    let mut bytes = Vec::new();
    // Read one byte more than expected, to detect a file that is too long.
    let read = file.take(n as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| unread(path, "its numbers", error))?;
    match bytes.len() {
        found if found < n => Err(damaged(
            path,
            format!("it says that it has {n} numbers, and ends after {found}"),
        )),
        found if found > n => Err(damaged(
            path,
            format!("it goes on behind the {n} numbers that it speaks of"),
        )),
        _ => Ok((shape, bytes)),
    }
}

/// Opens a file, which is decompressed if its name ends in `.gz`.
fn open(path: &Path) -> Result<Box<dyn Read>> {
    let cannot = Error::io(path, "cannot be read", CHECK_PATH);
    let file = File::open(path).map_err(cannot)?;
    let file = BufReader::new(file);
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => Ok(Box::new(GzDecoder::new(file))),
        false => Ok(Box::new(file)),
    }
}

fn unread(path: &Path, what: &str, error: std::io::Error) -> Error {
    damaged(path, format!("{what} cannot be read ({error})"))
}

fn damaged(path: &Path, how: String) -> Error {
    let path = path.display();
    Error::File(format!("{path} is damaged: {how}; fetch it again"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::data::tests::scratch;

    fn file(axes: &[u32], bytes: &[u8]) -> Vec<u8> {
        let mut file = vec![0, 0, 8, axes.len() as u8];
        file.extend(axes.iter().flat_map(|size| size.to_be_bytes()));
        file.extend(bytes);
        file
    }

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        file.write_all(bytes).unwrap();
        file.finish().unwrap()
    }

    /// Creates a folder with two training images and one test image of 2 x 3
    /// pixels.
    fn small(test: &str) -> PathBuf {
        let folder = scratch(test);
        let pixels: Vec<u8> = (0..12).map(|pixel| pixel * 23).collect();
        for (name, bytes) in [
            ("train-images-idx3-ubyte", file(&[2, 2, 3], &pixels)),
            ("train-labels-idx1-ubyte.gz", zipped(&file(&[2], &[7, 0]))),
            ("t10k-images.idx3-ubyte.gz", zipped(&file(&[1, 2, 3], &[255; 6]))),
            ("t10k-labels.idx1-ubyte", file(&[1], &[9])),
        ] {
            fs::write(folder.join(name), bytes).unwrap();
        }
        folder
    }

    #[test]
    fn mnist_files_are_read_compressed_or_not() {
        let (train, test) = mnist(small("mnist")).unwrap();
        assert_eq!((train.shape(), train.classes), ([2, 6], 10));
        assert_eq!(train.labels, [7, 0]);
        assert_eq!(train.row(1)[5], 253.0 / 255.0);
        assert_eq!((test.inputs, test.labels), (vec![1.0; 6], vec![9]));
    }

    #[test]
    fn a_wrong_mnist_file_gives_one_sentence() {
        let folder = small("wrong_mnist");
        let [pictures, labels] =
            ["train-images-idx3-ubyte", "train-labels-idx1-ubyte.gz"]
                .map(|name| folder.join(name));
        let good = fs::read(&pictures).unwrap();
        let refusal = |path: &Path, bytes: &[u8]| {
            let before = fs::read(path).unwrap();
            fs::write(path, bytes).unwrap();
            let said = mnist(&folder).unwrap_err().to_string();
            fs::write(path, before).unwrap();
            let start = format!("{} is damaged: ", path.display());
            let said = said.strip_prefix(&start).expect(&said).to_string();
            said.strip_suffix("; fetch it again").expect(&said).to_string()
        };
        assert_eq!(
            refusal(&pictures, &file(&[2], &[1, 2])),
            "it begins with the bytes [0, 0, 8, 1], and a file of this kind \
             with [0, 0, 8, 3]"
        );
        assert_eq!(
            refusal(&pictures, &zipped(&good))[..39],
            *"it begins with the bytes [31, 139, 8, 0"
        );
        assert_eq!(
            refusal(&pictures, &good[..20]),
            "it says that it has 12 numbers, and ends after 4"
        );
        assert_eq!(
            refusal(&pictures, &[&good[..], &[0]].concat()),
            "it goes on behind the 12 numbers that it speaks of"
        );
        let huge = file(&[u32::MAX; 3], &[]);
        assert!(refusal(&pictures, &huge).starts_with("its sizes are [429"));
        let large = file(&[1 << 20, 1 << 10, 1 << 10], &[1]);
        assert_eq!(
            refusal(&pictures, &large),
            "it says that it has 1099511627776 numbers, and ends after 1"
        );
        let short = refusal(&pictures, &good[..10]);
        assert!(short.starts_with("its sizes cannot be read ("), "{short}");
        let zip = zipped(&file(&[2], &[7, 0]));
        let cut = refusal(&labels, &zip[..zip.len() - 1]);
        assert!(cut.starts_with("its numbers cannot be read ("), "{cut}");
        let plain = refusal(&labels, &file(&[2], &[7, 0]));
        assert!(plain.starts_with("its sizes cannot be read ("), "{plain}");
        assert_eq!(
            refusal(&labels, &zipped(&file(&[2], &[7, 10]))),
            "label 1 is 10, and 9 is the largest"
        );
        for axes in [[0, 2, 3], [2, 0, 3], [2, 2, 0]] {
            let [n, height, width] = axes;
            let what = format!("it has {n} pictures of {height} x {width} ");
            let labels = folder.join("train-labels-idx1-ubyte.gz");
            let before = fs::read(&labels).unwrap();
            let none = zipped(&file(&[n], &[7, 0][..n as usize]));
            fs::write(&labels, none).unwrap();
            let empty = refusal(&pictures, &file(&axes, &[]));
            assert!(empty.starts_with(&what), "{empty}");
            fs::write(&labels, before).unwrap();
        }
        let three = refusal(&labels, &zipped(&file(&[3], &[1, 2, 3])));
        assert!(three.starts_with("it has 3 labels, and "), "{three}");
        assert!(three.ends_with(" 2 pictures"), "{three}");
        assert!(mnist(&folder).is_ok(), "all is as it was");
    }

    #[test]
    fn a_missing_mnist_file_is_named() {
        let folder = small("no_mnist");
        fs::remove_file(folder.join("t10k-labels.idx1-ubyte")).unwrap();
        assert_eq!(
            mnist(&folder).unwrap_err().to_string(),
            format!(
                "{} has no file t10k-labels-idx1-ubyte, and none with .gz \
                 behind it; name the folder that MNIST's four files are in",
                folder.display()
            )
        );
    }
}
