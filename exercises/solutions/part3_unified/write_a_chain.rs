// write_a_chain: generate one kernel for a chain of operations.
//
// WHAT   A chain is given as a list of lines, each of which uses earlier ones.
//        Write the OpenCL C of one kernel that computes all lines for an
//        element and stores the last one. Relu keeps a NaN.
// WHY    Launched one by one, each line would be a kernel that reads its
//        operands from memory and writes its result to memory. In one kernel a
//        line is a variable, and memory is read at the beginning and written
//        at the end.
// MIND   Launches consist of whole groups, so there are more items than
//        elements. In C a number without an f at its end is a double, and 3f
//        is not a valid number.
// READ   Kernels that write themselves
// CHECK  cargo learn check write_a_chain

/// A line of a chain. Operands are the indices of earlier lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Line {
    /// The element of an input: `in0`, `in1`, ..
    Load(usize),
    Add(usize, usize),
    /// The first operand minus the second.
    Sub(usize, usize),
    Mul(usize, usize),
    /// An earlier line times a constant.
    Scale(usize, f32),
    /// Negative values become 0, and a NaN stays NaN.
    Relu(usize),
}

/// Returns the kernel `chain` with this number of inputs:
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
    // HOLE
    //| for (at, line) in lines.iter().enumerate() {
    //|     let value: String = match line {
    //|         Line::Load(input) => format!("in{input}[i]"),
    //|         _ => todo!("TODO(write_a_chain): the C of each kind of line"),
    //|     };
    //|     text += &format!("    float v{at} = {value};\n");
    //| }
    text += "    if (i >= n)\n        return;\n";
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
    text += &format!("    out[i] = v{};\n", lines.len() - 1);
    // END HOLE
    text + "}\n"
}
