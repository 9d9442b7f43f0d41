// The guard stands around the store alone, and the loads read past the end.

/// A line of a chain. Operands are the numbers of earlier lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    /// The element of an input: `in0`, `in1`, ..
    Load(usize),
    Add(usize, usize),
    /// The first without the second.
    Sub(usize, usize),
    Mul(usize, usize),
    /// An earlier line times a number.
    Scale(usize, f32),
    /// What is negative becomes 0.
    Relu(usize),
}

/// Writes the kernel `chain` for so many inputs:
///
/// ```c
/// kernel void chain(
///     global const float *in0,
///     global const float *in1,
///     global float *out,
///     uint n)
/// ```
pub fn text(inputs: usize, lines: &[Line]) -> String {
    let mut text = String::from("kernel void chain(\n");
    for input in 0..inputs {
        text += &format!("    global const float *in{input},\n");
    }
    text += "    global float *out,\n    uint n)\n{\n";
    text += "    uint i = get_global_id(0);\n";
    for (at, line) in lines.iter().enumerate() {
        let value = match line {
            Line::Load(input) => format!("in{input}[i]"),
            Line::Add(a, b) => format!("v{a} + v{b}"),
            Line::Sub(a, b) => format!("v{a} - v{b}"),
            Line::Mul(a, b) => format!("v{a} * v{b}"),
            Line::Scale(a, number) => format!("v{a} * ({number:?}f)"),
            Line::Relu(a) => format!("v{a} <= 0.0f ? 0.0f : v{a}"),
        };
        text += &format!("    float v{at} = {value};\n");
    }
    text += &format!("    if (i < n) out[i] = v{};\n", lines.len() - 1);
    text + "}\n"
}
