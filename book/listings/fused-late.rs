made.map_err(|error| match (error, caller) {
    (Error::Device(sentence), Some(place)) => Error::Device(format!(
        "{sentence} (it was to compute what {}:{} asked for)",
        place.file(),
        place.line()
    )),
    (error, _) => error,
})
