// A node is ready when all of its parents are listed.

use std::collections::{HashMap, HashSet, VecDeque};
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut reach = HashSet::from([root]);
    let mut stack = vec![root];
    while let Some(n) = stack.pop() {
        for &p in &parents[n] {
            if reach.insert(p) {
                stack.push(p)
            }
        }
    }
    let mut left: HashMap<usize, usize> = HashMap::new();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    for &n in &reach {
        let ps: HashSet<usize> = parents[n].iter().copied().collect();
        left.insert(n, ps.len());
        for p in ps {
            children.entry(p).or_default().push(n)
        }
    }
    let mut ready: VecDeque<usize> = {
        let mut v: Vec<usize> =
            reach.iter().copied().filter(|n| left[n] == 0).collect();
        v.sort();
        v.into()
    };
    let mut out = vec![];
    while let Some(n) = ready.pop_front() {
        out.push(n);
        for &c in children.get(&n).into_iter().flatten() {
            let l = left.get_mut(&c).unwrap();
            *l -= 1;
            if *l == 0 {
                ready.push_back(c)
            }
        }
    }
    out
}
