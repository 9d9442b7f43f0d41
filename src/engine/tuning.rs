//! Tuned matmul tiles: which tiles were measured to be the fastest on a
//! device. "A kernel for each shape" describes the measurement.
//!
//! By default, a rule chooses tiles by the shape and the device's properties.
//! `cargo learn bench --tune` times all tiles for matmuls of a few sizes and
//! writes the fastest to a file. In a program that calls [`load`] with that
//! file, matmuls use those tiles if the file has a line for the device and the
//! size.
//!
//! Different tiles add in a different order, so the last bits of a product
//! depend on the file. This is why no file is read unless a program loads it.
//!
//! Reading order: [`load`], `SIZES`, `Tuned`, `with_tiles`.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use super::kernels::{TILES, Tiles};
use crate::draw::save;
use crate::error::{Error, Result};
use crate::opencl::DeviceInfo;

/// The sizes that are timed. Each represents sizes up to twice as large.
#[doc(hidden)]
pub const SIZES: [usize; 5] = [32, 128, 512, 2048, 8192];

const HEADER: &str = "# What `cargo learn bench --tune` has found: device, \
                      driver, product, tiles, microseconds.\n";

/// Returns the size in [`SIZES`] that represents a size.
fn timed_size(n: usize) -> usize {
    let timed = SIZES.into_iter().find(|size| n < 2 * size);
    timed.unwrap_or(SIZES[SIZES.len() - 1])
}

/// Returns the name of a product in the file: `128x32x512` for (128, 32) x
/// (32, 512).
#[doc(hidden)]
pub fn name([m, k, n]: [usize; 3]) -> String {
    format!("{m}x{k}x{n}")
}

/// The tiles that [`load`] has read, for all devices of the process.
static LOADED: RwLock<Tuned> = RwLock::new(Tuned { lines: BTreeMap::new() });

/// Loads tuned tiles from a file that `cargo learn bench --tune` has written.
/// From then on, matmuls on all devices of this process use them. If the file
/// has no line for a device, its driver and the size, the default rule
/// chooses. A second call replaces the tiles of the first.
///
/// ```no_run
/// rungrad::engine::tuning::load(".learn/tuned")?;
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read. The loaded tiles then stay the same.
pub fn load(path: impl AsRef<Path>) -> Result<()> {
    let tuned = Tuned::load(path.as_ref())?;
    *LOADED.write().unwrap_or_else(PoisonError::into_inner) = tuned;
    Ok(())
}

/// Returns the tiles for a product on a device, if they are forced or loaded.
pub(super) fn tiles(
    device: &DeviceInfo,
    product: [usize; 3],
) -> Option<&'static Tiles> {
    let loaded = LOADED.read().unwrap_or_else(PoisonError::into_inner);
    FORCED.get().or_else(|| loaded.tiles(device, product))
}

/// The content of a file of tuned tiles, which may cover several devices.
#[doc(hidden)]
#[derive(Debug, Default, PartialEq)]
pub struct Tuned {
    /// Device, driver and product, with the name of the tiles and their time
    /// in microseconds.
    lines: BTreeMap<[String; 3], (&'static str, f64)>,
}

impl Tuned {
    /// Reads a file. Lines that cannot be parsed are ignored.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn load(file: &Path) -> Result<Tuned> {
        let bytes = fs::read(file).map_err(Error::io(
            file,
            "cannot be read",
            "name a file that `cargo learn bench --tune` has written",
        ))?;
        let text = String::from_utf8_lossy(&bytes);
        let line = |line: &str| {
            let words: Vec<&str> = line.split('\t').collect();
            let [device, driver, product, tiles, time] = words[..] else {
                return None;
            };
            let tiles = TILES.iter().find(|known| known.name == tiles)?;
            let time = time.parse().ok().filter(|t| f64::is_finite(*t))?;
            let key = [device, driver, product].map(str::to_string);
            Some((key, (tiles.name, time)))
        };
        Ok(Tuned { lines: text.lines().filter_map(line).collect() })
    }

    /// Sets the tiles for a product on a device, and their time in seconds.
    pub fn set(
        &mut self,
        device: &DeviceInfo,
        product: [usize; 3],
        tiles: &Tiles,
        seconds: f64,
    ) {
        let [name, driver] = device_key(device);
        let key = [name, driver, self::name(product)];
        self.lines.insert(key, (tiles.name, seconds * 1e6));
    }

    /// Writes the file.
    pub fn save(&self, file: &Path) -> Result<()> {
        let lines = self.lines.iter().map(|(key, (tiles, time))| {
            format!("{}\t{tiles}\t{time:.3}\n", key.join("\t"))
        });
        let text = HEADER.to_string() + &lines.collect::<String>();
        save(file, text.as_bytes())
    }

    /// Returns the tiles for a product of this size on a device.
    fn tiles(
        &self,
        device: &DeviceInfo,
        product: [usize; 3],
    ) -> Option<&'static Tiles> {
        if self.lines.is_empty() {
            return None;
        }
        let [device, driver] = device_key(device);
        let key = [device, driver, name(product.map(timed_size))];
        let (tiles, _) = self.lines.get(&key)?;
        TILES.iter().find(|known| known.name == *tiles)
    }
}

/// Returns the name and the driver of a device, with the separators of the
/// file replaced by spaces.
fn device_key(device: &DeviceInfo) -> [String; 2] {
    [&device.name, &device.driver].map(|word| word.replace(['\t', '\n'], " "))
}

thread_local! {
    static FORCED: Cell<Option<&'static Tiles>> = const { Cell::new(None) };
}

/// Runs `work` with these tiles forced for all matmuls on this thread, if the
/// device supports them. The benchmark uses this to time tiles.
#[doc(hidden)]
pub fn with_tiles<T>(tiles: &'static Tiles, work: impl FnOnce() -> T) -> T {
    /// Restores the previous tiles, even if `work` panics.
    struct Restore(Option<&'static Tiles>);
    impl Drop for Restore {
        fn drop(&mut self) {
            FORCED.set(self.0);
        }
    }
    let _restore = Restore(FORCED.replace(Some(tiles)));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timed_size_represents_sizes_up_to_twice_as_large() {
        for (n, timed) in [
            (0, 32),
            (63, 32),
            (64, 128),
            (255, 128),
            (1000, 512),
            (1024, 2048),
            (8192, 8192),
            (1 << 20, 8192),
        ] {
            assert_eq!(timed_size(n), timed, "{n}");
        }
    }

    /// Promise: An unreadable line in the file of tuned tiles is ignored.
    #[test]
    fn unreadable_lines_are_ignored() {
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
    fn times_are_stored_in_microseconds() {
        let Ok([device, ..]) = crate::opencl::devices() else { return };
        let mut tuned = Tuned::default();
        tuned.set(device, [64, 100, 32], &TILES[1], 0.0125);
        let lines: Vec<_> = tuned.lines.values().collect();
        assert_eq!(lines, [&(TILES[1].name, 12500.0)]);
    }

    /// The test invents a device name, so that no other test is affected.
    #[test]
    fn a_loaded_file_decides_the_tiles() {
        let Ok([device, ..]) = crate::opencl::devices() else { return };
        let mut device = device.clone();
        device.name = "a device\tof this test".to_string();
        let chosen = |product| tiles(&device, product).map(|tiles| tiles.name);
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
    fn with_tiles_applies_only_inside_its_closure() {
        let forced = || FORCED.get().map(|tiles| tiles.name);
        let inside = with_tiles(&TILES[1], forced);
        assert_eq!(inside, Some(TILES[1].name));
        let panics =
            std::panic::catch_unwind(|| with_tiles(&TILES[1], || panic!()));
        assert!(panics.is_err() && forced().is_none());
    }
}
