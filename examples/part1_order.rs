//! Backward through a diamond: in a valid order, in a wrong order, and
//! overwriting instead of adding.

use std::collections::HashMap;

use Op::{Add, Leaf, Mul};

// ANCHOR: order
enum Op {
    Leaf,
    Mul(char, char),
    Add(char, char),
}

/// Two paths lead from e to c.
const TAPE: [(char, f32, Op); 5] = [
    ('a', 2.0, Leaf),
    ('b', 3.0, Leaf),
    ('c', 6.0, Mul('a', 'b')),
    ('d', 18.0, Mul('c', 'b')),
    ('e', 24.0, Add('d', 'c')),
];

fn sweep(order: &str, give: fn(&mut f32, f32)) -> HashMap<char, f32> {
    let data = HashMap::from(TAPE.map(|(name, value, _)| (name, value)));
    let mut grads = HashMap::from([('e', 1.0)]);
    for name in order.chars() {
        let grad_out = grads[&name];
        let mut to =
            |parent, grad| give(grads.entry(parent).or_default(), grad);
        match TAPE[name as usize - 'a' as usize].2 {
            Leaf => {}
            Mul(x, y) => {
                to(x, grad_out * data[&y]);
                to(y, grad_out * data[&x]);
            }
            Add(x, y) => {
                to(x, grad_out);
                to(y, grad_out);
            }
        }
    }
    grads
}
// ANCHOR_END: order

// ANCHOR: order-main
fn main() {
    let add = |sum: &mut f32, grad: f32| *sum += grad;
    let overwrite = |sum: &mut f32, grad: f32| *sum = grad;
    let show = |words: &str, grads: HashMap<char, f32>| {
        println!("{words}  {:>2}  {:>2}", grads[&'a'], grads[&'b']);
    };
    println!("order  each part is    a   b");
    show("edcba  added       ", sweep("edcba", add));
    show("ecdba  added       ", sweep("ecdba", add));
    show("edcba  written over", sweep("edcba", overwrite));
}
// ANCHOR_END: order-main
