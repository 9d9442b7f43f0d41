//! Runs the shared specification on the lazy devices.

use super::*;

mod on_a_lazy_device {
    use super::*;

    // These tests generate about five hundred kernels, and a driver compiles
    // each.
    fn open() -> Option<Part3> {
        gpu_or_skip().map(|gpu| Part3(Device::Fused(gpu.info().index)))
    }

    testkit::specification!(open);
    testkit::operations!(open);
    testkit::edges!(open);
    testkit::refusals!(open);
    testkit::operators!(open, f64::from);
}

mod on_the_cpu {
    use super::*;

    fn open() -> Option<Part3> {
        Some(Part3(Device::FusedCpu))
    }

    testkit::specification!(open);
    testkit::operations!(open);
    testkit::edges!(open);
    testkit::refusals!(open);
    testkit::operators!(open, f64::from);
}
