// my_kernels: kernels of your own.
//
// WHAT   The kernels on which Part 2 computes, in six levels. What you have
//        not written is ours. The check says which kernels are next, with
//        their names and parameters.
//
//        Unless a level says otherwise, a kernel runs in groups of 256 items,
//        one for each element of its result. All groups are whole: the spare
//        items have nothing to do, and still come to every barrier.
// WHY    A tensor on a device is as right as its kernels.
// READ   Kernels of your own
// CHECK  cargo learn check my_kernels
