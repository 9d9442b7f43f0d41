//! Damages files: bytes change, the end is missing, parts are duplicated or
//! lost.

use super::random::Random;

/// Returns the bytes with one to four errors.
pub fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let from = random.below(bytes.len() + 1);
        let to = (from + random.below(9)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(from),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let twice = bytes[from..to].to_vec();
                bytes.splice(from..from, twice);
            }
            3 => bytes.insert(from, random.bits() as u8),
            4 if from < to => bytes[from] ^= 1 << random.below(8),
            // Characters with a meaning in such a text.
            _ => {
                let signs = b"0179,.-\n\r \"'[]{}=#_\0\xff";
                let sign = signs[random.below(signs.len())];
                bytes.splice(from..to.min(from + 1), [sign]);
            }
        }
    }
    bytes
}
