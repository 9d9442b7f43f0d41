//! The parameters and limits of a compiled kernel.

use ocl::core::KernelArgAddressQualifier as Address;
use ocl::core::{self, KernelArgInfo, KernelArgInfoResult};
use ocl::core::{KernelArgTypeQualifier, KernelInfo, KernelInfoResult};
use ocl::core::{KernelWorkGroupInfo, KernelWorkGroupInfoResult};

use super::device::DeviceInfo;

/// The properties of a kernel compiled for a device.
pub(super) struct Signature {
    /// One per argument; `None` if the driver does not know it.
    pub(super) parameters: Vec<Option<Parameter>>,
    /// The maximum number of work-items in a group of this kernel.
    pub(super) max_work_group: usize,
    /// The local size that it requires, or zeros if it requires none.
    pub(super) required_local: [usize; 3],
    /// The size in bytes of the `__local` memory of a group.
    pub(super) local_memory: u64,
}

/// A parameter as the source declares it.
pub(super) struct Parameter {
    pub(super) name: String,
    /// Such as `float*` or `uint`.
    pub(super) type_name: String,
    pub(super) address: Address,
    constant: bool,
}

impl Parameter {
    fn query(
        kernel: &core::Kernel,
        index: u32,
        info: &DeviceInfo,
    ) -> Result<Parameter, core::Error> {
        let versions = [info.opencl];
        let ask = |what| {
            core::get_kernel_arg_info(kernel, index, what, Some(&versions))
        };
        Ok(Parameter {
            name: ask(KernelArgInfo::Name)?.to_string(),
            type_name: ask(KernelArgInfo::TypeName)?
                .to_string()
                .replace("unsigned int", "uint"),
            address: match ask(KernelArgInfo::AddressQualifier)? {
                KernelArgInfoResult::AddressQualifier(address) => address,
                _ => unreachable!("an answer to another question"),
            },
            constant: match ask(KernelArgInfo::TypeQualifier)? {
                KernelArgInfoResult::TypeQualifier(qualifier) => {
                    qualifier.contains(KernelArgTypeQualifier::CONST)
                }
                _ => unreachable!("an answer to another question"),
            },
        })
    }

    /// Returns the declaration as it is written in the source.
    pub(super) fn declaration(&self) -> String {
        let address = match self.address {
            Address::Global => "global ",
            Address::Constant => "constant ",
            Address::Local => "local ",
            Address::Private => "",
        };
        // Constant memory is const, with or without the qualifier.
        let constant = self.constant && self.address == Address::Global;
        let constant = if constant { "const " } else { "" };
        format!("`{address}{constant}{} {}`", self.type_name, self.name)
    }

    /// Returns whether the kernel has promised not to write to it.
    pub(super) fn is_read_only(&self) -> bool {
        self.constant || self.address == Address::Constant
    }
}

impl Signature {
    /// Returns the names of the parameters, or `?` if the driver does not know
    /// them.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |p: &Option<Parameter>| match p {
            Some(parameter) => parameter.name.clone(),
            None => "?".to_owned(),
        };
        self.parameters.iter().map(name).collect()
    }

    pub(super) fn query(
        kernel: &core::Kernel,
        info: &DeviceInfo,
    ) -> Result<Signature, core::Error> {
        use KernelWorkGroupInfo::{
            CompileWorkGroupSize, LocalMemSize, WorkGroupSize,
        };
        use KernelWorkGroupInfoResult as Answer;
        let ask_limit =
            |what| core::get_kernel_work_group_info(kernel, info.id, what);
        let count = match core::get_kernel_info(kernel, KernelInfo::NumArgs)? {
            KernelInfoResult::NumArgs(count) => count,
            _ => unreachable!("an answer to another question"),
        };
        Ok(Signature {
            parameters: (0..count)
                .map(|index| Parameter::query(kernel, index, info).ok())
                .collect(),
            max_work_group: match ask_limit(WorkGroupSize)? {
                Answer::WorkGroupSize(size) => size,
                _ => info.max_work_group,
            },
            required_local: match ask_limit(CompileWorkGroupSize)? {
                Answer::CompileWorkGroupSize(size) => size,
                _ => [0; 3],
            },
            local_memory: match ask_limit(LocalMemSize)? {
                Answer::LocalMemSize(bytes) => bytes,
                _ => 0,
            },
        })
    }
}
