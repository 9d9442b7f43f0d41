#[test]
fn a_number_comes_with_its_neighbor() {
    let found = miniature::above(&[1, 3, 2, 4], 2);
    assert_eq!(found, [(3, Some(2)), (4, None)]);
}
