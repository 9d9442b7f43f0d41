//! Checks that the book is up to date with its sources, and that its pages
//! follow the rules.
//!
//! `UPDATE=1 cargo test -p bookgen` writes the generated files. `ONLY=part3`
//! restricts it to outputs whose names contain that word.

use bookgen::Needs::{self, Counters, Device, Gates, Nothing, Oclgrind, Pocl};
use bookgen::Tier::{self, Fast, Slow};
use bookgen::{Fault, repository};

#[track_caller]
fn assert_none(faults: &[Fault]) {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert!(faults.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn the_book_has_no_errors() {
    assert_none(&bookgen::faults(&repository()));
}

/// Promise: The diffs, formulas and figures in the book are current.
#[test]
fn diffs_formulas_and_drawn_figures_are_current() {
    assert_none(&bookgen::stale(&repository()));
}

/// Promise: The program outputs in the book are current.
#[test]
fn outputs_are_current() {
    assert_none(&bookgen::stale_outputs(&repository(), Nothing, Fast));
}

#[test]
fn outputs_of_devices_are_current() {
    if testkit::device::gpu_or_skip().is_some() {
        assert_none(&bookgen::stale_outputs(&repository(), Device, Fast));
    }
}

/// Promise: The outputs that wait for a user event are current.
#[test]
fn outputs_with_user_events_are_current() {
    current_or_skip(Gates, Fast);
}

/// Promise: The outputs that need PoCL are current.
#[test]
fn outputs_of_pocl_are_current() {
    current_or_skip(Pocl, Fast);
}

/// Promise: The outputs that need Oclgrind are current.
#[test]
fn outputs_of_oclgrind_are_current() {
    current_or_skip(Oclgrind, Fast);
}

#[test]
fn outputs_of_counters_are_current() {
    current_or_skip(Counters, Fast);
}

/// Promise: A measured listing has the words of its program.
#[test]
fn measured_listings_have_the_words_of_their_programs() {
    if testkit::device::gpu_or_skip().is_some() {
        assert_none(&bookgen::stale_measurements(&repository(), Fast));
    }
}

/// Promise: An example without a listing still runs.
#[test]
fn examples_without_a_listing_run() {
    // The examples of Part 1 need no device.
    let _ = testkit::device::gpu_or_skip();
    assert_none(&bookgen::failing(&repository(), Fast));
}

#[test]
#[ignore = "slow: 120 s, programs that train networks or count large products"]
fn outputs_of_slow_programs_are_current() {
    assert_none(&bookgen::stale_outputs(&repository(), Nothing, Slow));
    if testkit::device::gpu_or_skip().is_some() {
        assert_none(&bookgen::stale_outputs(&repository(), Device, Slow));
        assert_none(&bookgen::stale_measurements(&repository(), Slow));
    }
    for needs in [Gates, Pocl, Oclgrind, Counters] {
        current_or_skip(needs, Slow);
    }
    assert_none(&bookgen::failing(&repository(), Slow));
}

/// Compares listings that only some machines can print, on those machines.
#[track_caller]
fn current_or_skip(needs: Needs, tier: Tier) {
    match bookgen::missing(needs) {
        Some(what) => {
            testkit::device::skip(what, "this output is that of one tool")
        }
        None => {
            assert_none(&bookgen::stale_outputs(&repository(), needs, tier))
        }
    }
}
