/// Makes a tape in which neighbors that the same part has made are one
/// record, called as the part is: what it has is what the last of them
/// has. Parts are the same if their first `depth` names are. Leaves and
/// constants are left out where a part takes them in, and records that no
/// part has made stay as they are.
pub fn folded(&self, depth: usize) -> Tape {
    // Into which record of the new tape each record goes.
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
            // It goes on: what the part was given comes first.
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
