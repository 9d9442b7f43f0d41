//! Views of a memory, and which of it lights up.

use serde_json::json;

use super::{
    button, choose, focus, native, open, says, text, type_into, until,
};
use crate::Browser;

/// What the page says of the view, and its elements, are the engine's.
#[track_caller]
fn shows(browser: &mut Browser, words: &str) {
    let answer = native(&format!("strides\n{words}"));
    let view = answer.as_array().unwrap().last().unwrap();
    let list = |key: &str| {
        let numbers = view[key].as_array().unwrap().iter();
        let words = numbers.map(ToString::to_string).collect::<Vec<_>>();
        format!("[{}]", words.join(", "))
    };
    let line = format!(
        "shape {}  strides {}  offset {}",
        list("shape"),
        list("strides"),
        view["offset"]
    );
    let line = json!(line);
    let found = "document.querySelectorAll('.stage .way')[1].innerText";
    until(browser, &format!("{found} === {line}"));
    let slots = view["slots"].as_array().unwrap().iter();
    let values = slots.map(|slot| {
        view["memory"][slot.as_u64().unwrap() as usize].to_string()
    });
    let values = json!(values.collect::<Vec<_>>().join(","));
    let found = "[...document.querySelectorAll('.cells')[1].children]\
                 .map((it) => it.innerText).join()";
    until(browser, &format!("{found} === {values}"));
}

#[test]
fn a_view_moves_no_number_and_lights_its_slots() {
    let Some(mut browser) = open("strides.html", "strides") else { return };
    let it = &mut browser;
    shows(it, "2x3");
    button(it, "strides", "transpose");
    shows(it, "2x3\npermute=1,0");
    // By keys, to the second element of the first row: slot 3.
    focus(it, ".cells[aria-label^='the view'] .cell");
    it.press("ArrowRight");
    says(it, "strides", "Element [0, 1]: 0 + 0 \u{b7} 1 + 1 \u{b7} 3 = slot 3");
    let lit = "[...document.querySelector('.cells').children]\
               .findIndex((it) => it.matches('.lit'))";
    assert_eq!(it.evaluate(lit), json!(3));
    button(it, "strides", "flip the last axis");
    shows(it, "2x3\npermute=1,0\nflip=1");
    button(it, "strides", "all but the first of the last axis");
    shows(it, "2x3\npermute=1,0\nflip=1\nslice=..,1..");
    says(it, "strides", "3 slots are not looked at");
    button(it, "strides", "broadcast to two");
    shows(it, "2x3\npermute=1,0\nflip=1\nslice=..,1..\nexpand=2x3x1");
    focus(it, ".cells .cell:nth-child(3)");
    says(it, "strides", "Slot 2 is element [0, 2, 0] and [1, 2, 0]");
    button(it, "strides", "Take it back");
    shows(it, "2x3\npermute=1,0\nflip=1\nslice=..,1..");
    button(it, "strides", "Begin again");
    button(it, "strides", "transpose");
    shows(it, "2x3\npermute=1,0");
    button(it, "strides", "flatten");
    shows(it, "2x3\npermute=1,0\nreshape=6");
    says(it, "strides", "The numbers were copied.");
    let heading = "document.querySelector('.stage .array b').innerText";
    let strides =
        "another memory: no strides could say it, so the numbers were copied";
    assert_eq!(it.evaluate(heading), strides);
    // On a narrow screen, too, all its slots are seen at once, with their
    // numbers.
    let memory = "[...document.querySelectorAll('.cells')[0].children]\
                  .map((it) => it.innerText.replace(/\\s+/, ' ')).join()";
    assert_eq!(it.evaluate(memory), json!("0 0,1 3,2 1,3 4,4 2,5 5"));
    assert_eq!(text(it, ".stage [data-scrolls] .cells"), "");
    let caption = "[...document.querySelectorAll('[data-figure=strides] figcaption [data-when]')]\
                   .filter((it) => it.checkVisibility()).map((it) => it.innerText).join()";
    let caption = it.evaluate(caption);
    let caption = caption.as_str().unwrap();
    assert!(caption.starts_with("At the beginning"), "{caption}");
    assert!(caption.contains("windows=2x2"), "{caption}");
    // Who asks for a copy gets one, whatever strides could say.
    button(it, "strides", "Begin again");
    button(it, "strides", "every second of the last axis");
    shows(it, "2x3\nslice=..,..:2");
    type_into(it, ".stage form input", "compact");
    it.press("Enter");
    shows(it, "2x3\nslice=..,..:2\ncompact");
    assert_eq!(it.evaluate(heading), "another memory: the numbers were copied");
    choose(it, ".stage select", "6");
    button(it, "strides", "all but the first of the last axis");
    says(it, "strides", "1 slot is not looked at.");
    choose(it, ".stage select", "4x4");
    shows(it, "4x4");
    type_into(it, ".stage form input", "as_strided=2x2/9,4/0");
    it.press("Enter");
    shows(it, "4x4\nas_strided=2x2/9,4/0");
    type_into(it, ".stage form input", "as_strided=2x2/9,4/4");
    it.press("Enter");
    until(it, "document.querySelector('.refusal').innerText !== ''");
    let wanted =
        native("strides\n4x4\nas_strided=2x2/9,4/0\nas_strided=2x2/9,4/4");
    assert_eq!(text(it, ".refusal"), wanted["refusal"].as_str().unwrap());
}

/// The slots are those that an array of Part 3 has.
#[test]
fn the_slots_are_those_of_an_array() {
    use rungrad::part3_unified::{Array, Device};
    let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let array = Array::new(&[3, 4], &values, Device::Cpu).unwrap();
    let view = array.permute(&[1, 0]).unwrap().flip(&[0]).unwrap();
    let view = view.slice(&[1..4, 0..2]).unwrap();
    let words = "strides\n3x4\npermute=1,0\nflip=0\nslice=1..4,0..2";
    let answer = native(words);
    let last = answer.as_array().unwrap().last().unwrap();
    assert_eq!(last["strides"], json!(view.strides()));
    let slots: Vec<f32> =
        serde_json::from_value(last["slots"].clone()).unwrap();
    assert_eq!(slots, view.to_vec().unwrap());
}
