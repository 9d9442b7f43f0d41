//! Instructions that only one chip has.
//!
//! NVIDIA's compiler turns OpenCL C into assembly for all cards of a generation
//! and stops at a word that one chip of them alone knows, though the assembler
//! behind it knows it too. So in a kernel such a line begins with [`ONLY`], a
//! comment to the compiler. The driver gives out the assembly that it made, and
//! takes one in the place of a binary: in between the lines are uncovered.

use ocl::core::{self, ProgramInfo, ProgramInfoResult};

/// What a line begins with that is for compute capability 9.0 alone.
pub(super) const ONLY: &str = "//sm_90a ";

/// Returns the assembly of a program with such lines uncovered; `None` where
/// there are none.
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
    fn lines_for_one_chip_are_uncovered_and_its_name_is_set() {
        let text = ".version 9.0\n.target sm_90, texmode_independent\n\
                    // begin inline asm\n//sm_90a wgmma.fence;\n\tret;";
        let right = ".version 9.0\n.target sm_90a, texmode_independent\n\
                     // begin inline asm\nwgmma.fence;\n\tret;";
        assert_eq!(of_one_chip(text).unwrap(), right);
        assert_eq!(of_one_chip(right), None);
        assert_eq!(of_one_chip("//sm_90a wgmma; .target sm_80,"), None);
    }
}
