//! Two functions.

/// The larger one. Of two that are equal it does not matter which.
pub fn larger(a: i32, b: i32) -> i32 {
    if a > b { a } else { b }
}

/// The numbers above a limit, each with its neighbor on the right.
pub fn above(numbers: &[i32], limit: i32) -> Vec<(i32, Option<i32>)> {
    let mut found = Vec::new();
    for (i, &number) in numbers.iter().enumerate() {
        if number > limit {
            found.push((number, numbers.get(i + 1).copied()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_larger_one_is_found() {
        assert_eq!(super::larger(1, 2), 2);
        assert_eq!(super::larger(2, 1), 2);
    }
}
