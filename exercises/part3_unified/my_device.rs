// my_device: a device of your own.
//
// WHAT   A device on which Part 3 trains a network, in eight levels. What
//        stands in `delegate!` is left to the processor: your numbers travel
//        there and back. Take a name out, write the function that
//        `Backend` asks for, and it is yours. Plain loops will do; kernels of
//        yours will, too. The check says which level is next.
// WHY    A framework meets new hardware by a dozen functions. They are these.
// READ   A device of your own
// CHECK  cargo learn check my_device

use my_engine::delegate;
use rungrad::Result;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};

/// The device. It may have fields.
pub struct Mine;

/// The check registers this one.
pub static MINE: Mine = Mine;

impl Backend for Mine {
    fn name(&self) -> String {
        "mine".to_string()
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    delegate! {
        upload, download,
        unary,
        binary, where_cond,
        copy, paste,
        reduce,
        matmul,
        index_select, index_add, fold,
        uniform, memory,
    }
}
