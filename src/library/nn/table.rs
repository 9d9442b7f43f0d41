//! Text descriptions of a model: the table of its parameters, and short type
//! names.

use super::Parameter;

/// Formats a table with one row per parameter and a total.
pub(super) fn summary(parameters: &[Parameter]) -> String {
    let head = ["parameter", "shape", "numbers", "device"].map(String::from);
    let total: usize = parameters.iter().map(|(_, p)| p.array().len()).sum();
    let mut rows = vec![head];
    for (name, p) in parameters {
        let (shape, numbers) = (format!("{:?}", p.shape()), p.array().len());
        let device = p.device().to_string();
        rows.push([name.clone(), shape, numbers.to_string(), device]);
    }
    let end = ["total", "", &total.to_string(), ""].map(String::from);
    rows.push(end);
    let [a, b, c] = [0, 1, 2].map(|i: usize| {
        let widths = rows.iter().map(|row| row[i].chars().count());
        widths.max().expect("there is a head")
    });
    let line = |[name, shape, numbers, device]: &[String; 4]| {
        let line = format!("{name:<a$}  {shape:<b$}  {numbers:>c$}  {device}");
        line.trim_end().to_string()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the last segment of a type's path, without generic arguments.
pub(super) fn short_type_name(path: &str) -> String {
    if path.contains("fn(") {
        return "function".to_string();
    }
    let mut depth = 0_usize;
    let mut bare = String::new();
    for sign in path.chars() {
        match sign {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => bare.push(sign),
            _ => {}
        }
    }
    let last = bare.rsplit("::").next().unwrap_or_default();
    last.trim_matches(['{', '}']).to_string()
}

#[cfg(test)]
mod tests {
    use super::short_type_name;

    #[test]
    fn a_type_is_named_by_its_last_path_segment() {
        for (path, name) in [
            ("rungrad::nn::Linear", "Linear"),
            ("a::<impl b::Tensor>::relu", "relu"),
            ("a::Twice<b::Linear>", "Twice"),
            ("a::Pair<b::Twice<c::Linear>, c::Relu>", "Pair"),
            ("program::main::{{closure}}", "closure"),
            ("for<'a> fn(&'a a::Tensor) -> a::Tensor", "function"),
            ("Alone", "Alone"),
        ] {
            assert_eq!(short_type_name(path), name);
        }
    }
}
