//! Names that have changed. A learner's file with an old name does not
//! compile; this module suggests the new name. The file itself is not changed.

/// The words of the compiler about an old name, ` => `, and the new name.
const RENAMED: &str = include_str!("renamed.txt");

/// Returns the new names for those that the compiler no longer finds.
pub(super) fn suggestions(complaints: &[String]) -> Vec<String> {
    let mut suggestions = Vec::new();
    for (old, new) in RENAMED.lines().filter_map(|it| it.split_once(" => ")) {
        // The compiler reports an extra argument above the line of the call.
        let is_call = old.starts_with('.');
        let found = complaints.iter().any(|line| line.contains(old));
        let fits = !is_call
            || complaints.iter().any(|line| line.contains("takes 1 argument"));
        if found && fits && !suggestions.iter().any(|known| known == new) {
            suggestions.push(new.to_string());
        }
    }
    if !suggestions.is_empty() {
        suggestions.insert(0, String::new());
        suggestions.push(
            "CHANGELOG.md has every name that has changed; your file stays as \
             it is."
                .to_string(),
        );
    }
    suggestions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggest(said: &str) -> Vec<String> {
        suggestions(&said.lines().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn an_old_name_gets_its_new_name() {
        let said = suggest(
            "error[E0407]: method `name` is not a member of trait \
                       `Function`\n  --> part3_unified/mul_function.rs:18:5",
        );
        assert!(said[1].contains("`fn op(&self) -> Op` now"), "{said:?}");
        assert!(said[2].contains("CHANGELOG.md"), "{said:?}");
    }

    #[test]
    fn an_extra_launch_argument_is_explained() {
        let launch = "error[E0061]: this method takes 1 argument but 2 \
                      arguments were supplied\n15 |   .input(a.buffer(), n)";
        assert!(suggest(launch)[1].contains("takes only a buffer now"));
        assert!(suggest("15 |  .input(a.buffer())").is_empty());
    }

    #[test]
    fn other_errors_are_not_mistaken_for_old_names() {
        assert!(suggest("error[E0425]: cannot find value `b`").is_empty());
    }
}
