//! Names that have changed: whose file was solved before they did is told the
//! new ones. The file itself is never touched.

/// What the compiler says of an old name, and what is written now.
const RENAMED: &[(&str, &str)] = &[
    (
        "method `name` is not a member of trait `Function`",
        "`fn name(&self) -> &'static str` of a `Function` is `fn op(&self) -> \
         Op` now, and answers `Op::named(\"..\")`; `Op` comes from \
         `rungrad::part3_unified`.",
    ),
    (
        "no `kernels` in `opencl`",
        "The kernels stand with the parts now: `use \
         rungrad::part2_gpu::kernels;`.",
    ),
    (
        "could not find `kernels` in `opencl`",
        "The kernels stand with the parts now: `use \
         rungrad::part2_gpu::kernels;`.",
    ),
    (
        ".input(",
        "A launch of one of the crate's kernels takes a buffer alone now: \
         `.input(&a)`, `.output(&out)`. The kernel says itself how far it \
         reaches.",
    ),
    (
        "no method named `zeros` found",
        "`zeros()` of a tensor's shape is `zeros_like()` now.",
    ),
    (
        "named `Own` found",
        "A device of your own is made by `Device::register(&MINE)` now, and an \
         operation of your own is `Op::Custom(\"..\")`.",
    ),
    (
        "in `part3_unified`",
        "The operations of Part 3 stand in `rungrad::part3_unified::functions` \
         now.",
    ),
    (
        "has no field named `step`",
        "The step of a window is called `stride` now: \
         `Window::new([3, 3]).stride([2, 2])`.",
    ),
    ("no method named `less` found", COMPARED),
    ("no method named `at_most` found", COMPARED),
    ("no method named `equal` found", COMPARED),
    ("no method named `greater` found", COMPARED),
    ("no method named `at_least` found", COMPARED),
    (
        "no method named `needs_grad` found",
        "`needs_grad()` of Part 2's tensors is `records()` now, as in Part 3.",
    ),
    (
        "has no field named `requires_grad`",
        "The flag of `dispatch` is called `requires_grad` now: in your file \
         it is still `needs_grad`.",
    ),
    ("no method named `over` found", DIVIDED),
    ("no method named `under` found", DIVIDED),
    (
        "no `stretched` in",
        "`stretched` is `broadcast_axes` now: `use \
         rungrad::shape::broadcast_axes;`.",
    ),
    (
        "no `with_ones` in",
        "`with_ones` is `keepdims` now: `use rungrad::shape::keepdims;`.",
    ),
    (
        "no `What` in `timeline`",
        "`timeline::What` is `timeline::SliceKind` now, and a slice has a \
         `kind`.",
    ),
    (
        "no method named `choose` found",
        "`mask.choose(&a, &b)` is `mask.where_cond(&a, &b)` now.",
    ),
    (
        "no method named `make` found",
        "`make` of an array is called `as_strided` now.",
    ),
    (
        "no method named `gather` found",
        "`gather` and `scatter` of whole rows are called `index_select` and \
         `index_add` now.",
    ),
    (
        "no method named `scatter` found",
        "`gather` and `scatter` of whole rows are called `index_select` and \
         `index_add` now.",
    ),
];

const DIVIDED: &str = "`x.over(2.0)` and `x.under(2.0)` are \
                       `x.div_scalar(2.0)` and `x.rdiv_scalar(2.0)` now.";

const COMPARED: &str = "Tensors are compared by `lt`, `le`, `eq`, `gt` and \
                        `ge` now.";

/// Lists the new names for those that the compiler no longer finds.
pub(super) fn told(complaints: &[String]) -> Vec<String> {
    let mut told = Vec::new();
    for (old, new) in RENAMED {
        // An argument too many is said above the line that has it.
        let is_call = old.starts_with('.');
        let found = complaints.iter().any(|line| line.contains(old));
        let fits = !is_call
            || complaints.iter().any(|line| line.contains("takes 1 argument"));
        if found && fits && !told.iter().any(|known| known == new) {
            told.push(new.to_string());
        }
    }
    if !told.is_empty() {
        told.insert(0, String::new());
        told.push(
            "CHANGELOG.md has every name that has changed; your file stays as \
             it is."
                .to_string(),
        );
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(said: &str) -> Vec<String> {
        told(&said.lines().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn an_old_name_is_told_its_new_one() {
        let said = of("error[E0407]: method `name` is not a member of trait \
                       `Function`\n  --> part3_unified/mul_function.rs:18:5");
        assert!(said[1].contains("`fn op(&self) -> Op` now"), "{said:?}");
        assert!(said[2].contains("CHANGELOG.md"), "{said:?}");
    }

    #[test]
    fn an_argument_too_many_is_one_of_a_launch() {
        let launch = "error[E0061]: this method takes 1 argument but 2 \
                      arguments were supplied\n15 |   .input(a.buffer(), n)";
        assert!(of(launch)[1].contains("takes a buffer alone"));
        assert!(of("15 |  .input(a.buffer())").is_empty());
    }

    #[test]
    fn other_faults_are_not_taken_for_old_names() {
        assert!(of("error[E0425]: cannot find value `b`").is_empty());
    }
}
