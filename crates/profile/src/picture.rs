//! Draws the addresses that a warp accesses together: its items at the top,
//! and the sectors of global memory or the banks of local memory at the
//! bottom.

use crate::record::{Access, Kind, Launch, Moment};
use crate::svg::{FIRST, SECOND, Svg};
use crate::{BANKS, SECTOR};

/// The width fits a phone.
const WIDTH: f64 = 460.0;
const LEFT: f64 = 10.0;
/// The y coordinates of the items and of the memory.
const ITEMS: f64 = 112.0;
const MEMORY: f64 = 288.0;
const HEIGHT: f64 = 384.0;
/// The height of a line of text.
const LINE: f64 = 20.0;
/// The items and the banks whose numbers are written: every fourth.
const NUMBERED: u64 = 4;

/// Draws the most expensive moment of an access. All ids begin with `name`, so
/// that a page can contain several pictures.
pub fn picture(launch: &Launch, access: &Access, name: &str) -> String {
    let moment = access.worst();
    let [place, what, cost] = title(launch, access, moment);
    let size = [WIDTH, HEIGHT];
    let mut svg = Svg::new(size, name, &format!("{place}: {what}: {cost}"));
    let source = truncated(launch.text(access.line).trim());
    lines(&mut svg, 22.0, &[&place, &source, &format!("{what}:"), &cost]);
    match access.is_local {
        true => banks(&mut svg, access, moment),
        false => sectors(&mut svg, access, moment),
    }
    svg.end()
}

/// Writes lines of text, one below the other.
fn lines(svg: &mut Svg, top: f64, lines: &[&str]) {
    for (at, line) in lines.iter().enumerate() {
        svg.text(LEFT, top + LINE * at as f64, "start", line);
    }
}

/// Returns the line of the access, what the warp does there, and its cost.
fn title(launch: &Launch, access: &Access, moment: &Moment) -> [String; 3] {
    let what = match access.kind {
        Kind::Load => "loads from",
        Kind::Store => "stores to",
        Kind::Atomic => "changes",
    };
    let cost = match access.is_local {
        true => {
            let [all, least] = moment.wavefronts(access.bytes);
            format!("{all} wavefronts of local memory, minimum {least}")
        }
        false => {
            let [all, least] = [
                moment.parts(access.bytes, SECTOR),
                moment.least(access.bytes, SECTOR),
            ];
            format!("{all} sectors of {SECTOR} bytes, minimum {least}")
        }
    };
    [
        format!("{}, line {}", launch.kernel, access.line),
        format!("a warp {what} {} at once", launch.array(access)),
        cost,
    ]
}

/// Draws the touched sectors, with a gap where sectors in between are not
/// touched.
fn sectors(svg: &mut Svg, access: &Access, moment: &Moment) {
    let mut all: Vec<u64> = moment
        .offsets
        .iter()
        .flatten()
        .flat_map(|at| at / SECTOR..=(at + access.bytes - 1) / SECTOR)
        .collect();
    all.sort_unstable();
    all.dedup();
    let gaps = all.windows(2).filter(|it| it[1] > it[0] + 1).count();
    let room = WIDTH - 2.0 * LEFT;
    let wide = (room / (all.len() as f64 + 0.4 * gaps as f64)).min(104.0);
    let mut left = LEFT;
    let mut places = Vec::new();
    for (at, sector) in all.iter().enumerate() {
        if at > 0 && *sector > all[at - 1] + 1 {
            left += 0.4 * wide;
        }
        places.push((*sector, left));
        boxed(svg, left, wide, FIRST);
        left += wide;
    }
    let place = |offset: u64| {
        let (_, left) = places.iter().find(|it| it.0 == offset / SECTOR)?;
        let middle =
            (offset % SECTOR) as f64 + access.bytes.min(SECTOR) as f64 / 2.0;
        Some(left + wide * middle / SECTOR as f64)
    };
    items(svg, moment, |offset| Some((place(offset)?, FIRST)));
    let words = "global memory: each box is a sector that is fetched";
    lines(svg, MEMORY + 54.0, &[words]);
}

/// Draws the banks. If items access different words of a bank, all but the
/// first have to wait.
fn banks(svg: &mut Svg, access: &Access, moment: &Moment) {
    let wide = (WIDTH - 2.0 * LEFT) / BANKS as f64;
    for bank in 0..BANKS {
        let left = LEFT + bank as f64 * wide;
        boxed(svg, left, wide, FIRST);
        if bank.is_multiple_of(NUMBERED) {
            let (middle, number) = (left + wide / 2.0, bank.to_string());
            svg.text(middle, MEMORY + 20.0, "middle", &number);
        }
    }
    let mut first = [None; BANKS as usize];
    items(svg, moment, |offset| {
        let word = offset / 4;
        let bank = word % BANKS;
        let known = first[bank as usize].get_or_insert(word);
        let color = if *known == word { FIRST } else { SECOND };
        let middle = (access.bytes.div_ceil(4).min(BANKS) as f64) / 2.0;
        Some((LEFT + (bank as f64 + middle) * wide, color))
    });
    let words = [
        "local memory: each box is a bank; in the second color,",
        "a different word of a bank that is already in use",
    ];
    lines(svg, MEMORY + 54.0, &words);
}

/// Draws the items of the warp, each with a line to its address.
fn items(
    svg: &mut Svg,
    moment: &Moment,
    mut goes: impl FnMut(u64) -> Option<(f64, &'static str)>,
) {
    let wide = (WIDTH - 2.0 * LEFT) / moment.offsets.len() as f64;
    for (item, offset) in moment.offsets.iter().enumerate() {
        let at = LEFT + (item as f64 + 0.5) * wide;
        let place = offset.and_then(&mut goes);
        let opacity = if place.is_some() { 1.0 } else { 0.3 };
        svg.put(format!("<g opacity=\"{opacity}\">"));
        if (item as u64).is_multiple_of(NUMBERED) {
            svg.text(at, ITEMS, "middle", &item.to_string());
        }
        if let Some((to, color)) = place {
            svg.put(format!(
                "<path d=\"M{at:.1} {:.1}L{to:.1} {:.1}\" fill=\"none\" \
                 stroke=\"{color}\"/>",
                ITEMS + 6.0,
                MEMORY - 2.0
            ));
        }
        svg.put("</g>");
    }
}

fn boxed(svg: &mut Svg, left: f64, wide: f64, color: &str) {
    svg.put(format!(
        "<rect x=\"{left:.1}\" y=\"{MEMORY}\" width=\"{wide:.1}\" \
         height=\"30\" fill=\"{color}\" fill-opacity=\"0.15\" \
         stroke=\"currentColor\"/>"
    ));
}

/// Truncates text that would not fit into the picture.
fn truncated(text: &str) -> String {
    const MAX_LENGTH: usize = 50;
    match text.chars().count() > MAX_LENGTH {
        true => {
            text.chars().take(MAX_LENGTH - 3).chain("...".chars()).collect()
        }
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    const LOG: &str = include_str!("report/transpose.log");

    #[test]
    fn every_item_has_a_line_and_every_sector_a_box() {
        let launch = &read(LOG).unwrap()[0];
        for access in &launch.accesses {
            let svg = picture(launch, access, "warp");
            assert_eq!(svg.matches("<path").count(), 32, "{svg}");
            let boxes = svg.matches("<rect").count() as u64;
            let sectors = access.worst().parts(access.bytes, SECTOR);
            let expected = if access.is_local { BANKS } else { sectors };
            assert_eq!(boxes, expected, "{svg}");
        }
    }
}
