/// Merges consecutive records created by the same part into one record,
/// which has the part's name and the values of the last of them. Parts are
/// the same if the first `depth` components of their names are equal.
/// Leaves and constants are omitted. Records that belong to no part stay
/// unchanged.
pub fn folded(&self, depth: usize) -> Tape {
    // Maps each old record to its record in the new tape.
    let mut into: HashMap<u64, u64> = HashMap::new();
    let mut folded: Vec<Record> = Vec::new();
    let is_given = |op: &Op| matches!(op, Op::Leaf | Op::Constant);
    for record in self.records.iter().filter(|it| !is_given(&it.op)) {
        let part = record.part.as_deref().filter(|name| !name.is_empty());
        let part = part.map(|name| shortened(name, depth).to_string());
        let parents = record.parents.iter();
        let known = parents.filter_map(|id| into.get(id).copied());
        let mut parents: Vec<u64> = known.collect();
        let mut next = record.clone();
        next.parent_grads.clear();
        match folded.pop_if(|last| part.is_some() && last.part == part) {
            // The part continues; its inputs so far come first.
            Some(last) => {
                parents.retain(|id| *id != last.id);
                parents.splice(0..0, last.parents.clone());
                for to in into.values_mut() {
                    if *to == last.id {
                        *to = next.id;
                    }
                }
                next.op = Op::Custom("part");
                next.name = last.name;
            }
            None if part.is_some() => {
                next.op = Op::Custom("part");
                next.name.clone_from(&part);
            }
            None => {}
        }
        let mut seen = Vec::new();
        parents.retain(|id| {
            !seen.contains(id) && {
                seen.push(*id);
                true
            }
        });
        into.insert(record.id, next.id);
        folded.push(Record { parents, part, ..next });
    }
    Tape::new(folded)
}
