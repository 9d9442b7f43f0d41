//! The arithmetic operators: between owned and borrowed tensors, and with a
//! number on either side, which is a constant.

/// Defines the tests for an engine whose tensors have operators.
#[macro_export]
macro_rules! operators {
    ($open:path, $number:path) => {
        #[test]
        fn an_operator_takes_owned_and_borrowed_tensors() {
            let _clean = $crate::clean();
            let Some(e) = $open() else { return };
            let pair = || (e.leaf(&[2], &[6.0, 8.0]), e.leaf(&[2], &[2.0; 2]));
            let right: [(&str, [f32; 2]); 4] = [
                ("+", [8.0, 10.0]),
                ("-", [4.0, 6.0]),
                ("*", [12.0, 16.0]),
                ("/", [3.0, 4.0]),
            ];
            for (sign, right) in right {
                let (a, b) = pair();
                let results = match sign {
                    "+" => [&a + &b, a.clone() + &b, &a + b.clone(), a + b],
                    "-" => [&a - &b, a.clone() - &b, &a - b.clone(), a - b],
                    "*" => [&a * &b, a.clone() * &b, &a * b.clone(), a * b],
                    _ => [&a / &b, a.clone() / &b, &a / b.clone(), a / b],
                };
                for result in results {
                    assert_eq!(e.values(&result), right, "a {sign} b");
                }
            }
            let (a, _) = pair();
            assert_eq!(e.values(&-&a), [-6.0, -8.0]);
            assert_eq!(e.values(&-a), [-6.0, -8.0]);
        }

        use $crate::edges::quotients;

        /// `1 - a` differs from `a - 1`, and so do their gradients.
        #[test]
        fn a_number_may_be_on_either_side() {
            let _clean = $crate::clean();
            let Some(e) = $open() else { return };
            let a = e.leaf(&[2], &[2.0, -4.0]);
            let right = [
                ("a + 1", &a + 1.0, [3.0, -3.0], [1.0, 1.0]),
                ("1 + a", 1.0 + &a, [3.0, -3.0], [1.0, 1.0]),
                ("a - 1", &a - 1.0, [1.0, -5.0], [1.0, 1.0]),
                ("1 - a", 1.0 - &a, [-1.0, 5.0], [-1.0, -1.0]),
                ("a * 3", &a * 3.0, [6.0, -12.0], [3.0, 3.0]),
                ("3 * a", 3.0 * &a, [6.0, -12.0], [3.0, 3.0]),
                ("a / 2", &a / 2.0, [1.0, -2.0], [0.5, 0.5]),
                ("2 / a", 2.0 / &a, [1.0, -0.5], [-0.5, -0.125]),
                ("a + 1", a.clone() + 1.0, [3.0, -3.0], [1.0, 1.0]),
                ("1 + a", 1.0 + a.clone(), [3.0, -3.0], [1.0, 1.0]),
                ("a - 1", a.clone() - 1.0, [1.0, -5.0], [1.0, 1.0]),
                ("1 - a", 1.0 - a.clone(), [-1.0, 5.0], [-1.0, -1.0]),
                ("a * 3", a.clone() * 3.0, [6.0, -12.0], [3.0, 3.0]),
                ("3 * a", 3.0 * a.clone(), [6.0, -12.0], [3.0, 3.0]),
                ("a / 2", a.clone() / 2.0, [1.0, -2.0], [0.5, 0.5]),
                ("2 / a", 2.0 / a.clone(), [1.0, -0.5], [-0.5, -0.125]),
            ];
            for (what, result, values, slope) in right {
                quotients(&e, 1, &e.values(&result), &values);
                e.zero_grad(&a);
                e.backward_with(&result, &[2], &[1.0, 1.0]);
                let yours = e.grad(&a).expect(what);
                quotients(&e, 2, &yours, &slope);
            }
        }

        /// Multiplying by `1 / n` would round twice and overflow for small n.
        ///
        /// Promise: A division is rounded once.
        #[test]
        fn a_division_by_a_number_is_rounded_once() {
            let _clean = $crate::clean();
            let Some(e) = $open() else { return };
            let tiny = 1e-39;
            for n in (1..=100).map(|n| n as f32).chain([1e-30, 1e38, tiny]) {
                let numbers = [3.0, 7.0, n, 1e-6 * n];
                let a = e.leaf(&[4], &numbers);
                let kept = e.values(&(&a * 1.0))[2] != 0.0;
                if !kept {
                    continue;
                }
                for (yours, right) in [
                    (&a / n, numbers.map(|x| x / n)),
                    ($number(n) / &a, numbers.map(|x| n / x)),
                ] {
                    let yours = e.values(&yours);
                    quotients(&e, 1, &yours, &right);
                }
            }
            for (n, below, right) in
                [(1e-30, 1e-20, -1e10), (1e30, 1e25, -1e-20)]
            {
                let a = e.leaf(&[1], &[below]);
                e.backward(&(n / &a));
                let slope = e.grad(&a).unwrap()[0];
                assert!((slope / right - 1.0).abs() < 1e-6, "{slope}");
            }
        }

        #[test]
        fn a_number_is_a_constant_on_the_tape() {
            let _clean = $crate::clean();
            let Some(e) = $open() else { return };
            let a = e.leaf(&[], &[2.0]);
            let tape = e.record(|| 1.0 - 6.0 / (3.0 * &a) / 2.0);
            let right = [
                "leaf",
                "scale",
                "rdiv_scalar",
                "div_scalar",
                "scale",
                "shift",
            ];
            assert_eq!(tape.ops(), right);
            assert_eq!(tape.blame(), None);
            assert_eq!(tape.unchecked(), [""; 0]);
        }

        /// Promise: An error of an arithmetic operator points to the line that
        /// contains the operator.
        #[test]
        fn an_operator_error_points_to_its_line() {
            let _clean = $crate::clean();
            let Some(e) = $open() else { return };
            let (a, b) = (e.leaf(&[2], &[1.0; 2]), e.leaf(&[3], &[1.0; 3]));
            let sentences = [
                $crate::refusal::refusal(|| &a + &b),
                $crate::refusal::refusal(|| a.clone() - &b),
                $crate::refusal::refusal(|| &a * b.clone()),
                $crate::refusal::refusal(|| a.clone() / b.clone()),
            ];
            for (sentence, op) in
                sentences.iter().zip(["add", "sub", "mul", "div"])
            {
                let right = format!(
                    "{op}: the shapes [2] and [3] do not broadcast; aligned \
                     at the right, sizes must be equal or 1"
                );
                assert_eq!(*sentence, right);
            }
        }
    };
}
