//! Who comes in and who does not: real connections on both ports, with every kind of credentials.

mod ask;
mod cluster;
mod dawdlers;
mod log;
mod material;
mod matrix;
mod rotation;
