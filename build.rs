//! Compiles `proto/` to Rust with protox, a protobuf compiler in Rust, so that no `protoc` is needed.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

const FILES: [&str; 4] = [
    "nqueens/v1/problem.proto",
    "nqueens/v1/run_service.proto",
    "nqueens/v1/worker_service.proto",
    "nqueens/v1/cluster_service.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/nqueens");
    let descriptors = protox::Compiler::new(["proto"])?
        .include_source_info(true)
        .include_imports(true)
        .open_files(FILES)?
        .file_descriptor_set();
    // Reflection serves the same set that the code is generated from.
    let path = PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin");
    fs::write(path, descriptors.encode_to_vec())?;
    tonic_prost_build::configure()
        .bytes(".nqueens.v1.BoardChunk.boards")
        .bytes(".nqueens.v1.StreamBoardsResponse.boards")
        .codec_path("crate::SmallBuffers")
        .compile_fds(descriptors)?;
    Ok(())
}
