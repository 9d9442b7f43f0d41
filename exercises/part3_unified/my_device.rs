// my_device: a device of your own.
//
// WHAT   Write a device on which Part 3 trains a network, in eight levels.
//        Functions named in `delegate!` are left to the processor: your data
//        is copied there and back. Remove a name and write the function of
//        `Backend` to make it yours, with plain loops or with your own
//        kernels. The check tells you which level is next.
// WHY    A framework supports new hardware with about a dozen functions.
// READ   A device of your own
// CHECK  cargo learn check my_device

use my_engine::delegate;
use rungrad::Result;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};

/// The device. It may have fields.
pub struct Mine;

/// The check registers this device.
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
