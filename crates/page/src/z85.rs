//! The encoding of bytes in scripts: four bytes as five digits, most
//! significant first; base64 would take 5.3. The digits are from Z85, whose
//! characters are safe in a JavaScript string.

const DIGITS: &[u8; 85] = b"0123456789abcdefghijklmnopqrstuvwxyz\
    ABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/// Encodes bytes. Up to three missing bytes at the end become 0.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for four in bytes.chunks(4) {
        let byte = |i: usize| u32::from(four.get(i).copied().unwrap_or(0));
        let number = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
        for place in (0..5).rev() {
            let digit = number / 85_u32.pow(place) % 85;
            text.push(char::from(DIGITS[digit as usize]));
        }
    }
    text
}

/// Decodes digits, or returns `None` if they are not Z85.
pub fn decode(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: &u8| DIGITS.iter().position(|it| it == digit);
    let mut bytes = Vec::new();
    for five in digits.as_bytes().chunks(5) {
        let mut number = 0_u32;
        for digit in five {
            let value = u32::try_from(value(digit)?).ok()?;
            number = number.checked_mul(85)?.checked_add(value)?;
        }
        bytes.extend(number.to_be_bytes());
    }
    Some(bytes)
}
