//! Formats a launch as text: each line of the source that accesses memory, and
//! its cost for a warp.

use std::fmt::Write;

use crate::card::Card;
use crate::record::{Access, Kind, Launch};
use crate::{LINE, SECTOR};

/// Formats the report of a launch for a card, in lines of at most `width`
/// characters. `registers` is the number of registers per item, if known.
pub fn report(
    launch: &Launch,
    card: &Card,
    registers: Option<u64>,
    width: usize,
) -> String {
    let mut page = Page { text: String::new(), width: width.max(60) };
    head(&mut page, launch);
    accesses(&mut page, launch);
    branches(&mut page, launch);
    work(&mut page, launch);
    match card.warp == launch.warp as u64 {
        true => on_card(&mut page, launch, card, registers),
        false => page.sentence(&format!(
            "No card of the table has warps of {}, so there is no occupancy \
             and no roofline.",
            launch.warp
        )),
    }
    page.text
}

/// The table head for lines of [`counters`].
pub const COUNTERS: &str = concat!(
    "                               loads            stores   bank conflicts ",
    "active\n",
    "kernel              sectors requests  sectors requests    loads   stores",
    " lanes",
);

/// Formats the counters of a launch as a card's profiler would report them:
/// sectors and requests of global loads and stores, bank conflicts of local
/// loads and stores, and the active lanes of a warp.
pub fn counters(launch: &Launch) -> String {
    let total =
        |kind: Kind, is_local: bool, count: fn(&Access) -> u64| -> u64 {
            let all = launch.accesses.iter();
            let all =
                all.filter(|it| it.kind == kind && it.is_local == is_local);
            all.map(count).sum()
        };
    let sectors = |access: &Access| access.parts(SECTOR)[0];
    let mut line = format!("{:<18}", launch.kernel);
    for kind in [Kind::Load, Kind::Store] {
        let all =
            [total(kind, false, sectors), total(kind, false, Access::times)];
        line += &format!(" {:>8} {:>8}", all[0], all[1]);
    }
    for kind in [Kind::Load, Kind::Store] {
        line += &format!(" {:>8}", total(kind, true, Access::conflicts));
    }
    format!("{line} {:>5.1}", launch.busy() * launch.warp as f64)
}

struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn line(&mut self, words: &str) {
        writeln!(self.text, "{}", words.trim_end()).expect("a String grows");
    }

    /// Adds a sentence, wrapped to the width.
    fn sentence(&mut self, words: &str) {
        self.wrapped(0, words);
    }

    /// Adds a numbered line of the source.
    fn numbered(&mut self, number: usize, text: &str) {
        let start = self.text.len();
        self.wrapped(6, text);
        let number = format!("{number:>4}  ");
        self.text.replace_range(start..start + number.len(), &number);
    }

    /// Adds words from a column on, wrapped to the width.
    fn wrapped(&mut self, column: usize, words: &str) {
        let mut line = String::new();
        for word in words.split(' ') {
            let length = line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && column + length > self.width {
                self.line(&format!("{:column$}{line}", ""));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.line(&format!("{:column$}{line}", ""));
    }
}

fn head(page: &mut Page, launch: &Launch) {
    let [global, group] =
        [launch.global, launch.group].map(|sizes| extent(&sizes));
    page.sentence(&format!(
        "{}: {global} items in groups of {group}, warps of {}",
        launch.kernel, launch.warp
    ));
    page.line("");
}

/// Formats `[64, 16, 1]` as `64 x 16`, without trailing ones.
fn extent(sizes: &[usize]) -> String {
    let used = sizes.iter().rposition(|&size| size != 1).unwrap_or(0);
    let words: Vec<String> =
        sizes[..=used].iter().map(usize::to_string).collect();
    words.join(" x ")
}

/// Adds the table of the lines that access memory. The second number of each
/// pair is the minimum, and a larger first number is marked.
fn accesses(page: &mut Page, launch: &Launch) {
    page.sentence(&format!(
        "The average cost of an access by a warp: sectors ({SECTOR} bytes) and \
         cache lines ({LINE} bytes) of global memory, or wavefronts of local \
         memory. The minimum for the same bytes is in parentheses; < marks a \
         higher cost."
    ));
    page.line("");
    page.line(
        "                           warp  active     sectors or           cache",
    );
    page.line(
        "array               bytes  instr. lanes     wavefronts           lines",
    );
    let mut lines: Vec<&Access> = launch.accesses.iter().collect();
    lines.sort_by_key(|access| (access.line, access.column));
    let mut last = 0;
    for access in lines {
        if access.line != last {
            last = access.line;
            let text = launch.text(last).trim();
            page.line("");
            page.numbered(last, text);
        }
        row(page, launch, access);
    }
    if launch.accesses.is_empty() {
        page.line("  nothing is loaded or stored");
    }
    page.line("");
}

fn row(page: &mut Page, launch: &Launch, access: &Access) {
    let what = match access.kind {
        Kind::Load => "load",
        Kind::Store => "store",
        Kind::Atomic => "atomic",
    };
    let place = if access.is_local { "local" } else { "global" };
    let times = access.times();
    let each = |count: u64| count as f64 / times as f64;
    let pair = |[all, least]: [u64; 2]| {
        let mark = if all > least { "<" } else { " " };
        format!(
            "{:>7.2} {:>7}{mark}",
            each(all),
            format!("({:.2})", each(least))
        )
    };
    let lanes = each(access.total(|moment| moment.lanes()));
    let start = format!(
        "{:<8} {what:<6} {place:<6} {:>2} {times:>7} {lanes:>5.1}",
        launch.array(access).chars().take(8).collect::<String>(),
        access.bytes
    );
    page.line(&match access.is_local {
        false => format!(
            "{start} {} {}",
            pair(access.parts(SECTOR)),
            pair(access.parts(LINE))
        ),
        true => {
            let conflicts = each(access.conflicts());
            let words = match access.conflicts() {
                0 => "no bank conflict".to_string(),
                _ => format!("{conflicts:.2} bank conflicts"),
            };
            format!("{start} {} {words}", pair(access.wavefronts()))
        }
    });
}

fn branches(page: &mut Page, launch: &Launch) {
    for (line, branch) in &launch.branches {
        if branch.split > 0 {
            page.sentence(&format!(
                "Line {line} diverges: in {} of {} executions a warp takes both \
                 branches.",
                branch.split, branch.times
            ));
        }
    }
    let groups = launch.groups().max(1);
    for (line, times) in &launch.barriers {
        page.sentence(&format!(
            "Line {line} is a barrier: a group waits there {}.",
            counted(*times as f64 / groups as f64, "time")
        ));
    }
}

fn work(page: &mut Page, launch: &Launch) {
    page.sentence(&format!(
        "Over all instructions as written, {:.1} of the {} lanes of a warp are \
         active.",
        launch.busy() * launch.warp as f64,
        launch.warp
    ));
    let elements = launch.elements().max(1) as f64;
    let each = |count: u64| rounded(count as f64 / elements);
    let all = launch.arithmetic();
    let stores = launch.accesses.iter().filter(|it| it.kind == Kind::Store);
    let local: u64 = stores.filter(|it| it.is_local).map(Access::numbers).sum();
    page.sentence(&format!(
        "For each element written to global memory: {} loaded from global \
         memory, {} loaded from and {} stored to local memory; {} \
         multiplications, {} additions, {} divisions and functions, {} other \
         instructions.",
        each(launch.loads(false)),
        each(launch.loads(true)),
        each(local),
        each(all.multiplications),
        each(all.additions),
        each(all.functions),
        each(all.others)
    ));
}

fn on_card(
    page: &mut Page,
    launch: &Launch,
    card: &Card,
    registers: Option<u64>,
) {
    let occupancy = card.occupancy(launch, registers);
    let unless = match registers {
        None => ", if there are enough registers (--registers N checks that)",
        Some(_) => "",
    };
    page.line("");
    page.sentence(&format!(
        "On an {}: a compute unit holds {} groups of {} items, an occupancy of \
         {:.0} %; the limit is {}{unless}.",
        card.title,
        occupancy.groups,
        launch.items(),
        occupancy.fraction * 100.0,
        occupancy.limit
    ));
    let groups = launch.groups();
    if groups < card.units {
        page.sentence(&format!(
            "It has {} compute units, and this launch has {}: the other units \
             sit idle.",
            card.units,
            counted(groups as f64, "group")
        ));
    }
    let operations = launch.arithmetic().operations() as f64;
    if operations == 0.0 || launch.touched == 0 {
        page.sentence("It computes nothing, so it is memory-bound.");
        return;
    }
    let bounds = [launch.asked().max(launch.touched), launch.touched];
    let intensity = bounds.map(|bytes| operations / bytes as f64);
    let [low, high] = intensity.map(rounded);
    let roof = intensity.map(|it| rounded(card.roof(it) * 1e-12));
    let roof = match roof {
        [low, high] if low == high => low,
        [low, high] => format!("{low} to {high}"),
    };
    page.sentence(&format!(
        "Arithmetic intensity: {low} operations per byte without caches, \
         {high} if each sector is loaded once. The roofline allows {roof} \
         TFLOP/s. Below {:.1} operations per byte a kernel is memory-bound, \
         above it compute-bound.",
        card.ridge()
    ));
    page.sentence(&format!("Source of the card's figures: {}.", card.source));
}

/// Formats a count with its unit.
fn counted(count: f64, thing: &str) -> String {
    let many = if count == 1.0 { "" } else { "s" };
    format!("{} {thing}{many}", rounded(count))
}

/// Rounds a number to three significant digits, without trailing zeros.
fn rounded(number: f64) -> String {
    if number == 0.0 {
        return "0".to_string();
    }
    let digits = (2 - number.abs().log10().floor() as i32).max(0);
    let text = format!("{number:.*}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{card, read};

    const LOG: &str = include_str!("report/transpose.log");

    #[test]
    fn a_report_fits_its_width_and_is_complete() {
        let launch = &read(LOG).unwrap()[0];
        let card = card("h200").unwrap();
        for width in [60, 78, 100] {
            let text = report(launch, card, None, width);
            // The table may be wider.
            let table = 78.max(width);
            assert!(text.lines().all(|it| it.chars().count() <= table));
            assert!(text.contains("tile[y][x] = a["), "{text}");
        }
    }

    #[test]
    fn numbers_have_three_significant_digits() {
        for (number, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.125, "0.125"),
            (1234.5, "1234"),
            (0.33333, "0.333"),
        ] {
            assert_eq!(rounded(number), text);
        }
    }
}
