//! Describes the machine of a run: the device and its driver, the host, the
//! engines, the date and the command.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use rungrad::opencl::Kind;
use rungrad::part3_unified::Device;
use rungrad::{Error, stopwatch};
use serde_json::{Value, json};

use crate::rows::Class;

/// Everything that is needed to interpret the times.
pub(crate) struct Machine {
    pub(crate) device: Device,
    /// The name that the device reports.
    pub(crate) model: String,
    pub(crate) driver: String,
    pub(crate) class: Class,
    pub(crate) processor: String,
    /// The number of threads for our work and for peers on the processor.
    pub(crate) threads: usize,
    /// The load average of the last minute, on Linux.
    pub(crate) load: Option<f64>,
    /// Our engine and the peers, each with its version and device.
    pub(crate) engines: Vec<[String; 3]>,
    pub(crate) date: String,
    pub(crate) command: String,
}

/// Cards with less memory run the smaller sizes of processors.
const MIN_CARD_MEMORY: u64 = 6 << 30;

impl Machine {
    pub(crate) fn detect(device: Device) -> Result<Machine, Error> {
        let processor = stopwatch::processor();
        let mut threads = rayon::current_num_threads();
        let (mut model, mut driver) = (processor.clone(), "none".to_string());
        let mut class = Class::Processor;
        if let Some(info) = device.info()? {
            model = info.name.clone();
            driver = format!(
                "{} {}, OpenCL {}",
                info.platform, info.driver, info.version
            );
            let is_card =
                info.kind != Kind::Cpu && info.global_memory >= MIN_CARD_MEMORY;
            class = if is_card { Class::Card } else { Class::Small };
            if info.kind == Kind::Cpu {
                threads = info.compute_units as usize;
            }
        }
        let name = "cargo learn bench";
        let words: Vec<String> =
            rungrad::args().into_iter().map(quoted).collect();
        Ok(Machine {
            device,
            model,
            driver,
            class,
            processor,
            threads,
            load: load(),
            engines: vec![["rungrad".to_string(), version(), String::new()]],
            date: date(SystemTime::now()),
            command: [name.to_string(), words.join(" ")].join(" "),
        })
    }

    /// Returns the device that a peer must use: the name of a card, or `cpu`,
    /// with or without a driver.
    pub(crate) fn place(&self) -> Result<String, Error> {
        let info = self.device.info()?;
        let card = info.filter(|info| info.kind != Kind::Cpu);
        Ok(card.map_or("cpu".to_string(), |info| info.name.clone()))
    }

    /// Returns the maximum size of an array and the available memory, in
    /// bytes.
    pub(crate) fn memory(&self) -> Result<[f64; 2], Error> {
        let host = available().unwrap_or(f64::INFINITY);
        Ok(match self.device.info()? {
            None => [host; 2],
            Some(info) => {
                let all = info.global_memory as f64;
                // A driver for the processor reports the memory of the host.
                let all = match info.kind {
                    Kind::Cpu => all.min(host),
                    _ => all,
                };
                [info.max_allocation as f64, all]
            }
        })
    }

    pub(crate) fn text(&self) -> String {
        let engines = self.engines.iter().map(|[name, version, on]| {
            let on = match on.is_empty() {
                true => String::new(),
                false => format!(" on {on}"),
            };
            format!("{name} {version}{on}")
        });
        let load = match self.load {
            Some(load) => format!(", load {load:.1}"),
            None => String::new(),
        };
        format!(
            "device   {}, {}, driver {}\nhost     {}, {} threads{load}\n\
             engines  {}\ndate     {}\ncommand  {}\n",
            self.device,
            self.model,
            self.driver,
            self.processor,
            self.threads,
            engines.collect::<Vec<_>>().join("; "),
            self.date,
            self.command,
        )
    }

    pub(crate) fn json(&self) -> Value {
        let engines = self.engines.iter().map(|[name, version, on]| {
            json!({"name": name, "version": version, "on": on})
        });
        json!({
            "device": self.device.to_string(),
            "model": self.model,
            "driver": self.driver,
            "processor": self.processor,
            "threads": self.threads,
            "load": self.load,
            "engines": engines.collect::<Vec<_>>(),
            "date": self.date,
            "command": self.command,
        })
    }
}

fn quoted(word: String) -> String {
    match word.contains(' ') {
        true => format!("{word:?}"),
        false => word,
    }
}

/// Returns the root of the repository that contains this source, if it still
/// exists.
pub(crate) fn root() -> Option<&'static Path> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    root.join("Cargo.toml").is_file().then_some(root)
}

/// Returns the version of the crate, and in a checkout also the commit.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let commit = root().and_then(|root| {
        let mut git = Command::new("git");
        git.current_dir(root).args(["describe", "--always", "--dirty"]);
        let said = git.output().ok().filter(|said| said.status.success())?;
        Some(String::from_utf8_lossy(&said.stdout).trim().to_string())
    });
    let commit = commit.map_or(String::new(), |commit| format!(" ({commit})"));
    let slow = match cfg!(debug_assertions) {
        true => ", without --release",
        false => "",
    };
    format!("{version}{commit}{slow}")
}

/// Returns the available memory of the host in bytes, on Linux.
fn available() -> Option<f64> {
    let told = fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|it| it.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024.0 * kilobytes)
}

fn load() -> Option<f64> {
    let told = fs::read_to_string("/proc/loadavg").ok()?;
    told.split(' ').next()?.parse().ok()
}

/// Formats a time as `2026-11-22 11:35 UTC`.
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let (minute, days) = (seconds / 60 % 1440, seconds / 86400);
    // The calendar repeats after 400 years. In a year that begins in March,
    // the leap day is the last day.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let day = day - (153 * march + 2) / 5 + 1;
    let (month, next) =
        if march < 10 { (march + 3, 0) } else { (march - 9, 1) };
    let (hour, minute) = (minute / 60, minute % 60);
    let year = 400 * era + year + next;
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        for (seconds, words) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (1_795_347_311, "2026-11-22 11:35 UTC"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(date(time), words);
        }
    }
}
