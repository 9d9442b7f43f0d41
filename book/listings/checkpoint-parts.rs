/// Lists the parts of a checkpoint.
pub(crate) fn parts(&mut self) -> [io::Part<'_>; 5] {
    [
        ("model", &mut self.network),
        ("adam", &mut self.adam),
        ("loader", &mut self.loader),
        ("random", &mut self.random),
        ("step", &mut self.step),
    ]
}
