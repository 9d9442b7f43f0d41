//! Where a graph ends and where it must not: results that become leaves,
//! gradients inside `no_grad`, and constant gradients.

use rungrad::part3_unified::{Tensor, grad, no_grad, trace};

use super::{constant, leaf};
use testkit::clean;
use testkit::refusal::refusal;

/// Promise: Turning a computed tensor into a leaf requires an explicit call.
#[test]
fn requires_grad_rejects_a_computed_tensor() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let y = &x * 3.0;
    assert_eq!(
        refusal(|| y.clone().requires_grad()),
        "requires_grad: this tensor is the result of scale, and a leaf would \
         cut it off from what it was computed from; call .detach() first if \
         that is meant"
    );
    let z = y.detach().requires_grad();
    assert_ne!(z.id(), y.id());
    // A leaf stays the same leaf.
    assert_eq!(x.clone().requires_grad().id(), x.id());
    // A result without a recorded graph can become a leaf.
    assert!(no_grad(|| &x * 3.0).requires_grad().id().is_some());
}

/// As in PyTorch, `create_graph` takes precedence over `no_grad`.
///
/// Promise: A gradient with `create_graph` has a graph inside `no_grad` too.
#[test]
fn create_graph_works_inside_no_grad() {
    let _clean = clean();
    let x = leaf(&[2.0, -1.0]);
    let cube = x.mul(&x).mul(&x).sum();
    let first = no_grad(|| grad(&[&cube], &[&x], true)).remove(0);
    let second = grad(&[&first.sum()], &[&x], false).remove(0);
    assert_eq!(second.to_vec().unwrap(), [12.0, -6.0]);
    assert!(second.id().is_none());
    let plain = no_grad(|| grad(&[&cube], &[&x], false)).remove(0);
    assert!(plain.id().is_none());
    assert!(no_grad(|| x.mul(&x)).id().is_none(), "and nothing else has");
}

/// Promise: The derivative of a constant gradient is 0.
#[test]
fn the_derivative_of_a_constant_gradient_is_0() {
    let _clean = clean();
    let c = constant(&[3.0, f32::INFINITY]);
    type Loss<'a> = (&'a str, &'a dyn Fn(&Tensor) -> Tensor, [f32; 2]);
    let losses: [Loss; 4] = [
        ("sum", &|x| x.sum(), [1.0, 1.0]),
        ("relu", &|x| x.relu().sum(), [1.0, 0.0]),
        ("product with a constant", &|x| x.mul(&c).sum(), [3.0, f32::INFINITY]),
        ("max", &|x| x.max(), [1.0, 0.0]),
    ];
    for (name, loss, right) in losses {
        let (x, other) = (leaf(&[2.0, -1.0]), leaf(&[5.0]));
        let y = loss(&x).add(&other.sum());
        let mut firsts = grad(&[&y], &[&x, &other], true);
        let first = firsts.remove(0);
        assert_eq!(first.to_vec().unwrap(), right, "{name}");
        let seconds = grad(&[&first.sum()], &[&x, &other], true);
        assert_eq!(seconds[0].to_vec().unwrap(), [0.0; 2], "{name}");
        assert_eq!(seconds[1].to_vec().unwrap(), [0.0], "{name}");
        let third = grad(&[&seconds[0].sum()], &[&x], false).remove(0);
        assert_eq!(third.to_vec().unwrap(), [0.0; 2], "{name}");
        first.sum().backward();
        assert_eq!(x.grad().unwrap().to_vec().unwrap(), [0.0; 2], "{name}");
    }
}

/// The same view is one constant; a different view of the same elements is a
/// second one.
#[test]
fn a_tape_lists_each_constant_view_once() {
    let _clean = clean();
    let x = leaf(&[1.0; 4]).reshape(&[2, 2]);
    let c = constant(&[1.0, 2.0, 3.0, 4.0]).reshape(&[2, 2]);
    let tape =
        trace(|| x.mul(&c).mul(&c).mul(&c).mul(&c.transpose()).sum().tape());
    let them = tape.records.iter().filter(|it| it.op.name() == "constant");
    let values: Vec<_> = them.map(|it| it.values.clone()).collect();
    let [c, transposed] = [[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]];
    assert_eq!(values, [Some(c.to_vec()), Some(transposed.to_vec())]);
}

#[test]
fn minimum_and_maximum_with_a_constant_have_gradients() {
    let _clean = clean();
    let (x, c) = (leaf(&[1.0, 5.0]), constant(&[2.0, 3.0]));
    let pairs: [(&str, Tensor, [f32; 2]); 4] = [
        ("minimum", x.minimum(&c), [1.0, 0.0]),
        ("minimum of a constant", c.minimum(&x), [1.0, 0.0]),
        ("maximum", x.maximum(&c), [0.0, 1.0]),
        ("maximum of a constant", c.maximum(&x), [0.0, 1.0]),
    ];
    for (name, pair, right) in pairs {
        let found = grad(&[&pair.sum()], &[&x], false).remove(0);
        assert_eq!(found.to_vec().unwrap(), right, "{name}");
    }
}
