//! Kernels that were timed: with which tiles a device multiplies fastest. "How
//! fast, and why" tells of it.
//!
//! A rule chooses tiles by the shape and by what the device says about itself.
//! `cargo learn bench --tune` times them all, for products of a few sizes, and
//! keeps the fastest in a file; a device reads it when it multiplies first, and
//! chooses by it where it has a line for the size. The variable
//! `RUNGRAD_TUNED` names another file, or, empty, none.
//!
//! Other tiles add in another order. So a product has the same bits again on
//! the same device with the same file, and perhaps others with another.
//!
//! Reading order: [`SIZES`], [`Tuned`], [`with_tiles`].

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use super::kernels::{TILES, Tiles};
use crate::draw::save;
use crate::error::Result;
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

/// Finds where the choices are kept: with the progress of the course, if this
/// was built in a checkout that is still there.
pub fn file() -> Option<PathBuf> {
    match env::var_os("RUNGRAD_TUNED") {
        Some(file) if file.is_empty() => None,
        Some(file) => Some(file.into()),
        None => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            root.is_dir().then(|| root.join(".learn/tuned"))
        }
    }
}

/// The choices of one file, for every device that it knows.
#[derive(Debug, Default, PartialEq)]
pub struct Tuned {
    /// By device, driver and product: the tiles and their microseconds.
    lines: BTreeMap<[String; 3], (&'static str, f64)>,
}

impl Tuned {
    /// Reads what the file says. One that is missing says nothing, and a line
    /// that cannot be read is left out: the rule chooses then.
    pub fn load(file: &Path) -> Tuned {
        let bytes = fs::read(file).unwrap_or_default();
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
        Tuned { lines: text.lines().filter_map(line).collect() }
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

    /// Finds the choices of one device, by the product.
    pub(super) fn of(&self, device: &DeviceInfo) -> Choices {
        let [name, driver] = place(device);
        let own = self.lines.iter().filter(|([a, b, _], _)| {
            (a.as_str(), b.as_str()) == (name.as_str(), driver.as_str())
        });
        let choice =
            |([.., product], (tiles, _)): (&[String; 3], &(_, f64))| {
                let mut sizes = product.split('x').map(|it| it.parse().ok());
                let sizes = [(); 3].map(|()| sizes.next().flatten());
                let [Some(m), Some(k), Some(n)] = sizes else { return None };
                let tiles = TILES.iter().find(|known| known.name == *tiles)?;
                Some(([m, k, n], tiles))
            };
        Choices(own.filter_map(choice).collect())
    }
}

/// Names whose time it is, without the signs that separate words and lines.
fn place(device: &DeviceInfo) -> [String; 2] {
    [&device.name, &device.driver].map(|word| word.replace(['\t', '\n'], " "))
}

/// What was chosen for a device.
#[derive(Debug)]
pub(super) struct Choices(BTreeMap<[usize; 3], &'static Tiles>);

impl Choices {
    /// Finds the tiles for a product of these sizes, if it was timed.
    pub(super) fn tiles(&self, product: [usize; 3]) -> Option<&'static Tiles> {
        FORCED.get().or_else(|| self.0.get(&product.map(size)).copied())
    }
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

    #[test]
    fn a_line_that_cannot_be_read_is_left_out() {
        let name = format!("rungrad-tuned-{}", std::process::id());
        let file = env::temp_dir().join(name);
        assert_eq!(Tuned::load(&file), Tuned::default());
        let good = "a card\t1.2\t32x32x32\t64x64\t3.5\n";
        let bad = "a\tb\tc\t63x1\t1\na\tb\tc\t64x64\tsoon\n64x64\n\u{fffd}\n";
        fs::write(&file, format!("{HEADER}{bad}{good}")).unwrap();
        let read = Tuned::load(&file);
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
        let choices = tuned.of(device);
        let chosen = choices.tiles([64, 100, 32]).map(|it| it.name);
        assert_eq!(chosen, Some(TILES[1].name));
    }

    #[test]
    fn tiles_are_forced_only_within_the_work() {
        let none = Choices(BTreeMap::new());
        let inside =
            with_tiles(&TILES[1], || none.tiles([1; 3]).map(|it| it.name));
        assert_eq!(inside, Some(TILES[1].name));
        let panics =
            std::panic::catch_unwind(|| with_tiles(&TILES[1], || panic!()));
        assert!(panics.is_err() && none.tiles([1; 3]).is_none());
    }
}
