//! The wire of the nqueens cluster: the generated types of `nqueens.v1` and their conversions to the words of
//! [`queens`]. Generated types stay at the edge of the program; see `ARCHITECTURE.md`.

/// The generated messages, clients and servers of package `nqueens.v1`; documented in `proto/nqueens/v1`.
#[allow(missing_docs, unreachable_pub, rust_2018_idioms, clippy::all)]
pub mod v1 {
    tonic::include_proto!("nqueens.v1");
}

mod codec;
mod convert;

pub use codec::SmallBuffers;
pub use convert::Invalid;

/// The version of the worker protocol. A worker of another version is refused.
pub const PROTOCOL: u32 = 2;

/// The encoded `FileDescriptorSet` of the services, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
