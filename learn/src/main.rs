//! `cargo learn`, the course companion.
fn main() {
    println!("Rungrad");
}
