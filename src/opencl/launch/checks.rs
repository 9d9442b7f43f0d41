//! What is compared before a launch: the arguments with the parameters, the
//! sizes with the device, and the buffers with what a kernel says of its reach.

use std::iter;

use ocl::core::Mem;

use super::Launch;
use crate::Error;
use crate::opencl::argument::Argument;
use crate::opencl::device::Bytes;
use crate::opencl::extent::Extent;
use crate::opencl::reach::{Given, Reached};
use crate::opencl::signature::Signature;

impl<Of> Launch<'_, Of> {
    pub(super) fn check_arguments(
        &self,
        signature: &Signature,
    ) -> Result<(), Error> {
        let wanted = signature.parameters.len();
        let given = self.arguments.len();
        if wanted != given {
            let names: Vec<&str> = signature
                .parameters
                .iter()
                .map(|known| known.as_ref().map_or("?", |p| p.name.as_str()))
                .collect();
            return Err(self.mistake(format!(
                "takes {wanted} arguments ({}) and was given {given}",
                names.join(", ")
            )));
        }
        for (index, argument) in self.arguments.iter().enumerate() {
            let known = signature.parameters[index].as_ref();
            let refused = argument
                .check(self.gpu.info())
                .and_then(|()| known.map_or(Ok(()), |p| argument.fits(p)));
            let Err(words) = refused else { continue };
            let name =
                known.map_or(String::new(), |p| format!(" (`{}`)", p.name));
            let place = format!("argument {}{name}", index + 1);
            return Err(self.mistake(format!("cannot take {place}: {words}")));
        }
        self.check_apart()
    }

    /// An item would read there what others have written already, or not yet.
    fn check_apart(&self) -> Result<(), Error> {
        let buffers = || {
            self.arguments.iter().zip(1..).filter_map(|it| match it {
                (Argument::Buffer { mem, written, .. }, place) => {
                    Some((*mem, *written, place))
                }
                (Argument::Scalar(_), _) => None,
            })
        };
        for (mem, _, place) in buffers().filter(|(_, written, _)| *written) {
            let same = |it: &(&Mem, bool, usize)| {
                std::ptr::eq(it.0, mem) && it.2 != place
            };
            if let Some((_, _, other)) = buffers().find(same) {
                return Err(self.mistake(format!(
                    "cannot write argument {place}, which is its argument \
                     {other} as well: give it a buffer of its own to write to"
                )));
            }
        }
        Ok(())
    }

    /// Compares the buffers with what a kernel of this crate says of itself.
    pub(super) fn check_reach(
        &self,
        global: Extent,
        local: Extent,
    ) -> Result<(), Error> {
        let reaches = self.reaches(global, local)?;
        for (place, (length, reach)) in reaches.enumerate() {
            if length < reach {
                return Err(self.mistake(format!(
                    "would reach {reach} values of its buffer number {}, \
                     which holds {length}",
                    place + 1
                )));
            }
        }
        Ok(())
    }

    /// For each buffer its length, and how far a kernel of this crate reaches.
    pub(super) fn reaches(
        &self,
        global: Extent,
        local: Extent,
    ) -> Result<impl Iterator<Item = (u64, u64)>, Error> {
        let groups = [0, 1, 2].map(|d| global.sizes[d] / local.sizes[d]);
        let items = local.sizes;
        let given = Given { arguments: &self.arguments, groups, items };
        let reach = match self.code.reach {
            Some(reach) => reach(&given).ok_or_else(|| {
                self.mistake("was given sizes or offsets that it cannot take")
            })?,
            None => Reached::new(),
        };
        let lengths = self.arguments.iter().filter_map(|a| match a {
            Argument::Buffer { len, .. } => Some(*len as u64),
            Argument::Scalar(_) => None,
        });
        // A buffer that the kernel does not speak of is all to spare.
        let reach = reach.into_iter().chain(iter::repeat(0));
        Ok(lengths.zip(reach))
    }

    /// The global size, rounded up to whole groups, and the local size.
    pub(super) fn check_sizes(
        &self,
        signature: &Signature,
    ) -> Result<(Extent, Extent), Error> {
        let (Some(global), Some(local)) = (self.global, self.local) else {
            return Err(self.mistake(
                "was given no size: a launch needs `.global(..)`, the number \
                 of work-items, and `.local(..)`, those of one group",
            ));
        };
        if global.dimensions != local.dimensions {
            return Err(self.mistake(format!(
                "was given {} dimensions of global size and {} of local size",
                global.dimensions, local.dimensions
            )));
        }
        if global.is_empty() || local.is_empty() {
            return Err(self.mistake(format!(
                "was given a size of 0: global {global}, local {local}"
            )));
        }
        self.check_group(local, signature)?;

        let mut rounded = global;
        for (size, group) in rounded.sizes.iter_mut().zip(local.sizes) {
            *size = size.div_ceil(group).saturating_mul(group);
        }
        // Kernels count in `uint`, and beyond 31 bits some drivers run work-
        // items twice or not at all.
        if rounded.items() > i32::MAX as usize {
            return Err(self.mistake(format!(
                "was given a global size of {rounded}: more work-items than \
                 31 bits count, which drivers do not run reliably; split the \
                 work"
            )));
        }
        Ok((rounded, local))
    }

    fn check_group(
        &self,
        local: Extent,
        signature: &Signature,
    ) -> Result<(), Error> {
        let info = self.gpu.info();
        let required = signature.required_local;
        if required != [0; 3] && required != local.sizes {
            let required = Extent { sizes: required, ..local };
            return Err(self.mistake(format!(
                "requires groups of {required} and was given {local}"
            )));
        }
        // The kernel's own limit is the device's, or lower when it takes many
        // registers.
        let most = signature.max_work_group.min(info.max_work_group);
        if local.items() > most {
            return Err(self.mistake(format!(
                "was given groups of {local} = {} work-items, and on {} it \
                 can have at most {most}",
                local.items(),
                info.name
            )));
        }
        let limits = &info.max_work_item_sizes;
        if local.sizes.iter().zip(limits).any(|(size, most)| size > most) {
            return Err(self.mistake(format!(
                "was given groups of {local}, and {} has limits of {limits:?}",
                info.name
            )));
        }
        // PoCL would end the process instead of refusing the launch.
        if signature.local_memory > info.local_memory {
            return Err(self.mistake(format!(
                "takes {} of local memory for a group, and {} has {}",
                Bytes(signature.local_memory),
                info.name,
                Bytes(info.local_memory)
            )));
        }
        Ok(())
    }
}
