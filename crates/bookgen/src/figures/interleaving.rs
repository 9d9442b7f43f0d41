//! The schedule that breaks a sum without its barrier, for "A group,
//! step by step", from the steps that its program finds.

use rungrad::workgroup::{Access, Event};

use super::Svg;

#[path = "../../../../examples/part2_race.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;

/// Only items 0 and 1 continue after the loads.
const ITEMS: usize = 4;

/// Returns the left edge of an item's lane.
fn lane(item: usize) -> usize {
    56 + LANE * item
}
const LANE: usize = 126;

/// Returns the middle of a step's line.
fn line(step: usize) -> usize {
    58 + 30 * step + if step < ITEMS { 0 } else { 24 }
}

pub(crate) fn svg() -> String {
    let search = program::search();
    let trace = program::broken(&search);
    let race = trace.race().expect("it breaks by a race");
    let bottom = line(trace.events.len() - 1) + 22;
    let mut svg = Svg::new(HEAD);
    svg.put("<g font-weight=\"600\" text-anchor=\"middle\">");
    for item in 0..ITEMS {
        let x = lane(item) + LANE / 2;
        svg.text(x, 22, "", format!("item {item}"));
    }
    svg.put("<text x=\"620\" y=\"22\">memory</text>\n</g>");
    svg.put("<g stroke=\"currentColor\" stroke-opacity=\"0.25\">");
    for item in 0..=ITEMS {
        svg.put(format!("<path d=\"M{} 32V{bottom}\"/>", lane(item)));
    }
    svg.put("</g>\n<g class=\"code\" text-anchor=\"middle\">");
    let mut local = ["?".to_string(), "?".into(), "?".into(), "?".into()];
    for (step, event) in trace.events.iter().enumerate() {
        let (x, y) = (lane(event.item) + LANE / 2, line(step) + 5);
        let Event { cell, value, .. } = event;
        let words = match event.access {
            Access::Read => format!("[{cell}] is {value}"),
            Access::Write => format!("[{cell}] = {value}"),
        };
        let ink = match race.steps.contains(&step) {
            true => " fill=\"var(--fig-grad)\" font-weight=\"600\"",
            false => "",
        };
        svg.text(30, y, "", step + 1);
        svg.text(x, y, ink, words);
        if event.access == Access::Write {
            local[*cell] = value.to_string();
            svg.text(620, y, "", local.join(" "));
        }
    }
    svg.put("</g>");
    // The existing barrier, and the missing one: after the sixth step of item
    // 0 after the load, and before its second round.
    let there = line(ITEMS - 1) + 27;
    svg.put(format!(
        "<path d=\"M{} {there}H{}\" stroke=\"var(--fig-gpu)\" \
         stroke-width=\"3\"/>",
        lane(0),
        lane(ITEMS)
    ));
    let round = |item: usize| {
        let own = |(_, event): &(usize, &Event)| {
            event.item == item && event.phase == 1
        };
        let mut steps = trace.events.iter().enumerate().filter(own);
        line(steps.nth(2).expect("three steps a round").0) + 15
    };
    svg.put(format!(
        "<path d=\"M{} {}H{}V{}H{}\" fill=\"none\" stroke=\"var(--fig-grad)\" \
         stroke-width=\"1.5\" stroke-dasharray=\"6 5\"/>",
        lane(0),
        round(0),
        lane(1),
        round(1),
        lane(ITEMS)
    ));
    let x = lane(ITEMS) + 10;
    let gpu = " fill=\"var(--fig-gpu)\" font-weight=\"600\"";
    svg.text(x, there + 5, gpu, "barrier");
    let grad = " fill=\"var(--fig-grad)\" font-weight=\"600\"";
    svg.text(x, round(1) + 12, grad, "no barrier");
    svg.end()
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 500\" role=\"img\" class=\"sparse\">
<title>Nine steps of two items that a barrier would have kept in order</title>
<desc>A lane for each of four items, time running down. Each item writes its value, and all wait at a barrier. Then item 0 goes through both rounds of the sum: it reads cell 1 in step 9, while item 1 writes that cell only in step 13. A dashed line shows where the missing barrier would be; item 0 crosses it six steps too early.</desc>
";
