//! The fence around OpenCL, built in chapters 12 to 14.
