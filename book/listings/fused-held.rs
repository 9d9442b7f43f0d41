for step in &graph.steps {
    let is_live = match (&step.storage, &step.node) {
        (_, Err(_)) => continue,
        (None, _) => true,
        // A constant is never stored.
        (_, Ok(node)) if node.is_constant() => false,
        // The graph itself holds one reference.
        (Some(storage), _) => {
            Arc::strong_count(storage) > step.uses + 1
        }
    };
    graph.key.push(Token::Live(is_live));
}
