//! Arithmetic on rows of 32-bit floats, by the widest instructions of the machine.
//!
//! The `gemm` crate would do for products, but reaches AVX-512 only by a feature that changes how
//! half the workspace is built, and packs the same weights anew for every product. Here weights
//! are packed once, when they are read, and bias and activation are applied while a block of the
//! product is at hand.

mod functions;
mod instructions;
mod panels;
mod tile;

pub(crate) use functions::{Activation, Norm, add_and_norm, greatest, norm, softmax, unit_length};
pub(crate) use panels::{Finish, PackedRows, Panels, Rows, multiply};
