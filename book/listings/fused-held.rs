for step in &found.steps {
    let held = match (&step.storage, &step.wish) {
        (_, Err(_)) => continue,
        (None, _) => true,
        // A number is written wherever it is used.
        (_, Ok(wish)) if wish.number_alone() => false,
        // One more is ours.
        (Some(storage), _) => {
            Arc::strong_count(storage) > step.uses + 1
        }
    };
    found.key.push(Token::Held(held));
}
