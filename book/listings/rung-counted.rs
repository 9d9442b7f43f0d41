let [m, k, n] = SHAPE;
for rung in &MATMUL_LADDER {
    let name = rung.kernel.name();
    let title = format!("Instructions executed for kernel '{name}':");
    let counts = text.split(&title).nth(1).expect("counts of each rung");
    let counted = ["load global (", "load local ("]
        .map(|what| bytes(counts, what) as f64 / 4.0 / (m * n) as f64);
    assert_eq!(counted, rung.loads(k), "{name}");
}
