// my_kernels: kernels of your own.
//
// WHAT   Write the kernels on which Part 2 runs, in six levels. Ours are used
//        for kernels that you have not written. The check tells you which
//        kernels are next, with their names and parameters.
//
//        Unless a level says otherwise, a kernel is launched in groups of 256
//        items, with one item per element of its result. All groups are whole:
//        the spare items have nothing to do, but must reach every barrier.
// WHY    The tensors on a device can only be as correct as its kernels.
// READ   Kernels of your own
// CHECK  cargo learn check my_kernels
