//! Kernels that were timed: with which tiles a device multiplies fastest. "How
//! fast, and why" tells of it.
//!
//! A rule chooses tiles by the shape and by what the device says about itself.
//! `cargo learn bench --tune` times them all, for products of a few sizes, and
//! keeps the fastest in a file. A program that calls [`load`] with that file
//! multiplies with them where the file has a line for the device and the size.
//!
//! Different tiles add in a different order, so the last bits of a product
//! depend on the file. Therefore no file is read unless a program asks for it.
//!
//! Reading order: [`load`], [`SIZES`], [`Tuned`], [`with_tiles`].

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use super::kernels::{TILES, Tiles};
use crate::draw::save;
use crate::error::{Error, Result};
use crate::opencl::DeviceInfo;

/// The sizes that are timed. Each stands for those up to twice as large.
pub const SIZES: [usize; 5] = [32, 128, 512, 2048, 8192];

const HEADER: &str = "# What `cargo learn bench --tune` has found: device, \
                      driver, product, tiles, microseconds.\n";

/// Finds the size in [`SIZES`] that stands for another one.
fn size(n: usize) -> usize {
    let stands = SIZES.into_iter().find(|size| n < 2 * size);
    stands.unwrap_or(SIZES[SIZES.len() - 1])
}

/// Names a product: `128x32x512` for (128, 32) x (32, 512).
pub fn name([m, k, n]: [usize; 3]) -> String {
    format!("{m}x{k}x{n}")
}

/// What [`load`] has read, for all devices of the process.
static LOADED: RwLock<Tuned> = RwLock::new(Tuned { lines: BTreeMap::new() });

/// Has all devices of this process multiply with the tiles of a file that
/// `cargo learn bench --tune` has written, from the next product on. Where the
/// file has no line for a device, its driver and the size, the rule chooses as
/// before. A second call replaces what the first has read.
///
/// ```no_run
/// rungrad::part3_unified::tuning::load(".learn/tuned")?;
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read; then nothing has changed.
pub fn load(path: impl AsRef<Path>) -> Result<()> {
    let tuned = Tuned::load(path.as_ref())?;
    *LOADED.write().unwrap_or_else(PoisonError::into_inner) = tuned;
    Ok(())
}

/// Finds the tiles for a product on a device, if they are forced or loaded.
pub(super) fn tiles(
    device: &DeviceInfo,
    product: [usize; 3],
) -> Option<&'static Tiles> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    FORCED.get().or_else(|| loaded.tiles(device, product))
}

/// The choices of one file, for every device that it knows.
#[derive(Debug, Default, PartialEq)]
pub struct Tuned {
    /// By device, driver and product: the tiles and their microseconds.
    lines: BTreeMap<[String; 3], (&'static str, f64)>,
}

impl Tuned {
    /// Reads a file. A line that cannot be understood is left out, and the
    /// rule chooses there.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn load(file: &Path) -> Result<Tuned> {
        let bytes = fs::read(file).map_err(|error| {
            Error::File(format!(
                "{} cannot be read: {error}; name a file that `cargo learn \
                 bench --tune` has written",
                file.display()
            ))
        })?;
        let text = String::from_utf8_lossy(&bytes);
        let line = |line: &str| {
            let words: Vec<&str> = line.split('\t').collect();
            let [device, driver, product, tiles, time] = words[..] else {
                return None;
            };
            let tiles = TILES.iter().find(|known| known.name == tiles)?;
            let time = time.parse().ok().filter(|it| f64::is_finite(*it))?;
            let key = [device, driver, product].map(str::to_string);
            Some((key, (tiles.name, time)))
        };
        Ok(Tuned { lines: text.lines().filter_map(line).collect() })
    }

    /// Chooses tiles for a product on a device, which took so many seconds.
    pub fn set(
        &mut self,
        device: &DeviceInfo,
        product: [usize; 3],
        tiles: &Tiles,
        seconds: f64,
    ) {
        let [name, driver] = place(device);
        let key = [name, driver, self::name(product)];
        self.lines.insert(key, (tiles.name, seconds * 1e6));
    }

    /// Writes all choices.
    pub fn save(&self, file: &Path) -> Result<()> {
        let lines = self.lines.iter().map(|(key, (tiles, time))| {
            format!("{}\t{tiles}\t{time:.3}\n", key.join("\t"))
        });
        let text = HEADER.to_string() + &lines.collect::<String>();
        save(file, text.as_bytes())
    }

    /// Finds the tiles for a product of this size on a device.
    fn tiles(
        &self,
        device: &DeviceInfo,
        product: [usize; 3],
    ) -> Option<&'static Tiles> {
        if self.lines.is_empty() {
            return None;
        }
        let [device, driver] = place(device);
        let key = [device, driver, name(product.map(size))];
        let (tiles, _) = self.lines.get(&key)?;
        TILES.iter().find(|known| known.name == *tiles)
    }
}

/// Names whose time it is, without the signs that separate words and lines.
fn place(device: &DeviceInfo) -> [String; 2] {
    [&device.name, &device.driver].map(|word| word.replace(['\t', '\n'], " "))
}

thread_local! {
    static FORCED: Cell<Option<&'static Tiles>> = const { Cell::new(None) };
}

/// Multiplies with these tiles in all products of `work`, as far as a device
/// has room for them: for who times them.
pub fn with_tiles<T>(tiles: &'static Tiles, work: impl FnOnce() -> T) -> T {
    /// Also when the work panics.
    struct Before(Option<&'static Tiles>);
    impl Drop for Before {
        fn drop(&mut self) {
            FORCED.set(self.0);
        }
    }
    let _before = Before(FORCED.replace(Some(tiles)));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_stands_for_those_up_to_twice_as_large() {
        for (n, stands) in [
            (0, 32),
            (63, 32),
            (64, 128),
            (255, 128),
            (1000, 512),
            (1024, 2048),
            (8192, 8192),
            (1 << 20, 8192),
        ] {
            assert_eq!(size(n), stands, "{n}");
        }
    }

    /// Promise: An unreadable line in the file of tuned tiles is ignored.
    #[test]
    fn a_line_that_cannot_be_read_is_left_out() {
        let name = format!("rungrad-tuned-{}", std::process::id());
        let file = std::env::temp_dir().join(name);
        let missing = load(&file).unwrap_err().to_string();
        assert!(missing.contains("bench --tune"), "{missing}");
        let good = "a card\t1.2\t32x32x32\t64x64\t3.5\n";
        let bad = "a\tb\tc\t63x1\t1\na\tb\tc\t64x64\tsoon\n64x64\n\u{fffd}\n";
        fs::write(&file, format!("{HEADER}{bad}{good}")).unwrap();
        let read = Tuned::load(&file).unwrap();
        assert_eq!(read.lines.len(), 1);
        read.save(&file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            format!("{HEADER}a card\t1.2\t32x32x32\t64x64\t3.500\n")
        );
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_time_is_kept_in_microseconds() {
        let Ok([device, ..]) = crate::opencl::devices() else { return };
        let mut tuned = Tuned::default();
        tuned.set(device, [64, 100, 32], &TILES[1], 0.0125);
        let lines: Vec<_> = tuned.lines.values().collect();
        assert_eq!(lines, [&(TILES[1].name, 12500.0)]);
    }

    /// The device is one that no other test multiplies on.
    #[test]
    fn tiles_are_chosen_by_a_file_once_it_is_loaded() {
        let Ok([device, ..]) = crate::opencl::devices() else { return };
        let mut device = device.clone();
        device.name = "a device\tof this test".to_string();
        let chosen = |product| tiles(&device, product).map(|it| it.name);
        let mut tuned = Tuned::default();
        tuned.set(&device, [32, 512, 128], &TILES[1], 0.5);
        let name = format!("rungrad-loaded-{}", std::process::id());
        let file = std::env::temp_dir().join(name);
        tuned.save(&file).unwrap();
        assert_eq!(chosen([32, 512, 128]), None);
        load(&file).unwrap();
        assert_eq!(chosen([40, 1000, 200]), Some(TILES[1].name));
        assert_eq!(chosen([64, 1000, 200]), None);
        fs::remove_file(file).unwrap();
    }

    /// Promise: A forced choice of tiles ends with the work that it was made
    /// for.
    #[test]
    fn tiles_are_forced_only_within_the_work() {
        let forced = || FORCED.get().map(|tiles| tiles.name);
        let inside = with_tiles(&TILES[1], forced);
        assert_eq!(inside, Some(TILES[1].name));
        let panics =
            std::panic::catch_unwind(|| with_tiles(&TILES[1], || panic!()));
        assert!(panics.is_err() && forced().is_none());
    }
}
