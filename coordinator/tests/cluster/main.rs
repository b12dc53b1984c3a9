//! Whole clusters inside one process: the real coordinator and real workers, over real gRPC on a free port.

mod algorithms;
mod cluster;
mod hostile;
mod http;
mod mistakes;
mod restarts;
mod runs;
