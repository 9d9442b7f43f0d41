//! Instructions that only one GPU model supports.
//!
//! NVIDIA's compiler translates OpenCL C to assembly for a whole GPU
//! generation and rejects an instruction that only one model has, although its
//! assembler accepts it. In a kernel, the line of such an instruction
//! therefore begins with [`ONLY`], which makes it a comment. The driver
//! returns the assembly that it has compiled and accepts assembly in place of
//! a binary, so the lines are uncommented in between.

use ocl::core::{self, ProgramInfo, ProgramInfoResult};

/// The prefix of a line that is only for compute capability 9.0.
pub(super) const ONLY: &str = "//sm_90a ";

/// Returns the assembly of a program with these lines uncommented, or `None`
/// if it has none.
pub(super) fn uncovered(program: &core::Program) -> Option<Vec<u8>> {
    let binaries = core::get_program_info(program, ProgramInfo::Binaries);
    let Ok(ProgramInfoResult::Binaries(binaries)) = binaries else {
        return None;
    };
    let text = std::str::from_utf8(binaries.first()?).ok()?;
    of_one_chip(text).map(String::into_bytes)
}

fn of_one_chip(text: &str) -> Option<String> {
    let has_some = text.contains(ONLY) && text.contains(GENERATION);
    has_some.then(|| text.replace(ONLY, "").replacen(GENERATION, CHIP, 1))
}

const GENERATION: &str = ".target sm_90,";
const CHIP: &str = ".target sm_90a,";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chip_specific_lines_and_target_are_enabled() {
        let text = ".version 9.0\n.target sm_90, texmode_independent\n\
                    // begin inline asm\n//sm_90a wgmma.fence;\n\tret;";
        let right = ".version 9.0\n.target sm_90a, texmode_independent\n\
                     // begin inline asm\nwgmma.fence;\n\tret;";
        assert_eq!(of_one_chip(text).unwrap(), right);
        assert_eq!(of_one_chip(right), None);
        assert_eq!(of_one_chip("//sm_90a wgmma; .target sm_80,"), None);
    }
}
