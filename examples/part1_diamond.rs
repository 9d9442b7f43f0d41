//! Three backward walks through a diamond, two of which fail.

// ANCHOR: walks
/// The parents of a, b, c = a * b, d = c * b and e = c + d, each with the
/// derivative with respect to it, for a = 2 and b = 3.
const PARENTS: [&[(usize, f32)]; 5] = [
    &[],
    &[],
    &[(0, 3.0), (1, 2.0)],
    &[(2, 3.0), (1, 6.0)],
    &[(2, 1.0), (3, 1.0)],
];

#[derive(Default)]
struct Walk {
    grads: [f32; 5],
    visited: [bool; 5],
}

impl Walk {
    fn pass_on(&mut self, tensor: usize) {
        for &(parent, derivative) in PARENTS[tensor] {
            self.grads[parent] += self.grads[tensor] * derivative;
        }
    }

    fn once_per_path(&mut self, tensor: usize) {
        self.pass_on(tensor);
        for &(parent, _) in PARENTS[tensor] {
            self.once_per_path(parent);
        }
    }

    fn when_first_reached(&mut self, tensor: usize) {
        if !std::mem::replace(&mut self.visited[tensor], true) {
            self.pass_on(tensor);
            for &(parent, _) in PARENTS[tensor] {
                self.when_first_reached(parent);
            }
        }
    }
}
// ANCHOR_END: walks

// ANCHOR: topological
impl Walk {
    fn in_topological_order(&mut self, root: usize) {
        let mut topo = Vec::new();
        self.build_topo(root, &mut topo);
        topo.into_iter().rev().for_each(|tensor| self.pass_on(tensor));
    }

    fn build_topo(&mut self, tensor: usize, topo: &mut Vec<usize>) {
        if !std::mem::replace(&mut self.visited[tensor], true) {
            for &(parent, _) in PARENTS[tensor] {
                self.build_topo(parent, topo);
            }
            topo.push(tensor);
        }
    }
}
// ANCHOR_END: topological

fn main() {
    let show = |words, walk: fn(&mut Walk, usize)| {
        let mut it =
            Walk { grads: [0.0, 0.0, 0.0, 0.0, 1.0], ..Walk::default() };
        walk(&mut it, 4);
        println!("{words:<22}  a {:2}  b {:2}", it.grads[0], it.grads[1]);
    };
    show("once per path", Walk::once_per_path);
    show("when first reached", Walk::when_first_reached);
    show("in topological order", Walk::in_topological_order);
}
